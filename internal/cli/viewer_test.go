package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hiddenLab is the lab dynamic with its last step hidden until a date.
func hiddenLab(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	text, err := os.ReadFile("../../labs/dynamic/lab.yaml")
	if err != nil {
		t.Fatal(err)
	}
	changed := strings.Replace(string(text), "    file: report.json\n", "    file: report.json\n    disclose: nothing\n    until: 2026-12-24T00:00:00+09:00\n", 1)
	if changed == string(text) {
		t.Fatal("the lab has changed")
	}
	if err := os.CopyFS(dir, os.DirFS("../../labs/dynamic")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "lab.yaml"), []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestHiddenSteps(t *testing.T) {
	lab := hiddenLab(t)
	date := time.Date(2026, 12, 24, 0, 0, 0, 0, time.FixedZone("", 9*3600))
	const submission = "../../fixtures/recorded/labs/dynamic/right-120/submission"
	for _, c := range []struct {
		name string
		now  time.Time
		args []string
		want string
	}{
		{"learner before", date.Add(-time.Second), nil, "7 of 7 steps right; 7 of 7 points"},
		{"learner after", date, nil, "8 of 8 steps right; 8 of 8 points"},
		{"staff before", date.Add(-time.Second), []string{"--as", "staff"}, "8 of 8 steps right; 8 of 8 points"},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := func(args ...string) (string, string, int) {
				var out, errs bytes.Buffer
				code := Main(append(args, c.args...), Streams{In: &bytes.Buffer{}, Out: &out, Err: &errs, Getenv: func(string) string { return "" }, Now: func() time.Time { return c.now }})
				return out.String(), errs.String(), code
			}
			out, errs, code := run("check", lab, submission)
			if code != ExitOK || !strings.Contains(out, c.want) {
				t.Fatalf("exit %d, %s\n%s", code, errs, out)
			}
			hidden := strings.HasPrefix(c.want, "7")
			if hidden != strings.Contains(out, "note        not all steps are graded here: 1 hidden, until 2026-12-24T00:00:00+09:00 or later") {
				t.Error(out)
			}
			if shown, _, _ := run("lab", "show", lab); hidden == strings.Contains(shown, "The numbers") {
				t.Error(shown)
			}
			_, errs, code = run("check", lab, submission, "--step", "report")
			if hidden && (code != ExitUsage || strings.Contains(errs, "stream, ") && strings.Contains(errs, ", report")) || !hidden && code != ExitOK {
				t.Errorf("exit %d, %s", code, errs)
			}
		})
	}
	var errs bytes.Buffer
	if code := Main([]string{"check", "dynamic", submission, "--as", "teacher"}, Streams{In: &bytes.Buffer{}, Out: &bytes.Buffer{}, Err: &errs, Getenv: func(string) string { return "" }}); code != ExitUsage {
		t.Errorf("exit %d, %s", code, errs.String())
	}
}
