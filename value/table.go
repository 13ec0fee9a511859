package value

import (
	"bufio"
	"io"
	"time"
)

// DefaultColumnWidth is table.display.max-column-width when it is not set.
const DefaultColumnWidth = 30

// nullCell is what a NULL cell shows; its length is the least width by type.
const nullCell = "<NULL>"

// TableOptions say how a result table is drawn.
type TableOptions struct {
	// MaxWidth is table.display.max-column-width; 0 means DefaultColumnWidth.
	MaxWidth int
	// Op adds the row kind as the first column, as streaming queries have it.
	Op bool
	// Zone is the session time zone; nil means UTC.
	Zone *time.Location
	// NullAsEmpty prints NULL as empty text, as SHOW and DESCRIBE do.
	NullAsEmpty bool
}

func (o TableOptions) maxWidth() int {
	if o.MaxWidth <= 0 {
		return DefaultColumnWidth
	}
	return o.MaxWidth
}

// TableWriter draws a result table as the sql-client does: every cell is right
// aligned, longer ones are cut with "...". Errors of the underlying writer are kept and
// returned by Flush. The widths are fixed before the first row: by type for
// streaming results (NewTableWriter), by content for batch (MeasureTable).
type TableWriter struct {
	w      *bufio.Writer
	cols   []Field
	widths []int
	opt    TableOptions
	// cut: widths by content limit every cell; widths by type are never below the
	// text of the short types.
	border []byte
	line   []byte
	cell   []byte
	// blank is a line with empty cells; cell i ends at ends[i].
	blank []byte
	ends  []int
}

// NewTableWriter makes a writer with the widths by type of streaming results.
func NewTableWriter(w io.Writer, cols []Field, opt TableOptions) *TableWriter {
	widths := make([]int, len(cols))
	for i, c := range cols {
		widths[i] = max(len16(c.Name), typeWidth(c.Type, opt.maxWidth()), len(nullCell))
	}
	return newTableWriter(w, cols, widths, opt)
}

// NewTableWriterWidths makes a writer with given widths (see Measure).
func NewTableWriterWidths(w io.Writer, cols []Field, widths []int, opt TableOptions) *TableWriter {
	return newTableWriter(w, cols, widths, opt)
}

func newTableWriter(w io.Writer, cols []Field, widths []int, opt TableOptions) *TableWriter {
	t := &TableWriter{w: bufio.NewWriterSize(w, 1<<16), cols: cols, widths: widths, opt: opt}
	b := []byte{'+'}
	add := func(n int) {
		for i := 0; i < n+2; i++ {
			b = append(b, '-')
		}
		b = append(b, '+')
	}
	if opt.Op {
		add(2)
	}
	for _, n := range widths {
		add(n)
	}
	t.border = append(b, '\n')
	for i, c := range t.border {
		if c == '+' {
			t.blank = append(t.blank, '|')
			t.ends = append(t.ends, i-1)
		} else {
			t.blank = append(t.blank, ' ')
		}
	}
	t.blank[len(t.blank)-1] = '\n'
	t.ends = t.ends[len(t.ends)-len(cols):]
	return t
}

// Header writes border, column names, border.
func (t *TableWriter) Header() {
	t.Border()
	line := append(t.line[:0], '|')
	if t.opt.Op {
		line = append(line, " op |"...)
	}
	for i, c := range t.cols {
		line = append(line, ' ')
		line = appendPadded(line, []byte(c.Name), t.widths[i])
		line = append(line, ' ', '|')
	}
	t.line = append(line, '\n')
	t.w.Write(t.line)
	t.Border()
}

// Border writes a border line.
func (t *TableWriter) Border() { t.w.Write(t.border) }

// Row writes a row; op is the row kind, ignored without the op column.
func (t *TableWriter) Row(op string, row Row) {
	if !t.plainRow(op, row) {
		t.anyRow(op, row)
	}
}

// plainRow writes a row whose cells are integers, NULL or short ASCII texts into a copy of
// the blank line. It returns false for other rows.
func (t *TableWriter) plainRow(op string, row Row) bool {
	if t.w.Available() < len(t.blank) {
		t.w.Flush() // its error is kept
	}
	if t.w.Available() < len(t.blank) {
		return false
	}
	line := append(t.w.AvailableBuffer(), t.blank...)
	if t.opt.Op {
		copy(line[2:4], op)
	}
	for i := range t.cols {
		typ, v, end, width := &t.cols[i].Type, &row[i], t.ends[i], t.widths[i]
		switch {
		case !v.set:
			if !t.opt.NullAsEmpty {
				if len(nullCell) > width {
					return false
				}
				copy(line[end-len(nullCell):], nullCell)
			}
		case typ.IsInteger():
			var buf [20]byte
			k := putInt(&buf, v.n)
			if len(buf)-k > width {
				return false
			}
			copy(line[end-len(buf)+k:], buf[k:])
		case typ.IsCharacter():
			if len(v.s) > width || !printable(v.s) {
				return false
			}
			copy(line[end-len(v.s):], v.s)
		default:
			return false
		}
	}
	t.w.Write(line)
	return true
}

// putInt writes n at the end of buf and returns where it begins.
func putInt(buf *[20]byte, n int64) int {
	u := uint64(n)
	if n < 0 {
		u = -u
	}
	i := len(buf) - 1
	for ; u >= 10; i-- {
		buf[i] = byte('0' + u%10)
		u /= 10
	}
	buf[i] = byte('0' + u)
	if n < 0 {
		i--
		buf[i] = '-'
	}
	return i
}

func printable(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i]-' ' > '~'-' ' {
			return false
		}
	}
	return true
}

func (t *TableWriter) anyRow(op string, row Row) {
	line := append(t.line[:0], '|')
	if t.opt.Op {
		line = append(line, ' ')
		line = append(line, op...)
		line = append(line, ' ', '|')
	}
	for i := range t.cols {
		line = append(line, ' ')
		if typ := &t.cols[i].Type; typ.IsInteger() && row[i].set {
			line = appendPaddedInt(line, row[i].n, t.widths[i])
		} else {
			t.cell = t.cellText(t.cell[:0], typ, row[i])
			line = appendPadded(line, t.cell, t.widths[i])
		}
		line = append(line, ' ', '|')
	}
	t.line = append(line, '\n')
	t.w.Write(t.line)
}

func (t *TableWriter) cellText(dst []byte, typ *Type, v Value) []byte {
	if !v.set && t.opt.NullAsEmpty {
		return dst
	}
	return AppendCell(dst, typ, v, t.opt.Zone)
}

// Flush writes what is buffered and returns the first error.
func (t *TableWriter) Flush() error { return t.w.Flush() }

// TableMeasure finds the column widths of a batch result, which follow the content:
// the widest cell or the name, at most the maximum width.
type TableMeasure struct {
	cols   []Field
	widths []int
	opt    TableOptions
	cell   []byte
}

// NewTableMeasure begins with the widths of the column names.
func NewTableMeasure(cols []Field, opt TableOptions) *TableMeasure {
	m := &TableMeasure{cols: cols, opt: opt, widths: make([]int, len(cols))}
	for i, c := range cols {
		m.widths[i] = min(len16(c.Name), m.limit())
	}
	return m
}

func (m *TableMeasure) limit() int {
	if m.opt.MaxWidth < 0 {
		return 1 << 30
	}
	return m.opt.maxWidth()
}

// Add takes a row into account.
func (m *TableMeasure) Add(row Row) {
	for i := range m.cols {
		if !row[i].set && m.opt.NullAsEmpty {
			continue
		}
		m.cell = AppendCell(m.cell[:0], &m.cols[i].Type, row[i], m.opt.Zone)
		if n := DisplayWidth(m.cell); n > m.widths[i] {
			m.widths[i] = min(n, m.limit())
		}
	}
}

// Widths returns the widths so far.
func (m *TableMeasure) Widths() []int { return m.widths }

func len16(s string) int { return UTF16Len(s) }

// typeWidth is the width of a column of a streaming result.
func typeWidth(t Type, maxWidth int) int {
	switch t.Kind {
	case KindTinyInt:
		return 4
	case KindSmallInt:
		return 6
	case KindInt:
		return 11
	case KindBigInt:
		return 20
	case KindDecimal:
		return t.Precision + 2
	case KindBoolean:
		return 5
	case KindDate:
		return 10
	case KindTime:
		if t.Precision == 0 {
			return 8
		}
		return t.Precision + 9
	case KindTimestamp, KindTimestampLTZ:
		switch {
		case t.Precision == 0:
			return 19
		case t.Precision <= 3:
			return 23
		case t.Precision <= 6:
			return 26
		}
		return 29
	}
	return maxWidth
}

// appendPadded right-aligns text in width cells. Wider text keeps a prefix of at most
// width-3 cells, padded on the left where a wide character leaves one over, and "...".
func appendPadded(dst, text []byte, width int) []byte {
	n := DisplayWidth(text)
	if n <= width {
		return append(appendBlanks(dst, width-n), text...)
	}
	prefix, n := cutWidth(text, width-3)
	dst = appendBlanks(dst, width-3-n)
	dst = append(dst, prefix...)
	return append(dst, "..."...)
}

func appendPaddedInt(dst []byte, n int64, width int) []byte {
	var buf [20]byte
	s := AppendInt(buf[:0], n)
	if len(s) > width {
		return appendPadded(dst, s, width)
	}
	return append(appendBlanks(dst, width-len(s)), s...)
}

const blanks = "                                                                "

func appendBlanks(dst []byte, n int) []byte {
	for ; n > len(blanks); n -= len(blanks) {
		dst = append(dst, blanks...)
	}
	if n > 0 {
		dst = append(dst, blanks[:n]...)
	}
	return dst
}
