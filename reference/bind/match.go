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
	if len(t.Measures) == 0 && !t.AllRows {
		return nil, flinkerr.Validation("Columns ambiguously defined: {}")
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
		m.Subsets = append(m.Subsets, rel.PatternSubset{Name: s.Name.Text, Vars: sorted(names)})
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
