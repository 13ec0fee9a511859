package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/internal/authoring"
	"github.com/labgrade/labgrade/internal/intake"
	"github.com/labgrade/labgrade/internal/term"
	"github.com/labgrade/labgrade/labs"
)

var labName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,63}$`)

func labNewCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "new",
		Usage:     "make a lab from a CSV file and a query",
		ArgsUsage: "NAME",
		Description: "Guesses the types of the columns and writes a folder with lab.yaml, the data, a task to fill in,\n" +
			"starter, solution (made by the engine) and wrong submissions. Each query of the SQL file becomes a batch\n" +
			"and a streaming step. Example:\n\n" +
			"   labgrade lab new rides --from rides.csv --columns id,driver,city,km,ts --query rides.sql",
		Flags: []cli.Flag{
			labsFlag(),
			&cli.StringSliceFlag{Name: "from", Usage: "CSV `FILE` with source data (TABLE=FILE names the table; may be repeated)"},
			&cli.StringFlag{Name: "query", Usage: "SQL `FILE` with the queries, and views that they use"},
			&cli.StringSliceFlag{Name: "columns", Usage: "`NAMES` of the columns, separated by commas, of the first --from; TABLE=NAMES of another"},
			&cli.StringFlag{Name: "header", Usage: "whether the first line has the names: `auto`, yes, no", Value: "auto"},
			&cli.StringFlag{Name: "dir", Usage: "`DIR` to write (default: NAME, in the folder of --labs)"},
		},
		Action: func(c *cli.Context) error { return newLab(c, s) },
	}
}

func newLab(c *cli.Context, s Streams) error {
	from := c.StringSlice("from")
	if c.NArg() != 1 || len(from) == 0 || c.String("query") == "" {
		return Usagef("lab new needs a name, --from FILE.csv and --query FILE.sql\nSee: labgrade lab new --help")
	}
	d := authoring.Draft{Name: c.Args().First()}
	if !labName.MatchString(d.Name) {
		return Usagef("a lab's name has small letters, digits and '-', and begins with a letter; %q does not", d.Name)
	}
	switch h := c.String("header"); h {
	case "auto", "yes", "no":
	default:
		return Usagef("--header is auto, yes or no, not %q", h)
	}
	columns := namesByTable(c.StringSlice("columns"))
	for i, f := range from {
		table, file, ok := strings.Cut(f, "=")
		if !ok {
			table, file = "", f
		}
		data, err := readAuthored(file)
		if err != nil {
			return err
		}
		names := columns[table]
		if i == 0 && names == nil {
			names = columns[""]
		}
		x, err := authoring.Infer(filepath.ToSlash(file), data, names, c.String("header"))
		if err != nil {
			return Usagef("%w", err)
		}
		if table != "" {
			x.Table.Name = table
		}
		d.Sources = append(d.Sources, x)
	}
	text, err := readAuthored(c.String("query"))
	if err != nil {
		return err
	}
	d.SQL = string(text)
	dir := c.String("dir")
	if dir == "" {
		dir = filepath.Join(c.String("labs"), d.Name)
	}
	if dir, err = newFolder(dir); err != nil {
		return err
	}
	notes, err := authoring.New(c.Context, d, dir)
	if err != nil {
		os.Remove(dir) // nothing was written yet, else it stays
		return Usagef("%w", err)
	}
	for _, n := range notes {
		fmt.Fprintf(s.Err, "note: %s\n", term.Safe(n))
	}
	lab, err := loadLab(dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.Out, "wrote %s: %s\n\n", filepath.ToSlash(dir), stepList(lab))
	home := filepath.ToSlash(dir)
	if !strings.Contains(home, "/") {
		home = "./" + home
	}
	fmt.Fprintf(s.Out, "next  look at %s/lab.yaml: titles, types, points\n", home)
	fmt.Fprintf(s.Out, "      write the task into %s/README.md\n", home)
	fmt.Fprintf(s.Out, "      labgrade lab lint %s\n", home)
	fmt.Fprintf(s.Out, "      labgrade lab test %s\n", home)
	return nil
}

// namesByTable gathers names of columns by table, "" for none. The flag cuts its values at
// commas: a piece with '=' begins the names of a table.
func namesByTable(pieces []string) map[string][]string {
	out := map[string][]string{}
	table := ""
	for _, p := range pieces {
		if t, name, ok := strings.Cut(p, "="); ok {
			table, p = strings.TrimSpace(t), name
		}
		out[table] = append(out[table], strings.TrimSpace(p))
	}
	return out
}

// stepList names the steps of a lab.
func stepList(lab *labs.Lab) string {
	var ids []string
	for i := range lab.Steps {
		ids = append(ids, lab.Steps[i].ID)
	}
	return plural(len(ids), "step") + " (" + strings.Join(ids, ", ") + ")"
}

// maxNewInput bounds the files that a new lab is made from, in bytes.
const maxNewInput = 64 << 20

func readAuthored(name string) ([]byte, error) {
	f, err := intake.OpenFile(name, intake.Limits{FileBytes: maxNewInput})
	if err != nil {
		return nil, Usagef("%w", err)
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	if err != nil {
		return nil, Usagef("%s cannot be read: %w", name, err)
	}
	return b, nil
}
