package value

import (
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
	w      io.Writer
	err    error
	cols   []Field
	widths []int
	opt    TableOptions
	border []byte
	// buf has the lines that are drawn and not yet written.
	buf  []byte
	cell []byte
	// blank is a line with empty cells.
	blank  []byte
	places []cellPlace
}

// tableBuffer is how much a TableWriter collects before it writes, in bytes.
const tableBuffer = 1 << 16

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
	t := &TableWriter{w: w, cols: cols, widths: widths, opt: opt}
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
	var ends []int
	for i, c := range t.border {
		if c == '+' {
			t.blank = append(t.blank, '|')
			ends = append(ends, i-1)
		} else {
			t.blank = append(t.blank, ' ')
		}
	}
	t.blank[len(t.blank)-1] = '\n'
	for i, end := range ends[len(ends)-len(cols):] {
		t.places = append(t.places, cellPlace{end, widths[i], drawOf(&cols[i].Type, widths[i])})
	}
	// Room for a line more than is written at a time.
	t.buf = make([]byte, 0, tableBuffer+len(t.blank))
	return t
}

// Header writes border, column names, border.
func (t *TableWriter) Header() {
	t.Border()
	line := append(t.buf, '|')
	if t.opt.Op {
		line = append(line, " op |"...)
	}
	for i, c := range t.cols {
		line = append(line, ' ')
		line = appendPadded(line, []byte(c.Name), t.widths[i])
		line = append(line, ' ', '|')
	}
	t.drawn(append(line, '\n'))
	t.Border()
}

// Border writes a border line.
func (t *TableWriter) Border() { t.drawn(append(t.buf, t.border...)) }

// drawn takes the buffer with another line.
func (t *TableWriter) drawn(buf []byte) {
	t.buf = buf
	if len(t.buf) >= tableBuffer {
		t.write()
	}
}

// write empties the buffer. After an error nothing more is written.
func (t *TableWriter) write() {
	if t.err == nil && len(t.buf) > 0 {
		_, t.err = t.w.Write(t.buf)
	}
	t.buf = t.buf[:0]
}

// Flush writes what is buffered and returns the first error.
func (t *TableWriter) Flush() error {
	t.write()
	return t.err
}

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
