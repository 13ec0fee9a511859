package parse

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/labgrade/labgrade/value"
)

var stringColumn = value.VarcharType(value.MaxLength)

// drawTable prints random rows as Flink does and says what their cells show.
func drawTable(t *rapid.T) (text string, cells [][]string) {
	op := rapid.Bool().Draw(t, "op")
	n := rapid.IntRange(1, 4).Draw(t, "columns")
	cols := make([]value.Field, n)
	for i := range cols {
		cols[i] = value.Field{Name: rapid.SampledFrom([]string{"a", "user_id", "이름", "EXPR$0", "op", "a long name for a column", "n"}).Draw(t, "name"), Type: stringColumn}
	}
	rows := make([]value.Row, rapid.IntRange(1, 6).Draw(t, "rows"))
	piece := rapid.SampledFrom([]string{"a", "Bob", " ", "|", " | ", "\n", "수진", "中文字", "😀", "é", "a...", "+-", "<NULL>", "longer than most", "'", "\t", "x,y"})
	for i := range rows {
		for range cols {
			s := strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "pieces"), "")
			if len(s) > 20 {
				s = strings.TrimLeft(s, " ") // whether it is cut could not be seen
			}
			rows[i] = append(rows[i], value.String(s))
		}
	}
	for i, r := range rows {
		all := ""
		for _, v := range r {
			all += v.Str()
		}
		if strings.Trim(all, ". \n\t|+-") == "" {
			rows[i][0] = value.String("a") // else it looks like a row left out
		}
	}
	var b bytes.Buffer
	o := value.TableOptions{Op: op}
	w := value.NewTableWriter(&b, cols, o)
	if !op {
		m := value.NewTableMeasure(cols, o)
		for _, r := range rows {
			m.Add(r)
		}
		w = value.NewTableWriterWidths(&b, cols, m.Widths(), o)
	}
	w.Header()
	kinds := []string{"+I", "-U", "+U", "-D"}
	for i, r := range rows {
		w.Row(kinds[i%4], r)
	}
	w.Border()
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	footer := fmt.Sprintf("%d rows in set", len(rows))
	if op {
		footer = fmt.Sprintf("Received a total of %d rows", len(rows))
	}
	for _, r := range rows {
		var c []string
		for j := range r {
			c = append(c, r[j].Str())
		}
		cells = append(cells, c)
	}
	return b.String() + footer + "\n", cells
}

// TestOwnTablesComeBack: every row of a table in Flink's layout is read back, cut
// cells as a prefix, whatever bars, line breaks and wide characters its values hold.
func TestOwnTablesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, cells := drawTable(t)
		tr, err := Read(strings.NewReader(text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if len(tr.Blocks) != 1 {
			t.Fatalf("%d blocks of\n%s", len(tr.Blocks), text)
		}
		b := tr.Blocks[0]
		if len(b.Rows) != len(cells) || b.NProblems > 0 {
			t.Fatalf("%d of %d rows, %v of\n%s", len(b.Rows), len(cells), b.Problems, text)
		}
		for i, r := range b.Rows {
			if len(r.Cells) != len(cells[i]) {
				t.Fatalf("row %d has %d cells:\n%s", i, len(r.Cells), text)
			}
			for j := range r.Cells {
				if !r.Matches(j, cells[i][j]) {
					t.Fatalf("row %d, cell %d is %q, cut %v, not %q:\n%s", i, j, r.Cells[j], r.Cut(j), cells[i][j], text)
				}
			}
		}
	})
}
