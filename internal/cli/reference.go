package cli

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

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/reference/client"
)

func referenceCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "reference",
		Usage:     "write a right submission of a lab, made by the reference engine",
		ArgsUsage: "LAB",
		Flags: []cli.Flag{
			labsFlag(),
			&cli.StringSliceFlag{Name: "source", Aliases: []string{"s"}, Usage: "`FILE` with the source data (TABLE=FILE for a lab with several tables)"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`DIR` to write into; it must be empty or new"},
		},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 || c.String("out") == "" {
				return Usagef("reference needs the lab's name and --out DIR\nSee: labgrade reference --help")
			}
			lab, err := openLab(c, c.Args().First())
			if err != nil {
				return err
			}
			src, err := openSources(lab, c.StringSlice("source"))
			if err != nil {
				return err
			}
			dir := c.String("out")
			if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
				return Usagef("%s is not empty", dir)
			}
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return Usagef("%w", err)
			}
			n, err := writeReference(c.Context, lab, src, dir)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(s.Err, "wrote %d files into %s\n", n, dir)
			return err
		},
	}
}

// writeReference writes the SQL of the lab's solution and what the engine answers.
func writeReference(ctx context.Context, lab *labs.Lab, src *labSources, dir string) (int, error) {
	solution, err := lab.Solution()
	if err != nil {
		return 0, err
	}
	n := 0
	write := func(name string, data []byte) error {
		n++
		return os.WriteFile(filepath.Join(dir, name), data, 0o644)
	}
	g := checks.New(lab, src.open, checks.Reference())
	for i := range lab.Steps {
		step := &lab.Steps[i]
		if err := ctx.Err(); err != nil {
			return n, err
		}
		if step.Kind == labs.KindReport {
			numbers, err := g.Numbers(ctx, step)
			if err != nil {
				return n, err
			}
			var b bytes.Buffer
			b.WriteString("{")
			for i, x := range numbers {
				if i > 0 {
					b.WriteByte(',')
				}
				fmt.Fprintf(&b, "\n  %q: %d", x.Name, x.Value)
			}
			b.WriteString("\n}\n")
			if err := write(step.File, b.Bytes()); err != nil {
				return n, err
			}
			continue
		}
		text, err := fs.ReadFile(solution, step.SQL)
		if err != nil {
			return n, Failf(ExitInternal, "the lab's solution lacks %s: %w", step.SQL, err)
		}
		if err := write(step.SQL, text); err != nil {
			return n, err
		}
		f, err := os.Create(filepath.Join(dir, step.Out))
		if err != nil {
			return n, err
		}
		n++
		files := &referenceFiles{src: src, dir: dir, home: lab.Folder}
		session := client.New(client.Options{Out: f, Echo: client.EchoClient, Color: true, Now: time.Now, Home: "/root", Files: files})
		err = session.RunFile(string(text))
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil && !errors.Is(err, client.ErrFailed) {
			return n, fmt.Errorf("%s: %w", step.SQL, err)
		}
		n += files.written
	}
	return n, nil
}

// referenceFiles maps the paths of a solution: the lab's sources to the given data, the
// learner's folder to the output folder. Nothing else is touched.
type referenceFiles struct {
	src       *labSources
	dir, home string
	written   int
}

// inside is the output path of a path in the learner's folder.
func (f *referenceFiles) inside(p string) (string, bool) {
	rel, ok := strings.CutPrefix(path.Clean(p), f.home+"/")
	if !ok || f.home == "" {
		return "", false
	}
	return filepath.Join(f.dir, filepath.FromSlash(rel)), true
}

func (f *referenceFiles) Open(p string) (fs.File, error) {
	for _, t := range f.src.lab.Tables {
		if t.File == path.Base(p) {
			return f.src.open(t.Name)
		}
	}
	if in, ok := f.inside(p); ok {
		return os.Open(in)
	}
	return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
}

func (f *referenceFiles) ReadDir(p string) ([]fs.DirEntry, error) {
	if in, ok := f.inside(p); ok {
		return os.ReadDir(in)
	}
	return nil, &fs.PathError{Op: "readdir", Path: p, Err: fs.ErrNotExist}
}

func (f *referenceFiles) Create(p string) (io.WriteCloser, error) {
	in, ok := f.inside(p)
	if !ok {
		return nil, &fs.PathError{Op: "create", Path: p, Err: fs.ErrPermission}
	}
	if err := os.MkdirAll(filepath.Dir(in), 0o755); err != nil {
		return nil, err
	}
	f.written++
	return os.Create(in)
}

func (f *referenceFiles) MkdirAll(p string) error {
	in, ok := f.inside(p)
	if !ok {
		return &fs.PathError{Op: "mkdir", Path: p, Err: fs.ErrPermission}
	}
	return os.MkdirAll(in, 0o755)
}

func (f *referenceFiles) RemoveAll(p string) error {
	in, ok := f.inside(p)
	if !ok {
		return &fs.PathError{Op: "remove", Path: p, Err: fs.ErrPermission}
	}
	return os.RemoveAll(in)
}
