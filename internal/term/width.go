package term

import (
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// DefaultWidth is the width where none can be found.
const DefaultWidth = 80

// Width is the number of columns of w's terminal: COLUMNS, the terminal itself, or
// DefaultWidth.
func Width(w io.Writer, getenv func(string) string) int {
	if getenv != nil {
		if n, err := strconv.Atoi(getenv("COLUMNS")); err == nil && n > 0 {
			return n
		}
	}
	if f, ok := w.(*os.File); ok {
		if n := deviceWidth(f); n > 0 {
			return n
		}
	}
	return DefaultWidth
}

// Columns is the width of text on a terminal. (Flink's own tables count otherwise.)
func Columns(s string) int { return displaywidth.String(s) }

// Shorten cuts text to at most width columns; a cut one ends in "…".
func Shorten(s string, width int) string { return displaywidth.TruncateString(s, width, "…") }

// Pad fills text with blanks on the right up to width columns.
func Pad(s string, width int) string {
	if n := width - Columns(s); n > 0 {
		return s + strings.Repeat(" ", n)
	}
	return s
}

// PadLeft fills text with blanks on the left.
func PadLeft(s string, width int) string {
	if n := width - Columns(s); n > 0 {
		return strings.Repeat(" ", n) + s
	}
	return s
}
