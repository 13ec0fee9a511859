package checks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/report"
	"github.com/labgrade/labgrade/sql"
)

// Transcriber is an engine that also writes what Flink's client and workers write. Steps
// with judge: sql need it.
type Transcriber interface {
	// Transcribe runs a script as the client with -f does. Errors of Flink stand in the
	// transcript; the error is an unsupported.Error, ErrTooMuch, the context's or a
	// fault of the engine.
	Transcribe(ctx context.Context, script string, files Files) (*Written, error)
}

// Written is what a script writes: the client's output, the lines of print sinks, and
// the files of filesystem sinks by their paths.
type Written struct {
	Client, Print []byte
	Files         map[string][]byte
}

// MaxWritten bounds what a learner's script may write in bytes.
const MaxWritten = 64 << 20

// ErrTooMuch says that a script writes more than MaxWritten.
var ErrTooMuch = errors.New("it writes too much to be judged")

// judgeSQL judges a step by what the learner's SQL gives: the engine runs it, and its
// output is judged as if it had been saved.
func (s *submission) judgeSQL(ctx context.Context, step *labs.Step, v *verdict) error {
	text, bad := s.readSQL(step.SQL)
	if bad != nil {
		v.unreadable(step.SQL, bad)
		return nil
	}
	engine, ok := s.g.engine.(Transcriber)
	if !ok {
		return errors.New("the engine writes no transcripts")
	}
	if !hasStatements(text) {
		v.ungradable = true
		v.add("LG-FILE-011", report.Finding{File: step.SQL, Message: step.SQL + " holds no statement."})
		return nil
	}
	w, err := engine.Transcribe(ctx, s.selfContained(step, text), &graderFiles{g: s.g})
	switch {
	case unsupported.Is(err):
		v.ungradable = true
		v.add("LG-RUN-021", report.Finding{File: step.SQL, Message: "labgrade cannot run " + step.SQL + ": " + firstLine(err.Error())})
		return nil
	case errors.Is(err, ErrTooMuch):
		v.add("LG-RUN-022", report.Finding{File: step.SQL, Message: fmt.Sprintf("The result of %s is larger than %d MB.", step.SQL, MaxWritten>>20)})
		return nil
	case err != nil:
		return err
	}
	run := *step
	run.Judge = labs.JudgeOutput
	run.Out = "the result of " + step.SQL
	files := &overlaid{base: s.files, files: map[string][]byte{run.Out: w.Client}}
	switch step.Kind {
	case labs.KindPrint:
		if len(w.Print) > 0 {
			files.files[run.Out] = w.Print // without any line the client's output says why
		}
	case labs.KindSink:
		run.Folder = "the files of " + step.SQL
		files.folder = run.Folder
		files.files = sinkFolder(w.Files, s.g.lab, step, run.Folder)
		files.files[run.Out] = w.Client
	}
	sub := &submission{g: s.g, files: files, viewer: s.viewer, before: asked, saved: map[string]*savedCounts{}, outcome: map[string]report.Outcome{}}
	if err := sub.judgeKind(ctx, &run, v); err != nil {
		return err
	}
	s.mu.Lock()
	s.saved[step.ID] = sub.saved[step.ID]
	s.mu.Unlock()
	for i := range v.findings {
		f := &v.findings[i]
		if strings.HasPrefix(f.File, run.Out) || run.Folder != "" && strings.HasPrefix(f.File, run.Folder) {
			f.File, f.Line = step.SQL, 0
		}
		f.Message = sentence(f.Message)
		f.More = withoutPlaces(f.More, run.Out, run.Folder)
	}
	return nil
}

// hasStatements reports a text that holds more than comments, blanks and semicolons.
func hasStatements(text string) bool {
	return slices.ContainsFunc(sql.Words(text), func(w sql.Word) bool { return w.Text != ";" })
}

// withoutPlaces drops the details that name a line of a file that nobody saved.
func withoutPlaces(more []string, names ...string) []string {
	var out []string
	for _, m := range more {
		keep := true
		for _, n := range names {
			keep = keep && (n == "" || !strings.Contains(m, n+":"))
		}
		if keep {
			out = append(out, m)
		}
	}
	return out
}

// selfContained puts the lab's tables before a script that makes none of them.
func (s *submission) selfContained(step *labs.Step, text string) string {
	for _, w := range statementsLoose(text) {
		if c, ok := w.stmt.(*sql.CreateTable); ok {
			for i := range s.g.lab.Tables {
				t := &s.g.lab.Tables[i]
				if lastPart(c.Name) == t.Name || path.Base(optionOf(c, "path")) == t.File {
					return asked + text
				}
			}
		}
	}
	l := &learner{s: s, step: step, text: text}
	return asked + l.assumed(nil) + text
}

// asked are the settings of the one who runs the script, not of the script: the result as
// a table, with its cells whole.
const asked = "SET 'table.display.max-column-width' = '100000';\nSET 'sql-client.execution.result-mode' = 'tableau';\n"

// statementsLoose parses each statement by itself and leaves out those that do not parse.
func statementsLoose(text string) []statement {
	var out []statement
	script := sql.NewScript(text)
	for {
		c, ok := script.Next()
		if !ok {
			return out
		}
		out = append(out, statementsOf(c.Text)...)
	}
}

// sinkFolder are the files of the step's sink under the name of its folder: those of the
// folder that is called as in the lab's table, else of the first one.
func sinkFolder(written map[string][]byte, lab *labs.Lab, step *labs.Step, name string) map[string][]byte {
	home := map[string]string{} // folder of the table by path of the file
	var folders []string
	for p := range written {
		dir := path.Dir(p)
		for strings.Contains(path.Base(dir), "=") {
			dir = path.Dir(dir) // a partition
		}
		home[p] = dir
		folders = append(folders, dir)
	}
	sort.Strings(folders)
	out := map[string][]byte{}
	if len(folders) == 0 {
		return out
	}
	chosen := folders[0]
	for _, st := range statementsOf(setupOf(lab, step)) {
		t, ok := st.stmt.(*sql.CreateTable)
		if !ok {
			continue
		}
		for _, f := range folders {
			if path.Base(f) == path.Base(optionOf(t, "path")) {
				chosen = f
			}
		}
	}
	for p, data := range written {
		if home[p] == chosen {
			out[name+strings.TrimPrefix(p, chosen)] = data
		}
	}
	return out
}

// Transcribe runs a script and keeps what it writes.
func (referenceEngine) Transcribe(ctx context.Context, script string, files Files) (*Written, error) {
	return transcribe(ctx, script, files)
}

// written collects what a script writes, up to a bound.
type written struct {
	mu    sync.Mutex
	left  int
	files map[string]*bytes.Buffer
}

// take counts n bytes.
func (w *written) take(n int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.left -= n; w.left < 0 {
		return ErrTooMuch
	}
	return nil
}

// boundedBuffer is a buffer that counts towards the bound.
type boundedBuffer struct {
	bytes.Buffer
	w *written
}

func (b *boundedBuffer) Write(p []byte) (int, error) {
	if err := b.w.take(len(p)); err != nil {
		return 0, err
	}
	return b.Buffer.Write(p)
}

func (b *boundedBuffer) Close() error { return nil }

// overlaid is a folder with further files, which hide those of the same name. folder is
// the one among them that is a folder.
type overlaid struct {
	base   fs.FS
	files  map[string][]byte
	folder string
}

func (o *overlaid) Open(name string) (fs.File, error) {
	if data, ok := o.files[name]; ok {
		return newMemFile(data), nil
	}
	if o.folder != "" && (name == o.folder || strings.HasPrefix(name, o.folder+"/")) {
		list, err := o.ReadDir(name)
		if err != nil {
			return nil, err
		}
		return &memDir{list: list, name: path.Base(name)}, nil
	}
	return o.base.Open(name)
}

func (o *overlaid) ReadDir(name string) ([]fs.DirEntry, error) {
	if o.folder == "" || name != o.folder && !strings.HasPrefix(name, o.folder+"/") {
		return fs.ReadDir(o.base, name)
	}
	found := map[string]fs.DirEntry{}
	for p, data := range o.files {
		rest, ok := strings.CutPrefix(p, name+"/")
		if !ok {
			continue
		}
		first, _, deeper := strings.Cut(rest, "/")
		found[first] = memEntry{name: first, dir: deeper, size: int64(len(data))}
	}
	if len(found) == 0 {
		return nil, &fs.PathError{Op: "readdir", Path: name, Err: fs.ErrNotExist}
	}
	names := make([]string, 0, len(found))
	for n := range found {
		names = append(names, n)
	}
	sort.Strings(names)
	out := make([]fs.DirEntry, len(names))
	for i, n := range names {
		out[i] = found[n]
	}
	return out, nil
}
