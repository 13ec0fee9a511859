package client

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/value"
)

// trace prints what caused the row that was just written: what happened when it was emitted - a source
// row, or a watermark - and the source rows that it was made from.
func (s *Session) trace(w *value.TableWriter, out io.Writer, k changelog.RowKind, c stream.Cause, sources []stream.Origin) error {
	if err := w.Flush(); err != nil {
		return err
	}
	text := "the end of the input"
	switch {
	case c.ByWatermark && c.Watermark != stream.MaxWatermark:
		at := value.AppendTimestamp(nil, c.Watermark, 0, 3)
		text = fmt.Sprintf("watermark %s, after %s", at, sourceRow(c))
	case !c.ByWatermark:
		text = sourceRow(c)
	}
	if own := (stream.Origin{Table: c.Table, Position: c.Position}); !k.Adds() && !c.ByWatermark && len(sources) > 1 {
		// The row that takes the value back did not make it.
		sources = slices.DeleteFunc(slices.Clone(sources), func(o stream.Origin) bool { return o == own })
	}
	if made := originText(sources); made != "" {
		text += "; made by " + made
	}
	if _, err := fmt.Fprintf(out, "  ^ %s\n", text); err != nil {
		return err
	}
	return s.interrupted()
}

// tracedLines is how many lines of a table are named; of more, the last ones are.
const tracedLines = 20

// originText is "lines 1, 4 of a, line 7 of b".
func originText(list []stream.Origin) string {
	list = Distinct(list)
	var parts []string
	for len(list) > 0 {
		n := 1
		for n < len(list) && list[n].Table == list[0].Table && list[n].Position.File == list[0].Position.File {
			n++
		}
		parts = append(parts, linesText(list[:n]))
		list = list[n:]
	}
	return strings.Join(parts, ", ")
}

// Distinct sorts source rows by table, file and line, and names each once.
func Distinct(list []stream.Origin) []stream.Origin {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b stream.Origin) int {
		return cmp.Or(cmp.Compare(a.Table, b.Table), cmp.Compare(a.Position.File, b.Position.File), cmp.Compare(a.Position.Line, b.Position.Line))
	})
	return slices.Compact(list)
}

func linesText(list []stream.Origin) string {
	word := "line "
	if len(list) > 1 {
		word = "lines "
	}
	var lines []string
	if more := len(list) - tracedLines; more > 0 {
		lines = append(lines, fmt.Sprintf("(%d more)", more))
		list = list[more:]
	}
	for _, o := range list {
		lines = append(lines, strconv.Itoa(o.Position.Line))
	}
	of := list[0].Table
	if f := list[0].Position.File; f > 1 {
		of = fmt.Sprintf("file %d of %s", f, of)
	}
	return word + strings.Join(lines, ", ") + " of " + of
}

func sourceRow(c stream.Cause) string {
	switch {
	case c.Position.Line == 0:
		return "no source row"
	case c.Position.File > 1:
		return fmt.Sprintf("line %d of file %d of %s", c.Position.Line, c.Position.File, c.Table)
	}
	return fmt.Sprintf("line %d of %s", c.Position.Line, c.Table)
}

// interrupted is the context's error once it is done.
func (s *Session) interrupted() error {
	if s.opt.Context != nil {
		return s.opt.Context.Err()
	}
	return nil
}
