package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/internal/authoring"
)

func labSolveCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "solve",
		Usage:     "make the outputs of a lab's solution anew, with the engine",
		ArgsUsage: "LAB",
		Description: "Runs the .sql files in solution/ on the lab's data and writes what they print; a .sql file that is missing is\n" +
			"made of the lab's own tables, setup and query. Outputs that were recorded on a real Flink are overwritten.",
		Flags: []cli.Flag{labsFlag()},
		Action: func(c *cli.Context) error {
			lab, _, err := oneLab(c)
			if err != nil {
				return err
			}
			home := labHome(c, c.Args().First())
			if home == "" {
				return Usagef("the lab %s is inside of labgrade, where nothing can be written: name its folder", lab.ID)
			}
			dir := filepath.Join(home, "solution")
			for i := range lab.Steps {
				if f := lab.Steps[i].Folder; f != "" {
					// The files of an earlier run would add up.
					if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(f))); err != nil {
						return Usagef("%w", err)
					}
				}
			}
			n, err := authoring.WriteSolution(c.Context, lab, authoring.Shipped(lab), dir)
			if err != nil {
				return Failf(ExitInternal, "%w", err)
			}
			fmt.Fprintf(s.Err, "wrote %s into %s\n", plural(n, "file"), filepath.ToSlash(dir))
			return nil
		},
	}
}
