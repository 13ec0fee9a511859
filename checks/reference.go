package checks

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/client"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// Reference is the reference engine.
func Reference() Engine { return referenceEngine{} }

type referenceEngine struct{}

func (referenceEngine) Execute(ctx context.Context, script string, files Files, h Handler) error {
	r := &referenceRun{ctx: ctx, h: h}
	s := client.New(client.Options{
		Files:   clientFiles{files},
		Context: ctx,
		Echo:    client.EchoNone,
		Lineage: h.Sources != nil,
		Events: client.Events{
			Begin: r.begin,
			Row: func(res *client.Result, k changelog.RowKind, row value.Row, c stream.Cause) error {
				if !r.cur.IsRows {
					r.cur.IsRows, r.cur.Columns = true, res.Columns
				}
				if res.Lineage != nil && h.Sources != nil {
					h.Sources(sourcesOf(res.Lineage.Sources()), c.ByWatermark)
				}
				return r.row(k, row, c)
			},
			SinkRow: func(res *client.Result, sink *catalog.Table, k changelog.RowKind, row value.Row, c stream.Cause) error {
				if !r.cur.IsRows {
					r.cur.IsRows = true
					r.sink(sink)
				}
				return r.row(k, row, c)
			},
			Again: func(_ *client.Result, run func(stream.Order, stream.Out) error) error {
				if h.Again == nil || r.err != nil {
					return nil
				}
				r.err = h.Again(r.cur, run)
				return r.err
			},
			End: r.end,
		},
	})
	err := s.Run(script, true)
	switch {
	case r.err != nil:
		return r.err
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil || errors.Is(err, client.ErrFailed) || unsupported.Is(err) || r.failed:
		return nil
	}
	return err
}

// referenceRun turns the session's events into answers.
type referenceRun struct {
	ctx context.Context
	h   Handler
	cur *Answer
	// err is a callback's error; failed tells that a statement's own error was handed on.
	err    error
	failed bool
	rows   int
}

func (r *referenceRun) begin(res *client.Result) {
	r.cur = &Answer{Statement: res.Statement, Text: res.Text, Line: res.Line, Streaming: res.Streaming}
}

func (r *referenceRun) row(k changelog.RowKind, row value.Row, c stream.Cause) error {
	if r.err != nil {
		return r.err
	}
	if r.rows++; r.rows%1024 == 0 && r.ctx.Err() != nil {
		r.err = r.ctx.Err()
		return r.err
	}
	if r.h.Row != nil {
		r.err = r.h.Row(r.cur, k, row, causeOf(c))
	}
	return r.err
}

func causeOf(c stream.Cause) Cause {
	if c.Position.Line == 0 || c.ByWatermark && c.Watermark == stream.MaxWatermark {
		return Cause{}
	}
	return Cause{Table: tableName(c.Table), Line: c.Position.Line}
}

// sourcesOf sorts the rows behind a row, each once.
func sourcesOf(list []stream.Origin) []Cause {
	out := make([]Cause, 0, len(list))
	for _, o := range client.Distinct(list) {
		out = append(out, Cause{Table: tableName(o.Table), Line: o.Position.Line})
	}
	return out
}

// tableName is the last part of a table's path.
func tableName(path string) string {
	return strings.Trim(path[strings.LastIndexByte(path, '.')+1:], "`")
}

func (r *referenceRun) end(res *client.Result) {
	if r.err != nil {
		return
	}
	a := r.cur
	a.Err, a.Plan = res.Err, res.PlanText
	r.failed = r.failed || res.Err != nil
	if res.Kind == client.KindQuery && res.Err == nil {
		a.IsRows = true
	}
	if res.Kind == client.KindInsert && res.Err == nil {
		a.IsRows = true
		for _, root := range res.Plan {
			if sink, ok := root.(*phys.Sink); ok && a.Columns == nil {
				r.sink(sink.Table)
			}
		}
	}
	if a.Columns == nil {
		a.Columns = res.Columns
	}
	r.err = r.h.End(a)
}

func (r *referenceRun) sink(t *catalog.Table) {
	r.cur.SinkTable = tableName(t.Path.String())
	for _, c := range t.Columns {
		if c.Kind != catalog.Computed && !c.Virtual {
			r.cur.Columns = append(r.cur.Columns, value.Field{Name: c.Name, Type: c.Type})
		}
	}
}

// clientFiles opens sources and swallows what sinks write: the rows were handed on.
type clientFiles struct{ files Files }

func (f clientFiles) Open(path string) (fs.File, error) { return f.files.Open(path) }

func (f clientFiles) ReadDir(path string) ([]fs.DirEntry, error) {
	return nil, &fs.PathError{Op: "readdir", Path: path, Err: fs.ErrNotExist}
}

func (f clientFiles) Create(string) (io.WriteCloser, error) { return swallow{}, nil }
func (f clientFiles) MkdirAll(string) error                 { return nil }
func (f clientFiles) RemoveAll(string) error                { return nil }

type swallow struct{}

func (swallow) Write(p []byte) (int, error) { return len(p), nil }
func (swallow) Close() error                { return nil }
