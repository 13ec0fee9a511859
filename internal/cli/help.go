package cli

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"
)

// helpGroup are commands that belong to one sort of work.
type helpGroup struct {
	title    string
	commands []string
}

// helpGroups order the commands by who needs them. A command that is in none is listed
// at the end, so that none is forgotten.
func helpGroups() []helpGroup {
	return []helpGroup{
		{"Do a lab", []string{"check", "explain", "why", "replay", "parse", "diff", "lint"}},
		{"Run Flink SQL without Flink", []string{"sql"}},
		{"Grade a class", []string{"grade", "export", "fixtures", "reference"}},
		{"Make labs", []string{"lab"}},
		{"About labgrade", []string{"help", "completion", "version"}},
	}
}

// helpTopics are texts that belong to no command.
func helpTopics() map[string]string {
	return map[string]string{
		"exit": "Exit status\n\n" +
			"  0    all right\n" +
			"  1    something was graded and is wrong\n" +
			"  2    wrong usage: nothing was graded\n" +
			"  3    the submission cannot be graded: a file is missing or unreadable\n" +
			"  4    the lab or labgrade itself is at fault, never the learner\n" +
			"  5    sql: a statement is not supported; grade: some submissions could not be graded\n" +
			"  130  interrupted\n",
		"start": "Start\n\n" +
			"  labgrade lab list                 which labs are there?\n" +
			"  labgrade lab docs LAB             the task\n" +
			"  labgrade lab export LAB -o DIR    the files to begin with\n" +
			"  cd DIR; labgrade check LAB        is it right so far? --watch says so again after each change\n" +
			"  labgrade explain CODE             what a finding means\n\n" +
			"Save what Flink's client prints:  sql-client.sh -f FILE.sql > FILE.out 2>&1\n" +
			"Without Flink:                    labgrade sql -f FILE.sql > FILE.out\n",
		"labs": "Labs\n\n" +
			"A lab is named by its name, or by the path of its folder (./LAB). --labs DIR, or the environment\n" +
			"variable LABGRADE_LABS, names a folder with labs of your own. docs/writing-a-lab.md tells how to make one:\n\n" +
			"  labgrade lab new NAME --from DATA.csv --query QUERY.sql\n",
	}
}

func helpCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "help",
		Usage:     "help on a command, or on one of: start, labs, exit",
		ArgsUsage: "[COMMAND]",
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				overview(c.App, s)
				return nil
			}
			name := c.Args().First()
			if text, ok := helpTopics()[name]; ok {
				fmt.Fprint(s.Out, text)
				return nil
			}
			path := c.Args().Slice()
			if len(path) > 2 {
				path = path[:2]
			}
			cmd := find(c.App.Commands, name)
			if cmd == nil {
				return unknownCommand(c.App.Commands, name, "labgrade")
			}
			if len(path) == 2 && find(cmd.Subcommands, path[1]) == nil {
				return unknownCommand(cmd.Subcommands, path[1], "labgrade "+name)
			}
			return newApp(s).RunContext(c.Context, append(append([]string{"labgrade"}, path...), "--help"))
		},
	}
}

// overview lists all commands by the work that they are for.
func overview(app *cli.App, s Streams) {
	fmt.Fprintf(s.Out, "labgrade - %s\n\nUsage: labgrade COMMAND [flags] [arguments]\n", app.Usage)
	shown := map[string]bool{}
	line := func(name, usage string) { fmt.Fprintf(s.Out, "  %-12s %s\n", name, usage) }
	show := func(c *cli.Command) {
		shown[c.Name] = true
		line(c.Name, c.Usage)
		for _, sub := range c.Subcommands {
			line("  "+sub.Name, "  "+sub.Usage)
		}
	}
	for _, g := range helpGroups() {
		fmt.Fprintf(s.Out, "\n%s\n", g.title)
		for _, name := range g.commands {
			if c := find(app.Commands, name); c != nil {
				show(c)
			}
		}
	}
	var rest []*cli.Command
	for _, c := range app.Commands {
		if !shown[c.Name] && !c.Hidden {
			rest = append(rest, c)
		}
	}
	if len(rest) > 0 {
		fmt.Fprint(s.Out, "\nFurther commands\n")
		for _, c := range rest {
			show(c)
		}
	}
	fmt.Fprint(s.Out, "\nMore: labgrade help COMMAND, or a topic: "+strings.Join([]string{"start", "labs", "exit"}, ", ")+"\n")
}
