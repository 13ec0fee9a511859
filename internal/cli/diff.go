package cli

import (
	"bufio"
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/internal/term"
	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/replay"
)

func diffCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "compare two saved Flink outputs: logs, tables, plans and errors, not their text",
		ArgsUsage: "A B",
		Description: "The answers of the two files are paired in order. Logs are compared row by row and by the tables that they\n" +
			"come to; a log and a batch result by their tables; batch results as bags of rows; plans operator by operator.\n" +
			"Times, job ids, echoes and column widths do not matter. Exit code 1: they differ.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON (docs/schema/diff.schema.json)"},
			&cli.IntFlag{Name: "limit", Usage: "show at most `N` rows of each side; 0 shows all", Value: 20},
			colorFlag(),
		}, limitFlags()...),
		Action: func(c *cli.Context) error { return runDiff(c, s) },
	}
}

func runDiff(c *cli.Context, s Streams) error {
	if c.NArg() != 2 {
		return Usagef("diff takes two files, not %d\nSee: labgrade diff --help", c.NArg())
	}
	if c.Args().Get(0) == "-" && c.Args().Get(1) == "-" {
		return Usagef("standard input can be one of the files only")
	}
	limits, err := limitsFrom(c)
	if err != nil {
		return err
	}
	seed := maphash.MakeSeed()
	a, err := readSide(c.Context, c.Args().Get(0), nil, seed, limits, s)
	if err != nil {
		return err
	}
	b, err := readSide(c.Context, c.Args().Get(1), a, seed, limits, s)
	if err != nil {
		return err
	}
	d := compareSides(c.Context, a, b, c.Int("limit"))
	out := bufio.NewWriterSize(s.Out, 64<<10)
	defer out.Flush()
	if c.Bool("json") {
		fmt.Fprintf(out, "%s\n", marshal(d))
	} else {
		p, err := paletteFor(c, s.Out, s)
		if err != nil {
			return err
		}
		d.text(out, p)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if !d.Same {
		return Exit(ExitFailed)
	}
	return nil
}

// diffJSON is what the comparison found.
type diffJSON struct {
	SchemaVersion int          `json:"schema_version"`
	A             string       `json:"a"`
	B             string       `json:"b"`
	Same          bool         `json:"same"`
	Answers       []answerJSON `json:"answers"`
	OnlyA         int          `json:"only_a"`
	OnlyB         int          `json:"only_b"`
}

type answerJSON struct {
	Same    bool     `json:"same"`
	Verdict string   `json:"verdict"`
	Text    string   `json:"text"`
	ALines  [2]int   `json:"a_lines"`
	BLines  [2]int   `json:"b_lines"`
	OnlyA   []string `json:"only_a,omitempty"`
	OnlyB   []string `json:"only_b,omitempty"`
	FirstA  *rowAt   `json:"first_a,omitempty"`
	FirstB  *rowAt   `json:"first_b,omitempty"`
}

type rowAt struct {
	Row  int    `json:"row"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

func compareSides(ctx context.Context, a, b *side, limit int) *diffJSON {
	d := &diffJSON{SchemaVersion: 1, A: a.name, B: b.name, Same: true, Answers: []answerJSON{}}
	n := min(len(a.answers), len(b.answers))
	for i := range n {
		x, y := a.answers[i], b.answers[i]
		j := answerJSON{ALines: [2]int{x.block.FirstLine, x.block.LastLine}, BLines: [2]int{y.block.FirstLine, y.block.LastLine}}
		switch {
		case x.res != nil && y.res != nil:
			compareResults(ctx, a, b, x, y, &j, limit)
		case x.block.Kind != y.block.Kind:
			j.Verdict, j.Text = "other-kind", fmt.Sprintf("A has %s here, B %s", kindWords(x.block), kindWords(y.block))
		case x.block.Kind == parse.KindPlan:
			comparePlans(x.block.Plan, y.block.Plan, &j)
		default:
			compareErrors(x.block.Err, y.block.Err, &j)
		}
		d.Same = d.Same && j.Same
		d.Answers = append(d.Answers, j)
	}
	d.OnlyA, d.OnlyB = len(a.answers)-n, len(b.answers)-n
	if d.OnlyA > 0 || d.OnlyB > 0 || n == 0 {
		d.Same = false
	}
	return d
}

func kindWords(b *parse.Block) string {
	switch b.Kind {
	case parse.KindPlan:
		return "a plan"
	case parse.KindError:
		return "an error"
	}
	if b.HasOp {
		return "a log"
	}
	return "a table"
}

func compareResults(ctx context.Context, a, b *side, x, y *sideAnswer, j *answerJSON, limit int) {
	var notes []string
	if len(x.columns) != len(y.columns) && len(x.columns) > 0 && len(y.columns) > 0 {
		j.Verdict = "other-columns"
		j.Text = fmt.Sprintf("the columns differ: A has (%s), B has (%s)", strings.Join(x.columns, ", "), strings.Join(y.columns, ", "))
		return
	}
	if y.perm != nil {
		notes = append(notes, "the columns stand in another order")
	} else if !slices.Equal(x.columns, y.columns) && len(x.columns) > 0 && len(y.columns) > 0 {
		notes = append(notes, fmt.Sprintf("the columns have other names: A (%s), B (%s)", strings.Join(x.columns, ", "), strings.Join(y.columns, ", ")))
	}
	sameRows := x.res.Rows == y.res.Rows && x.hash == y.hash
	onlyA, onlyB := tableDiff(x.res.Table, y.res.Table, limit), tableDiff(y.res.Table, x.res.Table, limit)
	sameTable := len(onlyA) == 0 && len(onlyB) == 0
	bothLogs := x.block.HasOp && y.block.HasOp
	switch {
	case x.block.HasOp != y.block.HasOp && sameTable:
		j.Same, j.Verdict, j.Text = true, "log-gives-table", "the log comes to the rows of the batch result"
	case x.block.HasOp != y.block.HasOp:
		j.Verdict, j.Text = "log-gives-other-table", "the log does not come to the rows of the batch result"
	case sameRows && bothLogs:
		j.Same, j.Verdict, j.Text = true, "same-log", "the same log: "+plural(x.res.Rows, "row")
	case sameRows:
		j.Same, j.Verdict, j.Text = true, "same-table", "the same rows in the same order: "+plural(x.res.Rows, "row")
	case sameTable && !bothLogs:
		j.Same, j.Verdict, j.Text = true, "same-bag", "the same rows in another order: "+plural(x.res.Rows, "row")
	case sameTable:
		j.Verdict, j.Text = "same-final-table", fmt.Sprintf("other logs (%s and %s) that come to the same table", plural(x.res.Rows, "row"), plural(y.res.Rows, "row"))
		firstDifference(ctx, a, b, x, y, j)
	case bothLogs:
		j.Verdict, j.Text = "other-log", fmt.Sprintf("other logs (%s and %s) that come to other tables", plural(x.res.Rows, "row"), plural(y.res.Rows, "row"))
		firstDifference(ctx, a, b, x, y, j)
	default:
		j.Verdict, j.Text = "other-table", "other rows"
	}
	if !sameTable {
		j.OnlyA, j.OnlyB = onlyA, onlyB
	}
	for _, s := range []struct {
		name string
		b    *parse.Block
	}{{"A", x.block}, {"B", y.block}} {
		if n := s.b.Missing(); n != 0 || s.b.NProblems > 0 {
			notes = append(notes, fmt.Sprintf("rows of %s are missing or cannot be read", s.name))
		}
		if s.b.CutCells > 0 {
			notes = append(notes, fmt.Sprintf("%d cells of %s are cut: only what is shown was compared", s.b.CutCells, s.name))
		}
	}
	if len(notes) > 0 {
		j.Text += "; " + strings.Join(notes, "; ")
	}
}

// tableDiff lists rows that a has more often than b.
func tableDiff(a, b *replay.Table, limit int) []string {
	var out []string
	more := 0
	for r := range a.Rows() {
		n := r.Count - b.Count(r.Cells)
		if n <= 0 {
			continue
		}
		if limit > 0 && len(out) == limit {
			more++
			continue
		}
		t := rowText(r.Cells)
		if n > 1 {
			t += fmt.Sprintf(" x %d", n)
		}
		out = append(out, t)
	}
	if more > 0 {
		out = append(out, fmt.Sprintf("... and %d more", more))
	}
	return out
}

func rowText(cells [][]byte) string {
	s := make([]string, len(cells))
	for i, c := range cells {
		s[i] = string(c)
	}
	return "(" + strings.Join(s, ", ") + ")"
}

// firstDifference reads both files again to the first row that is not the same.
func firstDifference(ctx context.Context, a, b *side, x, y *sideAnswer, j *answerJSON) {
	if a.open == nil || b.open == nil {
		return
	}
	nextA, stopA := iter.Pull(rowsOf(ctx, a, x))
	defer stopA()
	nextB, stopB := iter.Pull(rowsOf(ctx, b, y))
	defer stopB()
	for {
		ra, okA := nextA()
		rb, okB := nextB()
		if !okA && !okB {
			return
		}
		if okA && okB && ra.Text == rb.Text {
			continue
		}
		if okA {
			j.FirstA = &ra
		}
		if okB {
			j.FirstB = &rb
		}
		return
	}
}

func rowsOf(ctx context.Context, s *side, a *sideAnswer) iter.Seq[rowAt] {
	return func(yield func(rowAt) bool) {
		in, err := s.open()
		if err != nil {
			return
		}
		defer in.Close()
		var cells [][]byte
		sc := parse.NewScanner(in, parse.Options{OnRow: func(b *parse.Block, r *parse.Row) error {
			if b.FirstLine != a.block.FirstLine {
				return ctx.Err()
			}
			cells = permute(cells[:0], r.Cells, a.perm)
			text := rowText(cells)
			if r.HasKind {
				text = r.Kind.String() + " " + text
			}
			if !yield(rowAt{Row: r.N, Line: r.Line, Text: text}) {
				return context.Canceled
			}
			return nil
		}})
		for sc.Scan() {
			if sc.Block().FirstLine == a.block.FirstLine {
				return
			}
		}
	}
}

func comparePlans(a, b *parse.Plan, j *answerJSON) {
	for _, kind := range []parse.SectionKind{parse.SectionAST, parse.SectionPhysical, parse.SectionExecution} {
		x, y := a.Section(kind), b.Section(kind)
		switch {
		case x == nil && y == nil:
			continue
		case x == nil || y == nil:
			j.Verdict, j.Text = "other-plan", "one of the plans lacks the section "+kind.String()
			return
		}
		n, m := x.Nodes(), y.Nodes()
		for i := range max(len(n), len(m)) {
			switch {
			case i >= len(n):
				j.FirstB = &rowAt{Row: i + 1, Line: m[i].Line, Text: m[i].Text}
			case i >= len(m):
				j.FirstA = &rowAt{Row: i + 1, Line: n[i].Line, Text: n[i].Text}
			case n[i].Text != m[i].Text || n[i].Depth != m[i].Depth:
				j.FirstA, j.FirstB = &rowAt{Row: i + 1, Line: n[i].Line, Text: n[i].Text}, &rowAt{Row: i + 1, Line: m[i].Line, Text: m[i].Text}
			default:
				continue
			}
			j.Verdict, j.Text = "other-plan", fmt.Sprintf("the plans differ in the section %q, operator %d", x.Title, i+1)
			return
		}
	}
	j.Same, j.Verdict, j.Text = true, "same-plan", "the same plan"
}

func compareErrors(a, b *parse.Err, j *answerJSON) {
	if a.Class == b.Class && a.FirstLine() == b.FirstLine() {
		j.Same, j.Verdict, j.Text = true, "same-error", "the same error: "+a.SimpleClass()
		return
	}
	j.Verdict, j.Text = "other-error", "other errors"
	j.FirstA = &rowAt{Line: a.Line, Text: a.Class + ": " + a.FirstLine()}
	j.FirstB = &rowAt{Line: b.Line, Text: b.Class + ": " + b.FirstLine()}
}

func (d *diffJSON) text(w io.Writer, p *term.Palette) {
	for i, j := range d.Answers {
		mark := p.Good("same ")
		if !j.Same {
			mark = p.Bad("other")
		}
		fmt.Fprintf(w, "%s  answer %d (A %s, B %s): %s\n", mark, i+1, lines(j.ALines[0], j.ALines[1]), lines(j.BLines[0], j.BLines[1]), term.Safe(j.Text))
		for _, x := range []struct {
			name string
			r    *rowAt
		}{{"A", j.FirstA}, {"B", j.FirstB}} {
			if x.r == nil {
				if j.FirstA != nil || j.FirstB != nil {
					fmt.Fprintf(w, "         %s ends before\n", x.name)
				}
				continue
			}
			at := fmt.Sprintf("line %d", x.r.Line)
			if x.r.Row > 0 && strings.Contains(j.Verdict, "log") || j.Verdict == "same-final-table" {
				at += fmt.Sprintf(" (row %d)", x.r.Row)
			}
			fmt.Fprintf(w, "         %s %s: %s\n", x.name, at, term.Safe(x.r.Text))
		}
		for _, r := range j.OnlyA {
			fmt.Fprintf(w, "         only in A: %s\n", term.Safe(r))
		}
		for _, r := range j.OnlyB {
			fmt.Fprintf(w, "         only in B: %s\n", term.Safe(r))
		}
	}
	if d.OnlyA > 0 {
		fmt.Fprintf(w, "%s  A has %s more than B\n", p.Bad("other"), plural(d.OnlyA, "answer"))
	}
	if d.OnlyB > 0 {
		fmt.Fprintf(w, "%s  B has %s more than A\n", p.Bad("other"), plural(d.OnlyB, "answer"))
	}
	if len(d.Answers) == 0 && d.OnlyA == 0 && d.OnlyB == 0 {
		fmt.Fprintln(w, "neither file holds a result, a plan or an error")
	}
}
