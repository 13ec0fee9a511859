package stream

import (
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// lag is LAG: the value that came offset values before the last one, else the default.
type lag struct {
	arg    int
	offset int
	def    value.Value
}

type lagBuffer struct{ values []value.Value }

func newLag(arg int, c *phys.AggCall) (aggFunc, error) {
	f := &lag{arg: arg, offset: 1, def: value.Null}
	if len(c.Args) > 1 {
		return nil, unsupported.New("LAG with an offset or default that is not constant")
	}
	if len(c.Constants) > 0 {
		f.offset = int(c.Constants[0].V.Int())
	}
	if len(c.Constants) > 1 {
		f.def = c.Constants[1].V
	}
	return f, nil
}

func (f *lag) init(a *acc) { a.ext = &lagBuffer{} }
func (f *lag) add(a *acc, row value.Row) {
	b := a.ext.(*lagBuffer)
	b.values = append(b.values, keepValue(row[f.arg]))
	if n := len(b.values) - f.offset - 1; n > 0 {
		b.values = b.values[n:]
	}
}
func (f *lag) retract(*acc, value.Row) {}
func (f *lag) merge(*acc, *acc)        {}
func (f *lag) result(a *acc) value.Value {
	b := a.ext.(*lagBuffer)
	if len(b.values) < f.offset+1 {
		return f.def
	}
	return b.values[0]
}
