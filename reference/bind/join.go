package bind

import (
	"sort"
	"strconv"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// layout is the column order that * gives: columns shared by USING and NATURAL come
// first and once. A source lists the places in the FROM row that make one column.
type layout struct {
	names   []string
	sources [][]int
	trivial bool
}

func plainLayout(fields []value.Field, offset int) *layout {
	l := &layout{trivial: true}
	for i, f := range fields {
		l.names = append(l.names, f.Name)
		l.sources = append(l.sources, []int{offset + i})
	}
	return l
}

// joined lays out a join whose shared columns are names.
func joined(left, right *layout, shared []string) *layout {
	out := &layout{trivial: left.trivial && right.trivial && len(shared) == 0}
	usedL, usedR := map[int]bool{}, map[int]bool{}
	for _, n := range shared {
		l, r := indexOf(left.names, n), indexOf(right.names, n)
		usedL[l], usedR[r] = true, true
		out.names = append(out.names, n)
		out.sources = append(out.sources, append(append([]int(nil), left.sources[l]...), right.sources[r]...))
	}
	for i, n := range left.names {
		if !usedL[i] {
			out.names, out.sources = append(out.names, n), append(out.sources, left.sources[i])
		}
	}
	for i, n := range right.names {
		if !usedR[i] {
			out.names, out.sources = append(out.names, n), append(out.sources, right.sources[i])
		}
	}
	return out
}

func indexOf(names []string, n string) int {
	for i, x := range names {
		if x == n {
			return i
		}
	}
	return -1
}

// join binds a join of two table expressions.
func (blk *block) join(t *sql.JoinExpr) (rel.Node, error) {
	first, base := len(blk.sc.kids), blk.width()
	left, err := blk.tableExpr(t.Left)
	if err != nil {
		return nil, err
	}
	leftLayout := blk.layout
	mid, width := len(blk.sc.kids), blk.width()-base
	// What stands at the right may read the left row (LATERAL, UNNEST, FOR SYSTEM_TIME).
	lateral := &scope{parent: blk.sc.parent, kids: rebased(blk.sc.kids[first:mid], base)}
	saved := blk.lateral
	blk.lateral = lateral
	right, err := blk.tableExpr(t.Right)
	blk.lateral = saved
	if err != nil {
		return nil, err
	}
	rightLayout := blk.layout
	kind := map[string]string{"CROSS": "inner", "COMMA": "inner", "INNER": "inner", "LEFT": "left", "RIGHT": "right", "FULL": "full"}[t.Type]
	if kind == "" {
		return nil, unsupported.New("%s join", t.Type)
	}
	shared, err := sharedColumns(t, leftLayout, rightLayout)
	if err != nil {
		return nil, err
	}
	on := &scope{parent: blk.sc.parent, kids: rebased(blk.sc.kids[first:], base)}
	cond, err := blk.condition(t, on, shared, leftLayout, rightLayout, base, width)
	if err != nil {
		return nil, err
	}
	bare := t.On == nil && len(t.Using) == 0
	if t.Natural && !bare {
		return nil, flinkerr.Validator("Cannot specify NATURAL keyword with ON or USING clause")
	}
	if t.Type != "CROSS" && t.Type != "COMMA" && bare && !t.Natural {
		return nil, flinkerr.Validator("INNER, LEFT, RIGHT or FULL join requires a condition (NATURAL keyword or ON or USING clause)")
	}
	if t.Type == "CROSS" && (t.On != nil || len(t.Using) > 0 || t.Natural) {
		return nil, flinkerr.Validator("Cannot specify condition (NATURAL keyword, or ON or USING clause) following CROSS JOIN")
	}
	blk.nullify(first, mid, kind)
	blk.layout = joined(leftLayout, rightLayout, shared)
	for _, n := range shared {
		if len(t.Using) > 0 {
			blk.using = append(blk.using, n)
		}
	}
	top := firstVariable(right)
	vars := lateral.mergeVariables(0)
	if vars != nil && top >= 0 {
		// The variable that stands highest in the tree gives its number to all.
		vars[0] = top
		for _, c := range lateral.cors {
			c.v.ID = top
		}
	}
	if vars != nil {
		return blk.b.correlate(left, right, lateral, vars[0], cond, kind, width)
	}
	if blk.b.hinted && !blk.hinted {
		return nil, unsupported.New("hints over nested joins")
	}
	n := blk.b.newJoin(left, right, kind, cond)
	n.Variables = on.mergeVariables(0)
	refreshSubqueries(n.Cond)
	return n.pushed(), nil
}

// rebased copies FROM items with offsets from a join's own first column.
func rebased(kids []*kid, base int) []*kid {
	out := make([]*kid, len(kids))
	for i, k := range kids {
		c := *k
		c.offset -= base
		out[i] = &c
	}
	return out
}

// nullify makes the columns of the padded side nullable.
func (blk *block) nullify(first, mid int, kind string) {
	for i, k := range blk.sc.kids[first:] {
		onLeft := first+i < mid
		if kind == "full" || kind == "left" && !onLeft || kind == "right" && onLeft {
			c := *k
			c.fields = nullable(k.fields)
			blk.sc.kids[first+i] = &c
		}
	}
}

func nullable(fields []value.Field) []value.Field {
	out := append([]value.Field(nil), fields...)
	for i := range out {
		out[i].Type.Nullable = true
	}
	return out
}

// sharedColumns are the names of USING, or those that NATURAL finds on both sides.
func sharedColumns(t *sql.JoinExpr, l, r *layout) ([]string, error) {
	var names []string
	for _, u := range t.Using {
		if indexOf(l.names, u.Text) < 0 || indexOf(r.names, u.Text) < 0 {
			return nil, flinkerr.Validator("Column '%s' not found in any table", u.Text)
		}
		names = append(names, u.Text)
	}
	if t.Natural {
		for _, n := range l.names {
			if indexOf(r.names, n) >= 0 {
				names = append(names, n)
			}
		}
	}
	return names, nil
}

// condition binds ON, or compares the shared columns.
func (blk *block) condition(t *sql.JoinExpr, on *scope, shared []string, l, r *layout, base, width int) (rex.Expr, error) {
	x := &exprs{b: blk.b, sc: on, noAgg: "ON"}
	if t.On != nil {
		c, err := x.bind(t.On)
		if err != nil {
			if isImplicit(err) {
				return x.differentTypes(t.On, width)
			}
			return nil, err
		}
		if c.Type().Kind != value.KindBoolean && c.Type().Kind != value.KindNull {
			return nil, flinkerr.Validator("ON clause must be a condition")
		}
		if c.Type().Kind == value.KindNull {
			return rex.BoolLiteral(false), nil
		}
		return c, nil
	}
	var all []rex.Expr
	row := rowOf(on.kids)
	for _, n := range shared {
		ls, rs := l.sources[indexOf(l.names, n)], r.sources[indexOf(r.names, n)]
		if len(rs) != 1 {
			return nil, unsupported.New("USING a column that is shared already at the right")
		}
		li, ri := ls[0]-base, rs[0]-base
		eq, err := x.resolve("=", &rex.InputRef{Index: li, T: row[li].Type}, &rex.InputRef{Index: ri, T: row[ri].Type})
		if isImplicit(err) {
			blk.b.planError(row[li].Type, row[ri].Type)
			eq, err = trueLiteral(), nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, eq)
	}
	switch len(all) {
	case 0:
		return trueLiteral(), nil
	case 1:
		return all[0], nil
	}
	return x.resolve("AND", all...)
}

func rowOf(kids []*kid) []value.Field {
	var out []value.Field
	for _, k := range kids {
		out = append(out, k.fields...)
	}
	return out
}

// correlate is a join whose right side reads the left row: the condition goes into
// the right side.
func (b *binder) correlate(left, right rel.Node, lateral *scope, id int, cond rex.Expr, kind string, width int) (rel.Node, error) {
	if kind == "right" || kind == "full" {
		return nil, flinkerr.New("java.lang.IllegalStateException", "Unknown join type %s", map[string]string{"right": "RIGHT", "full": "FULL"}[kind])
	}
	required := map[int]bool{}
	for _, c := range lateral.cors {
		required[c.index] = true
	}
	if !rex.IsLiteralTrue(cond) {
		outer := &rex.CorrelVar{ID: id}
		cond = mapRex(cond, func(e rex.Expr) rex.Expr {
			r, ok := e.(*rex.InputRef)
			switch {
			case !ok:
				return nil
			case r.Index < width:
				required[r.Index] = true
				return &rex.Field{X: outer, Name: left.Schema()[r.Index].Name, Index: r.Index, T: r.T}
			}
			return &rex.InputRef{Index: r.Index - width, T: r.T}
		})
		right = newFilter(right, cond)
	}
	c := &rel.Correlate{Base: rel.Base{In: []rel.Node{left, right}}, ID: id, Type: kind}
	for i := range required {
		c.Required = append(c.Required, i)
	}
	sort.Ints(c.Required)
	c.Fields = joinFields(left, right, kind)
	return c, nil
}

// firstVariable is the number of the first correlation variable of a tree, from the top
// down; -1 without.
func firstVariable(n rel.Node) int {
	var exprs []rex.Expr
	switch n := n.(type) {
	case *rel.Project:
		exprs = n.Exprs
	case *rel.Filter:
		exprs = []rex.Expr{n.Cond}
	case *rel.Snapshot:
		exprs = []rex.Expr{n.Period}
	}
	id := -1
	for _, e := range exprs {
		rex.Walk(e, func(x rex.Expr) bool {
			if v, ok := x.(*rex.CorrelVar); ok && id < 0 {
				id = v.ID
			}
			return id < 0
		})
	}
	for _, in := range n.Inputs() {
		if id < 0 {
			id = firstVariable(in)
		}
	}
	return id
}

// joinFields are both sides' columns; repeated names get a number.
func joinFields(left, right rel.Node, kind string) []value.Field {
	l, r := left.Schema(), right.Schema()
	if kind == "right" || kind == "full" {
		l = nullable(l)
	}
	if kind == "left" || kind == "full" {
		r = nullable(r)
	}
	out := append(append([]value.Field(nil), l...), r...)
	used := map[string]bool{}
	for i := range out {
		name := out[i].Name
		for j := 0; used[name]; j++ {
			name = out[i].Name + strconv.Itoa(j)
		}
		used[name] = true
		out[i].Name = name
	}
	return out
}

// starColumns expands *: shared columns become COALESCE of both sides.
func (blk *block) starColumns() []item {
	row := map[int]item{}
	for _, k := range blk.sc.kids {
		for i, f := range k.fields {
			row[k.offset+i] = item{x: columnRef(blk.sel.Span, k.name, f.Name), name: f.Name}
		}
	}
	var out []item
	for i, src := range blk.layout.sources {
		it := row[src[0]]
		for _, s := range src[1:] {
			it = item{x: &sql.Call{Span: blk.sel.Span, Name: callOf("COALESCE"), Args: []sql.Expr{it.x, row[s].x}}, name: blk.layout.names[i], named: true}
		}
		out = append(out, it)
	}
	return out
}

func callOf(name string) sql.Name { return sql.Name{Parts: []sql.Ident{{Text: name}}} }

// commonColumn is the two or more columns behind a name that USING shares.
func (blk *block) commonColumn(name string) []sql.Expr {
	if indexOf(blk.using, name) < 0 {
		return nil
	}
	var pair []sql.Expr
	for _, k := range blk.sc.kids {
		if fieldIndex(k.fields, name) >= 0 {
			pair = append(pair, columnRef(blk.sel.Span, k.name, name))
		}
	}
	if len(pair) < 2 {
		return nil
	}
	return pair
}
