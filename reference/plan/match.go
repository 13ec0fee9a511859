package plan

import (
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

func (b *builder) match(n *rel.Match) *calc {
	return identity(&matchNode{in: b.build(n.In[0]), m: n, fields: n.Fields})
}

// match converts MATCH_RECOGNIZE. Its texts show time attributes as plain timestamps,
// the evaluators take the expressions as they are bound.
func (p *physical) match(n *matchNode) phys.Node {
	in := p.calc(n.in)
	if p.err != nil {
		return in
	}
	if err := p.checkMatch(n.m, in); err != nil {
		return p.fail(err)
	}
	x := distribute(in, n.m.PartitionBy)
	if p.cfg.Batch {
		x = arrange(in, n.m.PartitionBy, nil)
	}
	schema := in.Schema()
	m := &phys.Match{Base: base(nil, x), PartitionBy: n.m.PartitionBy,
		Keys: sortKeys(n.m.OrderBy), Spec: n.m, After: afterText(n.m), Pattern: n.m.PatternText}
	for _, s := range n.m.Subsets {
		m.Subsets = append(m.Subsets, s.Name+" = ("+strings.Join(s.Vars, ", ")+")")
	}
	timeless := map[string]bool{}
	for _, x := range n.m.Measures {
		e := p.matchText(x.X, schema)
		timeless[x.Name] = e.Type().Time == value.NoTimeAttribute
		m.Measures = append(m.Measures, phys.NamedExpr{Name: x.Name, X: e})
	}
	for _, x := range n.m.Defines {
		m.Defines = append(m.Defines, phys.NamedExpr{Name: x.Name, X: p.matchText(x.X, schema)})
	}
	for _, f := range n.fields {
		if !p.cfg.Batch && timeless[f.Name] {
			f.Type.Time = value.NoTimeAttribute
		}
		m.Fields = append(m.Fields, f)
	}
	return m
}

func (p *physical) matchText(e rex.Expr, in []value.Field) rex.Expr {
	if p.cfg.Batch {
		return e
	}
	if c, ok := e.(*rex.Call); ok && c.Op == rex.MatchFinal {
		if t, ok := c.Args[0].(*rex.Call); ok && (t.Op == rex.MatchRowtime || t.Op == rex.MatchProctime) {
			return e
		}
	}
	return p.plainOperands(e, in)
}

func afterText(m *rel.Match) string {
	if m.SkipVar != "" {
		return "SKIP " + m.Skip + " _UTF-16LE'" + m.SkipVar + "'"
	}
	return "SKIP " + m.Skip
}

// isGreedy: a variable that takes as many rows as it can, which A{2} and A? do not.
func isGreedy(x sql.Pattern) bool {
	return x.Quantified && !x.Reluctant && x.Max != x.Min && !(x.Min == 0 && x.Max == 1)
}

// checkMatch refuses what Flink's CEP does, in the order of CommonPhysicalMatchRule and
// CommonExecMatch.
func (p *physical) checkMatch(m *rel.Match, in phys.Node) error {
	if m.AllRows {
		return flinkerr.Table("All rows per match mode is not supported yet.")
	}
	if err := p.checkMatchOrder(m, in); err != nil {
		return err
	}
	pat, ok := m.Pattern.(*sql.Pattern)
	if !ok {
		return nil
	}
	if err := checkPattern(*pat); err != nil {
		return err
	}
	items := flatPattern(*pat)
	empty, greedy := true, false
	seen := map[string]bool{}
	for _, x := range items {
		if seen[x.Var] {
			return flinkerr.Table("Pattern variables must be unique. That might change in the future.")
		}
		seen[x.Var] = true
		if from := max(x.Min, 1); x.Quantified && x.Max >= 0 && x.Max < from {
			return flinkerr.New("java.lang.IllegalArgumentException", "The to should be a number greater than or equal to from: %d.", from)
		}
		if greedy && x.Quantified && x.Min == 0 {
			return flinkerr.New("org.apache.flink.cep.pattern.MalformedPatternException", "Optional pattern cannot be preceded by greedy pattern")
		}
		greedy = isGreedy(x)
		empty = empty && x.Quantified && x.Min == 0
	}
	if empty {
		return flinkerr.Table("Patterns that can produce empty matches are not supported. There must be at least one non-optional state.")
	}
	if last := items[len(items)-1]; isGreedy(last) {
		return flinkerr.Table("Greedy quantifiers are not allowed as the last element of a Pattern yet. Finish your pattern with either a simple variable or reluctant quantifier.")
	}
	if m.Within != nil && m.Within.Type().Kind != value.KindIntervalDayTime {
		return flinkerr.Table("Only constant intervals with millisecond resolution are supported as time constraints of patterns.")
	}
	var err error
	for _, x := range append(append([]rel.NamedExpr(nil), m.Defines...), m.Measures...) {
		rex.Walk(x.X, func(e rex.Expr) bool {
			c, ok := e.(*rex.Call)
			switch {
			case !ok || err != nil:
			case c.Op == rex.MatchRunning:
				err = flinkerr.New("org.apache.flink.table.planner.codegen.CodeGenException",
					"Unsupported call: RUNNING(%s) \nIf you think this function should be supported, you can create an issue and start a discussion for it.", c.Args[0].Type().AsNullable())
			case c.Op == rex.Classifier:
				err = flinkerr.New("org.apache.flink.table.planner.codegen.CodeGenException",
					"Unsupported call: CLASSIFIER() \nIf you think this function should be supported, you can create an issue and start a discussion for it.")
			case c.Op == rex.MatchNext, c.Op == rex.MatchPrev:
				if l, ok := c.Args[1].(*rex.Literal); c.Op == rex.MatchNext || !ok || l.V.Int() != 0 {
					err = flinkerr.Table("Flink does not support physical offsets within partition.")
				}
			}
			return true
		})
	}
	return err
}

func (p *physical) checkMatchOrder(m *rel.Match, in phys.Node) error {
	if len(m.OrderBy) == 0 {
		if p.cfg.Batch {
			return flinkerr.Table("You must specify non-empty order by.")
		}
		return flinkerr.Table("You must specify either rowtime or proctime for order by.")
	}
	t := in.Schema()[m.OrderBy[0].Column].Type
	switch {
	case p.cfg.Batch && t.Kind != value.KindTimestamp && t.Kind != value.KindTimestampLTZ:
		return flinkerr.Table("You must specify time point for order by as the first one.")
	case !p.cfg.Batch && t.Time == value.NoTimeAttribute:
		return flinkerr.Table("You must specify either rowtime or proctime for order by as the first one.")
	case m.OrderBy[0].Desc && p.cfg.Batch:
		return flinkerr.Table("Primary sort order of a table must be ascending on time.")
	case m.OrderBy[0].Desc:
		return flinkerr.Table("Primary sort order of a streaming table must be ascending on time.")
	}
	return nil
}

// flatPattern lists the variables of a concatenation.
func flatPattern(p sql.Pattern) []sql.Pattern {
	if p.Kind != "CONCAT" || p.Quantified {
		return []sql.Pattern{p}
	}
	var out []sql.Pattern
	for _, x := range p.Items {
		if x.Kind == "START" || x.Kind == "END" {
			continue
		}
		out = append(out, flatPattern(x)...)
	}
	return out
}

// checkPattern is PatternVisitor: variables one after another, with quantifiers, are
// all that there is.
func checkPattern(p sql.Pattern) error {
	text := patternText(p)
	switch p.Kind {
	case "ALT":
		return flinkerr.Table("Expression not supported: %s. Currently, CEP doesn't support branching patterns.", text)
	case "PERMUTE":
		return flinkerr.Table("Expression not supported: %s. Currently, CEP doesn't support PERMUTE patterns.", text)
	case "EXCLUDE":
		return flinkerr.Table("Expression not supported: %s. Currently, CEP doesn't support '{-' '-}' patterns.", text)
	case "GROUP":
		inner := p
		inner.Quantified = false
		return flinkerr.Table("Expression not supported: %s Group patterns are not supported yet.", patternText(inner))
	case "VAR":
		if p.Quantified && p.Min == 0 && p.Max == 1 && p.Reluctant {
			return flinkerr.Table("Reluctant optional variables are not supported yet.")
		}
		return nil
	}
	for _, x := range p.Items {
		if x.Kind == "START" || x.Kind == "END" {
			continue
		}
		if err := checkPattern(x); err != nil {
			return err
		}
	}
	return nil
}

// patternText prints a pattern without its quantifier, as calls nested to the left.
func patternText(p sql.Pattern) string {
	list := make([]string, 0, len(p.Items))
	for _, x := range p.Items {
		if x.Kind != "START" && x.Kind != "END" {
			list = append(list, patternText(x))
		}
	}
	fold := func(op string) string {
		s := list[0]
		for _, x := range list[1:] {
			s = op + "(" + s + ", " + x + ")"
		}
		return s
	}
	switch p.Kind {
	case "VAR":
		return "_UTF-16LE'" + p.Var + "'"
	case "ALT":
		return fold("|")
	case "PERMUTE":
		return "PATTERN_PERMUTE(" + strings.Join(list, ", ") + ")"
	case "EXCLUDE":
		return "PATTERN_EXCLUDE(" + strings.Join(list, ", ") + ")"
	}
	return fold("")
}
