package checks

import (
	"context"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/labgrade/labgrade/labs"
)

const loansLab = `lab: loans
version: "1"
flink: 2.3.0
tables:
  - {name: loans, file: loans.csv, columns: ["id INT", "who STRING", "branch STRING", "days INT"]}
steps:
  - id: sums
    title: Sums
    kind: changelog
    points: 1
    sql: sums.sql
    out: sums.out
    key: [branch]
    query: SELECT branch, COUNT(*) AS loans, SUM(days) AS days FROM loans GROUP BY branch
  - id: top
    title: Top
    kind: changelog
    points: 1
    sql: top.sql
    out: top.out
    key: [rn]
    query: |
      SELECT who, days, rn FROM (SELECT who, days, ROW_NUMBER() OVER (ORDER BY days DESC) AS rn
      FROM (SELECT who, SUM(days) AS days FROM loans GROUP BY who)) WHERE rn <= 2
`

const loansData = "1,ann,north,22\n2,bob,south,9\n3,ann,north,7\n4,cho,south,30\n5,bob,north,12\n6,dee,south,6\n"

// TestHarmlessDifferences: of what differs in the SQL only what changes the result is named.
func TestHarmlessDifferences(t *testing.T) {
	const (
		sums = "SELECT branch, COUNT(days) AS loans, SUM(days) AS days FROM loans GROUP BY branch;"
		top  = "SELECT who, days, rn FROM (SELECT who, days, ROW_NUMBER() OVER (ORDER BY days DESC) AS rn FROM (SELECT who, SUM(days) AS days FROM loans GROUP BY who)) WHERE rn < 3;"
	)
	for _, c := range []struct{ name, step, query, old, new, want string }{
		{"nothing else", "sums", sums, "", "", ""},
		{"a renamed column", "sums", sums, "AS loans", "AS cnt", "LG-SQL-012"},
		{"exchanged names", "sums", "SELECT branch, COUNT(days) AS days, SUM(days) AS loans FROM loans GROUP BY branch;", "", "", "LG-SQL-012 LG-SQL-012"},
		{"an unnamed column", "sums", sums, "AS loans", "", "LG-SQL-012"},
		{"a missing column", "sums", sums, ", SUM(days) AS days", "", "LG-SQL-013"},
		{"the wrong mode", "sums", "SET 'execution.runtime-mode' = 'batch';\n" + sums, "", "", "LG-STREAM-001"},
		{"WHERE", "sums", sums, "FROM loans", "FROM loans WHERE days > 7", "LG-SQL-001"},
		{"another aggregate", "sums", sums, "SUM(days)", "MAX(days)", "LG-SQL-007"},
		{"another order", "top", top, "DESC", "ASC", "LG-SQL-044"},
		{"another rank", "top", top, "< 3", "< 2", "LG-SQL-003"},
		{"a missing rank", "top", top, "days, rn FROM", "days FROM", "LG-SQL-013"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := gradeSQL(t, loansLab, loansData, c.step, strings.Replace(c.query, c.old, c.new, 1))
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// gradeSQL grades a learner's statements together with what they print.
func gradeSQL(t *testing.T, labText, data, step, script string) string {
	t.Helper()
	return gradeOutput(t, labText, data, step, script, script)
}

// gradeOutput runs statements behind the tables of a lab and grades what they print, next
// to a .sql file of other statements or ("") none. It gives the codes of the step without
// the note that the .sql file is missing.
func gradeOutput(t *testing.T, labText, data, step, file, script string) string {
	t.Helper()
	lab, err := labs.Parse("lab.yaml", []byte(labText))
	if err != nil {
		t.Fatal(err)
	}
	g := New(lab, func(string) (fs.File, error) { return newMemFile([]byte(data)), nil }, Reference())
	before := "SET 'sql-client.execution.result-mode' = 'tableau';\n" + lab.Tables[0].Statement() + "\n"
	w, err := Reference().(Transcriber).Transcribe(context.Background(), before+script+"\n", &graderFiles{g: g})
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{step + ".out": &fstest.MapFile{Data: w.Client}}
	if file != "" {
		files[step+".sql"] = &fstest.MapFile{Data: []byte(before + file + "\n")}
	}
	got, err := g.Check(context.Background(), files, []string{step})
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, f := range got[0].Findings {
		if f.Code == "LG-FILE-003" {
			continue
		}
		codes = append(codes, f.Code)
	}
	return strings.Join(codes, " ")
}

// TestOtherStep: an output under the name of another step is told from a wrong one.
func TestOtherStep(t *testing.T) {
	const sums = "SELECT branch, COUNT(*) AS loans, SUM(days) AS days FROM loans GROUP BY branch;"
	for _, c := range []struct{ name, query, want string }{
		{"the other step's", sums, "LG-FILE-012"},
		{"the other step's query with a mistake", strings.Replace(sums, "COUNT(*)", "MAX(days)", 1), "LG-STREAM-002"},
		{"no rows of the other step", strings.Replace(sums, "loans GROUP", "loans WHERE days > 99 GROUP", 1), "LG-STREAM-002"},
	} {
		if got := gradeOutput(t, loansLab, loansData, "top", "", c.query); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	hidden := strings.Replace(loansLab, "title: Sums", "title: Sums\n    disclose: nothing", 1)
	if got := gradeOutput(t, hidden, loansData, "top", "", sums); got != "LG-STREAM-002" {
		t.Errorf("a hidden step: got %q", got)
	}
}
