package cli

import (
	"encoding/json"
	"io"
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/client"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// jsonEvents writes what a session does as JSON, one object a line: "statement" at its
// begin, "row" for each row, "result" at its end.
type jsonEvents struct {
	out  io.Writer
	cell []byte
}

type jsonColumn struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

type jsonCause struct {
	Table     string `json:"table,omitempty"`
	Line      int    `json:"line,omitempty"`
	Watermark *int64 `json:"watermark,omitempty"`
	EndInput  bool   `json:"end_of_input,omitempty"`
	// Sources are the source rows behind the row, with --trace.
	Sources []jsonSource `json:"sources,omitempty"`
}

type jsonSource struct {
	Table string `json:"table"`
	Line  int    `json:"line"`
}

type jsonEvent struct {
	Event       string       `json:"event"`
	Line        int          `json:"line,omitempty"`
	Text        string       `json:"text,omitempty"`
	Kind        string       `json:"kind,omitempty"`
	Columns     []jsonColumn `json:"columns,omitempty"`
	Sink        string       `json:"sink,omitempty"`
	RowKind     string       `json:"op,omitempty"`
	Row         []any        `json:"row,omitempty"`
	Cause       *jsonCause   `json:"cause,omitempty"`
	Rows        *int64       `json:"rows,omitempty"`
	Plan        string       `json:"plan,omitempty"`
	Error       string       `json:"error,omitempty"`
	Unsupported string       `json:"unsupported,omitempty"`
}

func (j *jsonEvents) write(e jsonEvent) error {
	b, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = j.out.Write(append(b, '\n'))
	return err
}

func (j *jsonEvents) events() client.Events {
	return client.Events{
		Begin: func(r *client.Result) {
			line, text := beginning(r)
			_ = j.write(jsonEvent{Event: "statement", Line: line, Text: text, Kind: string(r.Kind)}) // the result's own write reports a broken pipe
		},
		Row: func(r *client.Result, k changelog.RowKind, row value.Row, c stream.Cause) error {
			cause := causeOf(c)
			if cause != nil && r.Lineage != nil {
				for _, o := range client.Distinct(r.Lineage.Sources()) {
					cause.Sources = append(cause.Sources, jsonSource{o.Table, o.Position.Line})
				}
			}
			return j.write(jsonEvent{Event: "row", RowKind: k.String(), Row: j.cells(r.Columns, row), Cause: cause})
		},
		SinkRow: func(r *client.Result, sink *catalog.Table, k changelog.RowKind, row value.Row, c stream.Cause) error {
			return j.write(jsonEvent{Event: "row", Sink: sink.Path.String(), RowKind: k.String(), Row: j.cells(client.SinkColumns(sink), row), Cause: causeOf(c)})
		},
		End: func(r *client.Result) {
			line, _ := beginning(r)
			e := jsonEvent{Event: "result", Line: line, Kind: string(r.Kind), Plan: r.PlanText}
			for _, c := range r.Columns {
				e.Columns = append(e.Columns, jsonColumn{c.Name, c.Type.String()})
			}
			if r.Columns != nil {
				e.Rows = &r.Rows
			}
			switch {
			case unsupported.Is(r.Err):
				e.Unsupported = r.Err.Error()
			case r.Err != nil:
				e.Error = r.Err.Error()
			}
			_ = j.write(e) // nothing is left to be told about a broken pipe
		},
	}
}

func causeOf(c stream.Cause) *jsonCause {
	if c.Position.Line == 0 && !c.ByWatermark {
		return nil
	}
	out := &jsonCause{Table: c.Table, Line: c.Position.Line}
	if c.ByWatermark {
		if c.Watermark == stream.MaxWatermark {
			out.EndInput = true
		} else {
			w := c.Watermark
			out.Watermark = &w
		}
	}
	return out
}

// cells gives NULL, BOOLEAN and integers as JSON's own, all else as the text of the table.
func (j *jsonEvents) cells(cols []value.Field, row value.Row) []any {
	out := make([]any, len(row))
	for i, v := range row {
		switch {
		case v.IsNull() || i >= len(cols):
		case cols[i].Type.IsInteger():
			out[i] = v.Int()
		case cols[i].Type.Kind == value.KindBoolean:
			out[i] = v.Bool()
		default:
			j.cell = value.AppendCell(j.cell[:0], &cols[i].Type, v, nil)
			out[i] = string(j.cell)
		}
	}
	return out
}

// beginning gives a statement without the blank lines before it, and its line.
func beginning(r *client.Result) (int, string) {
	text := strings.TrimLeft(r.Text, " \n")
	return r.Line + strings.Count(r.Text[:len(r.Text)-len(text)], "\n"), text
}
