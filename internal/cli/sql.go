package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/reference/client"
	"github.com/labgrade/labgrade/reference/unsupported"
)

func sqlCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "sql",
		Usage:     "run Flink SQL without a cluster, as sql-client.sh does",
		ArgsUsage: "[-f FILE]",
		Description: "Runs the statements of FILE, or of standard input, and prints what Flink's sql-client would print.\n" +
			"A statement that cannot be run exactly as Flink runs it prints [UNSUPPORTED] with the reason and ends the run.\n\n" +
			"Exit status: 0 as the client's own, also when a statement failed; 5 when a statement is not supported.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "file", Aliases: []string{"f"}, Usage: "`FILE` with statements; its first error ends the run"},
			&cli.StringFlag{Name: "init", Aliases: []string{"i"}, Usage: "`FILE` with statements that are run silently before"},
			&cli.StringSliceFlag{Name: "define", Aliases: []string{"D"}, Usage: "initial setting `KEY=VALUE`"},
			&cli.StringSliceFlag{Name: "map", Usage: "read and write paths below FROM below TO instead: `FROM=TO`"},
			&cli.StringFlag{Name: "echo", Value: "full", Usage: "how statements are repeated: `HOW` is full, none, or client (as far as the client repeats them)"},
			&cli.BoolFlag{Name: "time-cost", Value: true, Usage: "print the seconds in footers"},
			&cli.StringFlag{Name: "color", Value: "always", Usage: "`WHEN` to write the client's colour codes: always (as the client does), never"},
			&cli.BoolFlag{Name: "json", Usage: "print statements, rows and errors as JSON, one a line"},
			&cli.BoolFlag{Name: "trace", Usage: "print below each row of a log what caused it, the watermark if it was one, and the source rows behind it"},
		},
		Action: func(c *cli.Context) error { return runSQL(c, s) },
	}
}

func runSQL(c *cli.Context, s Streams) error {
	if c.NArg() > 0 {
		return Usagef("sql takes no arguments; name the file with -f\nSee: labgrade sql --help")
	}
	opt, err := sqlOptions(c, s)
	if err != nil {
		return err
	}
	text, err := sqlText(c.String("file"), s.In)
	if err != nil {
		return err
	}
	session := client.New(opt)
	if name := c.String("init"); name != "" {
		b, err := os.ReadFile(name)
		if err != nil {
			return Failf(ExitUsage, "%w", err)
		}
		if err := session.RunInit(string(b), name); err != nil {
			return sqlExit(err)
		}
	}
	if !c.Bool("json") && c.String("file") != "" {
		if _, err := fmt.Fprint(s.Err, jlineWarning(time.Now())); err != nil {
			return err
		}
	}
	switch {
	case c.Bool("json"):
		err = session.Run(text, c.String("file") != "")
	case c.String("file") != "":
		err = session.RunFile(text)
	default:
		err = session.RunInput(text)
	}
	return sqlExit(err)
}

// sqlExit: the client's own exit status is 0 whatever its statements met.
func sqlExit(err error) error {
	switch {
	case err == nil, errors.Is(err, client.ErrFailed):
		return nil
	case unsupported.Is(err):
		return Exit(ExitUnsupported)
	}
	return err
}

// jlineWarning is what the client's line editor logs where there is no terminal.
func jlineWarning(now time.Time) string {
	return now.Format("Jan 2, 2006 3:04:05 PM") + " org.jline.utils.Log logr\n" +
		"WARNING: Unable to create a system terminal, creating a dumb terminal (enable debug logging for more information)\n"
}

func sqlText(file string, in io.Reader) (string, error) {
	if file == "" {
		b, err := io.ReadAll(in)
		return string(b), err
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", Failf(ExitUsage, "%w", err)
	}
	return string(b), nil
}

func sqlOptions(c *cli.Context, s Streams) (client.Options, error) {
	opt := client.Options{
		Out: s.Out, Hints: s.Err, Now: time.Now, Home: s.Getenv("HOME"), Context: c.Context,
		NoTimeCost: !c.Bool("time-cost"), Trace: c.Bool("trace"),
		Print: func(line string) { fmt.Fprintln(s.Err, line) },
	}
	switch how := c.String("echo"); how {
	case "full":
		opt.Echo = client.EchoFull
	case "none":
		opt.Echo = client.EchoNone
	case "client":
		opt.Echo = client.EchoClient
	default:
		return opt, Usagef("--echo is full, none or client, not %q", how)
	}
	switch when := c.String("color"); when {
	case "always":
		opt.Color = true
	case "never", "auto":
	default:
		return opt, Usagef("--color is always or never, not %q", when)
	}
	var err error
	if opt.Settings, err = definitions(c.StringSlice("define")); err != nil {
		return opt, err
	}
	files := osFiles{}
	for _, m := range c.StringSlice("map") {
		from, to, ok := strings.Cut(m, "=")
		if !ok || from == "" || to == "" {
			return opt, Usagef("--map is FROM=TO, not %q", m)
		}
		abs, err := filepath.Abs(to)
		if err != nil {
			return opt, err
		}
		files.maps = append(files.maps, pathMap{strings.TrimSuffix(from, "/"), abs})
	}
	opt.Files = files
	if c.Bool("json") {
		w := &jsonEvents{out: s.Out}
		opt.Out, opt.Events, opt.Lineage = nil, w.events(), opt.Trace
	}
	return opt, nil
}

func definitions(list []string) (map[string]string, error) {
	out := map[string]string{}
	for _, d := range list {
		k, v, ok := strings.Cut(d, "=")
		if !ok || k == "" {
			return nil, Usagef("-D is KEY=VALUE, not %q", d)
		}
		out[k] = v
	}
	return out, nil
}
