package bind

import (
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// aggregation converts an aggregating SELECT as Calcite's AggConverter does: the
// group expressions and aggregate arguments are projected first, then aggregated, and
// everything else is computed over the result.
type aggregation struct {
	blk *block
	// groups are the group expressions, by their canonical text.
	groups []string
	// sets are the grouping sets, over groups; plain GROUP BY has one with all.
	sets [][]int
	// inputs are what the aggregate reads.
	inputs     []rex.Expr
	inputNames []string
	calls      []rel.AggCall
	// callOf maps the canonical text of an aggregate call to its index in calls.
	callOf map[string]int
	// names maps canonical texts of select items to their aliases: an aggregate or
	// group expression takes the last alias that it has.
	names map[string]string
	// aux are the group window expressions (TUMBLE_START, ...), see groupwindow.go.
	aux map[string]int
}

func isAggregateCall(c *sql.Call) bool {
	return c.Over == nil && c.OverName == "" && (fn.IsAggregate(callName(c), false) || isInverse(strings.ToUpper(callName(c))))
}

// isInverse: the inverse distribution functions of Calcite, which Flink does not run.
func isInverse(name string) bool { return name == "PERCENTILE_CONT" || name == "PERCENTILE_DISC" }

func needsOver(name string) bool { return fn.IsAggregate(name, true) && !fn.IsAggregate(name, false) }

// hasAggregate looks for an aggregate call, not inside a window function's own call.
func hasAggregate(e sql.Expr) bool {
	return find(e, func(n sql.Expr) bool {
		c, ok := n.(*sql.Call)
		if !ok {
			return false
		}
		return isAggregateCall(c)
	})
}

// isAggregate tells whether the block aggregates.
func (blk *block) isAggregate() bool {
	if blk.sel.Grouped || blk.sel.Having != nil {
		return true
	}
	for _, it := range blk.sel.Items {
		if hasAggregate(it.X) {
			return true
		}
	}
	return false
}

// aggregateSelect binds GROUP BY, HAVING and the items of an aggregating block.
func (blk *block) aggregateSelect(keys []rel.SortKey, extra []sql.Expr) ([]value.Field, []rel.SortKey, error) {
	if err := blk.onlyGroupingFunctions(); err != nil {
		return nil, nil, err
	}
	a := &aggregation{blk: blk, callOf: map[string]int{}, names: map[string]string{}, aux: map[string]int{}}
	x := blk.exprs()
	for i, it := range blk.items {
		name := it.name
		if !it.named {
			name = naturalName(it.x, i)
		}
		a.names[x.canon(it.x)] = name
	}
	if err := a.group(blk.sel.GroupBy); err != nil {
		return nil, nil, err
	}
	for _, it := range blk.items {
		if err := noGroupWindow(it.x); err != nil {
			return nil, nil, err
		}
		if err := a.collect(it.x); err != nil {
			return nil, nil, err
		}
	}
	for _, o := range extra {
		if err := a.collect(o); err != nil {
			return nil, nil, err
		}
	}
	if blk.sel.Having != nil {
		if err := a.collect(blk.sel.Having); err != nil {
			return nil, nil, err
		}
	}
	a.build()
	ax := blk.exprs()
	ax.agg = a
	mark := len(blk.sc.cors)
	if h := blk.sel.Having; h != nil {
		// Calcite knows no column of USING here.
		shared := ""
		find(h, func(n sql.Expr) bool {
			if r, ok := n.(*sql.ColumnRef); ok && len(r.Name.Parts) == 1 && blk.commonColumn(r.Name.Parts[0].Text) != nil {
				shared = r.Name.Parts[0].Text
			}
			return shared != ""
		})
		if shared != "" {
			return nil, nil, flinkerr.Validator("Column '%s' is ambiguous", shared)
		}
		cond, err := ax.bind(pushNot(h))
		if err != nil {
			return nil, nil, err
		}
		if cond.Type().Kind != value.KindBoolean && cond.Type().Kind != value.KindNull {
			return nil, nil, flinkerr.Validator("HAVING clause must be a condition")
		}
		blk.node = a.blk.b.buildFilter(blk.node, cond)
	}
	var es []rex.Expr
	var names []string
	fields := make([]value.Field, len(blk.items))
	for i, it := range blk.items {
		e, err := ax.bind(it.x)
		if err != nil {
			return nil, nil, a.earlier(err)
		}
		if e.Type().Kind == value.KindNull {
			return nil, nil, flinkerr.Validator("Illegal use of 'NULL'")
		}
		es = append(es, e)
		names = append(names, it.name)
		fields[i] = value.Field{Name: it.name, Type: e.Type()}
	}
	for i, o := range extra {
		e, err := ax.bind(o)
		if err != nil {
			return nil, nil, err
		}
		es = append(es, e)
		names = append(names, naturalName(o, len(blk.items)+i))
	}
	if len(blk.sc.cors) > mark {
		return nil, nil, unsupported.New("sub-query over the groups of an aggregation")
	}
	unique := uniquifyAliases(names)
	n := blk.b.project(blk.node, es, unique, false)
	if !sameNames(names, n.Schema()) {
		// RelBuilder.rename compares with the names as they were wished, and so stacks
		// a second Project where a name is repeated.
		n = newProject(n, refs(n), unique)
	}
	blk.node = n
	return fields, keys, nil
}

// build makes Project and Aggregate.
func (a *aggregation) build() {
	es, names := a.inputs, a.inputNames
	if len(es) == 0 {
		// COUNT(*) alone reads nothing: a constant stands in.
		es, names = []rex.Expr{intLiteral(0)}, []string{""}
	}
	in := a.blk.b.projectNamed(a.blk.node, es, names, false)
	keys := make([]int, len(a.groups))
	for i := range keys {
		keys[i] = i
	}
	a.blk.node = a.blk.b.buildAggregate(in, keys, a.sets, a.calls)
}

// addInput registers an input column; a name is used once.
func (a *aggregation) addInput(e rex.Expr, name string) int {
	if r, ok := e.(*rex.InputRef); ok && name == "" {
		{
			name = a.blk.node.Schema()[r.Index].Name
		}
	}
	for _, n := range a.inputNames {
		if n == name {
			name = ""
		}
	}
	a.inputs = append(a.inputs, e)
	a.inputNames = append(a.inputNames, name)
	return len(a.inputs) - 1
}

func (a *aggregation) lookupInput(e rex.Expr) int {
	d := rex.Digest(e)
	for i, in := range a.inputs {
		if rex.Digest(in) == d && sameType(in.Type(), e.Type()) {
			return i
		}
	}
	return a.addInput(e, "")
}

// addGroup registers a group expression and returns its index.
func (a *aggregation) addGroup(e sql.Expr) (int, error) {
	x := a.blk.exprs()
	x.noAgg = "GROUP BY"
	c := x.canon(e)
	for i, g := range a.groups {
		if g == c {
			return i, nil
		}
	}
	r, err := a.bindGroup(x, e)
	if err != nil {
		return 0, err
	}
	a.groups = append(a.groups, c)
	name := a.names[c]
	if ref, ok := e.(*sql.ColumnRef); ok && len(ref.Name.Parts) == 1 && a.blk.commonColumn(ref.Name.Parts[0].Text) != nil {
		// A column of USING stands here as COALESCE(..) AS c, which no select item equals.
		name = ""
	}
	return a.addInput(r, name), nil
}

// collect finds the aggregate calls of an expression, outermost first, and registers
// them with their arguments.
func (a *aggregation) collect(e sql.Expr) error {
	x := a.blk.exprs()
	var err error
	rewrite(e, func(n sql.Expr) sql.Expr {
		if err != nil {
			return n
		}
		for _, g := range a.groups {
			if g == x.canon(n) {
				return n
			}
		}
		c, ok := n.(*sql.Call)
		if !ok || !isAggregateCall(c) {
			return nil
		}
		err = a.addCall(c)
		return n
	})
	return err
}

// addCall registers one aggregate call.
func (a *aggregation) addCall(c *sql.Call) error {
	x := a.blk.exprs()
	canon := x.canon(c)
	if _, ok := a.callOf[canon]; ok {
		return nil
	}
	name := strings.ToUpper(callName(c))
	if isInverse(name) {
		return flinkerr.Table("Unsupported Function: '%s'", name)
	}
	if c.Nulls != "" && name != "ARRAY_AGG" {
		return flinkerr.Validator("Cannot specify IGNORE NULLS or RESPECT NULLS following '%s'", name)
	}
	if len(c.Within) > 0 && c.Filter != nil && len(a.groups) > 0 {
		return unsupported.New("FILTER of an aggregate function with ORDER BY") // an error of Flink's with the plan so far
	}
	if len(c.Within) > 0 && !c.Ordered && name != "COLLECT" && name != "JSON_ARRAYAGG" {
		return flinkerr.Validator("Aggregate expression '%s' must not contain a WITHIN GROUP clause", name)
	}
	x.inAgg = true
	if isGroupingFunction(name) {
		return a.addGrouping(c, canon)
	}
	written := c.Args
	if n := len(written); n > 0 {
		// The NULL clause of a JSON aggregate is a part of the function's name in plans.
		if f, ok := written[n-1].(*sql.Flag); ok {
			written = written[:n-1]
			name += "_" + strings.ReplaceAll(f.Text, " ", "_")
		}
	}
	args, err := x.bindAll(written...)
	if err != nil {
		return err
	}
	if c.Star && name != "COUNT" {
		return flinkerr.Validator("Unknown identifier '*'")
	}
	use := fn.AggregateUse{Distinct: c.Distinct, Filter: c.Filter != nil, Global: len(a.groups) == 0, Star: c.Star}
	ctx := *a.blk.b.fn
	ctx.Written = callName(c)
	r, err := fn.ResolveAggregate(&ctx, name, args, use)
	if err != nil {
		return err
	}
	distinct := c.Distinct && name != "MIN" && name != "MAX"
	call := rel.AggCall{Fn: r.Op, Distinct: distinct, Filter: -1, Name: a.names[canon], T: r.T, IgnoreNulls: c.Nulls == "IGNORE"}
	for _, arg := range r.Args {
		call.Args = append(call.Args, a.lookupInput(arg))
	}
	if c.Filter != nil {
		fx := a.blk.exprs()
		fx.noAgg = "FILTER"
		f, err := fx.bind(c.Filter)
		if err != nil {
			return err
		}
		if f.Type().Kind != value.KindBoolean && f.Type().Kind != value.KindNull {
			return flinkerr.Validator("FILTER clause must be a condition")
		}
		if f.Type().Nullable {
			if f, err = fx.resolve("IS TRUE", f); err != nil {
				return err
			}
		}
		call.Filter = a.lookupInput(f)
	}
	// Flink shows the order of ARRAY_AGG(x ORDER BY y) in the first plan and then forgets it.
	for _, o := range c.Within {
		e, err := x.bind(o.X)
		if err != nil {
			return err
		}
		k := sortKey(o)
		if o.Nulls == "" {
			k.NullsLast = !o.Desc // Calcite's default, of which plans say nothing
		}
		k.Column = a.lookupInput(e)
		call.Collation = append(call.Collation, k)
	}
	a.register(canon, call)
	return nil
}

// register adds a call unless an equal one is there. COUNT counts NOT NULL columns
// as it counts rows.
func (a *aggregation) register(canon string, call rel.AggCall) {
	if call.Fn.Name == "COUNT" && !call.Distinct {
		var args []int
		for _, i := range call.Args {
			if a.inputs[i].Type().Nullable {
				args = append(args, i)
			}
		}
		call.Args = args
	}
	for i := range a.calls {
		if sameCall(&a.calls[i], &call) {
			a.callOf[canon] = i
			return
		}
	}
	a.callOf[canon] = len(a.calls)
	a.calls = append(a.calls, call)
}

func sameCall(a, b *rel.AggCall) bool {
	return a.Fn.Name == b.Fn.Name && a.Digest() == b.Digest() && a.IgnoreNulls == b.IgnoreNulls
}

// lookup reads an expression over the aggregate's output: a group expression, an
// aggregate call, or nil where its parts have to be looked at.
func (a *aggregation) lookup(x *exprs, e sql.Expr) (rex.Expr, error) {
	switch e.(type) {
	case *sql.NumberLit, *sql.StringLit, *sql.BoolLit, *sql.NullLit, *sql.TemporalLit:
		if len(a.groups) == 0 {
			return nil, nil
		}
	}
	plain := *x
	plain.agg = nil
	c := plain.canon(e)
	for i, g := range a.groups {
		if g == c {
			return a.output(i), nil
		}
	}
	if r, err := a.lookupAux(e, c); r != nil || err != nil {
		return r, err
	}
	if call, ok := e.(*sql.Call); ok && isAggregateCall(call) {
		if i, ok := a.callOf[c]; ok {
			return a.output(len(a.groups) + i), nil
		}
	}
	return nil, nil
}

func (a *aggregation) output(i int) rex.Expr {
	return &rex.InputRef{Index: i, T: a.blk.node.Schema()[i].Type}
}

func (a *aggregation) notGrouped(name sql.Name) error {
	return flinkerr.Validator("Expression '%s' is not being grouped", strings.Join(nameParts(name), "."))
}

// earlier gives the error that comes before one of the grouping check: the types of all
// select items are derived first, which finds functions that do not exist.
func (a *aggregation) earlier(err error) error {
	f, ok := err.(*flinkerr.Error)
	if !ok || !strings.HasSuffix(f.Message, "is not being grouped") {
		return err
	}
	for _, it := range a.blk.items {
		var missing error
		find(it.x, func(n sql.Expr) bool {
			c, ok := n.(*sql.Call)
			if !ok || missing != nil || hasAggregate(c) {
				return false
			}
			_, callErr := a.blk.exprs().bind(c)
			if f, ok := callErr.(*flinkerr.Error); ok && strings.HasPrefix(f.Message, "No match found for function signature") {
				missing = callErr
			}
			return false
		})
		if missing != nil {
			return missing
		}
	}
	return err
}

// onlyGroupingFunctions refuses GROUPING and the like where nothing else aggregates.
func (blk *block) onlyGroupingFunctions() error {
	if blk.sel.Grouped || blk.sel.Having != nil {
		return nil
	}
	first, others := "", false
	for _, it := range blk.sel.Items {
		find(it.X, func(n sql.Expr) bool {
			c, ok := n.(*sql.Call)
			if !ok || !isAggregateCall(c) {
				return false
			}
			if name := strings.ToUpper(callName(c)); !isGroupingFunction(name) {
				others = true
			} else if first == "" {
				first = name
			}
			return false
		})
	}
	if first == "" || others {
		return nil
	}
	return flinkerr.Validator("%s operator may only occur in an aggregate query", first)
}
