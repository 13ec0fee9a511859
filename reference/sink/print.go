package sink

import (
	"io"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// printSink writes a line a row: +I[a, b], behind the identifier if the table has one.
type printSink struct {
	out    io.Writer
	prefix string
	cols   []value.Field
	buf    []byte
}

func newPrint(table *catalog.Table, cols []value.Field, opt Options) (Sink, error) {
	if n, ok := table.Option("sink.parallelism"); ok && n != "1" {
		return nil, unsupported.New("sink.parallelism %s: rows are spread over tasks", n)
	}
	for i := range cols {
		if !value.HasExternalOrder(&cols[i].Type) {
			return nil, unsupported.New("printing %s: the order of its entries differs from run to run", cols[i].Type)
		}
	}
	p := &printSink{out: opt.Out, cols: cols}
	if id, _ := table.Option("print-identifier"); id != "" {
		p.prefix = id + "> "
	}
	return p, nil
}

func (p *printSink) Write(kind changelog.RowKind, row value.Row) error {
	b := append(p.buf[:0], p.prefix...)
	b = append(b, kind.String()...)
	b = append(b, '[')
	for i := range p.cols {
		if i > 0 {
			b = append(b, ',', ' ')
		}
		b = value.AppendExternal(b, &p.cols[i].Type, row[i])
	}
	p.buf = append(b, ']', '\n')
	_, err := p.out.Write(p.buf)
	return err
}

func (p *printSink) Close() error { return nil }
func (p *printSink) Abort() error { return nil }
