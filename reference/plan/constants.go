package plan

import (
	"strings"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// constants maps operands that the conditions fix to their value: RexUtil.predicateConstants.
// A column that another kind of condition mentions as well is left alone.
func constants(preds []rex.Expr) map[string]*rex.Literal {
	var m map[string]*rex.Literal
	excluded := map[string]bool{}
	put := func(x rex.Expr, l *rex.Literal) {
		if excluded[rex.Key(x)] {
			return
		}
		if was, ok := m[rex.Key(x)]; ok {
			if !rex.Equal(was, l) {
				delete(m, rex.Key(x))
				excluded[rex.Key(x)] = true
			}
			return
		}
		if m == nil {
			m = map[string]*rex.Literal{}
		}
		x, l = withoutWidening(x, l)
		m[rex.Key(x)] = l
	}
	for _, p := range preds {
		c, ok := p.(*rex.Call)
		if !ok {
			exclude(p, excluded)
			continue
		}
		switch {
		case c.Op == rex.Eq || c.Op == rex.IsNotDistinctFrom:
			if l, ok := c.Args[1].(*rex.Literal); ok && !l.V.IsNull() {
				put(c.Args[0], l)
			} else if l, ok := c.Args[0].(*rex.Literal); ok && !l.V.IsNull() {
				put(c.Args[1], l)
			}
		case c.Op == rex.IsNull:
			if c.Args[0].Type().Nullable {
				put(c.Args[0], rex.NullLiteral(c.Args[0].Type()))
			}
		default:
			exclude(c, excluded)
		}
	}
	for k := range m {
		if excluded[k] {
			delete(m, k)
		}
	}
	return m
}

// exclude notes the columns of a condition that says more than a value.
func exclude(e rex.Expr, out map[string]bool) {
	rex.Walk(e, func(x rex.Expr) bool {
		switch x.(type) {
		case *rex.Call, *rex.Literal, *rex.Sarg:
		default:
			out[rex.Key(x)] = true
		}
		return true
	})
}

// withoutWidening takes "CAST(x) = literal" for "x = literal" where the cast only widens.
func withoutWidening(x rex.Expr, l *rex.Literal) (rex.Expr, *rex.Literal) {
	c, ok := x.(*rex.Call)
	if !ok || c.Op != rex.Cast || l.V.IsNull() || !widens(c.Args[0].Type(), c.T) {
		return x, l
	}
	to := c.Args[0].Type().NotNull()
	if to.IsInteger() && strings.Contains(rex.LiteralText(l), ".") {
		return x, l
	}
	if to.Kind == value.KindDecimal && l.T.Kind == value.KindDecimal {
		// A number of too many digits becomes a literal all the same, which is rounded when it is evaluated.
		v := value.DecimalRescale(l.V, l.T.Scale, to.Precision, to.Scale)
		if v.IsNull() {
			return x, l
		}
		return c.Args[0], &rex.Literal{V: v, T: to}
	}
	n, ok := rex.RetypeLiteral(l, to)
	if !ok {
		return x, l
	}
	return c.Args[0], n
}

// widens is RexUtil.canAssignFrom.
func widens(from, to value.Type) bool {
	switch {
	case exact(from) && exact(to):
		p, s := exactDigits(from)
		q, t := exactDigits(to)
		return q >= p && t >= s
	case from.IsCharacter() && to.IsCharacter():
		return to.Length >= from.Length
	}
	return from.Kind == to.Kind && from.IsDatetime() && to.Precision >= from.Precision
}

func exactDigits(t value.Type) (precision, scale int) {
	switch t.Kind {
	case value.KindTinyInt:
		return 3, 0
	case value.KindSmallInt:
		return 5, 0
	case value.KindInt:
		return 10, 0
	case value.KindBigInt:
		return 19, 0
	}
	return t.Precision, t.Scale
}

func exact(t value.Type) bool { return t.IsInteger() || t.Kind == value.KindDecimal }
