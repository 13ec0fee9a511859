package cli

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/internal/authoring"
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
			dir, err := newFolder(c.String("out"))
			if err != nil {
				return err
			}
			n, err := authoring.WriteSolution(c.Context, lab, src.open, dir)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(s.Err, "wrote %d files into %s\n", n, dir)
			return err
		},
	}
}

// newFolder makes a folder to write into, or takes an empty one.
func newFolder(dir string) (string, error) {
	if entries, err := os.ReadDir(dir); err == nil && len(entries) > 0 {
		return "", Usagef("%s is not empty", dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", Usagef("%w", err)
	}
	return dir, nil
}
