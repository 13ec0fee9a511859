package stream

import (
	"cmp"
	"slices"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// distinct feeds its function a value when the first instance comes and takes it back
// when the last one goes (agg.md 9). The instances of one group are in distinctValues.
type distinct struct {
	fn    aggFunc
	args  []int // all columns of the call
	cols  []int // those that make the value
	types []value.Type
	buf   []byte
	// width is the length of the rows that fn expects, for rows rebuilt in merge.
	width int
}

type distinctValues struct {
	at    map[string]*distinctValue
	seen  int64
	inner acc
}

// distinctValue is one value with the number of its instances. row holds the columns
// of the call as of the first instance; order is the rank of that instance.
type distinctValue struct {
	row   value.Row
	key   string
	n     int64
	order int64
}

func newDistinct(c *phys.AggCall, f aggFunc) *distinct {
	d := &distinct{fn: f, args: c.Args, cols: c.Args, types: c.ArgTypes}
	for _, a := range c.Args {
		d.width = max(d.width, a+1)
	}
	// The delimiter of LISTAGG(DISTINCT x, sep) is constant and no part of the value.
	if c.Fn.Name == "LISTAGG" {
		d.cols, d.types = c.Args[:1], c.ArgTypes[:1]
	}
	return d
}

func (d *distinct) init(a *acc) {
	v := &distinctValues{at: map[string]*distinctValue{}}
	d.fn.init(&v.inner)
	a.ext = v
}

func (d *distinct) key(row value.Row) []byte {
	d.buf = d.buf[:0]
	for i, c := range d.cols {
		d.buf = appendKeyValue(d.buf, &d.types[i], row[c])
	}
	return d.buf
}

func (d *distinct) add(a *acc, row value.Row) {
	s := a.ext.(*distinctValues)
	k := d.key(row)
	e := s.at[string(k)]
	if e == nil {
		e = d.newValue(s, string(k), row)
	}
	e.n++
	switch e.n {
	case 1:
		d.fn.add(&s.inner, row)
	case 0:
		delete(s.at, e.key)
	}
}

func (d *distinct) newValue(s *distinctValues, key string, row value.Row) *distinctValue {
	e := &distinctValue{key: key, row: make(value.Row, d.width), order: s.seen}
	s.seen++
	for _, c := range d.args {
		e.row[c] = keepValue(row[c])
	}
	s.at[key] = e
	return e
}

func (d *distinct) retract(a *acc, row value.Row) {
	s := a.ext.(*distinctValues)
	k := d.key(row)
	e := s.at[string(k)]
	if e == nil {
		e = d.newValue(s, string(k), row)
	}
	e.n--
	if e.n == 0 {
		delete(s.at, e.key)
		d.fn.retract(&s.inner, row)
	}
}

// merge adds the instances counted in b. What the bundle saw last decides only whether
// a value is new or gone, so each value is fed once at most.
func (d *distinct) merge(a, b *acc) {
	s, o := a.ext.(*distinctValues), b.ext.(*distinctValues)
	news := make([]*distinctValue, 0, len(o.at))
	for _, e := range o.at {
		news = append(news, e)
	}
	slices.SortFunc(news, func(x, y *distinctValue) int { return cmp.Compare(x.order, y.order) })
	for _, e := range news {
		have := s.at[e.key]
		if have == nil {
			have = d.newValue(s, e.key, e.row)
		}
		before := have.n
		have.n += e.n
		if have.n == 0 {
			delete(s.at, e.key)
		}
		switch {
		case before <= 0 && have.n > 0:
			d.fn.add(&s.inner, e.row)
		case before > 0 && have.n <= 0:
			d.fn.retract(&s.inner, e.row)
		}
	}
}

func (d *distinct) result(a *acc) value.Value { return d.fn.result(&a.ext.(*distinctValues).inner) }
