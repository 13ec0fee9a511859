package plan

import (
	"strconv"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// pullWindow takes a window function away from below a projection (and an Expand of
// grouping sets): the columns of the window go, the time column is added at the end. to
// maps the columns that are left.
func pullWindow(in phys.Node, props *windowProps) (out phys.Node, to map[int]int, time int, ok bool) {
	if x, isExpand := in.(*phys.Expand); isExpand {
		return pullFromExpand(x, windowsOf(x.In[0]))
	}
	c, isCalc := in.(*phys.Calc)
	var tvf *phys.WindowTableFunction
	if isCalc {
		tvf, ok = c.In[0].(*phys.WindowTableFunction)
	} else {
		tvf, ok = in.(*phys.WindowTableFunction)
	}
	if !ok {
		return nil, nil, 0, false
	}
	below := tvf.In[0]
	if tvf.Window.Kind == "SESSION" {
		below = below.Inputs()[0]
	}
	w := len(below.Schema())
	if !isCalc {
		c = &phys.Calc{Base: base(tvf.Fields, tvf)}
		for i, f := range tvf.Fields {
			c.Exprs = append(c.Exprs, &rex.InputRef{Index: i, T: f.Type})
		}
	}
	x := &phys.Calc{Base: base(nil, below), Cond: c.Cond}
	if c.Cond != nil && readsFrom(c.Cond, w) {
		return nil, nil, 0, false
	}
	to = map[int]int{}
	time = -1
	for i, e := range c.Exprs {
		if r, isRef := e.(*rex.InputRef); isRef {
			if r.Index >= w {
				continue
			}
			if r.Index == tvf.Window.TimeColumn {
				time = len(x.Exprs)
			}
		} else if readsFrom(e, w) {
			return nil, nil, 0, false
		}
		to[i] = len(x.Exprs)
		x.Exprs = append(x.Exprs, e)
		x.Fields = append(x.Fields, c.Fields[i])
	}
	if time < 0 {
		time = len(x.Exprs)
		f := below.Schema()[tvf.Window.TimeColumn]
		x.Exprs = append(x.Exprs, &rex.InputRef{Index: tvf.Window.TimeColumn, T: f.Type})
		x.Fields = append(x.Fields, value.Field{Name: freeName(f.Name, x.Fields), Type: f.Type})
	}
	if identityCalc(x) {
		return below, to, time, true
	}
	if b, isCalc := below.(*phys.Calc); isCalc {
		return stacked(x, b), to, time, true
	}
	return x, to, time, true
}

// stacked makes one Calc of two.
func stacked(top, below *phys.Calc) phys.Node {
	out := &phys.Calc{Base: base(top.Fields, below.In[0])}
	for _, e := range top.Exprs {
		out.Exprs = append(out.Exprs, rex.Substitute(e, below.Exprs))
	}
	var conj []rex.Expr
	if below.Cond != nil {
		conj = append(conj, rex.Conjunctions(below.Cond)...)
	}
	if top.Cond != nil {
		conj = append(conj, rex.Conjunctions(rex.Substitute(top.Cond, below.Exprs))...)
	}
	if len(conj) > 0 {
		out.Cond = rex.AndOf(conj)
	}
	if identityCalc(out) {
		return out.In[0]
	}
	return out
}

func freeName(name string, fields []value.Field) string {
	used := map[string]bool{}
	for _, f := range fields {
		used[f.Name] = true
	}
	out := name
	for i := 0; used[out]; i++ {
		out = name + "_" + strconv.Itoa(i)
	}
	return out
}

func readsFrom(e rex.Expr, from int) bool {
	for _, r := range rex.Refs(e) {
		if r >= from {
			return true
		}
	}
	return false
}

// pullFromExpand is ExpandWindowTableFunctionTransposeRule: the Expand goes below.
func pullFromExpand(x *phys.Expand, props *windowProps) (phys.Node, map[int]int, int, bool) {
	below, inner, time, ok := pullWindow(x.In[0], props)
	if !ok {
		return nil, nil, 0, false
	}
	schema := below.Schema()
	out := &phys.Expand{Base: base(nil, below)}
	to := map[int]int{}
	source := map[int]int{}
	for i, f := range x.Fields {
		if r, isRef := x.Projects[0][i].(*rex.InputRef); isRef {
			if _, kept := inner[r.Index]; !kept {
				continue
			}
			source[i] = inner[r.Index]
		}
		to[i] = len(out.Fields)
		out.Fields = append(out.Fields, f)
	}
	// The last set's columns may be NULL in the first: look through all of them.
	at := -1
	for i, s := range source {
		if s == time {
			at = to[i]
		}
	}
	out.ExpandCol = to[x.ExpandCol]
	if at < 0 {
		at = len(out.Fields)
		out.Fields = append(out.Fields, value.Field{Name: freeName(schema[time].Name, out.Fields), Type: schema[time].Type})
	}
	for _, row := range x.Projects {
		var p []rex.Expr
		for i, e := range row {
			if _, kept := to[i]; !kept {
				continue
			}
			if r, isRef := e.(*rex.InputRef); isRef {
				p = append(p, &rex.InputRef{Index: inner[r.Index], T: r.T})
				continue
			}
			p = append(p, e)
		}
		if at >= len(p) {
			p = append(p, &rex.InputRef{Index: time, T: schema[time].Type})
		}
		out.Projects = append(out.Projects, p)
	}
	return out, to, at, true
}
