package parse

import "github.com/labgrade/labgrade/changelog"

// PrintLine is one line of a print sink: "id:3> +I[a, 1]". Borrowed from its line.
type PrintLine struct {
	Sink    []byte // the identifier, may be empty
	Subtask int    // 1-based, 0 when not shown
	Kind    changelog.RowKind
	// Body is the text between the outer brackets. Fields is Body split at ", "
	// outside nested brackets; a string that holds ", " cannot be told from two fields.
	Body   []byte
	Fields [][]byte
}

// ParsePrintLine reads a line of a print sink: square or round brackets, with or
// without prefix, also the (true,a,1) and (true,+I[a, 1]) of retract streams.
// fields is memory for Fields, may be nil.
func ParsePrintLine(line []byte, fields [][]byte) (PrintLine, bool) { return PrintLine{}, false }
