package checks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/reference/client"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/report"
	"github.com/labgrade/labgrade/sql"
)

// LintSQL looks for what Flink's client would refuse in a script, and for usual slips,
// without any data: every source is taken to be empty. name is the file's, for messages.
func LintSQL(ctx context.Context, name, text string) ([]report.Finding, error) {
	l := &sqlLint{v: &verdict{}, name: name}
	l.layout(text)
	var failed error
	s := client.New(client.Options{
		Files: emptyFiles{}, Echo: client.EchoNone, Context: ctx, KeepUnsupported: true,
		Events: client.Events{
			Begin: func(*client.Result) {},
			End:   func(r *client.Result) { l.statement(r) },
		},
	})
	if err := s.Run(text, false); err != nil && !errors.Is(err, client.ErrFailed) && !unsupported.Is(err) {
		failed = err
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	slices.SortStableFunc(l.v.findings, func(a, b report.Finding) int { return a.Line - b.Line })
	return l.v.findings, failed
}

type sqlLint struct {
	v       *verdict
	name    string
	tableau bool
	// told: the missing result mode was found. broken: a table could not be made, so that what follows fails because of it.
	told, broken bool
}

func (l *sqlLint) add(code string, severity report.Severity, line int, format string, args ...any) {
	l.v.add(code, report.Finding{File: l.name, Line: line, Severity: severity, Message: fmt.Sprintf(format, args...)})
}

// layout finds what the client trips over before any statement is parsed: it cuts a file
// at lines that end in a semicolon.
func (l *sqlLint) layout(text string) {
	words := sql.Words(text)
	for i := 0; i+1 < len(words); i++ {
		if words[i].Text == ";" && !words[i].Quoted && words[i+1].Line == words[i].Line {
			l.add("LG-RUN-016", report.Error, words[i].Line, "Two statements stand on one line.")
		}
	}
	if len(words) == 0 {
		l.add("LG-FILE-011", report.Error, 0, "The file holds no statement.")
	}
}

// statement looks at a statement that was run over empty tables.
func (l *sqlLint) statement(r *client.Result) {
	line := firstWordLine(r)
	if r.Err != nil {
		l.failed(r)
		return
	}
	switch x := r.Statement.(type) {
	case *sql.QueryStmt:
		if !l.tableau && !l.told {
			l.told = true
			l.add("LG-RUN-001", report.Error, line, "Before the first query SET 'sql-client.execution.result-mode' = 'tableau'; is missing: with -f the client shows results in no other way.")
		}
	case *sql.Set:
		if x.Key == "sql-client.execution.result-mode" {
			l.tableau = strings.EqualFold(x.Value, "tableau")
		}
		if strings.HasPrefix(x.Key, `"`) {
			l.add("LG-RUN-019", report.Warning, line, "The key %s has double quotes around it: it sets nothing.", x.Key)
		}
	case *sql.CreateTable:
		l.table(x, line)
	}
}

// firstWordLine is the line where a statement begins, behind blank lines.
func firstWordLine(r *client.Result) int {
	blank := r.Text[:len(r.Text)-len(strings.TrimLeft(r.Text, " \t\r\n"))]
	return r.Line + strings.Count(blank, "\n")
}

func (l *sqlLint) failed(r *client.Result) {
	var fe *flinkerr.Error
	var se *sql.Error
	line := firstWordLine(r)
	switch {
	case unsupported.Is(r.Err):
		l.add("LG-RUN-021", report.Note, line, "labgrade cannot say: %s.", firstLine(r.Err.Error()))
	case strings.Contains(r.Err.Error(), "only single statement supported"):
		// layout has said so
	case errors.As(r.Err, &se):
		if se.Pos.Line > 0 {
			line = r.Line + se.Pos.Line - 1
		}
		l.add("LG-RUN-005", report.Error, line, "%s", sentence(firstLine(se.Message)))
	case errors.As(r.Err, &fe):
		code := errorCode(fe.Class, fe.Message)
		if code == "LG-RUN-003" && l.broken {
			l.add(code, report.Note, line, "%s (A table before could not be made.)", sentence(firstLine(fe.Message)))
			return
		}
		l.add(code, report.Error, line, "%s", sentence(firstLine(fe.Message)))
	default:
		l.add("LG-RUN-013", report.Error, line, "%s", sentence(firstLine(r.Err.Error())))
	}
	if strings.HasPrefix(strings.ToUpper(strings.TrimSpace(r.Text)), "CREATE") {
		l.broken = true
	}
}

// table looks at a declaration that Flink accepts.
func (l *sqlLint) table(t *sql.CreateTable, line int) {
	p := optionOf(t, "path")
	if optionOf(t, "connector") == "filesystem" && p != "" && !strings.Contains(p, "://") && !path.IsAbs(strings.TrimPrefix(p, "file:")) {
		l.add("LG-RUN-002", report.Warning, line, "The path %s of the table %s is relative: it counts from where the cluster was started.", p, lastPart(t.Name))
	}
	if t.Watermark != nil && !hasDelay(t.Watermark.X) {
		l.add("LG-FACT-004", report.Note, line, "The watermark of the table %s has no delay: every row that comes out of order is late.", lastPart(t.Name))
	}
}

// emptyFiles is a world in which every source is an empty file.
type emptyFiles struct{}

func (emptyFiles) Open(string) (fs.File, error) { return &memFile{bytes.NewReader(nil), 0}, nil }

func (emptyFiles) ReadDir(p string) ([]fs.DirEntry, error) {
	return nil, &fs.PathError{Op: "readdir", Path: p, Err: fs.ErrNotExist}
}

func (emptyFiles) Create(string) (io.WriteCloser, error) { return swallow{}, nil }
func (emptyFiles) MkdirAll(string) error                 { return nil }
func (emptyFiles) RemoveAll(string) error                { return nil }
