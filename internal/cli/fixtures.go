package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/fixtures"
	"github.com/labgrade/labgrade/internal/intake"
	"github.com/labgrade/labgrade/labs"
)

func fixturesCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:  "fixtures",
		Usage: "make source data",
		Subcommands: []*cli.Command{{
			Name:      "generate",
			Usage:     "generate source data for a lab: the same options give the same bytes",
			ArgsUsage: "LAB",
			Flags: append([]cli.Flag{
				labsFlag(),
				&cli.Uint64Flag{Name: "seed", Usage: "seed of the random numbers", Value: 1},
				&cli.StringFlag{Name: "for", Usage: "data for the student `ID` alone; needs --secret"},
				secretFlag(),
				&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "`FILE` to write (default: standard output)"},
			}, dataFlags()...),
			Action: func(c *cli.Context) error { return generate(c, s) },
		}},
	}
}

// dataFlags shape generated data. Grading with data for each student takes the same flags
// as making them.
func dataFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "rows", Usage: "number of rows", Value: 120},
		&cli.IntFlag{Name: "users", Usage: "number of users, each with at least one row", Value: 11},
		&cli.StringFlag{Name: "names", Usage: "kind of user names: " + strings.Join(fixtures.NameKinds(), ", "), Value: "plain"},
		&cli.BoolFlag{Name: "empty", Usage: "leave some url fields empty"},
		&cli.BoolFlag{Name: "null-like", Usage: `put the texts NULL, null and \N into some url fields`},
		&cli.BoolFlag{Name: "empty-dwell", Usage: "leave some dwell fields empty (read only with 'csv.null-literal' = '')"},
	}
}

func secretFlag() cli.Flag {
	return &cli.StringFlag{Name: "secret", Usage: "`FILE` with the course's secret, from which each student's data are made"}
}

// dataOptions reads dataFlags; the seed is the caller's.
func dataOptions(c *cli.Context) fixtures.Options {
	return fixtures.Options{
		Rows: c.Int("rows"), Users: c.Int("users"), Names: c.String("names"),
		Empty: c.Bool("empty"), NullLike: c.Bool("null-like"), EmptyNumbers: c.Bool("empty-dwell"),
	}
}

// minSecret is the least number of bytes of a secret: fewer can be tried out.
const minSecret = 16

// readSecret reads the secret of a course, without blanks around it.
func readSecret(name string) ([]byte, error) {
	f, err := intake.OpenFile(name, intake.Limits{FileBytes: 1 << 16})
	if err != nil {
		return nil, Usagef("the secret cannot be read: %w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, Usagef("the secret cannot be read: %w", err)
	}
	if b = bytes.TrimSpace(b); len(b) < minSecret {
		return nil, Usagef("the secret in %s has %d bytes; it needs at least %d (head -c 32 /dev/urandom | base64 > %s)", name, len(b), minSecret, name)
	}
	return b, nil
}

// generatorOf finds the generator of a lab's data.
func generatorOf(lab *labs.Lab) (fixtures.Generate, error) {
	g, ok := fixtures.Generator(lab.Generator)
	if !ok {
		return nil, Usagef("the lab %s has no generator of data", lab.ID)
	}
	return g, nil
}

func generate(c *cli.Context, s Streams) error {
	if c.NArg() != 1 {
		return Usagef("fixtures generate needs the lab's name\nSee: labgrade fixtures generate --help")
	}
	lab, err := openLab(c, c.Args().First())
	if err != nil {
		return err
	}
	g, err := generatorOf(lab)
	if err != nil {
		return err
	}
	o := dataOptions(c)
	o.Seed = c.Uint64("seed")
	if c.IsSet("for") || c.IsSet("secret") {
		if o.Seed, err = studentSeed(c, lab); err != nil {
			return err
		}
	}
	write, err := g(o)
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

func studentSeed(c *cli.Context, lab *labs.Lab) (uint64, error) {
	switch {
	case c.IsSet("seed"):
		return 0, Usagef("--seed and --for both fix the data; leave one out")
	case c.String("for") == "":
		return 0, Usagef("--secret needs --for ID")
	case c.String("secret") == "":
		return 0, Usagef("--for needs --secret FILE, from which the data are made")
	}
	secret, err := readSecret(c.String("secret"))
	if err != nil {
		return 0, err
	}
	return fixtures.StudentSeed(secret, lab.ID, c.String("for")), nil
}

// errNoData says that somebody has no data.
func errNoData(id string) error { return fmt.Errorf("there are no data for %q", id) }
