package batch

import (
	"errors"
	"io"
	"strings"

	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// scan reads a table in file order, up to the pushed limit.
func (j *job) scan(n *phys.TableSourceScan) (producer, error) {
	return func(emit func(value.Row) error) (err error) {
		r, err := j.rt.Open(n)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, r.Close()) }()
		row := make(value.Row, len(n.Fields))
		for i := int64(0); n.Limit < 0 || i < n.Limit; i++ {
			if err := r.Next(row); errors.Is(err, io.EOF) {
				return nil
			} else if err != nil {
				return err
			}
			if err := emit(row); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

func values(n *phys.Values) producer {
	return func(emit func(value.Row) error) error {
		for _, r := range n.Rows {
			if err := emit(r); err != nil {
				return err
			}
		}
		return nil
	}
}

// calc filters and projects.
func (j *job) calc(n *phys.Calc, in producer) (producer, error) {
	var cond fn.Eval
	if n.Cond != nil {
		var err error
		if cond, err = j.compile(n.Cond); err != nil {
			return nil, err
		}
	}
	exprs, err := j.compileAll(n.Exprs)
	if err != nil {
		return nil, err
	}
	return func(emit func(value.Row) error) error {
		out := make(value.Row, len(exprs))
		return in(func(row value.Row) error {
			if cond != nil {
				v := cond(&j.ctx, row)
				if j.ctx.Err != nil {
					return j.ctx.Err
				}
				if v.IsNull() || !v.Bool() {
					return nil
				}
			}
			for i, e := range exprs {
				out[i] = e(&j.ctx, row)
			}
			if j.ctx.Err != nil {
				return j.ctx.Err
			}
			return emit(out)
		})
	}, nil
}

// expand emits each row once per grouping set, in the order of the plan's list.
func (j *job) expand(n *phys.Expand, in producer) (producer, error) {
	sets := make([][]fn.Eval, len(n.Projects))
	for i, p := range n.Projects {
		var err error
		if sets[i], err = j.compileAll(p); err != nil {
			return nil, err
		}
	}
	return func(emit func(value.Row) error) error {
		out := make(value.Row, len(n.Fields))
		return in(func(row value.Row) error {
			for _, set := range sets {
				for i, e := range set {
					out[i] = e(&j.ctx, row)
				}
				if j.ctx.Err != nil {
					return j.ctx.Err
				}
				if err := emit(out); err != nil {
					return err
				}
			}
			return nil
		})
	}, nil
}

// union emits its branches one after another. In Flink they race, in batch mode too
// (agg.md 40); the convention is the order of the branches.
func (j *job) union(n *phys.Union) (producer, error) {
	var ins []producer
	for _, c := range n.In {
		p, err := j.build(c)
		if err != nil {
			return nil, err
		}
		ins = append(ins, p)
	}
	return func(emit func(value.Row) error) error {
		for _, in := range ins {
			if err := in(emit); err != nil {
				return err
			}
		}
		return nil
	}, nil
}

// limit skips Offset rows and passes Fetch (all if negative).
func limit(n *phys.Limit, in producer) producer {
	return func(emit func(value.Row) error) error {
		skip, left := n.Offset, n.Fetch
		if left == 0 {
			return nil
		}
		err := in(func(row value.Row) error {
			if skip > 0 {
				skip--
				return nil
			}
			if left == 0 {
				return errEnough
			}
			left-- // stays negative without a limit
			if err := emit(row); err != nil {
				return err
			}
			if left == 0 {
				return errEnough
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			return nil
		}
		return err
	}
}

// collect copies all rows.
func collect(in producer) ([]value.Row, error) {
	var rows []value.Row
	err := in(func(row value.Row) error {
		rows = append(rows, own(row))
		return nil
	})
	return rows, err
}

// own copies a borrowed row, texts included.
func own(row value.Row) value.Row {
	out := make(value.Row, len(row))
	for i, v := range row {
		out[i] = ownValue(v)
	}
	return out
}

func ownValue(v value.Value) value.Value {
	if s := v.Str(); s != "" {
		return v.WithStr(strings.Clone(s))
	}
	return v
}
