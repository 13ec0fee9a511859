package conformance

import (
	"fmt"
	"sort"
	"strings"
)

// tally counts outcomes of files and statements by family and mode.
type tally struct {
	files, stmts map[string]map[string]int // "family mode" -> outcome -> n
	reasons      map[string]int
	// cases has the outcomes of a case's files, by mode.
	cases   map[string]map[string]string
	wrong   []string
	partial []string
}

func newTally() *tally {
	return &tally{files: map[string]map[string]int{}, stmts: map[string]map[string]int{}, reasons: map[string]int{},
		cases: map[string]map[string]string{}}
}

func (t *tally) add(c *recordedCase, f fileVerdict) {
	key := c.family + " " + f.mode
	for _, m := range []map[string]map[string]int{t.files, t.stmts} {
		if m[key] == nil {
			m[key] = map[string]int{}
		}
	}
	t.files[key][f.outcome()]++
	name := c.family + "/" + c.name
	if t.cases[name] == nil {
		t.cases[name] = map[string]string{}
	}
	t.cases[name][f.mode] = f.outcome()
	for _, v := range f.verdicts {
		t.stmts[key][v.outcome]++
		if v.outcome == isUnsupported {
			t.reasons[v.reason]++
		}
	}
	switch f.outcome() {
	case isWrong:
		t.wrong = append(t.wrong, c.family+"/"+c.name+" "+f.mode)
	case sameRows, aMerge:
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
that show a path. *Same rows*: a batch result without ORDER BY, or a log
of a folder of files, has the same rows in another order. *A merge*:
the log of a query over several sources, which Flink itself interleaves differently from run to run, is what the query gives for
some merge of their rows; it is *exact* if one source is some rows ahead at first and both then take turns.
*Unsupported*: at least one answer was refused. *Wrong* must be 0.

`)
	write := func(title string, m map[string]map[string]int) {
		fmt.Fprintf(&b, "## %s\n\n| family | mode | exact | same rows | a merge | unsupported | wrong | all |\n|---|---|--:|--:|--:|--:|--:|--:|\n", title)
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
