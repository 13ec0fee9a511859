package authoring

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/reference/client"
)

// WriteSolution writes a right submission into dir: the SQL of the lab's solution, or
// where it has none the lab's own statements, and what the engine answers on the data that
// open gives. It returns the number of files.
func WriteSolution(ctx context.Context, lab *labs.Lab, open checks.Source, dir string) (int, error) {
	w := &solutionWriter{lab: lab, open: open, dir: dir, ran: map[string]*ranScript{}}
	g := checks.New(lab, open, checks.Reference())
	for i := range lab.Steps {
		if err := ctx.Err(); err != nil {
			return w.n, err
		}
		step := &lab.Steps[i]
		if step.Kind == labs.KindReport {
			numbers, err := g.Numbers(ctx, step)
			if err != nil {
				return w.n, err
			}
			if err := w.write(step.File, reportText(numbers)); err != nil {
				return w.n, err
			}
			continue
		}
		if err := w.step(ctx, step); err != nil {
			return w.n, err
		}
	}
	return w.n, nil
}

// reportText is a report as JSON.
func reportText(numbers []checks.Number) []byte {
	var b bytes.Buffer
	b.WriteString("{")
	for i, x := range numbers {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "\n  %q: %d", x.Name, x.Value)
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

type solutionWriter struct {
	lab  *labs.Lab
	open checks.Source
	dir  string
	n    int
	// ran are the scripts that were run: two steps may share one.
	ran map[string]*ranScript
}

// ranScript is what a script wrote.
type ranScript struct{ client, print []byte }

func (w *solutionWriter) write(name string, data []byte) error {
	w.n++
	full := filepath.Join(w.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	return os.WriteFile(full, data, 0o644)
}

// sql is the text of a step's SQL file.
func (w *solutionWriter) sql(step *labs.Step) ([]byte, error) {
	if step.SQL != "" {
		text, err := fs.ReadFile(w.lab.FS, path.Join("solution", step.SQL))
		if !errors.Is(err, fs.ErrNotExist) {
			return text, err
		}
	}
	if step.Kind == labs.KindFacts {
		return nil, fmt.Errorf("the lab's solution lacks %s, the SQL of the step %s", step.SQL, step.ID)
	}
	return []byte(checks.Script(w.lab, step, true)), nil
}

func (w *solutionWriter) step(ctx context.Context, step *labs.Step) error {
	text, err := w.sql(step)
	if err != nil {
		return err
	}
	done := w.ran[string(text)]
	if done == nil {
		done = &ranScript{}
		if step.Kind != labs.KindFacts && step.Judge != labs.JudgeSQL {
			if done, err = w.run(ctx, step, string(text)); err != nil {
				return err
			}
			w.ran[string(text)] = done
		}
		if step.SQL != "" {
			if err := w.write(step.SQL, text); err != nil {
				return err
			}
		}
	}
	switch {
	case step.Out == "":
	case step.Kind == labs.KindPrint:
		return w.write(step.Out, done.print)
	default:
		return w.write(step.Out, done.client)
	}
	return nil
}

// run runs a script as the client with -f does.
func (w *solutionWriter) run(ctx context.Context, step *labs.Step, text string) (*ranScript, error) {
	var out, printed bytes.Buffer
	files := &solutionFiles{w: w, folder: step.Folder}
	session := client.New(client.Options{
		Out: &out, Echo: client.EchoClient, Color: true, Now: time.Now, Home: "/root", Files: files, Context: ctx,
		Print: func(line string) { printed.WriteString(strings.TrimRight(line, "\n") + "\n") },
	})
	err := session.RunFile(text)
	if err != nil && !errors.Is(err, client.ErrFailed) {
		return nil, fmt.Errorf("step %s: %w", step.ID, err)
	}
	return &ranScript{out.Bytes(), printed.Bytes()}, nil
}

// solutionFiles maps the paths of a solution: the lab's sources to the given data, the
// learner's folder and the folder of the step's sink into the output folder. Nothing else
// is touched.
type solutionFiles struct {
	w      *solutionWriter
	folder string
}

// inside is the output path of a path in the learner's folder.
func (f *solutionFiles) inside(p string) (string, bool) {
	p = path.Clean(p)
	rel, ok := strings.CutPrefix(p, f.w.lab.Folder+"/")
	if f.w.lab.Folder == "" {
		ok = false
	}
	if !ok && f.folder != "" {
		// Wherever the sink is: what counts is that its folder has the step's name.
		if at := strings.Index(p+"/", "/"+f.folder+"/"); at >= 0 {
			rel, ok = p[at+1:], true
		}
	}
	if !ok {
		return "", false
	}
	return filepath.Join(f.w.dir, filepath.FromSlash(rel)), true
}

func (f *solutionFiles) Open(p string) (fs.File, error) {
	for _, t := range f.w.lab.Tables {
		if t.File == path.Base(p) {
			return f.w.open(t.Name)
		}
	}
	if in, ok := f.inside(p); ok {
		return os.Open(in)
	}
	return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
}

func (f *solutionFiles) ReadDir(p string) ([]fs.DirEntry, error) {
	if in, ok := f.inside(p); ok {
		return os.ReadDir(in)
	}
	return nil, &fs.PathError{Op: "readdir", Path: p, Err: fs.ErrNotExist}
}

func (f *solutionFiles) Create(p string) (io.WriteCloser, error) {
	in, ok := f.inside(p)
	if !ok {
		return nil, &fs.PathError{Op: "create", Path: p, Err: fs.ErrPermission}
	}
	if err := os.MkdirAll(filepath.Dir(in), 0o755); err != nil {
		return nil, err
	}
	f.w.n++
	return os.Create(in)
}

func (f *solutionFiles) MkdirAll(p string) error {
	in, ok := f.inside(p)
	if !ok {
		return &fs.PathError{Op: "mkdir", Path: p, Err: fs.ErrPermission}
	}
	return os.MkdirAll(in, 0o755)
}

func (f *solutionFiles) RemoveAll(p string) error {
	in, ok := f.inside(p)
	if !ok {
		return &fs.PathError{Op: "remove", Path: p, Err: fs.ErrPermission}
	}
	return os.RemoveAll(in)
}
