package bind

import (
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// simplifyPreservingType is what RelBuilder does to projected expressions.
func (b *binder) simplifyPreservingType(e rex.Expr) rex.Expr {
	s := &rex.Simplifier{KeepOrder: true, FoldCast: b.foldCast}
	e = s.Value(e)
	b.unsure = b.unsure || s.Unsure
	return e
}

// simplifyFilter is what RelBuilder does to filter conditions.
func (b *binder) simplifyFilter(e rex.Expr) rex.Expr {
	s := &rex.Simplifier{KeepOrder: true, FoldCast: b.foldCast}
	e = s.Condition(e)
	b.unsure = b.unsure || s.Unsure
	return e
}

// removeNullabilityCast takes a cast away that only changes nullability.
func removeNullabilityCast(e rex.Expr) rex.Expr {
	c, ok := e.(*rex.Call)
	if !ok || c.Op != rex.Cast {
		return e
	}
	a, b := c.T, c.Args[0].Type()
	a.Nullable, b.Nullable = true, true
	if sameType(a, b) {
		return c.Args[0]
	}
	return e
}

// castTo makes a cast to exactly this type.
func castTo(e rex.Expr, t value.Type) rex.Expr { return fn.MakeCast(t, e) }

// pushNot moves NOT into IN, NOT IN and the logic around them, as SqlToRelConverter
// does in WHERE and HAVING before sub-queries are converted.
func pushNot(e sql.Expr) sql.Expr {
	if !find(e, func(n sql.Expr) bool { _, ok := n.(*sql.In); return ok }) {
		return e
	}
	switch e := e.(type) {
	case *sql.Binary:
		if e.Op == "AND" || e.Op == "OR" {
			c := *e
			c.X, c.Y = pushNot(e.X), pushNot(e.Y)
			return &c
		}
	case *sql.Unary:
		if e.Op != "NOT" {
			return e
		}
		not := func(x sql.Expr) sql.Expr { return pushNot(&sql.Unary{Span: e.Span, Op: "NOT", X: x}) }
		switch in := e.X.(type) {
		case *sql.Binary:
			if in.Op == "AND" || in.Op == "OR" {
				c := *in
				c.Op = map[string]string{"AND": "OR", "OR": "AND"}[in.Op]
				c.X, c.Y = not(in.X), not(in.Y)
				return &c
			}
		case *sql.Unary:
			if in.Op == "NOT" {
				return pushNot(in.X)
			}
		case *sql.In:
			c := *in
			c.Not = !in.Not
			return &c
		}
	}
	return e
}

// setTypes finds the column types of a set operation.
func (b *binder) setTypes(name string, l, r *relation) ([]value.Field, error) {
	out := append([]value.Field(nil), l.fields...)
	for i := range out {
		t, ok := setType([]value.Type{l.fields[i].Type, r.fields[i].Type})
		if a, b := l.fields[i].Type, r.fields[i].Type; !ok && (a.IsNumeric() && b.IsDatetime() || a.IsDatetime() && b.IsNumeric()) {
			return nil, unsupported.New("%s of %s and %s", name, a, b) // Flink fails later, by the operator
		}
		if !ok {
			return nil, flinkerr.Validator("Type mismatch in column %d of %s", i+1, name)
		}
		out[i].Type = t
	}
	return out, nil
}

// simplifyCondition is what RelBuilder.join does to the condition: UNKNOWN counts as FALSE.
func (b *binder) simplifyCondition(e rex.Expr) rex.Expr { return b.simplifyFilter(e) }
