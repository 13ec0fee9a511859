package cli

import (
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/fixtures"
)

func fixturesCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:  "fixtures",
		Usage: "make source data",
		Subcommands: []*cli.Command{{
			Name:      "generate",
			Usage:     "generate source data for a lab: the same options give the same bytes",
			ArgsUsage: "LAB",
			Flags: []cli.Flag{
				labsFlag(),
				&cli.IntFlag{Name: "rows", Usage: "number of rows", Value: 120},
				&cli.IntFlag{Name: "users", Usage: "number of users, each with at least one row", Value: 11},
				&cli.Uint64Flag{Name: "seed", Usage: "seed of the random numbers", Value: 1},
				&cli.StringFlag{Name: "names", Usage: "kind of user names: " + strings.Join(fixtures.NameKinds(), ", "), Value: "plain"},
				&cli.BoolFlag{Name: "empty", Usage: "leave some url fields empty"},
				&cli.BoolFlag{Name: "null-like", Usage: `put the texts NULL, null and \N into some url fields`},
				&cli.BoolFlag{Name: "empty-dwell", Usage: "leave some dwell fields empty (read only with 'csv.null-literal' = '')"},
				&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "`FILE` to write (default: standard output)"},
			},
			Action: func(c *cli.Context) error { return generate(c, s) },
		}},
	}
}

func generate(c *cli.Context, s Streams) error {
	if c.NArg() != 1 {
		return Usagef("fixtures generate needs the lab's name\nSee: labgrade fixtures generate --help")
	}
	lab, err := openLab(c, c.Args().First())
	if err != nil {
		return err
	}
	g, ok := fixtures.Generator(lab.Generator)
	if !ok {
		return Usagef("the lab %s has no generator of data", lab.ID)
	}
	write, err := g(fixtures.Options{
		Rows: c.Int("rows"), Users: c.Int("users"), Seed: c.Uint64("seed"), Names: c.String("names"),
		Empty: c.Bool("empty"), NullLike: c.Bool("null-like"), EmptyNumbers: c.Bool("empty-dwell"),
	})
	if err != nil {
		return Usagef("%w", err)
	}
	out := c.String("output")
	if out == "" || out == "-" {
		return write(s.Out)
	}
	f, err := os.Create(out)
	if err != nil {
		return Usagef("%w", err)
	}
	if err := write(io.Writer(f)); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
