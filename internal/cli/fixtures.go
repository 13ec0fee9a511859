package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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
				&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "`FILE` to write (default: standard output); a folder for a lab with several tables"},
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

// madeTable writes the data of one table of a lab.
type madeTable struct {
	name, file string
	write      func(io.Writer) error
}

// makerOf finds out how a lab's data are made from a seed: by the generator that it names,
// or as its tables are described. Tables that are neither keep the data that ship with the
// lab.
func makerOf(c *cli.Context, lab *labs.Lab) (func(seed uint64) ([]madeTable, error), error) {
	if g, ok := fixtures.Generator(lab.Generator); ok {
		if len(lab.Tables) != 1 {
			return nil, Usagef("the lab %s has %d tables; its generator makes one", lab.ID, len(lab.Tables))
		}
		o := dataOptions(c)
		return func(seed uint64) ([]madeTable, error) {
			o := o
			o.Seed = seed
			write, err := g(o)
			return []madeTable{{lab.Tables[0].Name, lab.Tables[0].File, write}}, err
		}, nil
	}
	if !slices.ContainsFunc(lab.Tables, func(t labs.Table) bool { return t.Generate != nil }) {
		return nil, Usagef("the lab %s does not say how its data are made (generate in lab.yaml)", lab.ID)
	}
	rows := 0
	if c.IsSet("rows") {
		rows = c.Int("rows")
	}
	return func(seed uint64) ([]madeTable, error) {
		var out []madeTable
		for i := range lab.Tables {
			t := &lab.Tables[i]
			d, ok := t.Described()
			if !ok {
				out = append(out, madeTable{t.Name, t.File, func(w io.Writer) error {
					f, err := lab.FS.Open("data/" + t.File)
					if err != nil {
						return err
					}
					defer f.Close()
					_, err = io.Copy(w, f)
					return err
				}})
				continue
			}
			d.Seed = seed
			if rows > 0 {
				d.Rows = rows
			}
			if d.Rows == 0 {
				d.Rows = c.Int("rows")
			}
			out = append(out, madeTable{t.Name, t.File, d.Write})
		}
		return out, nil
	}, nil
}

func generate(c *cli.Context, s Streams) error {
	if c.NArg() != 1 {
		return Usagef("fixtures generate needs the lab's name\nSee: labgrade fixtures generate --help")
	}
	lab, err := openLab(c, c.Args().First())
	if err != nil {
		return err
	}
	maker, err := makerOf(c, lab)
	if err != nil {
		return err
	}
	seed := c.Uint64("seed")
	if c.IsSet("for") || c.IsSet("secret") {
		if seed, err = studentSeed(c, lab); err != nil {
			return err
		}
	}
	tables, err := maker(seed)
	if err != nil {
		return Usagef("%w", err)
	}
	out := c.String("output")
	if len(tables) > 1 {
		if out == "" || out == "-" {
			return Usagef("the lab %s has %d tables: say --output DIR, a folder for their files", lab.ID, len(tables))
		}
		if err := os.MkdirAll(out, 0o755); err != nil {
			return Usagef("%w", err)
		}
		for _, t := range tables {
			if err := writeMade(filepath.Join(out, t.file), t); err != nil {
				return err
			}
		}
		return nil
	}
	if out == "" || out == "-" {
		return tables[0].write(s.Out)
	}
	return writeMade(out, tables[0])
}

func writeMade(name string, t madeTable) error {
	f, err := os.Create(name)
	if err != nil {
		return Usagef("%w", err)
	}
	if err := t.write(f); err != nil {
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
