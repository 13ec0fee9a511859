package client

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/config"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/plan"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

// Session is one run of the client: settings, catalogs and what has been printed.
type Session struct {
	opt      Options
	out      *bufio.Writer
	settings *config.Settings
	catalogs *catalog.Manager
	modules  []string
	// functions are those of CREATE FUNCTION.
	functions userFunctions
	// set holds the INSERTs since BEGIN STATEMENT SET; inSet tells that one is open.
	set   []*sql.Insert
	inSet bool
	// interactive: statements come on standard input. Errors do not end the run then.
	interactive bool
	// silent: nobody reads the text, so rows are not even written.
	silent      bool
	initialize  bool
	quit        bool
	jobs        int
	lead        int
	unsupported error
	// refused is what later statements may not rest on.
	refused refusals
	// counters are those of operators in JSON plans; planned are the statements that they have
	// not counted yet.
	counters plan.Counters
	planned  []*plan.Plan
	// failedEarly tells that the running job failed before it read a row.
	failedEarly bool
}

// New begins a session.
func New(opt Options) *Session {
	silent, buffer := opt.Out == nil, 1<<16
	if silent {
		opt.Out, buffer = io.Discard, 16
	}
	if opt.Now == nil {
		opt.Now = func() time.Time { return time.Unix(0, 0).UTC() }
	}
	if opt.Files == nil {
		opt.Files = noFiles{}
	}
	return &Session{
		opt: opt, out: bufio.NewWriterSize(opt.Out, buffer), settings: config.New(opt.Settings),
		catalogs: catalog.NewManager(), modules: []string{"core"}, functions: newUserFunctions(), silent: silent,
	}
}

// Lead chooses, for the next streaming statements, one of the orders in which Flink may take
// the rows of several sources, see stream.Runtime. 0 is the convention: in turns, left first.
func (s *Session) Lead(n int) { s.lead = n }

// Settings returns the session's settings.
func (s *Session) Settings() *config.Settings { return s.settings }

// Catalogs returns the session's catalogs.
func (s *Session) Catalogs() *catalog.Manager { return s.catalogs }

// ErrFailed says that a statement failed in Flink's own terms; the text says how.
var ErrFailed = errors.New("a statement failed")

// RunInit runs an initialization script (-i): silently, and only statements that change the
// session. The first error ends it and the session must not go on.
func (s *Session) RunInit(text, name string) error {
	out := s.out
	quiet := func(on bool) {
		s.initialize, s.out = on, out
		if on {
			s.out = bufio.NewWriter(io.Discard)
		}
	}
	quiet(true)
	defer quiet(false)
	script := sql.NewScript(text)
	for {
		c, ok := script.Next()
		if !ok {
			break
		}
		r, err := s.step(script, c)
		if err == nil && !initializes(r) {
			err = flinkerr.Validation("Unsupported operation in sql init file")
		}
		if err != nil {
			quiet(false)
			if unsupported.Is(err) {
				s.note(err)
				return err
			}
			fmt.Fprintf(s.out, "Failed to initialize from sql script: %s. Please refer to the LOG for detailed error messages.\n", name)
			s.hint(r, err)
			s.goodbye()
			return ErrFailed
		}
	}
	quiet(false)
	fmt.Fprintf(s.out, "Successfully initialized from sql script: %s\n", name)
	return s.out.Flush()
}

// initializes tells whether a statement may stand in an initialization script.
func initializes(r *Result) bool {
	switch r.Kind {
	case KindDDL, KindSetting, KindClient:
		return true
	}
	return false
}

// RunFile runs a script as "sql-client.sh -f" does: the first error ends it.
func (s *Session) RunFile(text string) error {
	fmt.Fprintf(s.out, "%s\n", s.style(styleInfo, "[INFO] Executing SQL from file."))
	s.history()
	return s.finish(s.run(sql.NewScript(text)))
}

// RunInput runs statements as the client reads them from standard input: errors do not end it.
func (s *Session) RunInput(text string) error {
	s.interactive = true
	fmt.Fprintf(s.out, "\n%s\n", banner)
	if s.opt.Home != "" {
		fmt.Fprintf(s.out, "Command history file path: %s/.flink-sql-history\n", s.opt.Home)
	}
	return s.finish(s.run(sql.NewInput(text)))
}

// Run runs statements without greeting, prompts and goodbye: each answer is followed by an
// empty line. With stop the first error ends it.
func (s *Session) Run(text string, stop bool) error {
	s.interactive = !stop
	script := sql.NewScript(text)
	for {
		c, ok := script.Next()
		if !ok {
			break
		}
		_, err := s.step(script, c)
		if s.ends(err) {
			if isFlink(err) {
				err = ErrFailed
			}
			return s.flushed(err)
		}
		fmt.Fprintln(s.out)
	}
	return s.flushed(s.unsupported)
}

func (s *Session) flushed(err error) error {
	if e := s.out.Flush(); e != nil {
		return e
	}
	return err
}

// Exec runs one statement and prints its answer without prompt and echo.
func (s *Session) Exec(text string) (*Result, error) {
	r := &Result{Text: text, Line: 1}
	err := s.execute(r)
	if e := s.out.Flush(); e != nil {
		return r, e
	}
	return r, err
}

func (s *Session) history() {
	if s.opt.Home != "" {
		fmt.Fprintf(s.out, "\nCommand history file path: %s/.flink-sql-history", s.opt.Home)
	}
}

// run is the prompt loop. It returns the error that ended it.
func (s *Session) run(script *sql.Script) error {
	for !s.quit {
		fmt.Fprint(s.out, "\nFlink SQL> ")
		c, ok := script.Next()
		if !ok {
			return nil
		}
		_, err := s.step(script, c)
		if s.ends(err) {
			return err
		}
	}
	return nil
}

// ends tells whether an error ends the run.
func (s *Session) ends(err error) bool {
	switch {
	case err == nil:
		return false
	case unsupported.Is(err):
		s.unsupported = err
		// what may depend on the refused statement is refused, too: the rest can go on
		return !s.opt.KeepUnsupported && !s.interactive
	case isFlink(err):
		return !s.interactive
	}
	return true
}

func isFlink(err error) bool {
	var f *flinkerr.Error
	var p *sql.Error
	return errors.As(err, &f) || errors.As(err, &p)
}

// step echoes and runs one chunk; a chunk that Flink's parser finds incomplete is read on.
func (s *Session) step(script *sql.Script, c sql.Chunk) (*Result, error) {
	r := &Result{Text: c.Text, Line: c.Line}
	var stmt sql.Statement
	err := c.Err
	for err == nil {
		stmt, err = sql.ParseStatement(r.Text)
		if !incomplete(err) {
			break
		}
		more, ok := script.More(c)
		if !ok {
			// the end of the text: nothing is run, nothing is said
			return r, nil
		}
		c, r.Text, err = more, more.Text, more.Err
	}
	r.Line = c.Line
	if c.Err != nil {
		// the client itself found the error, in the text without its leading blanks
		r.skipped = strings.Count(c.Text[:len(c.Text)-len(strings.TrimLeft(c.Text, " \n"))], "\n")
	}
	r.Statement = stmt
	s.echo(c)
	return r, s.executeParsed(r, err)
}

// incomplete is the client's test: it reads on when the parser met the end of the text.
func incomplete(err error) bool {
	var p *sql.Error
	return errors.As(err, &p) && p.AtEOF()
}

// finish says goodbye and flushes. The goodbye comes from the client's shutdown hook.
func (s *Session) finish(err error) error {
	s.goodbye()
	if e := s.out.Flush(); e != nil {
		return e
	}
	switch {
	case s.unsupported != nil:
		return s.unsupported
	case err != nil && isFlink(err):
		return ErrFailed
	}
	return err
}

func (s *Session) goodbye() {
	fmt.Fprint(s.out, "\nShutting down the session...\ndone.\n")
	_ = s.out.Flush() // reported by the caller's own flush
}

// RunStatement runs one statement as if it had come alone on standard input: with its
// echo, without prompt. Errors are printed and returned.
func (s *Session) RunStatement(text string) (*Result, error) {
	s.interactive = true
	script := sql.NewInput(text + ";\n")
	c, ok := script.Next()
	if !ok {
		return &Result{Text: text, Line: 1}, s.out.Flush()
	}
	r, err := s.step(script, c)
	if e := s.out.Flush(); e != nil {
		return r, e
	}
	return r, err
}
