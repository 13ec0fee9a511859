package value

import "unsafe"

// cellPlace says where a column's cell is in the line and how it is drawn.
type cellPlace struct {
	end, width int
	draw       cellDraw
}

type cellDraw uint8

const (
	drawAny cellDraw = iota
	drawInteger
	// drawFitting is an integer that is never wider than its cell.
	drawFitting
	drawText
)

func drawOf(t *Type, width int) cellDraw {
	switch {
	case t.IsInteger() && width >= typeWidth(*t, 0):
		return drawFitting
	case t.IsInteger():
		return drawInteger
	case t.IsCharacter():
		return drawText
	}
	return drawAny
}

// Row writes a row; op is the row kind, ignored without the op column.
func (t *TableWriter) Row(op string, row Row) {
	if !t.plainRow(op, row) {
		t.anyRow(op, row)
	}
}

// plainRow draws a row whose cells are short and of ASCII characters into a copy of the blank
// line. It returns false for other rows.
func (t *TableWriter) plainRow(op string, row Row) bool {
	n := len(t.buf)
	buf := append(t.buf, t.blank...)
	line := buf[n:]
	if t.opt.Op && len(op) == 2 {
		line[2], line[3] = op[0], op[1]
	}
	for i := range t.places {
		p, v := &t.places[i], &row[i]
		cell := line[:p.end]
		switch {
		case !v.set:
			if !t.opt.NullAsEmpty {
				if len(nullCell) > p.width {
					return false
				}
				copy(cell[len(cell)-len(nullCell):], nullCell)
			}
		case p.draw == drawFitting:
			putInt(cell, v.n)
		case p.draw == drawInteger:
			var digits [20]byte
			k := putInt(digits[:], v.n)
			if len(digits)-k > p.width {
				return false
			}
			copy(cell[len(cell)-len(digits)+k:], digits[k:])
		case p.draw == drawText:
			if len(v.s) > p.width || !printable(v.s) {
				return false
			}
			copy(cell[len(cell)-len(v.s):], v.s)
		default:
			t.cell = AppendCell(t.cell[:0], &t.cols[i].Type, *v, t.opt.Zone)
			if len(t.cell) > p.width || !printable(unsafe.String(unsafe.SliceData(t.cell), len(t.cell))) {
				return false
			}
			copy(cell[len(cell)-len(t.cell):], t.cell)
		}
	}
	t.drawn(buf)
	return true
}

// digitPairs has the numbers from 00 to 99.
const digitPairs = "00010203040506070809101112131415161718192021222324252627282930313233343536373839" +
	"40414243444546474849505152535455565758596061626364656667686970717273747576777879" +
	"8081828384858687888990919293949596979899"

// putInt writes n at the end of buf, where it must fit, and returns where it begins.
func putInt(buf []byte, n int64) int {
	u := uint64(n)
	if n < 0 {
		u = -u
	}
	i := len(buf)
	for ; u >= 100; u /= 100 {
		d := u % 100 * 2
		i -= 2
		buf[i], buf[i+1] = digitPairs[d], digitPairs[d+1]
	}
	if u >= 10 {
		i -= 2
		buf[i], buf[i+1] = digitPairs[u*2], digitPairs[u*2+1]
	} else {
		i--
		buf[i] = byte('0' + u)
	}
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
	line := append(t.buf, '|')
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
	t.drawn(append(line, '\n'))
}

func (t *TableWriter) cellText(dst []byte, typ *Type, v Value) []byte {
	if !v.set && t.opt.NullAsEmpty {
		return dst
	}
	return AppendCell(dst, typ, v, t.opt.Zone)
}
