package bind

import (
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// relation is a bound query: its tree and its columns as the validator names and
// types them (the tree may name repeated columns otherwise).
type relation struct {
	node   rel.Node
	fields []value.Field
	// extra counts columns behind fields that only a top-level ORDER BY needs.
	extra int
}

// ordering is ORDER BY with OFFSET and FETCH.
type ordering struct {
	items         []sql.OrderItem
	offset, fetch sql.Expr
}

func (o ordering) empty() bool { return len(o.items) == 0 && o.offset == nil && o.fetch == nil }

// block is one SELECT being bound.
type block struct {
	b   *binder
	sel *sql.Select
	sc  *scope
	// node is the tree so far.
	node rel.Node
	// items are the select items with stars expanded.
	items []item
	// using are the shared columns of JOIN .. USING: each stands for a pair.
	using []string
	// layout is the column order of * in the FROM item that was bound last.
	layout *layout
	// lateral is the scope of the left side while the right side of a join is bound.
	lateral *scope
	windows map[string]*sql.WindowSpec
	// hinted: this block has hints, which call the items of FROM by aliases.
	hinted  bool
	aliases map[rel.Node]string
}

// item is one output column: its expression, and its name as the validator derives it.
type item struct {
	x    sql.Expr
	name string
	// named: an alias was written.
	named bool
	star  bool
}

func (b *binder) selectBlock(s *sql.Select, outer *scope, ord ordering, top bool) (*relation, error) {
	blk := &block{b: b, sel: s, sc: &scope{parent: outer}}
	if err := blk.beginHints(outer, top); err != nil {
		return nil, err
	}
	if err := blk.from(); err != nil {
		return nil, err
	}
	if s.Stream {
		if len(blk.sc.kids) == 0 {
			return nil, unsupported.New("SELECT STREAM")
		}
		return nil, flinkerr.Validator("Cannot convert table '%s' to stream", blk.sc.kids[0].name)
	}
	isAgg := blk.isAggregate()
	if inner, ok := blk.node.(*rel.Sort); ok && inner.Offset < 0 && inner.Fetch < 0 {
		// The ORDER BY of a view has no meaning below another operator.
		if !top || isAgg || s.Distinct || !ord.empty() {
			blk.node = inner.In[0]
		}
	}
	if err := blk.where(); err != nil {
		return nil, err
	}
	if err := blk.expandItems(); err != nil {
		return nil, err
	}
	if err := blk.nameWindows(); err != nil {
		return nil, err
	}
	keys, extra, err := blk.orderKeys(ord, top)
	if err != nil {
		return nil, err
	}
	var fields []value.Field
	if isAgg {
		fields, keys, err = blk.aggregateSelect(keys, extra)
	} else {
		fields, keys, err = blk.plainSelect(keys, extra)
	}
	if err != nil {
		return nil, err
	}
	if s.Qualify != nil {
		if err := blk.qualify(isAgg); err != nil {
			return nil, err
		}
	}
	if s.Distinct {
		blk.distinct()
	}
	r, err := blk.sort(ord, keys, len(extra), fields, top)
	if err != nil {
		return nil, err
	}
	return r, blk.endHints(r.node)
}

func (blk *block) exprs() *exprs { return &exprs{b: blk.b, sc: blk.sc, blk: blk} }

// where binds WHERE: a condition that is the literal TRUE makes no Filter.
func (blk *block) where() error {
	if blk.sel.Where == nil {
		return nil
	}
	x := blk.exprs()
	x.noAgg = "WHERE"
	mark := len(blk.sc.cors)
	cond, err := x.bind(pushNot(blk.sel.Where))
	if err != nil {
		return err
	}
	if cond.Type().Kind != value.KindBoolean && cond.Type().Kind != value.KindNull {
		return flinkerr.Validator("WHERE clause must be a condition")
	}
	if cond.Type().Kind == value.KindNull {
		cond = rex.NullLiteral(value.Type{Kind: value.KindBoolean, Nullable: true})
	}
	cond = removeNullabilityCast(cond)
	if rex.IsAlwaysTrue(cond) {
		return nil
	}
	f := newFilter(blk.node, cond)
	f.Variables = blk.sc.mergeVariables(mark)
	refreshSubqueries(f.Cond)
	blk.node = f
	return nil
}

// expandItems expands stars and names the columns.
func (blk *block) expandItems() error {
	names := map[string]bool{}
	add := func(x sql.Expr, name string, named, star bool) {
		names[name] = true
		blk.items = append(blk.items, item{x: x, name: name, named: named, star: star})
	}
	for _, it := range blk.sel.Items {
		if st, ok := it.X.(*sql.Star); ok {
			cols, err := blk.star(st)
			if err != nil {
				return err
			}
			for _, c := range cols {
				// A column of * whose name is taken is numbered: id, id0.
				name := c.name
				for j := 0; names[name]; j++ {
					name = c.name + strconv.Itoa(j)
				}
				add(c.x, name, c.named || name != c.name, true)
			}
			continue
		}
		if it.Alias != nil {
			add(it.X, it.Alias.Text, true, false)
			continue
		}
		add(it.X, naturalName(it.X, len(names)), false, false)
	}
	return nil
}

// naturalName is a column's own name, that of a function without brackets, or EXPR$n.
func naturalName(e sql.Expr, ordinal int) string {
	if c, ok := e.(*sql.ColumnRef); ok && len(c.Name.Parts) > 0 {
		return c.Name.Parts[len(c.Name.Parts)-1].Text
	}
	if c, ok := e.(*sql.Call); ok && c.Syntax == "BARE" {
		return callName(c)
	}
	return "EXPR$" + strconv.Itoa(ordinal)
}

// star expands * or t.*; shared columns of USING and NATURAL joins come first.
func (blk *block) star(st *sql.Star) ([]item, error) {
	if len(st.Qualifier.Parts) == 0 {
		if blk.sel.From == nil {
			return nil, flinkerr.Validator("SELECT * requires a FROM clause")
		}
		return blk.starColumns(), nil
	}
	parts := nameParts(st.Qualifier)
	if _, k := blk.sc.tableItem(parts, false); k != nil {
		var out []item
		for _, f := range k.fields {
			out = append(out, item{x: columnRef(st.Span, append(parts[:len(parts):len(parts)], f.Name)...), name: f.Name})
		}
		return out, nil
	}
	if c, err := blk.sc.resolve(parts); err == nil {
		t := c.kid.fields[c.index].Type
		for _, r := range c.rest {
			t = t.Fields[fieldIndex(t.Fields, r)].Type
		}
		if t.Kind != value.KindRow {
			return nil, flinkerr.Validator("Not a record type. The '*' operator requires a record")
		}
		var out []item
		for _, f := range t.Fields {
			out = append(out, item{x: columnRef(st.Span, append(parts[:len(parts):len(parts)], f.Name)...), name: f.Name})
		}
		return out, nil
	}
	return nil, flinkerr.Validator("Unknown identifier '%s'", strings.Join(parts, "."))
}

func columnRef(at sql.Span, parts ...string) *sql.ColumnRef {
	n := sql.Name{Span: at}
	for _, p := range parts {
		n.Parts = append(n.Parts, sql.Ident{Span: at, Text: p, Quoted: true})
	}
	return &sql.ColumnRef{Span: at, Name: n}
}

// plainSelect projects the items, and behind them the sort keys that are no items.
func (blk *block) plainSelect(keys []rel.SortKey, extra []sql.Expr) ([]value.Field, []rel.SortKey, error) {
	x := blk.exprs()
	mark := len(blk.sc.cors)
	var es []rex.Expr
	var names []string
	fields := make([]value.Field, len(blk.items))
	for i, it := range blk.items {
		e, err := x.bind(it.x)
		if err != nil {
			return nil, nil, err
		}
		if e.Type().Kind == value.KindNull {
			return nil, nil, flinkerr.Validator("Illegal use of 'NULL'")
		}
		es = append(es, e)
		name := it.name
		if !it.named {
			name = naturalName(it.x, i)
		}
		names = append(names, name)
		fields[i] = value.Field{Name: it.name, Type: blk.validatedType(it.x, e)}
	}
	for i, o := range extra {
		e, err := x.bind(o)
		if err != nil {
			return nil, nil, err
		}
		es = append(es, e)
		names = append(names, naturalName(o, len(blk.items)+i))
	}
	blk.node = blk.b.projectNamed(blk.node, es, uniquifyAliases(names), true)
	if p, ok := blk.node.(*rel.Project); ok {
		p.Variables = blk.sc.mergeVariables(mark)
		for _, e := range p.Exprs {
			refreshSubqueries(e)
		}
	}
	return fields, keys, nil
}

// validatedType is the type that the validator gives a select item.
func (blk *block) validatedType(x sql.Expr, e rex.Expr) value.Type {
	t := e.Type()
	if c, ok := x.(*sql.ColumnRef); ok {
		if col, err := blk.sc.resolve(nameParts(c.Name)); err == nil && len(col.rest) == 0 {
			t.Time = col.kid.fields[col.index].Type.Time
		}
	}
	return t
}

// uniquifyAliases makes select aliases distinct as SqlToRelConverter does: a repeated
// alias gets the lowest number that is free.
func uniquifyAliases(names []string) []string {
	used := map[string]bool{}
	out := make([]string, len(names))
	for i, n := range names {
		name := n
		for j := 0; used[name]; j++ {
			name = n + strconv.Itoa(j)
		}
		used[name] = true
		out[i] = name
	}
	return out
}

// distinct groups by all columns; repeated expressions are grouped once.
func (blk *block) distinct() {
	in := blk.node
	p, ok := in.(*rel.Project)
	var origin []int
	dup := false
	if ok {
		seen := map[string]int{}
		for i, e := range p.Exprs {
			k := rex.Digest(e)
			if j, was := seen[k]; was && sameType(p.Exprs[j].Type(), e.Type()) {
				origin = append(origin, j)
				dup = true
				continue
			}
			seen[k] = i
			origin = append(origin, i)
		}
	}
	if !dup {
		blk.node = blk.b.distinctOf(in)
		return
	}
	var es []rex.Expr
	var names []string
	squished := map[int]int{}
	for i, f := range p.Fields {
		if origin[i] == i {
			squished[i] = len(es)
			es = append(es, &rex.InputRef{Index: i, T: f.Type})
			names = append(names, f.Name)
		}
	}
	agg := blk.b.distinctOf(newProject(in, es, names))
	var undo []rex.Expr
	for i, f := range p.Fields {
		undo = append(undo, &rex.InputRef{Index: squished[origin[i]], T: f.Type})
	}
	blk.node = newProject(agg, undo, schemaNames(in))
}

func (b *binder) distinctOf(in rel.Node) rel.Node {
	keys := make([]int, len(in.Schema()))
	for i := range keys {
		keys[i] = i
	}
	return b.buildAggregate(in, keys, nil, nil)
}
