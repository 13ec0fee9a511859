package sql

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sameTree compares syntax trees without their places; VALUES rows are printed as ROW(..).
func sameTree(a, b any) string {
	return cmp.Diff(a, b,
		cmp.FilterPath(func(p cmp.Path) bool {
			f, ok := p.Last().(cmp.StructField)
			return ok && (f.Name() == "Span" || f.Name() == "OpPos" || f.Name() == "Quoted" || f.Name() == "QueryText" || f.Name() == "Explicit")
		}, cmp.Ignore()),
		cmp.Exporter(func(reflect.Type) bool { return true }))
}

// TestPrintParsesBack takes every query of the recorded corpus.
func TestPrintParsesBack(t *testing.T) {
	paths, err := filepath.Glob("../fixtures/recorded/corpus/*/*/query.sql")
	if err != nil || len(paths) == 0 {
		t.Fatal("no recorded queries")
	}
	n := 0
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		script := NewScript(string(text))
		for {
			c, ok := script.Next()
			if !ok {
				break
			}
			st, err := Parse(c.Text)
			if err != nil {
				continue
			}
			if x, ok := st.(*Explain); ok {
				st = x.Stmt
			}
			var q *Query
			switch st := st.(type) {
			case *QueryStmt:
				q = st.Query
			case *Insert:
				q = st.Query
			default:
				continue
			}
			n++
			for _, printed := range []string{Print(q), PrintLine(q)} {
				back, err := ParseQuery(printed)
				if err != nil {
					t.Errorf("%s: %v\n%s", path, err, printed)
					continue
				}
				if d := sameTree(q, back); d != "" {
					t.Errorf("%s: %s\n%s", path, printed, d)
				}
			}
		}
	}
	if n < 300 {
		t.Errorf("only %d queries were printed", n)
	}
}

func TestPrintExpr(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"id*2", "`id` * 2"},
		{"ts - INTERVAL '5' SECOND", "`ts` - INTERVAL '5' SECOND"},
		{"PROCTIME()", "PROCTIME()"},
		{"(a + b) * c", "(`a` + `b`) * `c`"},
		{"a - (b - c)", "`a` - (`b` - `c`)"},
		{"NOT (a AND b) OR c", "NOT (`a` AND `b`) OR `c`"},
		{"a.b[1].c", "`a`.`b`[1].`c`"},
		{"x BETWEEN 1 AND 2", "`x` BETWEEN ASYMMETRIC 1 AND 2"},
		{"- -1", "- -1"},
		{"CASE x WHEN 1, 2 THEN 'a''b' END", "CASE `x` WHEN 1, 2 THEN 'a''b' END"},
		{"COUNT(DISTINCT a) FILTER (WHERE b > 0)", "COUNT(DISTINCT `a`) FILTER (WHERE `b` > 0)"},
	} {
		x, err := ParseExpr(c.in)
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
			continue
		}
		if got := PrintExpr(x); got != c.want {
			t.Errorf("%s: got %s, want %s", c.in, got, c.want)
		}
		back, err := ParseExpr(PrintExpr(x))
		if err != nil {
			t.Errorf("%s: %v", c.in, err)
		} else if d := sameTree(x, back); d != "" {
			t.Errorf("%s: %s", c.in, strings.TrimSpace(d))
		}
	}
}
