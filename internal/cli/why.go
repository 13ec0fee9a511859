package cli

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/internal/intake"
	"github.com/labgrade/labgrade/internal/term"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
)

func whyCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "why",
		Usage:     "say which source rows made a row of a saved log",
		ArgsUsage: "FILE",
		Description: "FILE is the saved output of a step, by its name in the lab (stream.out).\n" +
			"The row that belongs at the line is shown beside the one that is there.",
		Flags: []cli.Flag{
			labsFlag(),
			&cli.IntFlag{Name: "line", Aliases: []string{"n"}, Usage: "line of the file"},
			&cli.StringFlag{Name: "lab", Usage: "`LAB` that the file belongs to (default: the one with a step that saves such a file)"},
			&cli.StringSliceFlag{Name: "source", Aliases: []string{"s"}, Usage: "`FILE` with the source data"},
			&cli.BoolFlag{Name: "json", Usage: "print JSON"},
		},
		Action: func(c *cli.Context) error { return runWhy(c, s) },
	}
}

func runWhy(c *cli.Context, s Streams) error {
	if c.NArg() != 1 || c.Int("line") < 1 {
		return Usagef("why needs a file and --line N\nSee: labgrade why --help")
	}
	dir, name := filepath.Split(c.Args().First())
	if dir == "" {
		dir = "."
	}
	lab, step, err := stepOf(c, c.String("lab"), name)
	if err != nil {
		return err
	}
	src, err := openSources(lab, c.StringSlice("source"))
	if err != nil {
		return err
	}
	folder, err := intake.Open(dir, intake.DefaultLimits())
	if err != nil {
		return Failf(ExitUngradable, "%w", err)
	}
	defer folder.Close()
	w, err := checks.New(lab, src.open, checks.Reference()).Why(c.Context, folder.FS(), step, c.Int("line"))
	if err != nil {
		return Failf(ExitUngradable, "%w", err)
	}
	if c.Bool("json") {
		e := json.NewEncoder(s.Out)
		e.SetIndent("", "  ")
		return e.Encode(w)
	}
	fmt.Fprintf(s.Out, "%s:%d, row %d of the step %s\n", term.Safe(w.File), w.Line, w.N, w.Step)
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(s.Out, "  %-9s %s\n", name, term.Safe(text))
		}
	}
	line("there is", w.Row)
	switch {
	case w.Expected == "":
		line("expected", "no row here")
	case w.Right:
		line("right", "this is the expected row")
	default:
		line("expected", w.Expected)
	}
	if w.Trigger != nil {
		line("caused by", sourceText(*w.Trigger))
	}
	if len(w.Source) > 0 {
		line("made by", plainRows(w.Source))
		for _, r := range w.Source {
			line("", sourceText(r))
		}
	}
	return nil
}

func sourceText(r report.SourceRow) string { return fmt.Sprintf("%s:%d  %s", r.File, r.Line, r.Text) }

func plainRows(rows []report.SourceRow) string {
	if len(rows) == 1 {
		return "1 source row"
	}
	return fmt.Sprintf("%d source rows", len(rows))
}

// stepOf finds the step that saves a file of this name.
func stepOf(c *cli.Context, labName, file string) (*labs.Lab, *labs.Step, error) {
	ids, err := knownLabs(c)
	if err != nil {
		return nil, nil, err
	}
	if labName != "" {
		ids = []string{labName}
	}
	var found []string
	var lab *labs.Lab
	var step *labs.Step
	for _, id := range ids {
		l, err := openLab(c, id)
		if err != nil {
			return nil, nil, err
		}
		i := slices.IndexFunc(l.Steps, func(st labs.Step) bool { return st.Out == file })
		if i >= 0 {
			lab, step = l, &l.Steps[i]
			found = append(found, id)
		}
	}
	switch len(found) {
	case 0:
		return nil, nil, Usagef("no step of a lab saves a file %q; name the lab with --lab", file)
	case 1:
		return lab, step, nil
	}
	return nil, nil, Usagef("the labs %s all save a file %q; say which with --lab", strings.Join(found, " and "), file)
}
