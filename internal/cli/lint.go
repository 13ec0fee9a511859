package cli

import (
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/internal/term"
	"github.com/labgrade/labgrade/report"
)

func lintCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "lint",
		Usage:     "look for what Flink's client would refuse in a .sql file, and for usual slips",
		ArgsUsage: "FILE...",
		Description: "Needs no data: every source is taken to be empty.\n\n" +
			"Exit status: 0 nothing wrong, 1 something would fail.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print the findings as JSON, in the form of a result"},
			reportFlag(),
		},
		Action: func(c *cli.Context) error { return runLint(c, s) },
	}
}

func runLint(c *cli.Context, s Streams) error {
	if c.NArg() == 0 {
		return Usagef("lint needs a .sql file\nSee: labgrade lint --help")
	}
	targets, err := reportTargets(c.StringSlice("report"))
	if err != nil {
		return err
	}
	res := &report.Result{Tool: report.Tool{Name: "labgrade", Version: Version, Flink: "2.3.0"}, Lab: report.Lab{ID: "lint", Title: "SQL files"}}
	for _, name := range c.Args().Slice() {
		text, err := readAuthored(name)
		if err != nil {
			return err
		}
		shown := filepath.ToSlash(name)
		found, err := checks.LintSQL(c.Context, shown, string(text))
		if err != nil {
			return err
		}
		x := report.Check{ID: shown, Title: shown, Max: 1, Points: 1, Outcome: report.Pass, Findings: found}
		if x.Worst() == report.Error {
			x.Outcome, x.Points = report.Fail, 0
		}
		res.Checks = append(res.Checks, x)
	}
	res.Total()
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
		n := 0
		for _, x := range res.Checks {
			for _, f := range x.Findings {
				n++
				fmt.Fprintf(s.Out, "%s: %s: %s (%s)\n", term.Safe(f.Place()), f.Severity, term.Safe(f.Message), f.Code)
			}
		}
		if n == 0 {
			fmt.Fprintf(s.Out, "%s: nothing to say\n", plural(len(res.Checks), "file"))
		}
	}
	return exitOf(res)
}
