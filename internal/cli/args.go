package cli

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// normalize moves flags before arguments, since urfave/cli takes every flag that
// follows an argument for an argument: "check LAB --json" becomes
// "check --json -- LAB". Everything behind "--" stays an argument.
func normalize(app *cli.App, args []string) []string {
	cmds, flags := app.Commands, app.Flags
	var path, opts, rest []string
	inPath := true
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--":
			rest = append(rest, args[i+1:]...)
			i = len(args)
		case len(a) > 1 && a[0] == '-' && !isNumber(a):
			opts = append(opts, a)
			name := strings.TrimLeft(a, "-")
			if !strings.Contains(name, "=") && takesValue(flags, name) {
				if i++; i == len(args) {
					return append(path, opts...) // the value is missing: the parser says so
				}
				opts = append(opts, args[i])
			}
		case inPath && find(cmds, a) != nil:
			c := find(cmds, a)
			path = append(path, a)
			cmds, flags = c.Subcommands, c.Flags
			inPath = len(cmds) > 0
		default:
			inPath = false
			rest = append(rest, a)
		}
	}
	out := append(path, opts...)
	if len(rest) > 0 {
		out = append(append(out, "--"), rest...)
	}
	return out
}

// isNumber tells -3 from a flag.
func isNumber(a string) bool {
	return len(a) > 1 && strings.Trim(a[1:], "0123456789.") == ""
}

func find(cmds []*cli.Command, name string) *cli.Command {
	for _, c := range cmds {
		if c.HasName(name) {
			return c
		}
	}
	return nil
}

func takesValue(flags []cli.Flag, name string) bool {
	for _, f := range flags {
		for _, n := range f.Names() {
			if n == name {
				d, ok := f.(cli.DocGenerationFlag)
				return ok && d.TakesValue()
			}
		}
	}
	return false
}

func unknownCommand(cmds []*cli.Command, name, parent string) error {
	var names []string
	for _, c := range cmds {
		if !c.Hidden {
			names = append(names, c.Name)
		}
	}
	if s := closest(name, names); s != "" {
		return Usagef("%s has no command %q; did you mean %q?\nSee: %s --help", parent, name, s, parent)
	}
	return Usagef("%s has no command %q; its commands are %s", parent, name, strings.Join(names, ", "))
}

// closest is the candidate that name was probably meant to be, or "": at most a
// third of its letters may differ.
func closest(name string, candidates []string) string {
	best, distance := "", 1<<30
	for _, c := range candidates {
		d := editDistance(strings.ToLower(name), strings.ToLower(c))
		if d <= (len(c)+2)/3 && d < distance {
			best, distance = c, d
		}
	}
	return best
}

// editDistance counts insertions, deletions and replacements.
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	prev := make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i, r := range x {
		cur := make([]int, len(y)+1)
		cur[0] = i + 1
		for j, q := range y {
			cost := 1
			if r == q {
				cost = 0
			}
			cur[j+1] = min(prev[j]+cost, prev[j+1]+1, cur[j]+1)
		}
		prev = cur
	}
	return prev[len(y)]
}
