package cli

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/checks/codes"
	"github.com/labgrade/labgrade/internal/term"
	"github.com/labgrade/labgrade/report"
)

// reportFlag is --report, the same for every command that grades.
func reportFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "report", Usage: "also write `FORMAT=FILE`, may be repeated; FILE - is standard output (formats: " + strings.Join(report.Formats(), ", ") + ")"}
}

// reportTarget is one --report FORMAT=FILE.
type reportTarget struct{ format, file string }

func (t reportTarget) onStdout() bool { return t.file == "-" }

func reportTargets(flags []string) ([]reportTarget, error) {
	return targetsOf("report", flags, report.Formats())
}

// targetsOf reads the values of a flag that names formats and files.
func targetsOf(flag string, values, formats []string) ([]reportTarget, error) {
	var out []reportTarget
	for _, f := range values {
		format, file, ok := strings.Cut(f, "=")
		if !ok || file == "" {
			return nil, Usagef("--%s needs FORMAT=FILE, as in json=result.json, not %q", flag, f)
		}
		if !slices.Contains(formats, format) {
			if w := closest(format, formats); w != "" {
				return nil, Usagef("there is no report format %q; did you mean %q?", format, w)
			}
			return nil, Usagef("there is no report format %q; the formats are %s", format, strings.Join(formats, ", "))
		}
		if slices.ContainsFunc(out, func(t reportTarget) bool { return t.file == file }) {
			if file == "-" {
				return nil, Usagef("only one report can go to standard output")
			}
			return nil, Usagef("two reports cannot go to the same file %s", file)
		}
		out = append(out, reportTarget{format, file})
	}
	return out, nil
}

// anyOnStdout reports whether standard output belongs to a report.
func anyOnStdout(targets []reportTarget) bool {
	return slices.ContainsFunc(targets, reportTarget.onStdout)
}

// reportContext is what formats may want to know from outside.
func reportContext(s Streams) *report.Context {
	return &report.Context{
		Env: s.Getenv,
		Title: func(id string) string {
			c, _ := codes.Find(id)
			return c.Title
		},
	}
}

// writeReports writes the result in all the formats; with github also the step's summary.
func writeReports(s Streams, targets []reportTarget, r *report.Result) error {
	for _, t := range targets {
		if err := writeReport(s, t, r); err != nil {
			return err
		}
		if t.format == "github" {
			if err := stepSummary(s, r); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeReport(s Streams, t reportTarget, r *report.Result) error {
	c := *r
	c.Context = reportContext(s)
	b, err := report.Emit(t.format, &c)
	if err != nil {
		return err
	}
	return t.put(s, b)
}

// put writes a report to its file, or to standard output in a form that is safe there.
func (t reportTarget) put(s Streams, b []byte) error {
	switch {
	case !t.onStdout():
		if err := os.WriteFile(t.file, b, 0o644); err != nil {
			return Usagef("the report cannot be written: %w", err)
		}
		return nil
	case t.format == "json":
		b = term.SafeJSON(b)
	case t.format == "text":
		return asPlainLog(s, func(w io.Writer) error { _, err := w.Write(b); return err })
	}
	_, err := s.Out.Write(b)
	return err
}

// stepSummary adds the Markdown to the page that GitHub Actions shows for the step.
func stepSummary(s Streams, r *report.Result) error {
	name := s.Getenv("GITHUB_STEP_SUMMARY")
	if name == "" {
		return nil
	}
	b, err := report.Emit("markdown", r)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return Usagef("the step summary cannot be written: %w", err)
	}
	_, err = f.Write(append(b, '\n'))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return Usagef("the step summary cannot be written: %w", err)
	}
	return nil
}

// asPlainLog prints text for people. In a job of GitHub Actions the runner is told to
// take no line of it for a command, whatever a submission has in it, until a word that
// no submission can know.
func asPlainLog(s Streams, print func(io.Writer) error) error {
	if s.Getenv("GITHUB_ACTIONS") != "true" {
		return print(s.Out)
	}
	var b [16]byte
	if _, err := rand.Read(b[:]); err != nil {
		return err
	}
	word := hex.EncodeToString(b[:])
	if _, err := fmt.Fprintf(s.Out, "::stop-commands::%s\n", word); err != nil {
		return err
	}
	err := print(s.Out)
	if _, e := fmt.Fprintf(s.Out, "::%s::\n", word); err == nil {
		err = e
	}
	return err
}
