package report

import (
	"strings"
	"testing"
)

type workflowLine struct {
	kind  string
	props map[string]string
	text  string
}

// parseCommands reads a log as the runner does: a line whose first characters behind
// blanks are "::" is a command, one with "##[" anywhere an old one. All lines must be
// commands that labgrade means.
func parseCommands(t *testing.T, log string) []workflowLine {
	t.Helper()
	var out []workflowLine
	for _, l := range strings.FieldsFunc(log, func(r rune) bool { return r == '\n' || r == '\r' }) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(l), "::")
		head, text, ok2 := strings.Cut(rest, "::")
		if !ok || !ok2 {
			t.Fatalf("no command: %q", l)
		}
		kind, props, _ := strings.Cut(head, " ")
		if kind != "error" && kind != "warning" && kind != "notice" {
			t.Fatalf("the command %q is none of ours", kind)
		}
		c := workflowLine{kind: kind, props: map[string]string{}, text: strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%").Replace(text)}
		for _, p := range strings.Split(props, ",") {
			k, v, ok := strings.Cut(p, "=")
			if !ok || k != "title" && k != "file" && k != "line" {
				t.Fatalf("property %q in %q", p, l)
			}
			c.props[k] = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%").Replace(v)
		}
		out = append(out, c)
	}
	return out
}

func TestGitHub(t *testing.T) {
	b, err := Emit("github", hostile())
	if err != nil {
		t.Fatal(err)
	}
	lines := parseCommands(t, string(b))
	if got, want := lines[0].props["title"], "bad: Wrong | `x` - LG-STREAM-009"; got != want {
		t.Errorf("title %q", got)
	}
	if got, want := lines[0].props["file"], "work/sub/dir/a b,+:%.out"; got != want {
		t.Errorf("file %q", got)
	}
	if !strings.Contains(lines[0].text, "\n  expected: insert: +I\n") {
		t.Errorf("text %q", lines[0].text)
	}
	// The first finding of each step that is not right is among the first.
	if lines[1].props["title"] != "open: Not there - LG-FILE-001" || lines[2].props["title"] != "later: Not yet - skipped" {
		t.Errorf("%q, %q", lines[1].props["title"], lines[2].props["title"])
	}
	if last := lines[len(lines)-1]; last.kind != "notice" || last.text != hostile().Summary() {
		t.Errorf("%+v", last)
	}
}

// TestNoLineBeginsWithForeignText: a log line that begins with text of a submission could
// be a command to the CI that reads the log.
func TestNoLineBeginsWithForeignText(t *testing.T) {
	for _, cmd := range []string{"::error::x", "##vso[task.setvariable]x", "##teamcity[x]", "not ok 1", "{\"scores\":{}}", "---"} {
		f := Finding{Code: "LG-FILE-001", Severity: Error, Message: cmd, Hint: cmd, File: cmd, Key: cmd, Expected: cmd, Actual: cmd, SourceRows: []SourceRow{{cmd, 1, cmd}}, More: []string{cmd, "\n" + cmd}}
		r := &Result{Lab: Lab{ID: "x", Title: cmd}, Notes: []string{cmd}, Submission: Submission{Root: cmd},
			Checks: []Check{{ID: "a", Title: cmd, Outcome: Fail, Max: 1, Facts: cmd, Next: cmd, Findings: []Finding{f}}}}
		r.Total()
		for _, format := range []string{"text", "autolab", "tap", "markdown"} {
			b, err := Emit(format, r)
			if err != nil {
				t.Fatal(err)
			}
			for i, l := range strings.Split(string(b), "\n") {
				if strings.HasPrefix(strings.TrimSpace(l), cmd) && !(format == "tap" && i < 3) && !(cmd == "---" && format == "tap") && !(format == "autolab" && strings.HasPrefix(l, `{"scores":{"a":0}}`)) {
					t.Errorf("%s, %s: line %q", format, cmd, l)
				}
			}
		}
	}
}
