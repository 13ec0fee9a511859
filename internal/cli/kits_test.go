//go:build unix

package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/labgrade/labgrade/report"
)

// TestKits reads the CI files of docs/ci: they are YAML, their scripts are shell, and the
// formats that they ask for exist.
func TestKits(t *testing.T) {
	files, err := filepath.Glob("../../docs/ci/*.yml")
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := yaml.Unmarshal(b, &doc); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		scripts := scriptsOf(doc)
		if len(scripts) == 0 {
			t.Errorf("%s runs nothing", f)
		}
		for _, s := range scripts {
			c := exec.Command("sh", "-n")
			c.Stdin = strings.NewReader(s)
			if out, err := c.CombinedOutput(); err != nil {
				t.Errorf("%s: %v %s\n%s", f, err, out, s)
			}
		}
		checkFormats(t, f, b)
	}
	readme, err := os.ReadFile("../../docs/ci/README.md")
	if err != nil {
		t.Fatal(err)
	}
	checkFormats(t, "README.md", readme)
	for _, format := range report.Formats() {
		if !bytes.Contains(readme, []byte("`"+format+"`")) {
			t.Errorf("docs/ci/README.md does not name the format %s", format)
		}
	}
	for _, s := range []string{"../../scripts/release", "../../scripts/record-random"} {
		if out, err := exec.Command("bash", "-n", s).CombinedOutput(); err != nil {
			t.Errorf("%s: %v %s", s, err, out)
		}
	}
	// The image is built as a release is.
	image, err := os.ReadFile("../../docs/ci/Containerfile")
	if err != nil {
		t.Fatal(err)
	}
	release, err := os.ReadFile("../../scripts/release")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"CGO_ENABLED=0", "-trimpath -buildvcs=false", "-s -w -buildid= -X github.com/labgrade/labgrade/internal/cli.Version="} {
		if !bytes.Contains(image, []byte(part)) || !bytes.Contains(release, []byte(part)) {
			t.Errorf("Containerfile and scripts/release do not both say %q", part)
		}
	}
}

// scriptsOf finds what a CI file runs: "run" of GitHub, "script" and "before_script" of GitLab.
func scriptsOf(v any) []string {
	var out []string
	switch x := v.(type) {
	case map[string]any:
		for k, y := range x {
			switch text := y.(type) {
			case string:
				if k == "run" {
					out = append(out, text)
				}
			case []any:
				if k == "script" || k == "before_script" {
					var lines []string
					for _, l := range text {
						lines = append(lines, l.(string))
					}
					out = append(out, strings.Join(lines, "\n"))
				}
			}
			out = append(out, scriptsOf(y)...)
		}
	case []any:
		for _, y := range x {
			out = append(out, scriptsOf(y)...)
		}
	}
	return out
}

func checkFormats(t *testing.T, file string, text []byte) {
	t.Helper()
	for _, m := range regexp.MustCompile(`--report ([a-z0-9-]+)=`).FindAllSubmatch(text, -1) {
		if !slices.Contains(report.Formats(), string(m[1])) {
			t.Errorf("%s asks for the format %s", file, m[1])
		}
	}
}

// TestVersionIsStamped: what a release is built with is what it prints.
func TestVersionIsStamped(t *testing.T) {
	var out bytes.Buffer
	if code := Main([]string{"version"}, Streams{In: &bytes.Buffer{}, Out: &out, Err: &out, Getenv: func(string) string { return "" }}); code != ExitOK || !strings.HasPrefix(out.String(), "labgrade "+Version+" ") {
		t.Errorf("exit %d, %s", code, out.String())
	}
}
