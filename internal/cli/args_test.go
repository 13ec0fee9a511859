package cli

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/urfave/cli/v2"
)

func TestNormalizeMovesFlagsBeforeArguments(t *testing.T) {
	app := &cli.App{Commands: []*cli.Command{
		{Name: "check", Flags: []cli.Flag{
			&cli.BoolFlag{Name: "json"},
			&cli.StringFlag{Name: "source", Aliases: []string{"s"}},
		}},
		{Name: "lab", Subcommands: []*cli.Command{{Name: "show"}}},
	}}
	for _, c := range []struct {
		name      string
		args, out []string
	}{
		{"flag behind an argument", []string{"check", "dynamic", "--json"}, []string{"check", "--json", "--", "dynamic"}},
		{"value of a flag", []string{"check", "dynamic", "-s", "a.csv", "dir"}, []string{"check", "-s", "a.csv", "--", "dynamic", "dir"}},
		{"value with equals", []string{"check", "x", "--source=a.csv"}, []string{"check", "--source=a.csv", "--", "x"}},
		{"double dash ends flags", []string{"check", "--", "--json"}, []string{"check", "--", "--json"}},
		{"standard input", []string{"check", "-", "--json"}, []string{"check", "--json", "--", "-"}},
		{"subcommand", []string{"lab", "show", "x", "--y"}, []string{"lab", "show", "--y", "--", "x"}},
		{"a command's name as argument", []string{"check", "check"}, []string{"check", "--", "check"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.out, normalize(app, c.args)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestExitCodesAndUsageErrors(t *testing.T) {
	for _, c := range []struct {
		name    string
		args    []string
		code    int
		out     string
		errText string
	}{
		{name: "version", args: []string{"version"}, code: ExitOK, out: "labgrade " + Version + " (reproduces Apache Flink 2.3.0)\n"},
		{name: "unknown command", args: []string{"versoin"}, code: ExitUsage, errText: "labgrade: labgrade has no command \"versoin\"; did you mean \"version\"?\nSee: labgrade --help\n"},
		{name: "missing value", args: []string{"lab", "hint", "dynamic", "stream", "--more"}, code: ExitUsage, errText: "labgrade: flag needs an argument: -more\nSee: labgrade lab hint --help\n"},
		{name: "unknown flag", args: []string{"version", "--nope"}, code: ExitUsage, errText: "labgrade: flag provided but not defined: -nope\nSee: labgrade version --help\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := Main(c.args, Streams{In: &bytes.Buffer{}, Out: &out, Err: &errs, Getenv: func(string) string { return "" }})
			if code != c.code || out.String() != c.out || errs.String() != c.errText {
				t.Errorf("exit %d, stdout %q, stderr %q", code, out.String(), errs.String())
			}
		})
	}
}
