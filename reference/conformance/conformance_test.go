package conformance

import (
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing"
)

var (
	update    = flag.Bool("update", false, "write docs/conformance.md")
	otherRoot = flag.String("cases", "", "folder of <family>/<case> folders to run instead of the recorded corpus; prints its figures")
)

// caseRoot is where the cases are.
func caseRoot() string {
	if *otherRoot != "" {
		return *otherRoot
	}
	return corpus
}

const docFile = "../../docs/conformance.md"

// The recorded files and the modes that they stand for.
var files = []struct{ file, mode string }{
	{"stream.txt", "stream"},
	{"batch.txt", "batch"},
	{"explain.txt", "explain"},
	{"explain-batch.txt", "explain-batch"},
	{"errors.txt", "ddl-errors"},
	{"print.txt", "print"},
	{"sink", "sink"},
	{"", "corpus"},
	{"", "lab"},
	{"", "versions"},
}

// TestConformance runs every recorded case. It fails when docs/conformance.md is stale; a
// single case shows its differences with -v -run 'Conformance/agg/rollup'.
func TestConformance(t *testing.T) {
	tally := newTally()
	for _, c := range loadCases(t) {
		t.Run(c.family+"/"+c.name, func(t *testing.T) {
			for _, f := range checkCase(t, c) {
				tally.add(c, f)
				if testing.Verbose() {
					logVerdicts(t, f)
				}
			}
		})
	}
	if *otherRoot != "" {
		t.Log("\n" + tally.document())
		return
	}
	for _, tr := range loadTranscripts(t) {
		t.Run("transcript/"+tr.name, func(t *testing.T) {
			f := fileVerdict{tr.group, []verdict{judgeTranscript(tr)}}
			tally.add(&recordedCase{family: "transcript", name: tr.name}, f)
			if testing.Verbose() {
				logVerdicts(t, f)
			}
		})
	}
	if pattern := flag.Lookup("test.run").Value.String(); strings.Contains(pattern, "/") {
		return // a part of the cases says nothing about the document
	}
	doc := tally.document()
	if *update {
		if err := os.WriteFile(docFile, []byte(doc), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(docFile)
	if err != nil {
		t.Fatal(err)
	}
	if worse := tally.worseThan(string(have)); worse != "" {
		t.Errorf("worse than docs/conformance.md says:\n%s", worse)
	} else if string(have) != doc {
		t.Logf("docs/conformance.md is stale; run: go test ./reference/conformance -update")
	}
}

// fileVerdict is the comparison of one recorded file.
type fileVerdict struct {
	mode     string
	verdicts []verdict
}

// outcome of a file is the worst of its statements.
func (f fileVerdict) outcome() string {
	worst := exact
	for _, v := range f.verdicts {
		if rank(v.outcome) > rank(worst) {
			worst = v.outcome
		}
	}
	return worst
}

func rank(outcome string) int {
	for i, o := range outcomes {
		if o == outcome {
			return i
		}
	}
	return len(outcomes)
}

var outcomes = []string{exact, sameRows, sameTable, isUnsupported, isWrong}

func checkCase(t testing.TB, c *recordedCase) []fileVerdict {
	out, r := runCase(t, c)
	var fs []fileVerdict
	for _, f := range files {
		switch f.file {
		case "": // transcripts are run by themselves
			continue
		case "print.txt":
			if want := read(c.dir, f.file); want != "" {
				fs = append(fs, fileVerdict{f.mode, judgePrint(out, r, want)})
			}
			continue
		case "sink":
			if v := judgeSink(out, r); v != nil {
				fs = append(fs, fileVerdict{f.mode, v})
			}
			continue
		}
		want, got := read(c.dir, f.file), out[f.file]
		if want == "" && len(got) == 0 {
			continue
		}
		fs = append(fs, fileVerdict{f.mode, judge(c, f.file, got, want)})
	}
	return fs
}

func logVerdicts(t *testing.T, f fileVerdict) {
	for _, v := range f.verdicts {
		switch v.outcome {
		case exact:
		case isUnsupported:
			t.Logf("%s: unsupported: %s\n%s", f.mode, v.reason, v.stmt)
		default:
			t.Logf("%s: %s\n%s\n%s", f.mode, v.outcome, v.stmt, difference(v.want, v.got))
		}
	}
}

// difference shows lines that only one side has: - recorded, + ours.
func difference(want, got string) string {
	a, b := strings.Split(normal(want), "\n"), strings.Split(normal(got), "\n")
	n, m := len(a), len(b)
	if n*m > 4_000_000 {
		return "- " + strings.Join(a[:min(n, 20)], "\n- ") + "\n+ " + strings.Join(b[:min(m, 20)], "\n+ ")
	}
	lcs := make([][]int32, n+1)
	for i := range lcs {
		lcs[i] = make([]int32, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[i] == b[j] {
				lcs[i][j] = lcs[i+1][j+1] + 1
			} else {
				lcs[i][j] = max(lcs[i+1][j], lcs[i][j+1])
			}
		}
	}
	var out []string
	for i, j := 0, 0; i < n || j < m; {
		switch {
		case i < n && j < m && a[i] == b[j]:
			i++
			j++
		case i < n && (j == m || lcs[i+1][j] >= lcs[i][j+1]):
			out = append(out, "- "+a[i])
			i++
		default:
			out = append(out, "+ "+b[j])
			j++
		}
	}
	if len(out) > 200 {
		out = append(out[:200], "...")
	}
	return strings.Join(out, "\n")
}

// tally counts outcomes of files and statements by family and mode.
type tally struct {
	files, stmts map[string]map[string]int // "family mode" -> outcome -> n
	reasons      map[string]int
	wrong        []string
	partial      []string
}

func newTally() *tally {
	return &tally{files: map[string]map[string]int{}, stmts: map[string]map[string]int{}, reasons: map[string]int{}}
}

func (t *tally) add(c *recordedCase, f fileVerdict) {
	key := c.family + " " + f.mode
	for _, m := range []map[string]map[string]int{t.files, t.stmts} {
		if m[key] == nil {
			m[key] = map[string]int{}
		}
	}
	t.files[key][f.outcome()]++
	for _, v := range f.verdicts {
		t.stmts[key][v.outcome]++
		if v.outcome == isUnsupported {
			t.reasons[v.reason]++
		}
	}
	switch f.outcome() {
	case isWrong:
		t.wrong = append(t.wrong, c.family+"/"+c.name+" "+f.mode)
	case sameRows, sameTable:
		t.partial = append(t.partial, c.family+"/"+c.name+" "+f.mode+": "+f.outcome())
	}
}

func (t *tally) keys() []string {
	var ks []string
	for k := range t.files {
		ks = append(ks, k)
	}
	order := func(k string) string {
		for i, f := range files {
			if strings.HasSuffix(k, " "+f.mode) {
				return strings.Fields(k)[0] + fmt.Sprint(i)
			}
		}
		return k
	}
	sort.Slice(ks, func(i, j int) bool { return order(ks[i]) < order(ks[j]) })
	return ks
}

func (t *tally) document() string {
	var b strings.Builder
	b.WriteString(`# Conformance

How far the engine agrees with recorded outputs of Apache Flink 2.3.0. This file is written by
` + "`go test ./reference/conformance -update`" + `; the test fails when a figure gets worse.

A recorded file holds the answers to all statements of a case in one mode. It is *exact* when every
answer is the same byte for byte, but for seconds, ids, the token list of parse errors, and the width of tables
that show a path. *Same rows*: a batch result without ORDER BY has the same rows in another order. *Same table*:
the log of a query over two sources, which Flink itself interleaves differently from run to run, leads to the same table.
*Unsupported*: at least one answer was refused. *Wrong* must be 0.

`)
	write := func(title string, m map[string]map[string]int) {
		fmt.Fprintf(&b, "## %s\n\n| family | mode | exact | same rows | same table | unsupported | wrong | all |\n|---|---|--:|--:|--:|--:|--:|--:|\n", title)
		sum := map[string]int{}
		total := 0
		for _, k := range t.keys() {
			w := strings.Fields(k)
			n := 0
			fmt.Fprintf(&b, "| %s | %s |", w[0], w[1])
			for _, o := range outcomes {
				fmt.Fprintf(&b, " %d |", m[k][o])
				n += m[k][o]
				sum[o] += m[k][o]
			}
			total += n
			fmt.Fprintf(&b, " %d |\n", n)
		}
		b.WriteString("| all | |")
		for _, o := range outcomes {
			fmt.Fprintf(&b, " %d |", sum[o])
		}
		fmt.Fprintf(&b, " %d |\n\n", total)
	}
	write("Files", t.files)
	write("Statements", t.stmts)
	if len(t.wrong) > 0 {
		b.WriteString("## Wrong\n\n")
		for _, w := range t.wrong {
			b.WriteString("* " + w + "\n")
		}
		b.WriteString("\n")
	}
	if len(t.partial) > 0 {
		b.WriteString("## Not byte for byte\n\n")
		for _, w := range t.partial {
			b.WriteString("* " + w + "\n")
		}
		b.WriteString("\n")
	}
	b.WriteString("## Reasons of refusals\n\n")
	var rs []string
	for r := range t.reasons {
		rs = append(rs, r)
	}
	sort.Slice(rs, func(i, j int) bool {
		if a, b := t.reasons[rs[i]], t.reasons[rs[j]]; a != b {
			return a > b
		}
		return rs[i] < rs[j]
	})
	for _, r := range rs {
		fmt.Fprintf(&b, "* %d x %s\n", t.reasons[r], r)
	}
	return b.String()
}

// worseThan compares the totals of files with those of an earlier document.
func (t *tally) worseThan(doc string) string {
	var out []string
	section, _, _ := strings.Cut(doc, "## Statements")
	for _, line := range strings.Split(section, "\n") {
		var family, mode string
		var n [6]int
		cells := strings.Split(strings.ReplaceAll(line, " ", ""), "|")
		if len(cells) != 10 {
			continue
		}
		family, mode = cells[1], cells[2]
		ok := true
		for i := range n {
			if _, err := fmt.Sscan(cells[3+i], &n[i]); err != nil {
				ok = false
			}
		}
		m := t.files[family+" "+mode]
		if !ok || m == nil {
			continue
		}
		if m[exact] < n[0] || m[isWrong] > n[4] {
			out = append(out, fmt.Sprintf("%s %s: exact %d (was %d), wrong %d (was %d)", family, mode, m[exact], n[0], m[isWrong], n[4]))
		}
	}
	return strings.Join(out, "\n")
}
