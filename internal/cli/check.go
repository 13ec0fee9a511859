package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/internal/handin"
	"github.com/labgrade/labgrade/internal/intake"
	"github.com/labgrade/labgrade/internal/term"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
)

func checkCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "grade a folder of saved outputs",
		ArgsUsage: "LAB [DIR]",
		Description: "Recomputes the truth from the source data and compares what is in DIR with it.\n" +
			"Without DIR the lab's own folder is taken where it exists, else the current one;\n" +
			"without --source the lab's own data where they exist, else those that ship with the lab.\n\n" +
			"Exit status: 0 all right, 1 something is wrong, 3 something could not be graded.",
		Flags: append([]cli.Flag{
			labsFlag(),
			&cli.StringSliceFlag{Name: "source", Aliases: []string{"s"}, Usage: "`FILE` with the source data (TABLE=FILE for a lab with several tables)"},
			&cli.StringSliceFlag{Name: "step", Usage: "grade only this step (`ID`; may be repeated)"},
			&cli.BoolFlag{Name: "json", Usage: "print the result as JSON"},
			reportFlag(),
			viewerFlag("learner"),
			&cli.DurationFlag{Name: "time-limit", Usage: "give up after this `TIME` (0: never)", Value: time.Minute},
			&cli.StringFlag{Name: "color", Usage: "`WHEN` to use colours: auto, always, never", Value: "auto"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print the total alone"},
			&cli.BoolFlag{Name: "watch", Aliases: []string{"w"}, Usage: "grade again after each change in the folder, until Ctrl-C"},
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "print notes and source rows, too"},
		}, folderLimitFlags()...),
		Action: func(c *cli.Context) error {
			if c.Bool("watch") {
				return watchCheck(c, s)
			}
			return runCheck(c, s)
		},
	}
}

func runCheck(c *cli.Context, s Streams) error {
	if c.NArg() < 1 || c.NArg() > 2 {
		return Usagef("check needs the lab's name and at most one folder\nSee: labgrade check --help")
	}
	mode, err := term.ParseMode(c.String("color"))
	if err != nil {
		return Usagef("%w", err)
	}
	targets, err := reportTargets(c.StringSlice("report"))
	if err != nil {
		return err
	}
	if c.Bool("json") && anyOnStdout(targets) {
		return Usagef("--json and a report to - both want standard output; write --report json=FILE")
	}
	lab, err := openLab(c, c.Args().First())
	if err != nil {
		return err
	}
	viewer, err := viewerOf(s, c.String("as"))
	if err != nil {
		return err
	}
	steps, err := stepIDs(lab, viewer, c.StringSlice("step"))
	if err != nil {
		return err
	}
	limits, err := folderLimits(c)
	if err != nil {
		return err
	}
	ctx := c.Context
	if d := c.Duration("time-limit"); d > 0 {
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, d)
		defer stop()
	}
	res, err := check(ctx, lab, c.Args().Get(1), c.StringSlice("source"), steps, viewer, limits)
	if errors.Is(err, context.DeadlineExceeded) {
		return Failf(ExitUngradable, "grading takes longer than %s (--time-limit)", c.Duration("time-limit"))
	}
	if err != nil {
		return err
	}
	if err := writeReports(s, targets, res); err != nil {
		return err
	}
	switch {
	case c.Bool("json"):
		b, err := res.JSON()
		if err != nil {
			return err
		}
		if _, err := s.Out.Write(b); err != nil {
			return err
		}
	case !anyOnStdout(targets):
		v := report.Normal
		if c.Bool("quiet") {
			v = report.Quiet
		} else if c.Bool("verbose") {
			v = report.Verbose
		}
		if err := asPlainLog(s, func(w io.Writer) error { return report.Text(w, res, textStyle(s.Out, mode, s.Getenv), v) }); err != nil {
			return err
		}
	}
	return exitOf(res)
}

// exitOf turns the outcome into an exit code.
func exitOf(r *report.Result) error {
	switch r.Outcome {
	case report.Pass:
		return nil
	case report.Fail:
		return Exit(ExitFailed)
	case report.Errored:
		return Exit(ExitInternal)
	}
	return Exit(ExitUngradable)
}

func textStyle(w io.Writer, m term.Mode, getenv func(string) string) report.Style {
	p := term.NewPalette(w, m, getenv)
	return report.Style{Good: p.Good, Bad: p.Bad, Warn: p.Warn, Dim: p.Dim, Bold: p.Bold, Safe: term.Safe}
}

func stepIDs(lab *labs.Lab, viewer checks.Viewer, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	known := viewer.Visible(lab)
	for _, id := range ids {
		if !slices.Contains(known, id) {
			if w := closest(id, known); w != "" {
				return nil, Usagef("the lab %s has no step %q; did you mean %q?", lab.ID, id, w)
			}
			return nil, Usagef("the lab %s has no step %q; its steps are %s", lab.ID, id, strings.Join(known, ", "))
		}
	}
	return ids, nil
}

// check judges one folder. dir and sources may be empty: the defaults are said in the
// result's notes.
func check(ctx context.Context, lab *labs.Lab, dir string, sources, steps []string, viewer checks.Viewer, limits intake.Limits) (*report.Result, error) {
	res := &report.Result{
		Tool: report.Tool{Name: "labgrade", Version: Version, Flink: lab.Flink},
		Lab:  report.Lab{ID: lab.ID, Title: lab.Title, Version: lab.Version, Digest: lab.Digest},
	}
	if dir == "" {
		dir = "."
		if isDir(lab.Folder) {
			dir = lab.Folder
			res.Notes = append(res.Notes, "no folder was named; the lab's own is taken: "+dir)
		} else {
			res.Notes = append(res.Notes, "no folder was named; the current one is taken")
		}
	}
	if n := hiddenNote(lab, viewer); n != "" {
		res.Notes = append(res.Notes, n)
	}
	if in := handin.WantOf(lab).Inside(dir); in != "" {
		dir = filepath.Join(dir, in)
		res.Notes = append(res.Notes, "the files lie in the folder "+in)
	}
	res.Submission.Root = filepath.ToSlash(dir)
	src, err := openSources(lab, sources)
	if err != nil {
		return nil, err
	}
	for _, t := range lab.Tables {
		d, err := src.describe(t.Name)
		if err != nil {
			return nil, err
		}
		res.Submission.Sources = append(res.Submission.Sources, d)
	}
	folder, err := intake.Open(dir, limits)
	if err != nil {
		return nil, Failf(ExitUngradable, "%w", err)
	}
	defer folder.Close()
	g := checks.New(lab, src.open, checks.Reference())
	res.Checks, err = g.CheckFor(ctx, folder.FS(), steps, viewer)
	if err != nil {
		return nil, err
	}
	res.Total()
	return res, nil
}

func isDir(p string) bool {
	if p == "" {
		return false
	}
	i, err := os.Stat(p)
	return err == nil && i.IsDir()
}

// labSources are the data files of a lab's tables.
type labSources struct {
	lab   *labs.Lab
	paths map[string]string // by table; "" is the shipped file
}

// openSources takes the files that the user named, else those at the lab's own paths
// where they exist, else the shipped ones.
func openSources(lab *labs.Lab, named []string) (*labSources, error) {
	src := &labSources{lab: lab, paths: map[string]string{}}
	for _, n := range named {
		table, file, ok := strings.Cut(n, "=")
		if !ok || !slices.ContainsFunc(lab.Tables, func(t labs.Table) bool { return t.Name == table }) {
			file = n
			table = lab.Tables[0].Name
			if len(lab.Tables) > 1 {
				table = ""
				for _, t := range lab.Tables {
					if t.File == filepath.Base(n) {
						table = t.Name
					}
				}
				if table == "" {
					return nil, Usagef("the lab %s has several tables: say which with --source TABLE=%s", lab.ID, n)
				}
			}
		}
		i, err := os.Stat(file)
		if err != nil {
			return nil, Usagef("the source cannot be read: %w", err)
		}
		if i.IsDir() {
			return nil, Usagef("the source %s is a folder, not a file", file)
		}
		src.paths[table] = file
	}
	for _, t := range lab.Tables {
		if src.paths[t.Name] != "" || t.Path == "" {
			continue
		}
		if i, err := os.Stat(t.Path); err == nil && i.Mode().IsRegular() {
			src.paths[t.Name] = t.Path
		}
	}
	return src, nil
}

func (l *labSources) table(name string) *labs.Table {
	for i := range l.lab.Tables {
		if l.lab.Tables[i].Name == name {
			return &l.lab.Tables[i]
		}
	}
	return nil
}

// open opens a table's data.
func (l *labSources) open(name string) (fs.File, error) {
	if p := l.paths[name]; p != "" {
		return os.Open(p)
	}
	t := l.table(name)
	if t == nil {
		return nil, fs.ErrNotExist
	}
	return l.lab.FS.Open("data/" + t.File)
}

// describe names the data and their digest.
func (l *labSources) describe(name string) (report.Source, error) {
	t := l.table(name)
	d := report.Source{Table: name, Path: filepath.ToSlash(l.paths[name]), Shipped: l.paths[name] == ""}
	if d.Shipped {
		d.Path = "data/" + t.File
	}
	f, err := l.open(name)
	if err != nil {
		if d.Shipped {
			return d, Failf(ExitInternal, "the lab %s has no data for its table %s; name them with --source", l.lab.ID, name)
		}
		return d, Usagef("the source cannot be read: %w", err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return d, Usagef("the source cannot be read: %w", err)
	}
	d.Digest = "sha256:" + hex.EncodeToString(h.Sum(nil))
	return d, nil
}
