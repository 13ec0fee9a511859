package plan

import (
	"slices"
	"strconv"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// physical converts operators to physical nodes, with the exchanges that their
// distribution needs.
type physical struct {
	*builder
	// joins are the batch joins planned so far.
	joins map[wanted]planned
	// ordered is the ORDER BY of the whole query.
	ordered *sortNode
}

func (p *physical) fail(err error) phys.Node {
	if p.err == nil {
		p.err = err
	}
	return &phys.Values{}
}

// calc converts a calc; a trivial one vanishes.
func (p *physical) calc(c *calc) phys.Node {
	if n, ok := c.in.(*overNode); ok && p.cfg.Batch {
		return p.calcOverWindows(c, n)
	}
	in := p.node(c.in)
	n := p.onTop(c, in)
	if t, ok := c.in.(*temporalNode); ok {
		n = p.withoutVersionTimes(n, in, len(t.left.exprs))
	}
	return n
}

func (p *physical) onTop(c *calc, in phys.Node) phys.Node {
	if p.err != nil || c.trivial() {
		return in
	}
	n := &phys.Calc{Base: phys.Base{In: []phys.Node{in}}, Exprs: c.exprs}
	// A projection that only renames is no Calc of its own: a filter keeps the names below.
	below := in.Schema()
	lost := c.losesNames()
	for i, f := range c.fields {
		if lost {
			if r, ok := c.exprs[i].(*rex.InputRef); ok {
				f = below[r.Index]
			}
		}
		n.Fields = append(n.Fields, value.Field{Name: f.Name, Type: c.exprs[i].Type()})
	}
	if len(c.cond) > 0 {
		n.Cond = rex.AndOf(c.cond)
		one := rex.OneForm(append([]rex.Expr{n.Cond}, n.Exprs...))
		n.Cond, n.Exprs = one[0], one[1:]
	} else {
		n.Exprs = rex.OneForm(n.Exprs)
	}
	if !p.cfg.Batch {
		p.plainCalc(n)
	} else if readsProctime(append(slices.Clone(n.Exprs), c.cond...)) {
		p.doubtText("a function of proctime in batch")
	}
	return n
}

func base(fields []value.Field, in ...phys.Node) phys.Base { return phys.Base{In: in, Fields: fields} }

func exchange(in phys.Node, dist string, keys []int) phys.Node {
	return &phys.Exchange{Base: base(in.Schema(), in), Distribution: dist, Keys: keys}
}

func distribute(in phys.Node, keys []int) phys.Node {
	if len(keys) == 0 {
		return together(in)
	}
	return exchange(in, "hash", keys)
}

// together brings all rows to one place, where a limit has not done so already.
func together(in phys.Node) phys.Node {
	switch x := in.(type) {
	case *phys.Limit:
		if x.Global || !x.Batch {
			return in
		}
	case *phys.SortLimit:
		if x.Global || !x.Batch {
			return in
		}
	}
	return exchange(in, "single", nil)
}

func (p *physical) node(n node) phys.Node {
	if p.err != nil {
		return &phys.Values{}
	}
	switch n := n.(type) {
	case *scanNode:
		return p.scan(n)
	case *valuesNode:
		return p.values(n)
	case *unionNode:
		u := &phys.Union{}
		for _, in := range n.in {
			u.In = append(u.In, p.calc(in))
		}
		for i, f := range u.In[0].Schema() {
			u.Fields = append(u.Fields, value.Field{Name: f.Name, Type: n.fields[i].Type})
		}
		return u
	case *expandNode:
		in := p.calc(n.in)
		x := &phys.Expand{Base: base(n.fields, in), Projects: n.projects, ExpandCol: n.col}
		x.Fields = append([]value.Field(nil), n.fields...)
		for i, f := range in.Schema() {
			x.Fields[i].Name = f.Name
		}
		return x
	case *ptfNode:
		return p.changelogFunction(n)
	case *sinkNode:
		return p.sink(n)
	case *joinNode:
		return p.join(n)
	case *temporalNode:
		return p.temporal(n)
	case *correlateNode:
		return p.correlate(n)
	case *windowTVFNode:
		return p.windowTVF(n)
	case *matchNode:
		return p.match(n)
	case *groupWindowNode:
		return p.groupWindowAggregate(n)
	case *rankNode:
		return p.rank(n)
	case *overNode:
		return p.overAggregate(n)
	case *watermarkNode:
		in := p.calc(n.in)
		w := &phys.WatermarkAssigner{Base: base(n.fields, in), Column: n.column, Expr: n.expr}
		return w
	}
	if p.cfg.Batch {
		return p.batchNode(n)
	}
	return p.streamNode(n)
}

func (p *physical) streamNode(n node) phys.Node {
	switch n := n.(type) {
	case *aggNode:
		in := p.calc(n.in)
		if p.err != nil {
			return in
		}
		return p.groupAggregate(n, in)
	case *sortNode:
		return p.streamSort(n)
	}
	return p.fail(unsupported.New("streaming plan of %T", n))
}

func (p *physical) scan(n *scanNode) phys.Node {
	s := &phys.TableSourceScan{Base: base(n.fields), Table: n.table, Columns: n.columns,
		Projected: n.projected, FilterText: n.filter, Hints: n.hints, Limit: n.limit}
	if n.metaListed {
		s.Metadata = []string{}
		for _, c := range n.columns {
			if col := n.table.Columns[c]; col.Kind == 2 {
				key := col.MetadataKey
				if key == "" {
					key = col.Name
				}
				s.Metadata = append(s.Metadata, key)
			}
		}
	}
	return p.normalized(n, s)
}

func (p *physical) values(n *valuesNode) phys.Node {
	v := &phys.Values{Base: base(n.fields), Literals: n.rows}
	for _, r := range n.rows {
		row := make(value.Row, len(r))
		for i, l := range r {
			row[i] = l.V
		}
		v.Rows = append(v.Rows, row)
	}
	return v
}

// calls converts aggregate calls; names are the output's.
func (p *physical) calls(n *aggNode, in phys.Node) ([]phys.AggCall, []value.Field) {
	schema := in.Schema()
	var fields []value.Field
	for i, k := range n.keys {
		fields = append(fields, value.Field{Name: schema[k].Name, Type: plainLike(n.fields[i].Type, schema[k].Type)})
	}
	var calls []phys.AggCall
	for i, c := range n.calls {
		a := phys.AggCall{Fn: c.Fn, Args: c.Args, Distinct: c.Distinct, IgnoreNulls: c.IgnoreNulls, Filter: c.Filter,
			Name: callName(n.fields[len(n.keys)+i].Name, fields), T: c.T}
		if !p.cfg.Batch {
			a.T.Time = value.NoTimeAttribute
		}
		for _, x := range c.Args {
			a.ArgTypes = append(a.ArgTypes, schema[x].Type)
		}
		calls = append(calls, a)
		fields = append(fields, value.Field{Name: a.Name, Type: a.T})
	}
	return calls, fields
}

// callName makes a call's name different from the names before it: Aggregate.deriveRowType.
func callName(name string, before []value.Field) string {
	for i := 0; slices.ContainsFunc(before, func(f value.Field) bool { return f.Name == name }); i++ {
		name += "_" + strconv.Itoa(i)
	}
	return name
}

func (p *physical) groupAggregate(n *aggNode, in phys.Node) phys.Node {
	if len(n.sets) > 0 {
		return p.fail(unsupported.New("grouping sets here"))
	}
	if w := windowsOf(in); w != nil {
		_, _, _, _, ok := w.splitKeys(n.keys)
		if !ok {
			w = nil
		}
		in = p.materialize(in, func(i int, t value.Type) bool { return n.aggregated(i, t) && (w == nil || !w.time[i]) })
		if a, ok := p.windowAggregate(n, in); ok {
			return a
		}
	} else {
		in = p.materialize(in, n.aggregated)
	}
	if p.cfg.flag("table.optimizer.distinct-agg.split.enabled") && slices.ContainsFunc(n.calls, func(c rel.AggCall) bool { return c.Distinct }) {
		return p.fail(unsupported.New("split DISTINCT aggregates"))
	}
	calls, fields := p.calls(n, in)
	return &phys.GroupAggregate{Base: base(fields, distribute(in, n.keys)), Keys: n.keys, Calls: calls}
}

func sortKeys(keys []rel.SortKey) []phys.SortKey {
	out := make([]phys.SortKey, len(keys))
	for i, k := range keys {
		out[i] = phys.SortKey{Column: k.Column, Desc: k.Desc, NullsLast: k.NullsLast}
	}
	return out
}

func (p *physical) streamSort(n *sortNode) phys.Node {
	if n.fetch < 0 && n.offset > 0 {
		return p.fail(flinkerr.Table("FETCH is missed, which on streaming table is not supported currently."))
	}
	offset := max(n.offset, 0)
	if len(n.keys) == 0 {
		pushLimit(n.in, offset+n.fetch)
		in := p.calc(n.in)
		return &phys.Limit{Base: base(in.Schema(), together(in)), Offset: offset, Fetch: n.fetch}
	}
	in := p.calc(n.in)
	schema := in.Schema()
	keys := sortKeys(n.keys)
	if n.fetch < 0 {
		first := schema[keys[0].Column].Type
		if first.Time != value.NoTimeAttribute && !keys[0].Desc {
			return &phys.Sort{Base: base(schema, together(in)), Keys: keys, Temporal: true}
		}
		return p.fail(flinkerr.Table("Sort on a non-time-attribute field is not supported."))
	}
	return &phys.SortLimit{Base: base(schema, together(in)), Keys: keys, Offset: offset, Fetch: n.fetch}
}

// pushLimit gives a source below the number of rows that are read at most; a filter
// or any other operator in between forbids it.
func pushLimit(c *calc, n int64) {
	s, ok := c.in.(*scanNode)
	if !ok || len(c.cond) > 0 || !c.onlyRefs() || !pushesFilters(s) {
		return
	}
	s.limit = n
}
