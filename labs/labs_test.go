package labs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestShippedLabsLoad(t *testing.T) {
	for _, id := range Shipped() {
		lab, err := Open(id)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		if lab.ID != id {
			t.Errorf("folder %s holds lab %s", id, lab.ID)
		}
		for _, table := range lab.Tables {
			if _, err := fs.Stat(lab.FS, "data/"+table.File); err != nil {
				t.Errorf("%s: %v", id, err)
			}
		}
	}
}

func TestUnknownLab(t *testing.T) {
	_, err := Open("dinamic")
	var unknown *UnknownError
	if !errors.As(err, &unknown) || err.Error() != `there is no lab "dinamic"; did you mean "dynamic"?` {
		t.Errorf("got %v", err)
	}
}

const small = `lab: x
version: "1"
flink: 2.3.0
tables:
  - name: t
    file: t.csv
    columns: [a INT]
steps:
  - id: s
    kind: table
    out: s.out
    mode: batch
    query: SELECT a FROM t
  - id: r
    kind: report
    file: r.json
    numbers:
      - {name: rows, value: count(s)}
`

func TestProblemsHaveTheirPlaces(t *testing.T) {
	if _, err := Parse("lab.yaml", []byte(small)); err != nil {
		t.Fatalf("the base is right, but: %v", err)
	}
	for _, c := range []struct{ name, old, new, want string }{
		{"unknown key", "    out: s.out\n", "    outt: s.out\n", "lab.yaml:11:5: unknown key \"outt\" in steps[0]; did you mean \"out\"?"},
		{"unknown kind", "kind: table", "kind: tabel", "lab.yaml:10:11: kind \"tabel\" is unknown; did you mean \"table\"?\nlab.yaml:18:29: step \"s\" has no rows to count"},
		{"missing key", "    query: SELECT a FROM t\n", "", "lab.yaml:9:5: step \"s\" of kind table needs the key \"query\""},
		{"wrong type", "columns: [a INT]", "columns: a INT", "lab.yaml:7:14: tables[0].columns must be a list"},
		{"key twice", "    mode: batch\n", "    mode: batch\n    mode: batch\n", "lab.yaml:13:5: key \"mode\" stands twice in steps[0]"},
		{"path out", "out: s.out", "out: ../s.out", "lab.yaml:11:10: \"../s.out\" must be a path inside the learner's folder"},
		{"unknown step", "count(s)", "count(other)", "lab.yaml:18:29: there is no step \"other\"; known are r, s"},
		{"bad expression", "count(s)", "count(s", "lab.yaml:18:29: expected ')' at character 8 of \"count(s\""},
		{"kinds of a batch", "value: count(s)", "value: \"count(s, '-D')\"", "lab.yaml:18:29: step \"s\" is a batch result: its rows have no kinds"},
		{"bad yaml", "lab: x", "lab: [x", "lab.yaml:1:1: did not find expected ',' or ']'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(small, c.old, c.new, 1)
			if text == small {
				t.Fatal("nothing was replaced")
			}
			_, err := Parse("lab.yaml", []byte(text))
			if err == nil || err.Error() != c.want {
				t.Errorf("got:  %v\nwant: %s", err, c.want)
			}
		})
	}
}

func TestExpressions(t *testing.T) {
	x, err := ParseExpr("count(a-b, '+I','-D') + 2 - count(c)")
	if err != nil {
		t.Fatal(err)
	}
	got, err := x.Eval(func(c Call) (int64, error) {
		if c.Step == "a-b" {
			return int64(10 * len(c.Kinds)), nil
		}
		return 7, nil
	})
	if err != nil || got != 15 {
		t.Errorf("got %d, %v", got, err)
	}
	var steps []string
	for _, c := range x.Calls() {
		steps = append(steps, c.Step)
	}
	if d := cmp.Diff([]string{"a-b", "c"}, steps); d != "" {
		t.Error(d)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(small))
	f.Fuzz(func(t *testing.T, text []byte) {
		lab, err := Parse("lab.yaml", text)
		if (lab == nil) == (err == nil) {
			t.Errorf("lab %v, error %v", lab, err)
		}
	})
}

// TestNoLabNamesInCode: a new lab needs no code, so no code may know one. Tools that make
// test data are no part of the product.
func TestNoLabNamesInCode(t *testing.T) {
	err := filepath.WalkDir("..", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(name, "../"))
		if d.IsDir() && (rel == "internal/tools" || rel == "internal/intake/corpus" || rel == "fixtures" || strings.HasPrefix(d.Name(), ".") && rel != "..") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, id := range Shipped() {
				if strings.Contains(line, strconv.Quote(id)) && !strings.Contains(line, "GOOS") || strings.Contains(line, "labs/"+id) || strings.Contains(line, "check "+id) {
					t.Errorf("%s:%d names the lab %s", rel, i+1, id)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
