package checks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/labgrade/labgrade/labs"
)

// model is a mistake that is tried out: a script, or other data, whose result is
// compared with the saved one.
type model struct {
	code, says string
	script     string
	tr         *transform
}

// purpose: a copy of the data in a learner's folder is that learner's alone.
func (m *model) purpose() purpose {
	if m.tr != nil && strings.HasPrefix(m.tr.id, copied) {
		return forLearner
	}
	return forModel
}

// copied begins the id of a transform that puts a learner's own data into the source's place.
const copied = "copy\x00"

// models lists the mistakes to try for a row step, the likely ones first.
func (d *diagnosis) models(ctx context.Context) []model {
	lab, step := d.s.g.lab, d.step
	query := ended(step.Query)
	before := prelude(lab, step)
	setup := before + ended(step.Setup)
	whole := setup + query
	var out []model
	add := func(code, says, script string, tr *transform) {
		out = append(out, model{code, says, script, tr})
	}
	for _, m := range step.Mistakes {
		says := m.Says
		if says == "" {
			says = "the query is " + strings.Join(strings.Fields(m.Query), " ")
		}
		add(m.Code, says, setup+ended(m.Query), nil)
	}
	add("LG-DATA-002", "the source has a header line", whole, withHeader(lab))
	add("LG-DATA-002", "the source has a header line and bad fields are ignored", tolerant(lab, step)+query, withHeader(lab))
	add("LG-DATA-004", "the source is read twice", whole, twice())
	add("LG-DATA-004", "every line of the source stands there twice", whole, doubled())
	for _, name := range d.s.copies() {
		if tr := d.s.instead(name, d.s.g.reads(step)); tr != nil {
			add("LG-DATA-001", "the source is the file "+name+" in your folder, which is not the lab's", whole, tr)
		}
	}
	limit := 0
	if f := d.res.block.Footer; f != nil && f.Rows == int(d.res.counts.total()) {
		// Otherwise the missing rows were rather lost.
		limit = f.Rows
	}
	for _, m := range d.s.g.mutationsOf(step, step.Query) {
		add(m.code, m.says, setup+ended(m.text), nil)
	}
	if limit > 0 {
		m := limited(step.Query, limit)
		add(m.code, m.says, setup+ended(m.text), nil)
	}
	for _, m := range d.s.g.mutationsOf(step, step.Setup) {
		add(m.code, m.says, before+ended(m.text)+query, nil)
	}
	if !d.want.streaming {
		return out
	}
	for _, size := range []int{1000, 5000, 100, 500, 10000, 10, 50, 20, 2, 5} {
		for _, phase := range []string{"AUTO", "ONE_PHASE"} {
			add("LG-STREAM-003", fmt.Sprintf("mini-batch merges the changes (bundles of %d)", size), miniBatch(size, phase)+whole, nil)
		}
	}
	return out
}

// modelAnswer is the answer to a model's last statement, nil when it has none. Over a
// large source (small false) the rows are not computed yet: the columns come from a run
// without data, and the rows as far as they are compared, which is seldom far.
func (g *Grader) modelAnswer(ctx context.Context, m model, style cellStyle, small bool) (*answer, error) {
	tr := m.tr
	if !small {
		tr = rewrittenTo("no data", nil)
	}
	answers, err := g.execute(ctx, m.script, style, m.purpose(), tr)
	if err != nil || len(answers) == 0 {
		return nil, err
	}
	n := len(answers) - 1
	if small {
		return answers[n], nil
	}
	a := *answers[n]
	a.stored, a.rows = false, nil
	a.rerun = func(ctx context.Context, emit func(*row) error) error {
		return g.rerun(ctx, m.script, style, m.tr, n, emit)
	}
	return &a, nil
}

// rewrittenTo replaces the data.
func rewrittenTo(id string, data []byte) *transform {
	return &transform{id: id, apply: func(_ string, f fs.File) (fs.File, error) {
		return newMemFile(data), f.Close()
	}}
}

// miniBatch are the settings that switch mini-batch on.
func miniBatch(size int, phase string) string {
	return fmt.Sprintf("SET 'table.exec.mini-batch.enabled' = 'true';\nSET 'table.exec.mini-batch.allow-latency' = '2 s';\n"+
		"SET 'table.exec.mini-batch.size' = '%d';\nSET 'table.optimizer.agg-phase-strategy' = '%s';\n", size, phase)
}

// tolerant is the prelude with source tables that turn unreadable fields into NULL.
func tolerant(lab *labs.Lab, step *labs.Step) string {
	c := *lab
	c.Tables = append([]labs.Table{}, lab.Tables...)
	for i := range c.Tables {
		o := map[string]string{"csv.ignore-parse-errors": "true"}
		for k, v := range c.Tables[i].Options {
			o[k] = v
		}
		c.Tables[i].Options = o
	}
	return labScript(&c, step)
}

// withHeader puts a line with the column names before each table's data.
func withHeader(lab *labs.Lab) *transform {
	return &transform{id: "header", apply: func(table string, f fs.File) (fs.File, error) {
		var names []string
		for _, t := range lab.Tables {
			if t.Name == table {
				for _, c := range t.Physical() {
					names = append(names, c.Name)
				}
			}
		}
		return newPrefixedFile(strings.Join(names, ",")+"\n", f)
	}}
}

// maxModelSource bounds the sources that models rewrite in memory, in bytes.
const maxModelSource = 8 << 20

// errTooLarge ends a model whose data are too large to rewrite.
var errTooLarge = errors.New("the source is too large for this model")

func rewritten(id string, f func([]byte) []byte) *transform {
	return &transform{id: id, apply: func(_ string, file fs.File) (fs.File, error) { return rewrite(file, f) }}
}

// rewrite applies f to the whole data of a file and closes it.
func rewrite(file fs.File, f func([]byte) []byte) (fs.File, error) {
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, maxModelSource+1))
	if err != nil {
		return nil, err
	}
	if len(b) > maxModelSource {
		return nil, errTooLarge
	}
	return newMemFile(f(b)), nil
}

func twice() *transform {
	return rewritten("twice", func(b []byte) []byte {
		b = withNewline(b)
		return append(b[:len(b):len(b)], b...)
	})
}

func doubled() *transform {
	return rewritten("doubled", func(b []byte) []byte {
		var out []byte
		for _, l := range bytes.SplitAfter(withNewline(b), []byte("\n")) {
			out = append(append(out, l...), l...)
		}
		return out
	})
}

func withNewline(b []byte) []byte {
	if len(b) > 0 && b[len(b)-1] != '\n' {
		return append(b[:len(b):len(b)], '\n')
	}
	return b
}

// firstLines keeps the first n lines of the source.
func firstLines(n int) *transform {
	return rewritten(fmt.Sprintf("first %d", n), func(b []byte) []byte {
		at := 0
		for i := 0; i < n; i++ {
			k := bytes.IndexByte(b[at:], '\n')
			if k < 0 {
				return b
			}
			at += k + 1
		}
		return b[:at]
	})
}

// copies are the CSV files in a learner's folder. They never serve as truth, but may
// explain a result.
func (s *submission) copies() []string {
	entries, err := fs.ReadDir(s.files, ".")
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(strings.ToLower(e.Name()), ".csv") && len(out) < 3 {
			out = append(out, e.Name())
		}
	}
	return out
}

// instead reads a file of the learner's folder instead of the source.
func (s *submission) instead(name string, reads []string) *transform {
	f, err := s.files.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxModelSource))
	if err != nil {
		return nil
	}
	// The copy stands for the table of its name, else for the only one that is read.
	of := ""
	for _, t := range s.g.lab.Tables {
		if t.File == name {
			of = t.Name
		}
	}
	if of == "" && len(reads) == 1 {
		of = reads[0]
	}
	if of == "" {
		return nil
	}
	all := rewrittenTo(copied+of+"\x00"+string(data), data)
	replace := all.apply
	all.apply = func(table string, f fs.File) (fs.File, error) {
		if table != of {
			return f, nil
		}
		return replace(table, f)
	}
	return all
}

// shorterSource: the result is what the first lines of the source give. The footer
// shows that the job ended by itself, so the file was not cut.
func (d *diagnosis) shorterSource(ctx context.Context) (bool, error) {
	if d.saved == nil || !d.want.stored || d.res.overflow || len(d.saved) == 0 || len(d.s.g.reads(d.step)) != 1 {
		return false, nil
	}
	lengths := []int{0}
	if d.want.streaming {
		lengths = d.prefixesOfLog()
	} else {
		lengths[0] = d.prefixOfBatch(ctx)
	}
	n := 0
	for _, k := range lengths {
		if k <= 0 || n > 0 {
			break
		}
		script := labScript(d.s.g.lab, d.step) + ended(d.step.Query)
		answers, err := d.s.g.execute(ctx, script, d.learner.style, forLearner, firstLines(k))
		if err != nil || len(answers) == 0 {
			return false, err
		}
		ok, err := d.s.gives(ctx, answers[len(answers)-1], d.res, d.out.name)
		if err != nil {
			return false, err
		}
		if ok {
			n = k
		}
	}
	if n == 0 {
		return false, nil
	}
	f := d.firstDifference(ctx)
	f.Message = fmt.Sprintf("The output is exactly what the first %s of the source give.", plural(n, "line"))
	if !d.want.streaming || len(d.saved) < len(d.want.rows) && d.want.rows[len(d.saved)].cause.Line > 0 {
		f.SourceRows = d.s.g.sourceRows([]Cause{{d.s.g.reads(d.step)[0], n + 1}})
	}
	f.More = append(f.More, fmt.Sprintf("line %d of the source is the first that was not read", n+1))
	d.v.add("LG-DATA-003", f)
	return true, nil
}

// maxPrefixes bounds how many lengths of the source are tried.
const maxPrefixes = 24

// prefixesOfLog are the numbers of source lines that the saved log may come from, the
// likeliest first. Up to the row that is not there the log is the expected one; what the
// end of the input fires (windows that are still open) may follow.
func (d *diagnosis) prefixesOfLog() []int {
	want := d.want.rows
	b := d.res.block
	if b.Footer == nil || b.Footer.Rows != len(d.saved) || len(want) == 0 {
		return nil
	}
	at := 0
	for at < len(d.saved) && at < len(want) && want[at].equal(&d.saved[at]) {
		at++
	}
	if at == len(want) {
		return nil
	}
	if at == len(d.saved) && want[at].cause.Line > 0 {
		return []int{want[at].cause.Line - 1}
	}
	if want[len(want)-1].cause.Line > 0 {
		return nil // the end of the input fires nothing
	}
	most := want[at].cause.Line - 1
	if most < 0 {
		for i := range want[:at] {
			most = max(most, want[i].cause.Line)
		}
		most += maxPrefixes / 2
	}
	var out []int
	for n := most; n > 0 && len(out) < maxPrefixes; n-- {
		out = append(out, n)
	}
	return out
}

// prefixOfBatch finds the number of source lines after which the query, run as a
// stream, has exactly the saved table; 0 when it never has.
func (d *diagnosis) prefixOfBatch(ctx context.Context) int {
	step := *d.step
	step.Mode = "streaming"
	a, err := d.s.labAnswer(ctx, labScript(d.s.g.lab, &step)+ended(d.step.Query), styleTable)
	if err != nil || a.err != nil || !a.stored {
		return 0
	}
	target := map[string]string{}
	for i := range d.saved {
		target[d.saved[i].text(d.key)] = d.saved[i].text(nil)
	}
	if len(target) != len(d.saved) {
		return 0
	}
	now := map[string]string{}
	right := 0
	for i := range a.rows {
		r := &a.rows[i]
		k, full := r.text(d.key), r.text(nil)
		if now[k] != "" && now[k] == target[k] {
			right--
		}
		if r.kind.Adds() {
			now[k] = full
			if full == target[k] {
				right++
			}
		} else {
			delete(now, k)
		}
		next := i + 1
		if next < len(a.rows) && a.rows[next].cause != r.cause && right == len(target) && len(now) == len(target) {
			return r.cause.Line
		}
	}
	return 0
}
