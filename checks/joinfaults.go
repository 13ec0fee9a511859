package checks

import (
	"slices"
	"sort"

	"github.com/labgrade/labgrade/sql"
)

func (f *faultFinder) joinKinds(a, b *clauses) {
	if len(a.joins) > 0 && len(b.joins) == 0 {
		f.at("LG-SQL-035", 0, "the query does not join")
		return
	}
	if len(a.joins) != len(b.joins) {
		return // joined otherwise: another plan, perhaps the same meaning
	}
	for i, x := range a.joins {
		y := b.joins[i]
		if joinKind(x.node) != joinKind(y.node) {
			f.at("LG-SQL-035", y.line(), "the tables are joined by %s, the task asks for %s", joinKind(y.node), joinKind(x.node))
			return
		}
	}
}

// joinKind takes the ways to write an inner join for one.
func joinKind(j *sql.JoinExpr) string {
	switch j.Type {
	case "LEFT", "RIGHT", "FULL":
		return j.Type + " JOIN"
	}
	return "an inner join"
}

// versions compares which tables are joined as of a time.
func (f *faultFinder) versions(a, b *clauses) {
	switch {
	case len(a.asOf) > len(b.asOf):
		line := 0
		if len(b.joins) > 0 {
			line = b.joins[0].line()
		}
		f.at("LG-SQL-036", line, "the join lacks FOR SYSTEM_TIME AS OF: it takes all versions of the table")
	case len(a.asOf) < len(b.asOf):
		f.at("LG-SQL-036", b.asOf[0].line(), "the join takes the version FOR SYSTEM_TIME AS OF a time; the task joins regularly")
	default:
		for i, x := range a.asOf {
			y := b.asOf[i]
			w, g := canon{text: x.text}.expr(x.node.AsOf), canon{text: y.text}.expr(y.node.AsOf)
			if w != g {
				f.at("LG-SQL-036", y.line(), "the version is that of %s, the task asks for that of %s", g, w)
				return
			}
		}
	}
}

// joinConditions compares the conditions one by one.
func (f *faultFinder) joinConditions(a, b *clauses) {
	if len(a.joins) != len(b.joins) {
		return
	}
	for i, x := range a.joins {
		y := b.joins[i]
		want, got := conditions(x), conditions(y)
		if len(got) == 0 && y.node.On == nil {
			continue // the condition stands in WHERE
		}
		for _, w := range want {
			if !slices.Contains(got, w) {
				f.at("LG-SQL-042", y.line(), "the join condition %s is missing", bare(w))
				return
			}
		}
		for _, g := range got {
			if !slices.Contains(want, g) {
				f.at("LG-SQL-042", y.line(), "the join has the condition %s, the task has not", bare(g))
				return
			}
		}
	}
}

// conditions are the parts of a join's condition that AND connects, in one form each.
func conditions(p part[*sql.JoinExpr]) []string {
	c := canon{text: p.text}
	var out []string
	var split func(x sql.Expr)
	split = func(x sql.Expr) {
		b, ok := x.(*sql.Binary)
		switch {
		case x == nil:
		case ok && b.Op == "AND":
			split(b.X)
			split(b.Y)
		case ok && b.Op == "=":
			s := []string{c.normal(b.X), c.normal(b.Y)}
			sort.Strings(s)
			out = append(out, "("+s[0]+" = "+s[1]+")")
		default:
			out = append(out, c.normal(x))
		}
	}
	split(p.node.On)
	for _, u := range p.node.Using {
		out = append(out, "("+u.Text+" = "+u.Text+")")
	}
	return out
}

func (f *faultFinder) setOperations(a, b *clauses) {
	if len(a.setOps) != len(b.setOps) {
		return
	}
	for i, x := range a.setOps {
		y := b.setOps[i]
		if setOpText(x.node) != setOpText(y.node) {
			f.at("LG-SQL-043", y.line(), "the parts are connected by %s, the task asks for %s", setOpText(y.node), setOpText(x.node))
			return
		}
	}
}

func setOpText(s *sql.SetOp) string {
	if s.All {
		return s.Op + " ALL"
	}
	return s.Op
}
