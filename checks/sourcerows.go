package checks

import (
	"bufio"
	"path"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/report"
)

// maxSourceText bounds the text of a source row in a finding, in bytes.
const maxSourceText = 200

// sourceRows lists source rows with their texts. Of many, the last ones are listed: they
// are the nearest to the row that they made.
func (g *Grader) sourceRows(causes []Cause) []report.SourceRow {
	if len(causes) > maxSourceRows {
		causes = causes[len(causes)-maxSourceRows:]
	}
	files := map[string]string{}
	for _, t := range g.lab.Tables {
		files[t.Name] = t.File
	}
	texts := map[Cause]string{}
	var tables []string
	for _, c := range causes {
		if !slices.Contains(tables, c.Table) {
			tables = append(tables, c.Table)
		}
	}
	for _, t := range tables {
		g.readLines(t, causes, texts)
	}
	var out []report.SourceRow
	for _, c := range causes {
		if files[c.Table] == "" {
			continue // not a source of the lab
		}
		out = append(out, report.SourceRow{File: path.Base(files[c.Table]), Line: c.Line, Text: texts[c]})
	}
	return out
}

// readLines reads the texts of one table's causes.
func (g *Grader) readLines(table string, causes []Cause, into map[Cause]string) {
	want := map[int]bool{}
	last := 0
	for _, c := range causes {
		if c.Table == table {
			want[c.Line] = true
			last = max(last, c.Line)
		}
	}
	r, err := g.source(table)
	if err != nil {
		return
	}
	defer r.Close()
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 1<<16), 1<<24)
	for n := 1; n <= last && sc.Scan(); n++ {
		if want[n] {
			t := strings.TrimRight(sc.Text(), "\r")
			if len(t) > maxSourceText {
				t = t[:maxSourceText] + "..."
			}
			into[Cause{table, n}] = t
		}
	}
}
