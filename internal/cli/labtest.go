package cli

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/internal/authoring"
	"github.com/labgrade/labgrade/internal/term"
	"github.com/labgrade/labgrade/labs"
)

func labLintCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "lint",
		Usage:     "look for mistakes in a lab, and run every query that it expects",
		ArgsUsage: "LAB",
		Description: "Says what is wrong as FILE:LINE:COLUMN. Warnings are advice.\n\n" +
			"Exit status: 0 no errors, 4 the lab cannot be used as it is.",
		Flags: []cli.Flag{labsFlag(), &cli.BoolFlag{Name: "strict", Usage: "warnings count as errors"}},
		Action: func(c *cli.Context) error {
			lab, home, err := oneLab(c)
			if err != nil {
				return err
			}
			list, err := authoring.Lint(c.Context, lab)
			if err != nil {
				return err
			}
			bad := 0
			for _, p := range list {
				p.File = filepath.ToSlash(filepath.Join(home, p.File))
				fmt.Fprintln(s.Out, term.Safe(p.String()))
				if p.Weight == authoring.Error || c.Bool("strict") {
					bad++
				}
			}
			if bad > 0 {
				return Exit(ExitInternal)
			}
			fmt.Fprintf(s.Out, "%s: no errors, %s\n", lab.ID, plural(len(list), "warning"))
			return nil
		},
	}
}

func labTestCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "test",
		Usage:     "try whether a lab's checks notice mistakes",
		ArgsUsage: "LAB...",
		Description: "The solution must get all points and the starter not, each wrong/NAME exactly its codes, each right/NAME\n" +
			"nothing; mutants, made by machine from the queries and the outputs, must all be noticed.\n" +
			"It names what no mistake exercises, and mistakes that make no difference on the lab's data.\n\n" +
			"Exit status: 0 all well, 4 the lab must be mended.",
		Flags: []cli.Flag{labsFlag(), &cli.BoolFlag{Name: "all", Usage: "test all labs"}, &cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "name every mistake that the data do not show"}},
		Action: func(c *cli.Context) error {
			names := c.Args().Slice()
			if c.Bool("all") {
				all, err := knownLabs(c)
				if err != nil {
					return err
				}
				names = all
			}
			if len(names) == 0 {
				return Usagef("lab test needs the lab's name, or --all\nSee: labgrade lab test --help")
			}
			bad := false
			for _, name := range names {
				lab, err := openLab(c, name)
				if err != nil {
					return err
				}
				res, err := authoring.Test(c.Context, lab)
				if err != nil {
					return err
				}
				printTested(s, lab, res, c.Bool("verbose"))
				bad = bad || len(res.Faults) > 0
			}
			if bad {
				return Exit(ExitInternal)
			}
			return nil
		},
	}
}

func printTested(s Streams, lab *labs.Lab, t *authoring.Tested, all bool) {
	for _, f := range t.Faults {
		for i, line := range strings.Split(f, "\n") {
			word := "FAULT"
			if i > 0 {
				word = ""
			}
			fmt.Fprintf(s.Out, "%-9s %s\n", word, term.Safe(line))
		}
	}
	for _, u := range t.Unproved {
		fmt.Fprintf(s.Out, "unproved  no mistake exercises %s: add one under wrong/\n", term.Safe(u))
	}
	for i, u := range t.Unseen {
		if i == maxUnseen && !all {
			fmt.Fprintf(s.Out, "unseen    and %d more (--verbose)\n", len(t.Unseen)-i)
			break
		}
		fmt.Fprintf(s.Out, "unseen    the data do not show it when %s\n", term.Safe(u))
	}
	word := "ok"
	if len(t.Faults) > 0 {
		word = "FAILED"
	}
	fmt.Fprintf(s.Out, "%-9s %s: solution; %s with %s; %s; %s noticed\n", word, lab.ID,
		plural(t.Wrong, "wrong submission"), plural(len(t.Codes), "code"), plural(t.Right, "other right one"), plural(t.Mutants, "mutant"))
}

// maxUnseen is how many mistakes that make no difference are named without being asked.
const maxUnseen = 8

// oneLab opens the lab that is the only argument; home is the folder that it lies in, as
// far as that is known.
func oneLab(c *cli.Context) (lab *labs.Lab, home string, err error) {
	if c.NArg() != 1 {
		return nil, "", Usagef("%s needs the lab's name, or the path of its folder\nSee: labgrade lab list", c.Command.FullName())
	}
	name := c.Args().First()
	lab, err = openLab(c, name)
	if err != nil {
		return nil, "", err
	}
	home = labHome(c, name)
	if home == "" {
		home = filepath.Join("labs", lab.ID)
	}
	return lab, home, nil
}
