package stream

import (
	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// calc filters and projects. Each row is judged alone and keeps its kind, so a filter
// over updates lets one half of an update through: a lone -U, a bare +U (agg.md 4).
type calc struct {
	forward
	job   *job
	cond  fn.Eval
	exprs []fn.Eval
	buf   value.Row
	// seen is the last watermark, for CURRENT_WATERMARK.
	seen int64
}

func (j *job) newCalc(n *phys.Calc, next operator) (operator, error) {
	c := &calc{forward: forward{next}, job: j, buf: make(value.Row, len(n.Exprs)), seen: MinWatermark}
	var err error
	if fn.ReadsWatermark(append(n.Exprs[:len(n.Exprs):len(n.Exprs)], n.Cond)...) {
		if err := oneSource(n); err != nil {
			return nil, err
		}
	}
	j.calc = true
	defer func() { j.calc = false }()
	if n.Cond != nil {
		if c.cond, err = j.compile(n.Cond); err != nil {
			return nil, err
		}
	}
	if c.exprs, err = j.compileAll(n.Exprs); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *calc) row(kind changelog.RowKind, row value.Row) error {
	ctx := &c.job.ctx
	ctx.Watermark = c.seen
	if c.cond != nil {
		v := c.cond(ctx, row)
		if ctx.Err != nil {
			return ctx.Err
		}
		if v.IsNull() || !v.Bool() {
			return nil
		}
	}
	for i, e := range c.exprs {
		c.buf[i] = e(ctx, row)
	}
	if ctx.Err != nil {
		return ctx.Err
	}
	return c.next.row(kind, c.buf)
}

func (c *calc) watermark(w int64) error {
	c.seen = w
	return c.next.watermark(w)
}

// oneSource: where inputs meet, the watermark that a row finds differs from run to run.
func oneSource(n phys.Node) error {
	for len(n.Inputs()) == 1 {
		n = n.Inputs()[0]
	}
	if len(n.Inputs()) > 1 {
		return unsupported.New("CURRENT_WATERMARK above several sources: it depends on when watermarks arrive")
	}
	return nil
}

// expand emits each row once per grouping set, in the order of the plan's list.
type expand struct {
	forward
	job  *job
	sets [][]fn.Eval
	buf  value.Row
}

func (j *job) newExpand(n *phys.Expand, next operator) (operator, error) {
	e := &expand{forward: forward{next}, job: j, buf: make(value.Row, len(n.Fields))}
	for _, p := range n.Projects {
		fs, err := j.compileAll(p)
		if err != nil {
			return nil, err
		}
		e.sets = append(e.sets, fs)
	}
	return e, nil
}

func (e *expand) row(kind changelog.RowKind, row value.Row) error {
	ctx := &e.job.ctx
	for _, set := range e.sets {
		for i, f := range set {
			e.buf[i] = f(ctx, row)
		}
		if ctx.Err != nil {
			return ctx.Err
		}
		if err := e.next.row(kind, e.buf); err != nil {
			return err
		}
	}
	return nil
}

// dropUpdateBefore cuts the -U of a source whose consumers work with +U alone.
type dropUpdateBefore struct{ forward }

func (d *dropUpdateBefore) row(kind changelog.RowKind, row value.Row) error {
	if kind == changelog.UpdateBefore {
		return nil
	}
	return d.next.row(kind, row)
}

// condition compiles a predicate over a row; nil is TRUE.
func (j *job) condition(e rex.Expr) (func(row value.Row) bool, error) {
	if e == nil {
		return func(value.Row) bool { return true }, nil
	}
	f, err := j.compile(e)
	if err != nil {
		return nil, err
	}
	return func(row value.Row) bool {
		v := f(&j.ctx, row)
		return !v.IsNull() && v.Bool()
	}, nil
}
