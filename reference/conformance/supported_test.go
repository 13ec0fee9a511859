package conformance

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const supportedFile = "../../docs/supported-sql.md"

var (
	inCode   = regexp.MustCompile("`([^`]+)`")
	caseName = regexp.MustCompile(`^(agg|join|sink|window|functions|transcript)/[a-z0-9-]+(#[a-z-]+)?$`)
	testName = regexp.MustCompile(`^([a-z]+(?:/[a-z]+)*)\.(Test[A-Za-z]+)$`)
)

// checkSupported ties docs/supported-sql.md to the tests: behind its dash every line names
// recorded cases, as family/case or family/case#mode, or tests, as package.Test. The cases
// of a line must be answered right; the tests must exist.
func checkSupported(t *testing.T, tally *tally) {
	t.Helper()
	b, err := os.ReadFile(supportedFile)
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for i, line := range strings.Split(string(b), "\n") {
		if !strings.HasPrefix(line, "* ") {
			continue
		}
		lines++
		at := strings.LastIndex(line, " — ")
		if at < 0 {
			t.Errorf("%s:%d: no case and no test is named behind a dash", supportedFile, i+1)
			continue
		}
		names := inCode.FindAllStringSubmatch(line[at:], -1)
		if len(names) == 0 {
			t.Errorf("%s:%d: no case and no test is named", supportedFile, i+1)
		}
		for _, n := range names {
			if fault := citation(tally, n[1]); fault != "" {
				t.Errorf("%s:%d: %s", supportedFile, i+1, fault)
			}
		}
	}
	if lines < 100 {
		t.Errorf("%s has only %d lines of language", supportedFile, lines)
	}
}

// citation tells what is wrong with a name.
func citation(tally *tally, name string) string {
	if m := testName.FindStringSubmatch(name); m != nil {
		if !hasTest(m[1], m[2]) {
			return "there is no test " + name
		}
		return ""
	}
	if !caseName.MatchString(name) {
		return name + " is neither a case nor a test"
	}
	name, mode, one := strings.Cut(name, "#")
	modes := tally.cases[name]
	if modes == nil {
		return "there is no case " + name
	}
	if one && modes[mode] == "" {
		return name + " is not recorded in mode " + mode
	}
	for m, outcome := range modes {
		if one && m != mode {
			continue
		}
		if outcome == isUnsupported || outcome == isWrong {
			return name + " is " + outcome + " in mode " + m
		}
	}
	return ""
}

func hasTest(pkg, test string) bool {
	files, err := filepath.Glob("../../" + pkg + "/*_test.go")
	if err != nil {
		return false
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err == nil && strings.Contains(string(b), "func "+test+"(") {
			return true
		}
	}
	return false
}
