package report

import (
	"bytes"
	"fmt"
)

// Formats lists the formats that Emit writes.
func Formats() []string { return []string{"text", "json"} }

// Emit writes the result in a format. It is a pure function of the result.
func Emit(format string, r *Result) ([]byte, error) {
	switch format {
	case "text":
		var b bytes.Buffer
		err := Text(&b, r, Style{}, Normal)
		return b.Bytes(), err
	case "json":
		return r.JSON()
	}
	return nil, fmt.Errorf("there is no report format %q", format)
}
