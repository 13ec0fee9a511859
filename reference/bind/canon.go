package bind

import (
	"fmt"
	"strings"

	"github.com/labgrade/labgrade/sql"
)

// canon prints an expression with its names resolved, so that equal texts mean equal
// expressions: Calcite compares GROUP BY with SELECT, and names aggregates, that way.
func (x *exprs) canon(e sql.Expr) string {
	var b strings.Builder
	x.writeCanon(&b, e)
	return b.String()
}

func (x *exprs) canonList(b *strings.Builder, es []sql.Expr) {
	for i, e := range es {
		if i > 0 {
			b.WriteString(", ")
		}
		x.writeCanon(b, e)
	}
}

func (x *exprs) writeCanon(b *strings.Builder, e sql.Expr) {
	switch e := e.(type) {
	case nil:
	case *sql.ColumnRef:
		parts := nameParts(e.Name)
		if c, err := x.sc.resolve(parts); err == nil && x.sc.pattern == nil {
			fmt.Fprintf(b, "`%p`.`%s`.`%d`", c.scope, c.kid.name, c.index)
			for _, r := range c.rest {
				b.WriteString(".`" + r + "`")
			}
			return
		}
		b.WriteString("`" + strings.Join(parts, "`.`") + "`")
	case *sql.Star:
		b.WriteString(strings.Join(append(nameParts(e.Qualifier), "*"), "."))
	case *sql.NumberLit:
		b.WriteString(e.Text)
	case *sql.StringLit:
		b.WriteString("'" + strings.ReplaceAll(e.Value, "'", "''") + "'")
	case *sql.BinaryLit:
		b.WriteString("X'" + e.Hex + "'")
	case *sql.BoolLit:
		if e.Unknown {
			b.WriteString("UNKNOWN")
		} else {
			fmt.Fprint(b, e.Value)
		}
	case *sql.NullLit:
		b.WriteString("NULL")
	case *sql.TemporalLit:
		b.WriteString(e.Kind + " '" + e.Text + "'")
	case *sql.IntervalLit:
		fmt.Fprintf(b, "INTERVAL %v '%s' %v ", e.Negative, e.Text, e.Unit)
		if e.Value != nil {
			x.writeCanon(b, e.Value)
		}
	case *sql.Unary:
		b.WriteString(e.Op + "(")
		x.writeCanon(b, e.X)
		b.WriteByte(')')
	case *sql.Binary:
		b.WriteString(e.Op + "(")
		x.canonList(b, []sql.Expr{e.X, e.Y})
		b.WriteByte(')')
	case *sql.Between:
		fmt.Fprintf(b, "BETWEEN %v %v(", e.Not, e.Symmetric)
		x.canonList(b, []sql.Expr{e.X, e.Lo, e.Hi})
		b.WriteByte(')')
	case *sql.Like:
		fmt.Fprintf(b, "%s %v(", e.Op, e.Not)
		x.canonList(b, []sql.Expr{e.X, e.Pattern, e.Escape})
		b.WriteByte(')')
	case *sql.In:
		fmt.Fprintf(b, "IN %v %p(", e.Not, e.Query)
		x.canonList(b, append([]sql.Expr{e.X}, e.List...))
		b.WriteByte(')')
	case *sql.Case:
		b.WriteString("CASE(")
		if e.X != nil {
			x.writeCanon(b, e.X)
		}
		for _, w := range e.When {
			b.WriteString(" WHEN ")
			x.writeCanon(b, w.Cond)
			b.WriteString(" THEN ")
			x.writeCanon(b, w.Then)
		}
		if e.Else != nil {
			b.WriteString(" ELSE ")
			x.writeCanon(b, e.Else)
		}
		b.WriteByte(')')
	case *sql.Cast:
		fmt.Fprintf(b, "CAST %v(", e.Try)
		x.writeCanon(b, e.X)
		t := e.Type
		t.Span = sql.Span{}
		if rt, err := typeOf(t); err == nil {
			fmt.Fprintf(b, " AS %v)", rt)
		} else {
			b.WriteString(" AS " + t.Name + ")")
		}
	case *sql.Call:
		x.canonCall(b, e)
	case *sql.Flag:
		b.WriteString(e.Text)
	case *sql.RowExpr:
		b.WriteString("ROW(")
		x.canonList(b, e.Items)
		b.WriteByte(')')
	case *sql.ArrayExpr:
		b.WriteString("ARRAY(")
		x.canonList(b, e.Items)
		b.WriteByte(')')
	case *sql.MapExpr:
		b.WriteString("MAP(")
		x.canonList(b, e.Items)
		b.WriteByte(')')
	case *sql.Index:
		b.WriteString("ITEM(")
		x.canonList(b, []sql.Expr{e.X, e.I})
		b.WriteByte(')')
	case *sql.FieldAccess:
		x.writeCanon(b, e.X)
		b.WriteString("." + e.Field.Text)
	default:
		// Sub-queries and the rest are equal only to themselves.
		fmt.Fprintf(b, "%T@%p", e, e)
	}
}

func (x *exprs) canonCall(b *strings.Builder, e *sql.Call) {
	b.WriteString(strings.ToUpper(callName(e)) + "(")
	if e.Distinct {
		b.WriteString("DISTINCT ")
	}
	if e.Star {
		b.WriteByte('*')
	}
	x.canonList(b, e.Args)
	b.WriteByte(')')
	if e.Filter != nil {
		b.WriteString(" FILTER ")
		x.writeCanon(b, e.Filter)
	}
	for _, o := range e.Within {
		b.WriteString(" WITHIN ")
		x.canonOrder(b, o)
	}
	b.WriteString(e.Nulls)
	if e.OverName != "" {
		b.WriteString(" OVER " + e.OverName)
	}
	if e.Over != nil {
		b.WriteString(" OVER (" + e.Over.Ref + " PARTITION ")
		x.canonList(b, e.Over.PartitionBy)
		for _, o := range e.Over.OrderBy {
			b.WriteString(" ORDER ")
			x.canonOrder(b, o)
		}
		if f := e.Over.Frame; f != nil {
			fmt.Fprintf(b, " FRAME %v %s ", f.Rows, f.Start.Kind)
			x.canonList(b, []sql.Expr{f.Start.X, f.End.X})
			b.WriteString(f.End.Kind)
		}
		b.WriteByte(')')
	}
}

func (x *exprs) canonOrder(b *strings.Builder, o sql.OrderItem) {
	x.writeCanon(b, o.X)
	fmt.Fprintf(b, " %v %s", o.Desc, o.Nulls)
}

// sourceText is an expression as errors quote it.
func sourceText(e sql.Expr) string {
	if c, ok := e.(*sql.ColumnRef); ok {
		return joinDots(nameParts(c.Name))
	}
	return "?"
}

func joinDots(p []string) string { return strings.Join(p, ".") }
