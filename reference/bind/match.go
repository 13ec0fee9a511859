package bind

import (
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// patternScope resolves columns inside MATCH_RECOGNIZE: v.c of a pattern variable, or
// c of any row, which Calcite writes *.c.
type patternScope struct {
	vars   map[string]bool
	fields []value.Field
}

const anyVariable = "*"

// ref is the expression of a column inside DEFINE or MEASURES.
func (p *patternScope) ref(_ *exprs, parts []string) (rex.Expr, error) {
	v, col := anyVariable, parts[0]
	if len(parts) == 2 {
		v, col = parts[0], parts[1]
	}
	if len(parts) > 2 {
		return nil, unsupported.New("field of a column in MATCH_RECOGNIZE")
	}
	if v != anyVariable && !p.vars[v] {
		return nil, flinkerr.Validator("Table '%s' not found", v)
	}
	i := fieldIndex(p.fields, col)
	if i < 0 {
		if v == anyVariable {
			return nil, flinkerr.Validator("Column '%s' not found in any table", col)
		}
		return nil, flinkerr.Validator("Column '%s' not found in table '%s'", col, v)
	}
	return &rex.PatternRef{Var: v, Index: i, T: p.fields[i].Type}, nil
}

// match binds t MATCH_RECOGNIZE (...).
func (blk *block) match(t *sql.MatchRecognize) (rel.Node, error) {
	inner := &block{b: blk.b, sel: &sql.Select{Span: t.Span, From: t.Input}, sc: &scope{parent: blk.sc.parent}}
	if err := inner.from(); err != nil {
		return nil, err
	}
	in := inner.node
	m := &rel.Match{Base: rel.Base{In: []rel.Node{in}}, AllRows: t.AllRows, Pattern: &t.Pattern}
	x := inner.exprs()
	column := func(e sql.Expr) (int, error) {
		r, err := x.bind(e)
		if err != nil {
			return 0, err
		}
		ref, ok := r.(*rex.InputRef)
		if !ok {
			return 0, unsupported.New("MATCH_RECOGNIZE by an expression")
		}
		return ref.Index, nil
	}
	var fields []value.Field
	keys := map[int]bool{}
	for _, p := range t.PartitionBy {
		i, err := column(p)
		if err != nil {
			return nil, err
		}
		keys[i] = true
		fields = append(fields, in.Schema()[i])
	}
	for i := range in.Schema() {
		if keys[i] {
			m.PartitionBy = append(m.PartitionBy, i)
		}
	}
	for _, o := range t.OrderBy {
		if o.Nulls != "" {
			return nil, unsupported.New("NULLS %s in MATCH_RECOGNIZE", o.Nulls)
		}
		i, err := column(o.X)
		if err != nil {
			return nil, err
		}
		m.OrderBy = append(m.OrderBy, rel.SortKey{Column: i, Desc: o.Desc, NullsLast: o.Desc})
	}
	if t.AllRows {
		fields = allRowsFields(fields, m.OrderBy, in.Schema())
	}
	ps := &patternScope{vars: map[string]bool{}, fields: in.Schema()}
	if err := blk.pattern(t, m, ps); err != nil {
		return nil, err
	}
	px := &exprs{b: blk.b, sc: &scope{pattern: ps}}
	for _, d := range t.Define {
		e, err := px.define(d)
		if err != nil {
			return nil, err
		}
		m.Defines = append(m.Defines, rel.NamedExpr{Name: d.Name.Text, X: e})
	}
	for i, me := range t.Measures {
		name := naturalName(me.X, i)
		if me.Alias != nil {
			name = me.Alias.Text
		}
		e, err := px.measure(me.X)
		if err != nil {
			return nil, err
		}
		m.Measures = append(m.Measures, rel.NamedExpr{Name: name, X: e})
		if fieldIndex(fields, name) < 0 {
			fields = append(fields, value.Field{Name: name, Type: e.Type()})
		}
	}
	if len(t.Measures) == 0 {
		fields = in.Schema()
	}
	m.Fields = fields
	return blk.addDerived(t.Alias, &relation{node: m, fields: fields})
}

func allRowsFields(fields []value.Field, order []rel.SortKey, in []value.Field) []value.Field {
	add := func(f value.Field) {
		if fieldIndex(fields, f.Name) < 0 {
			fields = append(fields, f)
		}
	}
	for _, k := range order {
		add(in[k.Column])
	}
	for _, f := range in {
		add(f)
	}
	return fields
}

// pattern reads PATTERN, WITHIN, SUBSET and AFTER MATCH.
func (blk *block) pattern(t *sql.MatchRecognize, m *rel.Match, ps *patternScope) error {
	pat := t.Pattern
	if pat.Kind == "CONCAT" {
		var items []sql.Pattern
		for _, it := range pat.Items {
			switch it.Kind {
			case "START":
				m.StrictStart = true
			case "END":
				m.StrictEnd = true
			default:
				items = append(items, it)
			}
		}
		pat.Items = items
		if len(items) == 1 && !pat.Quantified {
			pat = items[0]
		}
	}
	m.PatternText = patternText(pat, ps.vars)
	if t.Within != nil {
		e, err := (&exprs{b: blk.b, sc: &scope{}}).bind(t.Within)
		if err != nil {
			return err
		}
		m.Within = e
	}
	for _, d := range t.Define {
		if duplicateDefine(t.Define, d.Name.Text) {
			return flinkerr.Validator("Pattern variable '%s' has already been defined", d.Name.Text)
		}
		ps.vars[d.Name.Text] = true
	}
	var subsets []string
	for _, s := range t.Subset {
		if ps.vars[s.Name.Text] {
			return flinkerr.Validator("Pattern variable '%s' has already been defined", s.Name.Text)
		}
		var names []string
		for _, v := range s.Vars {
			if !ps.vars[v.Text] {
				return flinkerr.Validator("Unknown pattern '%s'", v.Text)
			}
			names = append(names, v.Text)
		}
		ps.vars[s.Name.Text] = true
		subsets = append(subsets, "["+strings.Join(sorted(names), ", ")+"]")
	}
	m.SubsetText = strings.Join(subsets, ", ")
	switch t.After.Kind {
	case "", "TO NEXT ROW":
		m.Skip, m.AfterText = "TO NEXT ROW", "FLAG(SKIP TO NEXT ROW)"
	case "PAST LAST ROW":
		m.Skip, m.AfterText = t.After.Kind, "FLAG(SKIP PAST LAST ROW)"
	default:
		if !ps.vars[t.After.Var] {
			return flinkerr.Validator("Unknown pattern '%s'", t.After.Var)
		}
		m.Skip, m.SkipVar = t.After.Kind, t.After.Var
		m.AfterText = "SKIP " + t.After.Kind + "(_UTF-16LE'" + t.After.Var + "')"
	}
	return nil
}

func duplicateDefine(ds []sql.MatchDefine, name string) bool {
	n := 0
	for _, d := range ds {
		if d.Name.Text == name {
			n++
		}
	}
	return n > 1
}

func sorted(names []string) []string {
	out := []string{}
	for _, n := range names {
		i := 0
		for i < len(out) && out[i] < n {
			i++
		}
		if i < len(out) && out[i] == n {
			continue
		}
		out = append(out[:i], append([]string{n}, out[i:]...)...)
	}
	return out
}

// patternText prints a pattern as nested calls, and notes its variables.
func patternText(p sql.Pattern, vars map[string]bool) string {
	fold := func(op string) string {
		s := patternText(p.Items[0], vars)
		for _, it := range p.Items[1:] {
			s = op + "(" + s + ", " + patternText(it, vars) + ")"
		}
		return s
	}
	list := func(op string) string {
		s := make([]string, len(p.Items))
		for i, it := range p.Items {
			s[i] = patternText(it, vars)
		}
		return op + "(" + strings.Join(s, ", ") + ")"
	}
	var s string
	switch p.Kind {
	case "VAR":
		vars[p.Var] = true
		s = "_UTF-16LE'" + p.Var + "'"
	case "CONCAT", "GROUP":
		s = fold("")
	case "ALT":
		s = fold("|")
	case "PERMUTE":
		s = list("PATTERN_PERMUTE")
	case "EXCLUDE":
		s = list("PATTERN_EXCLUDE")
	}
	if p.Quantified {
		s = "PATTERN_QUANTIFIER(" + s + ", " + strconv.Itoa(p.Min) + ", " + strconv.Itoa(p.Max) + ", " + strconv.FormatBool(p.Reluctant) + ")"
	}
	return s
}

func navigationOp(name string) *rex.Op {
	switch name {
	case "FIRST":
		return rex.MatchFirst
	case "LAST":
		return rex.MatchLast
	case "PREV":
		return rex.MatchPrev
	case "NEXT":
		return rex.MatchNext
	case "FINAL":
		return rex.MatchFinal
	case "RUNNING":
		return rex.MatchRunning
	}
	return nil
}

// define binds a DEFINE condition: a column of the variable itself is PREV(v.c, 0),
// of another variable LAST(v.c, 0).
func (x *exprs) define(d sql.MatchDefine) (rex.Expr, error) {
	e := expandNavigation(qualify(d.X), nil)
	e = replaceNavigation(e, d.Name.Text)
	r, err := x.bindMatch(e)
	if err != nil {
		return nil, err
	}
	if k := r.Type().Kind; k != value.KindBoolean && k != value.KindNull {
		return nil, flinkerr.Validator("DEFINE clause must be a condition")
	}
	return r, nil
}

// measure binds a MEASURES expression under FINAL.
func (x *exprs) measure(e sql.Expr) (rex.Expr, error) {
	e = qualify(e)
	var err error
	find(e, func(n sql.Expr) bool {
		c, ok := n.(*sql.Call)
		if !ok {
			return false
		}
		name := strings.ToUpper(callName(c))
		if name == "PREV" || name == "NEXT" {
			err = flinkerr.Validator("Cannot use PREV/NEXT in MEASURE '%s'", quotedCall(withOffset(c)))
			return true
		}
		if c.Distinct {
			err = flinkerr.Validator("DISTINCT/ALL not allowed with %s function", quotedCall(c))
			return true
		}
		return false
	})
	if err != nil {
		return nil, err
	}
	op := rex.MatchFinal
	if c, ok := e.(*sql.Call); ok && len(c.Args) == 1 {
		switch strings.ToUpper(callName(c)) {
		case "FINAL", "RUNNING":
			e = c.Args[0]
		}
	}
	r, err := x.bindMatch(expandNavigation(e, nil))
	if err != nil {
		return nil, err
	}
	return &rex.Call{Op: op, Args: []rex.Expr{r}, T: r.Type()}, nil
}

// quotedCall prints a call as Calcite's messages do.
func quotedCall(c *sql.Call) string {
	var args []string
	for _, a := range c.Args {
		switch a := a.(type) {
		case *sql.ColumnRef:
			args = append(args, "`"+strings.Join(nameParts(a.Name), "`.`")+"`")
		case *sql.NumberLit:
			args = append(args, a.Text)
		case *sql.Call:
			args = append(args, quotedCall(a))
		default:
			args = append(args, "?")
		}
	}
	s := strings.ToUpper(callName(c)) + "("
	if c.Distinct {
		s += "DISTINCT "
	}
	return s + strings.Join(args, ", ") + ")"
}

// qualify writes c as *.c.
func qualify(e sql.Expr) sql.Expr {
	return rewrite(e, func(n sql.Expr) sql.Expr {
		c, ok := n.(*sql.ColumnRef)
		if !ok || len(c.Name.Parts) != 1 {
			return nil
		}
		return columnRef(c.Span, anyVariable, c.Name.Parts[0].Text)
	})
}

// withOffset adds the offset that a navigation call leaves out: 0 for FIRST and LAST,
// 1 for PREV and NEXT.
func withOffset(c *sql.Call) *sql.Call {
	if len(c.Args) != 1 {
		return c
	}
	off := "0"
	switch strings.ToUpper(callName(c)) {
	case "PREV", "NEXT":
		off = "1"
	}
	n := *c
	n.Args = append(append([]sql.Expr(nil), c.Args...), &sql.NumberLit{Text: off})
	return &n
}

func isNavigation(e sql.Expr) (*sql.Call, bool) {
	c, ok := e.(*sql.Call)
	if !ok {
		return nil, false
	}
	switch strings.ToUpper(callName(c)) {
	case "FIRST", "LAST", "PREV", "NEXT":
		return withOffset(c), true
	}
	return nil, false
}

// children copies an expression with f applied to its direct operands.
func children(e sql.Expr, f func(sql.Expr) sql.Expr) sql.Expr {
	return rewrite(e, func(n sql.Expr) sql.Expr {
		if n == e {
			return nil
		}
		return f(n)
	})
}

// expandNavigation moves navigation down to the columns: PREV(A.x + A.y) is
// PREV(A.x) + PREV(A.y). outer is the navigation that stands around e.
func expandNavigation(e sql.Expr, outer *sql.Call) sql.Expr {
	wrap := func(n sql.Expr) sql.Expr {
		if outer == nil {
			return n
		}
		c := *outer
		c.Args = []sql.Expr{n, outer.Args[1]}
		return &c
	}
	if nav, ok := isNavigation(e); ok {
		return wrap(expandNavigation(nav.Args[0], nav))
	}
	if _, ok := e.(*sql.ColumnRef); ok {
		return wrap(e)
	}
	return children(e, func(n sql.Expr) sql.Expr { return wrap(expandNavigation(n, nil)) })
}

// replaceNavigation turns plain columns of a DEFINE condition into PREV and LAST.
func replaceNavigation(e sql.Expr, alpha string) sql.Expr {
	nav := func(name string, n sql.Expr) sql.Expr {
		return &sql.Call{Span: e.At(), Name: callOf(name), Args: []sql.Expr{n, &sql.NumberLit{Text: "0"}}}
	}
	if c, ok := e.(*sql.Call); ok {
		name := strings.ToUpper(callName(c))
		switch {
		case name == "FIRST" || name == "LAST" || fn.IsAggregate(name, false):
			return e
		case name == "PREV" && len(c.Args) == 2:
			if ref, ok := c.Args[0].(*sql.ColumnRef); ok {
				if nameParts(ref.Name)[0] == alpha {
					return e
				}
				n := *c
				n.Name = callOf("LAST")
				return &n
			}
		}
	}
	if ref, ok := e.(*sql.ColumnRef); ok && len(ref.Name.Parts) > 1 {
		if ref.Name.Parts[0].Text == alpha {
			return nav("PREV", e)
		}
		return nav("LAST", e)
	}
	return children(e, func(n sql.Expr) sql.Expr { return replaceNavigation(n, alpha) })
}

// bindMatch binds an expression of MATCH_RECOGNIZE.
func (x *exprs) bindMatch(e sql.Expr) (rex.Expr, error) {
	return x.bind(e)
}

// matchCall binds navigation, aggregates and the functions of MATCH_RECOGNIZE; nil
// for other calls.
func (x *exprs) matchCall(c *sql.Call, name string) (rex.Expr, error) {
	if op := navigationOp(name); op != nil && len(c.Args) > 0 {
		args, err := x.bindAll(c.Args...)
		if err != nil {
			return nil, err
		}
		t := args[0].Type()
		if op != rex.MatchFinal && op != rex.MatchRunning {
			t.Nullable = true
		}
		return &rex.Call{Op: op, Args: args, T: t}, nil
	}
	switch name {
	case "CLASSIFIER":
		return &rex.Call{Op: rex.Classifier, T: value.VarcharType(2000)}, nil
	case "MATCH_ROWTIME":
		if len(c.Args) > 0 {
			return nil, unsupported.New("MATCH_ROWTIME with an argument")
		}
		return &rex.Call{Op: rex.MatchRowtime, T: value.Type{Kind: value.KindTimestamp, Precision: 3, Nullable: true, Time: value.Rowtime}}, nil
	case "MATCH_PROCTIME":
		return &rex.Call{Op: rex.MatchProctime, T: value.Type{Kind: value.KindTimestampLTZ, Precision: 3, Time: value.Proctime}}, nil
	}
	if !isAggregateCall(c) {
		return nil, nil
	}
	args, err := x.bindAll(c.Args...)
	if err != nil {
		return nil, err
	}
	if c.Star {
		args = []rex.Expr{&rex.InputRef{Index: 0, T: x.sc.pattern.fields[0].Type}}
	}
	if name == "AVG" {
		return x.averageInMatch(args)
	}
	r, err := fn.ResolveAggregate(x.b.fn, name, args, fn.AggregateUse{Global: true})
	if err != nil {
		return nil, err
	}
	return &rex.Call{Op: r.Op, Args: r.Args, T: r.T}, nil
}

// averageInMatch is AVG as SUM / COUNT, which Calcite makes of it here.
func (x *exprs) averageInMatch(args []rex.Expr) (rex.Expr, error) {
	avg, err := fn.ResolveAggregate(x.b.fn, "AVG", args, fn.AggregateUse{Global: true})
	if err != nil {
		return nil, err
	}
	sum, err := fn.ResolveAggregate(x.b.fn, "SUM", args, fn.AggregateUse{Global: true})
	if err != nil {
		return nil, err
	}
	s := castTo(&rex.Call{Op: sum.Op, Args: sum.Args, T: sum.T}, avg.T)
	count := &rex.Call{Op: fn.AggregateOp("COUNT"), Args: args, T: value.TBigInt.NotNull()}
	return x.resolve("/", s, count)
}
