package cli

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/checks/codes"
)

func explainCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "explain a finding's code",
		ArgsUsage: "[CODE...]",
		Description: "Without a code all codes are listed. The short form works, too:\n" +
			"labgrade explain stream-5 is labgrade explain LG-STREAM-005.",
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				area := ""
				for _, code := range codes.All() {
					if a := strings.Split(code.ID, "-")[1]; a != area {
						if area != "" {
							fmt.Fprintln(s.Out)
						}
						area = a
					}
					fmt.Fprintf(s.Out, "%-15s %s\n", code.ID, code.Title)
				}
				return nil
			}
			for i, id := range c.Args().Slice() {
				code, ok := codes.Find(id)
				if !ok {
					var ids []string
					for _, x := range codes.All() {
						ids = append(ids, x.ID)
					}
					if w := closest(codes.Canonical(id), ids); w != "" {
						return Usagef("there is no code %q; did you mean %q?", id, w)
					}
					if like := codes.Similar(id); len(like) > 0 {
						return Usagef("there is no code %q; similar ones are %s", id, strings.Join(like, ", "))
					}
					return Usagef("there is no code %q\nSee: labgrade explain", id)
				}
				if i > 0 {
					fmt.Fprintln(s.Out)
				}
				fmt.Fprintf(s.Out, "%s  %s\n\n%s\n\n%s\n", code.ID, code.Title, wrap(code.Text, 88), wrap("What to do: "+code.Hint, 88))
			}
			return nil
		},
	}
}

// wrap breaks a text into lines of at most width characters.
func wrap(text string, width int) string {
	var b strings.Builder
	n := 0
	for i, w := range strings.Fields(text) {
		k := len([]rune(w))
		if i > 0 {
			if n+1+k > width {
				b.WriteByte('\n')
				n = 0
			} else {
				b.WriteByte(' ')
				n++
			}
		}
		b.WriteString(w)
		n += k
	}
	return b.String()
}
