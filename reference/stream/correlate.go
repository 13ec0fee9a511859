package stream

import (
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// correlate applies a table function to each row and emits the row with each row of the
// function, kinds unchanged (join.md B14); LEFT pads a row for which there is none.
type correlate struct {
	forward
	job   *job
	args  []fn.Eval
	rows  func(args []value.Value, emit func(value.Row) error) error
	cond  func(value.Row) bool
	left  bool
	width int
	out   value.Row
	vals  []value.Value
}

func (j *job) newCorrelate(n *phys.Correlate, next operator) (operator, error) {
	in := n.In[0].Schema()
	c := &correlate{forward: forward{next}, job: j, left: strings.HasPrefix(strings.ToUpper(n.JoinType), "LEFT"), width: len(in), out: make(value.Row, len(n.Fields))}
	var types []value.Type
	for _, a := range n.Call.Args {
		e, err := j.compile(outerRow(a))
		if err != nil {
			return nil, err
		}
		c.args, types = append(c.args, e), append(types, a.Type())
	}
	c.vals = make([]value.Value, len(c.args))
	var err error
	if c.rows, err = tableFunction(n.Call.Op.Name, types); err != nil {
		return nil, err
	}
	if c.cond, err = j.condition(n.Cond); err != nil {
		return nil, err
	}
	return c, nil
}

// outerRow turns fields of the correlation variable into columns of the input row.
func outerRow(e rex.Expr) rex.Expr {
	switch e := e.(type) {
	case *rex.Field:
		if _, ok := e.X.(*rex.CorrelVar); ok {
			return &rex.InputRef{Index: e.Index, T: e.T}
		}
		x := *e
		x.X = outerRow(e.X)
		return &x
	case *rex.Call:
		x := *e
		x.Args = make([]rex.Expr, len(e.Args))
		for i, a := range e.Args {
			x.Args[i] = outerRow(a)
		}
		return &x
	}
	return e
}

func (c *correlate) row(kind changelog.RowKind, row value.Row) error {
	for i, a := range c.args {
		c.vals[i] = a(&c.job.ctx, row)
	}
	if c.job.ctx.Err != nil {
		return c.job.ctx.Err
	}
	copy(c.out, row)
	some := false
	err := c.rows(c.vals, func(r value.Row) error {
		if !c.cond(r) {
			return c.job.ctx.Err
		}
		some = true
		copy(c.out[c.width:], r)
		return c.next.row(kind, c.out)
	})
	if err != nil || some || !c.left {
		return err
	}
	clear(c.out[c.width:])
	return c.next.row(kind, c.out)
}

// tableFunction gives the rows of a built-in table function. UNNEST flattens an array of
// rows and a map into columns, repeats the elements of a multiset, and counts from 1
// WITH ORDINALITY; a NULL collection has no rows.
func tableFunction(name string, types []value.Type) (func([]value.Value, func(value.Row) error) error, error) {
	switch name {
	case "$UNNEST_ROWS$1", "$UNNEST_ROWS_WITH_ORDINALITY$1":
		ordinality := name != "$UNNEST_ROWS$1"
		t := types[0]
		return func(args []value.Value, emit func(value.Row) error) error {
			if args[0].IsNull() {
				return nil
			}
			n := int64(0)
			return unnest(&t, ordinality, args[0].Composite(), func(r value.Row) error {
				if n++; ordinality {
					r = append(r[:len(r):len(r)], value.Int(n))
				}
				return emit(r)
			})
		}, nil
	case "$REPLICATE_ROWS$1":
		return func(args []value.Value, emit func(value.Row) error) error {
			for range args[0].Int() {
				if err := emit(args[1:]); err != nil {
					return err
				}
			}
			return nil
		}, nil
	}
	return nil, unsupported.New("the table function %s", name)
}

func unnest(t *value.Type, ordinality bool, c *value.Composite, emit func(value.Row) error) error {
	for i, e := range c.Elems {
		row, times := value.Row{e}, int64(1)
		switch {
		case t.Kind == value.KindMap:
			row = value.Row{c.Keys[i], e}
		case t.Kind == value.KindMultiset:
			row, times = value.Row{c.Keys[i]}, e.Int()
		}
		if t.Elem.Kind == value.KindRow && t.Kind != value.KindMap {
			if row[0].IsNull() {
				if ordinality {
					return unsupported.New("UNNEST WITH ORDINALITY of NULL rows, at which Flink fails")
				}
				continue // a NULL row is no row of the function
			}
			row = row[0].Composite().Elems
		}
		for range times {
			if err := emit(row); err != nil {
				return err
			}
		}
	}
	return nil
}
