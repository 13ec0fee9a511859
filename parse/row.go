package parse

import (
	"bytes"

	"github.com/labgrade/labgrade/changelog"
)

// Row is one row of a result or one line of a print sink.
//
// A Row given to Options.OnRow is borrowed: it and its cells are valid until the
// callback returns. Use Clone to keep one.
type Row struct {
	// Line and LastLine are the row's lines in the file, 1-based; they differ when a
	// cell holds line breaks.
	Line     int
	LastLine int
	// N counts the rows of the block from 1.
	N int
	// Kind is the row kind; HasKind is false in results without op column.
	Kind    changelog.RowKind
	HasKind bool
	// Cells are the cells without the op column, without padding. Blanks at the end
	// of a value are kept where the column borders show them; blanks at its start
	// cannot be told from padding.
	Cells [][]byte
	// Sink is the identifier of a print sink's line ("id" in "id:1> +I[...]"), and
	// Subtask its 1-based subtask, 0 when not shown. Sink is borrowed like Cells.
	Sink    []byte
	Subtask int
	// Body is the text between the brackets of a print sink's line, nil otherwise. Its
	// Cells are a guess where a string holds ", "; the body never is.
	Body []byte

	cut []bool
}

// Cut reports whether cell i ends in the "..." of the column width, so that only a
// prefix of the value is known. A value that really ends in three dots and just fits
// looks the same.
func (r *Row) Cut(i int) bool { return i < len(r.cut) && r.cut[i] }

// AnyCut reports whether some cell is cut.
func (r *Row) AnyCut() bool {
	for _, c := range r.cut {
		if c {
			return true
		}
	}
	return false
}

// Text is cell i as a string.
func (r *Row) Text(i int) string { return string(r.Cells[i]) }

// Matches reports whether cell i shows the text want: the same text, or, in a cut
// cell, a prefix of it. Leading blanks of want are ignored, since padding hides them.
func (r *Row) Matches(i int, want string) bool {
	w := trimLeftBlanks([]byte(want))
	c := r.Cells[i]
	if r.Cut(i) {
		p := c[:len(c)-3]
		return bytes.HasPrefix(w, p) && len(w) > len(p)
	}
	return bytes.Equal(c, w) || bytes.Equal(trimRightBlanks(c), trimRightBlanks(w))
}

// IsNull reports whether cell i shows NULL: "<NULL>" (1.15 and later), "(NULL)"
// (before), or "null" in a print sink's line, which is for the caller to decide with
// Block.Style. A string of that text looks the same.
func (r *Row) IsNull(i int) bool {
	c := r.Cells[i]
	return string(c) == "<NULL>" || string(c) == "(NULL)"
}

// Clone copies the row, so that it outlives the callback.
func (r *Row) Clone() Row {
	var a arena
	return a.row(r)
}

func trimLeftBlanks(b []byte) []byte {
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	return b
}

func trimRightBlanks(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}
