// Package borders asserts which package may import which.
package borders

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/labgrade/labgrade/"

// allowed lists, for a package or a tree of packages (trailing slash), which of our
// packages it may import directly. Imports within one tree are always allowed.
var allowed = map[string][]string{
	"value/":              {},
	"changelog/":          {},
	"sql/":                {},
	"replay/":             {"value/", "changelog/"},
	"parse/":              {"value/", "changelog/"},
	"reference/":          {"value/", "changelog/", "sql/"},
	"checks/":             {"value/", "changelog/", "sql/", "reference/", "parse/", "replay/", "report/", "labs/"},
	"report/":             {"value/", "changelog/"},
	"labs/":               {"value/", "changelog/", "sql/", "report/", "fixtures/"},
	"fixtures/":           {"value/"},
	"internal/intake/":    {},
	"internal/archive/":   {"internal/intake/"},
	"internal/roster/":    {},
	"internal/journal/":   {},
	"internal/handin/":    {"labs/", "internal/intake/", "internal/archive/", "internal/roster/"},
	"internal/alike/":     {"report/"},
	"internal/grade/":     {"reference/client/", "parse/", "checks/", "report/", "labs/", "internal/intake/", "internal/handin/", "internal/roster/", "internal/journal/", "internal/alike/"},
	"internal/term/":      {},
	"internal/cli/":       {"value/", "changelog/", "sql/", "reference/", "parse/", "replay/", "checks/", "report/", "labs/", "fixtures/", "internal/"},
	"internal/borders/":   {},
	"internal/authoring/": {"sql/", "reference/client/", "checks/", "report/", "labs/"},
	"internal/tools/":     {"fixtures/", "labs/"},
	"cmd/labgrade/":       {"internal/cli/"},
	"reference/stream/":   {"value/", "changelog/", "sql/", "reference/fn/", "reference/phys/", "reference/rex/", "reference/rel/", "reference/catalog/", "reference/source/", "reference/flinkerr/", "reference/unsupported/", "reference/stream/"},
	"reference/batch/":    {"value/", "changelog/", "sql/", "reference/fn/", "reference/phys/", "reference/rex/", "reference/rel/", "reference/catalog/", "reference/source/", "reference/flinkerr/", "reference/unsupported/", "reference/batch/"},
}

type listed struct {
	ImportPath string
	Imports    []string
}

func TestImportsGoOneWay(t *testing.T) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", module+"...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	dec := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		from := strings.TrimPrefix(p.ImportPath, module) + "/"
		tree, may := rule(from)
		if tree == "" {
			t.Errorf("package %s has no rule: say in this test what it may import", from)
			continue
		}
		for _, imp := range p.Imports {
			to, ours := strings.CutPrefix(imp, module)
			if !ours {
				continue
			}
			to += "/"
			if strings.HasPrefix(to, tree) || hasPrefix(to, may) {
				continue
			}
			t.Errorf("%s must not import %s", from, to)
		}
	}
}

// rule finds the longest tree that holds the package.
func rule(pkg string) (tree string, may []string) {
	for k, v := range allowed {
		if strings.HasPrefix(pkg, k) && len(k) > len(tree) {
			tree, may = k, v
		}
	}
	return tree, may
}

func hasPrefix(s string, prefixes []string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// TestBuildsForTheBrowser keeps the public packages free of files and processes.
func TestBuildsForTheBrowser(t *testing.T) {
	if testing.Short() {
		t.Skip("builds for another platform")
	}
	cmd := exec.Command("go", "build", module+"value/...", module+"changelog/...", module+"sql/...", module+"reference/...", module+"parse/...", module+"replay/...", module+"checks/...", module+"report/...")
	cmd.Dir = "../.."
	cmd.Env = append(cmd.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
