package checks

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/labgrade/labgrade/report"
)

// mutant is a submission with one mistake, and the codes of which it must get one.
type mutant struct {
	name  string
	files fstest.MapFS
	codes []string
}

// memoryOf reads a folder into memory.
func memoryOf(t testing.TB, dir string) fstest.MapFS {
	t.Helper()
	out := fstest.MapFS{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		out[filepath.ToSlash(rel)] = &fstest.MapFile{Data: b}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// with is a copy with one file replaced.
func with(base fstest.MapFS, name, text string) fstest.MapFS {
	out := fstest.MapFS{}
	for k, v := range base {
		out[k] = v
	}
	out[name] = &fstest.MapFile{Data: []byte(text)}
	return out
}

// lineMutants damages a text at some of the lines that are rows.
func lineMutants(base fstest.MapFS, file string, isRow func(string) bool, every int, m lineCodes) []mutant {
	lines := strings.SplitAfter(string(base[file].Data), "\n")
	var rows []int
	for i, l := range lines {
		if isRow(l) {
			rows = append(rows, i)
		}
	}
	var out []mutant
	add := func(what string, at int, codes []string, changed []string) {
		if codes != nil {
			out = append(out, mutant{fmt.Sprintf("%s: %s line %d", file, what, at+1), with(base, file, strings.Join(changed, "")), codes})
		}
	}
	for n := 0; n < len(rows); n += every {
		i := rows[n]
		add("drop", i, m.drop, slices.Delete(slices.Clone(lines), i, i+1))
		add("duplicate", i, m.twice, slices.Insert(slices.Clone(lines), i, lines[i]))
		if n+1 < len(rows) && rows[n+1] == i+1 && lines[i] != lines[i+1] {
			c := slices.Clone(lines)
			c[i], c[i+1] = c[i+1], c[i]
			add("swap", i, m.swap, c)
		}
		if e := m.edit(lines[i]); e != lines[i] {
			c := slices.Clone(lines)
			c[i] = e
			add("edit", i, m.edited, c)
		}
		if m.kind != nil {
			c := slices.Clone(lines)
			c[i] = otherKind(lines[i])
			add("kind", i, m.kind, c)
		}
	}
	if m.drop != nil && len(rows) > 4 {
		i := rows[len(rows)-1]
		add("drop the last", i, m.last, slices.Delete(slices.Clone(lines), i, i+1))
		j := rows[len(rows)/2]
		add("drop three", j, m.drop, slices.Delete(slices.Clone(lines), j, j+3))
	}
	return out
}

type lineCodes struct {
	drop, last, twice, swap, edited, kind []string
	edit                                  func(string) string
}

func otherKind(l string) string {
	for _, p := range [][2]string{{"+I", "+U"}, {"-U", "-D"}, {"+U", "+I"}, {"-D", "-U"},
		{"INSERT", "UPDATE_AFTER"}, {"UPDATE_BEFORE", "DELETE"}, {"UPDATE_AFTER", "INSERT"}, {"DELETE", "UPDATE_BEFORE"}} {
		if strings.Contains(l, p[0]) {
			return strings.Replace(l, p[0], p[1], 1)
		}
	}
	return l
}

// lastDigit changes the last digit of a line.
func lastDigit(l string) string {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i] >= '0' && l[i] <= '9' {
			return l[:i] + string('0'+(l[i]-'0'+1)%10) + l[i+1:]
		}
	}
	return l
}

func isLogRow(l string) bool {
	return strings.HasPrefix(l, "| +") || strings.HasPrefix(l, "| -")
}

// damagedMutants damages the files of a right submission.
func damagedMutants(base fstest.MapFS, every int) []mutant {
	log := lineCodes{
		drop: []string{"LG-STREAM-006"}, last: []string{"LG-STREAM-006"}, twice: []string{"LG-STREAM-007"}, swap: []string{"LG-STREAM-008"},
		edited: []string{"LG-STREAM-009"}, kind: []string{"LG-STREAM-010"}, edit: lastDigit,
	}
	var out []mutant
	out = append(out, lineMutants(base, "stream.out", isLogRow, every, log)...)
	out = append(out, lineMutants(base, "nested.out", isLogRow, every, log)...)
	out = append(out, lineMutants(base, "batch.out", func(l string) bool {
		return strings.HasPrefix(l, "| ") && !strings.Contains(l, "user_id")
	}, 2, lineCodes{drop: []string{"LG-TABLE-002"}, last: []string{"LG-TABLE-002"}, twice: []string{"LG-TABLE-004"}, edited: []string{"LG-TABLE-005"}, edit: lastDigit})...)
	for name := range base {
		if strings.HasPrefix(name, "changelog/") {
			sink := log
			sink.last = []string{"LG-STREAM-005"}
			out = append(out, lineMutants(base, name, func(l string) bool { return l != "" }, every, sink)...)
		}
	}
	for _, f := range []string{"explain.out", "upsert.out"} {
		out = append(out, lineMutants(base, f, func(l string) bool { return strings.Contains(l, "changelogMode") }, 1, lineCodes{
			drop: []string{"LG-PLAN-006"}, last: []string{"LG-PLAN-006"}, twice: []string{"LG-PLAN-006"}, edited: []string{"LG-PLAN-004"},
			edit: func(l string) string {
				switch {
				case strings.Contains(l, "NONE"):
					return l
				case strings.Contains(l, "[I,UA]") && f == "explain.out":
					return strings.Replace(l, "[I,UA]", "[I]", 1)
				case strings.Contains(l, "[I,UB,UA]"):
					return strings.Replace(l, "[I,UB,UA]", "[I,UA]", 1)
				case strings.Contains(l, "[I,UA]"):
					return strings.Replace(l, "[I,UA]", "[I,UB,UA]", 1)
				}
				return strings.Replace(l, "[I]", "[I,UA]", 1)
			}})...)
	}
	refused := string(base["fs-sink.out"].Data)
	for _, e := range [][3]string{
		{"user_clicks_fs' doesn't", "other_sink' doesn't", "LG-REFUSE-003"},
		{"COUNT(*) AS", "SUM(dwell) AS", "LG-REFUSE-005"},
		{"groupBy=[user_id]", "groupBy=[url]", "LG-REFUSE-005"},
		{"update changes", "update and delete changes", "LG-REFUSE-005"},
	} {
		out = append(out, mutant{"fs-sink.out: " + e[1], with(base, "fs-sink.out", strings.Replace(refused, e[0], e[1], 1)), []string{e[2]}})
	}
	report := string(base["report.json"].Data)
	for _, k := range []string{"users", "retract_messages", "upsert_messages", "nested_deletes"} {
		at := strings.Index(report, `"`+k+`"`)
		end := at + strings.IndexAny(report[at:], ",\n")
		line := report[at:end]
		out = append(out,
			mutant{"report.json: " + k + " changed", with(base, "report.json", strings.Replace(report, line, lastDigit(line), 1)), []string{"LG-REPORT-003"}},
			mutant{"report.json: " + k + " as text", with(base, "report.json", strings.Replace(report, line, strings.Replace(line, ": ", `: "`, 1)+`"`, 1)), []string{"LG-REPORT-002"}},
			mutant{"report.json: " + k + " missing", with(base, "report.json", strings.Replace(report, `"`+k, `"x`+k, 1)), []string{"LG-REPORT-001"}})
	}
	return out
}

// checkMutants grades mutants: every one must be found, and most with the right code.
func checkMutants(t *testing.T, g *Grader, list []mutant) {
	t.Helper()
	missed, misnamed := 0, 0
	for _, m := range list {
		got, err := g.Check(context.Background(), m.files, nil)
		if err != nil {
			t.Fatal(err)
		}
		c := codesOf(got)
		switch {
		case len(c) == 0 || !slices.ContainsFunc(got, func(x report.Check) bool { return x.Outcome == report.Fail || x.Outcome == report.Ungradable }):
			missed++
			t.Errorf("%s: not found", m.name)
		case len(c) != 1 || !slices.Contains(m.codes, c[0]):
			misnamed++
			t.Logf("%s: got %v, want %v\n%s", m.name, c, m.codes, wrongOnly(got))
		}
	}
	t.Logf("%d mutants, %d missed, %d misnamed", len(list), missed, misnamed)
	if misnamed*20 > len(list) {
		t.Errorf("%d of %d mutants got another code than theirs; at most one in twenty may", misnamed, len(list))
	}
}

func TestDamagedMutants(t *testing.T) {
	base := memoryOf(t, recorded+"right-120/submission")
	g := recordedGrader(t, "right-120")
	list := damagedMutants(base, 19)
	checkMutants(t, g, list)
}
