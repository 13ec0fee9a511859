package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/labs"
)

func labCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:  "lab",
		Usage: "list, show and make labs",
		Subcommands: []*cli.Command{
			{
				Name:  "list",
				Usage: "list the labs that come with labgrade, and those of --labs",
				Flags: []cli.Flag{labsFlag()},
				Action: func(c *cli.Context) error {
					ids, err := knownLabs(c)
					if err != nil {
						return err
					}
					for _, id := range ids {
						lab, err := openLab(c, id)
						if err != nil {
							return err
						}
						fmt.Fprintf(s.Out, "%-20s %s (%d steps)\n", id, lab.Title, len(lab.Steps))
					}
					return nil
				},
			},
			{
				Name:      "show",
				Usage:     "show a lab's steps, files and points",
				ArgsUsage: "LAB",
				Flags:     []cli.Flag{labsFlag(), viewerFlag("learner")},
				Action: func(c *cli.Context) error {
					viewer, err := viewerOf(s, c.String("as"))
					if err != nil {
						return err
					}
					if c.NArg() != 1 {
						return Usagef("lab show needs the lab's name\nSee: labgrade lab list")
					}
					lab, err := openLab(c, c.Args().First())
					if err != nil {
						return err
					}
					showLab(s, lab, viewer)
					return nil
				},
			},
			labNewCommand(s),
			labSolveCommand(s),
			labLintCommand(s),
			labTestCommand(s),
			labCalibrateCommand(s),
			labPreviewCommand(s),
			labDocsCommand(s),
			labExportCommand(s),
			labHintCommand(s),
		},
	}
}

func showLab(s Streams, lab *labs.Lab, viewer checks.Viewer) {
	fmt.Fprintf(s.Out, "%s  %s\n", lab.ID, lab.Title)
	fmt.Fprintf(s.Out, "version %s, for Flink %s\n", lab.Version, lab.Flink)
	for _, t := range lab.Tables {
		fmt.Fprintf(s.Out, "source  %s (%s) in %s\n", t.Name, columnsOf(&t), t.File)
	}
	if lab.Folder != "" {
		fmt.Fprintf(s.Out, "folder  %s\n", lab.Folder)
	}
	seen := viewer.Visible(lab)
	if n := hiddenNote(lab, viewer); n != "" {
		fmt.Fprintf(s.Out, "note    %s\n", n)
	}
	fmt.Fprintf(s.Out, "\n%-14s %-6s %-44s %s\n", "step", "points", "files", "task")
	for i := range lab.Steps {
		st := &lab.Steps[i]
		if !slices.Contains(seen, st.ID) {
			continue
		}
		var files []string
		for _, f := range []string{st.SQL, st.Out, st.File} {
			if f != "" {
				files = append(files, f)
			}
		}
		if st.Folder != "" {
			files = append(files, st.Folder+"/")
		}
		fmt.Fprintf(s.Out, "%-14s %-6g %-44s %s\n", st.ID, st.Points, strings.Join(files, ", "), st.Title)
	}
}

// columnsOf are a table's columns in words: as they are declared, or as they stand in the
// file.
func columnsOf(t *labs.Table) string {
	if len(t.Columns) > 0 {
		return strings.Join(t.Columns, ", ")
	}
	var out []string
	for _, c := range t.Physical() {
		out = append(out, c.Name+" "+c.Type)
	}
	return strings.Join(out, ", ")
}
