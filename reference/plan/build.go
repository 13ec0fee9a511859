package plan

import (
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/source"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// builder merges a logical tree into operators with calcs on top.
type builder struct {
	cfg *Config
	err error
	// implementing: operators become physical nodes now, whose rows Flink estimates differently.
	implementing bool
	// known are the rows of calcs and operators that were estimated elsewhere.
	known map[any]float64
	// doubt is Plan.Doubt.
	doubt error
	// foldFailed: a constant of the node that is being folded fails.
	foldFailed bool
	// foldNothing: its constants stay as they are, since one fails.
	foldNothing bool
	// regrouped are aggregates of sub-queries that group by columns of the outer row, too.
	regrouped map[*rel.Aggregate]bool
}

// doubtText notes why EXPLAIN is refused, though the query runs; the first reason stays.
func (b *builder) doubtText(format string, args ...any) {
	if b.doubt == nil {
		b.doubt = unsupported.New("EXPLAIN of "+format, args...)
	}
}

func (b *builder) fail(err error) *calc {
	if b.err == nil {
		b.err = err
	}
	return identity(&valuesNode{})
}

func (b *builder) build(n rel.Node) *calc {
	if b.err != nil {
		return identity(&valuesNode{})
	}
	switch n := n.(type) {
	case *rel.Scan:
		if b.cfg.Batch && sourceKinds(n.Table) != kInsert {
			return b.fail(flinkerr.Table("Querying a table in batch mode is currently only possible for INSERT-only table sources. But the source for table '%s' produces other changelog messages than just INSERT.", n.Table.Path))
		}
		return identity(newScan(n))
	case *rel.WatermarkAssigner:
		in := b.build(n.In[0])
		return identity(&watermarkNode{in: in, column: n.Column, expr: n.Expr, fields: n.Fields})
	case *rel.Project:
		return b.project(n)
	case *rel.Filter:
		return b.filter(b.build(n.In[0]), n.Cond)
	case *rel.Aggregate:
		return b.aggregate(n)
	case *rel.Sort:
		return b.sort(n)
	case *rel.Union:
		return b.union(n)
	case *rel.Intersect:
		return b.setOperation(n.In, n.Fields, n.All, false)
	case *rel.Minus:
		return b.setOperation(n.In, n.Fields, n.All, true)
	case *rel.Values:
		return identity(&valuesNode{rows: n.Rows, fields: n.Fields})
	case *rel.Join:
		return b.join(n)
	case *rel.TableFunction:
		return b.tableFunction(n)
	case *rel.Uncollect:
		return b.constantUnnest(n)
	case *rel.Correlate:
		return b.correlate(n)
	case *rel.Match:
		return b.match(n)
	case *rel.Sink:
		return identity(&sinkNode{in: b.build(n.In[0]), sink: n})
	}
	return b.fail(unsupported.New("planning of %T", n))
}

// csvTypes refuses plans with tables that the csv format cannot read.
func csvTypes(n phys.Node) error {
	for _, in := range n.Inputs() {
		if err := csvTypes(in); err != nil {
			return err
		}
	}
	if s, ok := n.(*phys.TableSourceScan); ok {
		if format, _ := s.Table.Option("format"); format == "csv" {
			return source.CheckCSVTypes(s.Table)
		}
	}
	return nil
}

// scanHints are the hints that stay with a scan: not its alias.
func scanHints(s string) string {
	if strings.HasPrefix(s, "[[ALIAS ") {
		return ""
	}
	return strings.Replace(s, "inheritPath:[] ", "", 1)
}

// newScan reads every physical column, then the metadata keys in the source's order;
// each takes the name of the first column that asks for it.
func newScan(n *rel.Scan) *scanNode {
	s := &scanNode{table: n.Table, limit: -1, hints: scanHints(n.HintText), fields: append([]value.Field(nil), n.Fields...), metaListed: n.Metadata != nil}
	for i, c := range n.Table.Columns {
		if c.Kind == catalog.Physical {
			s.columns = append(s.columns, i)
		}
	}
	for _, key := range n.Metadata {
		for i, c := range n.Table.Columns {
			if c.Kind == catalog.Metadata && c.MetadataKey == key {
				s.fields[len(s.columns)].Name = c.Name
				s.columns = append(s.columns, i)
				break
			}
		}
	}
	return s
}

// project composes a projection with the calc below. Windows end the merging.
func (b *builder) project(n *rel.Project) *calc {
	c, w := b.projection(n)
	if w != nil && b.err == nil {
		return b.split(w)
	}
	return c
}

func (b *builder) compose(in *calc, exprs []rex.Expr, fields []value.Field) *calc {
	out := &calc{in: in.in, fields: fields, cond: in.cond, projected: true}
	if in.projected && !in.keepsColumns() && identityOf(exprs, len(in.exprs)) {
		// A projection that changes nothing is removed, and the names below stay.
		out.fields = in.fields
	}
	for _, e := range exprs {
		out.exprs = append(out.exprs, windowProperties(in.in, rex.Substitute(e, in.exprs)))
	}
	if repeatsRandom(exprs, in.exprs) {
		return b.fail(unsupported.New("a non-deterministic expression used more than once"))
	}
	return out
}

func identityOf(exprs []rex.Expr, n int) bool {
	if len(exprs) != n {
		return false
	}
	for i, e := range exprs {
		if r, ok := e.(*rex.InputRef); !ok || r.Index != i {
			return false
		}
	}
	return true
}

// repeatsRandom: merging would evaluate a non-deterministic expression twice.
func repeatsRandom(outer, inner []rex.Expr) bool {
	for i, e := range inner {
		if rex.Deterministic(e) {
			continue
		}
		n := 0
		for _, o := range outer {
			rex.Walk(o, func(x rex.Expr) bool {
				if r, ok := x.(*rex.InputRef); ok && r.Index == i {
					n++
				}
				return true
			})
		}
		if n > 1 {
			return true
		}
	}
	return false
}

func hasOver(exprs []rex.Expr) bool {
	found := false
	for _, e := range exprs {
		rex.Walk(e, func(x rex.Expr) bool {
			if _, ok := x.(*rex.Over); ok {
				found = true
			}
			return !found
		})
	}
	return found
}

func hasSubQuery(e rex.Expr) bool {
	found := false
	rex.Walk(e, func(x rex.Expr) bool {
		if _, ok := x.(*rex.SubQuery); ok {
			found = true
		}
		return !found
	})
	return found
}

// filter adds a condition to a calc.
func (b *builder) filter(in *calc, cond rex.Expr) *calc {
	if b.err != nil {
		return in
	}
	c := windowProperties(in.in, rex.Substitute(cond, in.exprs))
	out := *in
	out.cond = append(append([]rex.Expr(nil), in.cond...), rex.Conjunctions(c)...)
	if rex.IsLiteralFalse(c) {
		out.cond = append(out.cond, c)
	}
	return &out
}

func (b *builder) aggregate(n *rel.Aggregate) *calc {
	in := b.build(n.In[0])
	if b.err != nil {
		return in
	}
	if w := b.groupWindow(n, in); w != nil {
		return w
	}
	a := &aggNode{in: in, keys: n.Keys, sets: n.Sets, calls: n.Calls, regrouped: b.regrouped[n]}
	for _, c := range n.Calls {
		switch {
		case isGrouping(c.Fn.Name) && len(n.Sets) == 0:
			a.sets = [][]int{n.Keys}
		case c.Fn.Name == "COUNT" && len(c.Args) > 1:
			return b.fail(flinkerr.Table("We now only support the count of one field."))
		case c.Fn.Name == "APPROX_COUNT_DISTINCT" && !b.cfg.Batch:
			return b.fail(flinkerr.Table("APPROX_COUNT_DISTINCT aggregate function does not support yet for streaming."))
		}
	}
	a.fields = aggFields(in, n.Keys, n.Calls)
	for i, k := range a.keys {
		if !inAllSets(a, k) {
			a.fields[i].Type = a.fields[i].Type.AsNullable()
		}
	}
	if err := a.wrapJSON(); err != nil {
		return b.fail(err)
	}
	return identity(a)
}

// wrapJSON puts JSON_STRING(x) in place of what JSON aggregates collect, in columns behind
// those of the input, which all stay: WrapJsonAggFunctionArgumentsRule.
func (n *aggNode) wrapJSON() error {
	at := map[int]int{}
	for i, c := range n.calls {
		if !strings.HasPrefix(c.Fn.Name, "JSON_") || len(c.Args) == 0 {
			continue
		}
		if !n.json {
			in := *n.in
			in.exprs = append([]rex.Expr(nil), in.exprs...)
			in.fields = append([]value.Field(nil), in.fields...)
			in.projected = true
			n.in, n.json = &in, true
			n.calls = append([]rel.AggCall(nil), n.calls...)
		}
		args := append([]int(nil), c.Args...)
		last := len(args) - 1
		to, ok := at[args[last]]
		if !ok {
			e, err := fn.Resolve(&fn.Context{}, "JSON_STRING", []rex.Expr{n.in.exprs[args[last]]})
			if err != nil {
				return flinkerr.New("org.apache.flink.table.planner.codegen.CodeGenException",
					"Type '%s' is not scalar or cannot be converted into JSON.", n.in.exprs[args[last]].Type())
			}
			to = len(n.in.exprs)
			at[args[last]] = to
			n.in.exprs = append(n.in.exprs, e)
			n.in.fields = append(n.in.fields, value.Field{Name: "$f" + strconv.Itoa(to), Type: e.Type()})
		}
		args[last] = to
		n.calls[i].Args = args
	}
	return nil
}

// aggFields names an aggregate's output: keys as below, calls by their own name or
// $f with their position.
func aggFields(in *calc, keys []int, calls []rel.AggCall) []value.Field {
	var out []value.Field
	below := in.fields
	for _, k := range keys {
		out = append(out, value.Field{Name: below[k].Name, Type: below[k].Type})
	}
	for i, c := range calls {
		name := c.Name
		if name == "" {
			name = "$f" + strconv.Itoa(len(keys)+i)
		}
		out = append(out, value.Field{Name: name, Type: c.T})
	}
	return out
}

func (b *builder) sort(n *rel.Sort) *calc {
	in := b.build(n.In[0])
	return identity(&sortNode{in: in, keys: n.Keys, offset: n.Offset, fetch: n.Fetch})
}

// union gives every branch the common row type; UNION without ALL is an aggregate on top.
func (b *builder) union(n *rel.Union) *calc {
	u := &unionNode{fields: n.Fields}
	for _, x := range n.In {
		in := b.build(x)
		if b.err != nil {
			return in
		}
		u.in = append(u.in, b.coerce(in, n.Fields))
	}
	if n.All {
		return identity(u)
	}
	c := identity(u)
	a := &aggNode{in: c}
	for i := range n.Fields {
		a.keys = append(a.keys, i)
	}
	a.fields = aggFields(c, a.keys, nil)
	return identity(a)
}

// coerce casts a set operation's branch to the common types: CoerceInputsRule.
func (b *builder) coerce(in *calc, want []value.Field) *calc {
	out := *in
	out.exprs = append([]rex.Expr(nil), in.exprs...)
	out.fields = append([]value.Field(nil), in.fields...)
	for i, f := range want {
		if rex.SameType(in.exprs[i].Type(), f.Type) {
			continue
		}
		out.exprs[i] = castTo(in.exprs[i], f.Type)
		out.fields[i].Type = f.Type
	}
	return &out
}

// castTo is RexBuilder.makeCast for set operations: a literal takes the type itself
// where that keeps its value, and is cast to nullability outside.
func castTo(e rex.Expr, t value.Type) rex.Expr {
	l, ok := e.(*rex.Literal)
	if !ok {
		return &rex.Call{Op: rex.Cast, Args: []rex.Expr{e}, T: t}
	}
	if l.V.IsNull() {
		return rex.NullLiteral(t)
	}
	n, ok := rex.RetypeLiteral(l, t.NotNull())
	if !ok {
		return &rex.Call{Op: rex.Cast, Args: []rex.Expr{e}, T: t}
	}
	if !t.Nullable {
		return n
	}
	return &rex.Call{Op: rex.Cast, Args: []rex.Expr{n}, T: t}
}

func (b *builder) tableFunction(n *rel.TableFunction) *calc {
	in := make([]*calc, len(n.In))
	for i, x := range n.In {
		in[i] = b.build(x)
	}
	if b.err != nil {
		return b.fail(b.err)
	}
	switch strings.ToUpper(n.Call.Op.Name) {
	case "TO_CHANGELOG", "FROM_CHANGELOG":
		return identity(&ptfNode{in: in[0], fn: n, fields: n.Fields})
	case "TUMBLE", "HOP", "CUMULATE", "SESSION":
		return b.windowTVF(n, in[0])
	}
	return b.fail(unsupported.New("table function %s", n.Name))
}
