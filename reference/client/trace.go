package client

import (
	"fmt"
	"io"

	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/value"
)

// trace prints what caused the row that was just written.
func (s *Session) trace(w *value.TableWriter, out io.Writer, c stream.Cause) error {
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
	if _, err := fmt.Fprintf(out, "  ^ %s\n", text); err != nil {
		return err
	}
	return s.interrupted()
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
