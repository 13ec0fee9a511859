package plan

import (
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// fold evaluates the largest constant parts of an expression, where columns that
// consts fixes count as constant: ReduceExpressionsRule. The whole expression keeps its
// type by a CAST. What Flink does not evaluate (an array, say) keeps its constant parts.
func (b *builder) fold(e rex.Expr, consts map[string]*rex.Literal) rex.Expr {
	return b.foldAll([]rex.Expr{e}, consts)[0]
}

// foldAll folds the expressions of one node. Where one constant part fails when it is
// evaluated, Flink's reducer leaves them all as they are.
func (b *builder) foldAll(exprs []rex.Expr, consts map[string]*rex.Literal) []rex.Expr {
	b.foldFailed, b.foldNothing = false, false
	out := make([]rex.Expr, len(exprs))
	for range 2 {
		for i, e := range exprs {
			n := b.foldParts(e, consts)
			if l, ok := n.(*rex.Literal); ok && n != e {
				n = castConstant(l, e.Type())
			}
			out[i] = n
		}
		if !b.foldFailed {
			break
		}
		b.foldNothing = true // only put constants in the place of the columns that they fix
	}
	return out
}

// castOfLiteral: CAST(literal AS type).
func castOfLiteral(e rex.Expr) bool {
	c, ok := e.(*rex.Call)
	if !ok || c.Op != rex.Cast {
		return false
	}
	_, ok = c.Args[0].(*rex.Literal)
	return ok
}

// foldParts is ReducibleExprLocator with RexReplacer: inside a call a folded part has no CAST.
func (b *builder) foldParts(e rex.Expr, consts map[string]*rex.Literal) rex.Expr {
	if l, ok := e.(*rex.Literal); ok {
		return l
	}
	if l, ok := fixed(e, consts); ok {
		if v, ok := b.evaluate(castConstant(l, e.Type())); ok {
			l = v
		}
		return constantOf(l, e.Type())
	}
	c, ok := e.(*rex.Call)
	if !ok {
		return e
	}
	if reducible(e, consts) && c.Op != rex.Row {
		if l, ok := firstArg(c).(*rex.Literal); ok && c.Op == rex.Cast && rex.SameTypeSansNullability(l.T, c.T) {
			return e // evaluating it again would change the text of a number
		}
		fixed := withConstants(e, consts)
		if b.foldNothing && !castOfLiteral(fixed) {
			return withPlainConstants(e, consts)
		}
		if l, ok := b.evaluate(fixed); ok {
			return constantOf(l, e.Type())
		}
		return e
	}
	var args []rex.Expr
	for i, a := range c.Args {
		n := b.foldParts(a, consts)
		if n != a && args == nil {
			args = append([]rex.Expr(nil), c.Args...)
		}
		if args != nil {
			args[i] = n
		}
	}
	if args == nil {
		return e
	}
	n := *c
	n.Args = args
	return &n
}

// fixed looks an expression up among the fixed ones, without writing out the digests of long conditions for it.
func fixed(e rex.Expr, consts map[string]*rex.Literal) (*rex.Literal, bool) {
	if len(consts) == 0 {
		return nil, false
	}
	if c, ok := e.(*rex.Call); ok && (c.Op == rex.And || c.Op == rex.Or) {
		return nil, false
	}
	l, ok := consts[rex.Key(e)]
	return l, ok
}

func firstArg(c *rex.Call) rex.Expr {
	if len(c.Args) == 0 {
		return nil
	}
	return c.Args[0]
}

// constantOf gives a constant the type of what it replaces, but for nullability.
func constantOf(l *rex.Literal, t value.Type) *rex.Literal {
	if l.V.IsNull() {
		return rex.NullLiteral(t)
	}
	if rex.SameTypeSansNullability(l.T, t) {
		return l
	}
	if n, ok := rex.RetypeLiteral(l, t.NotNull()); ok {
		n.Text = l.Text
		return n
	}
	return l
}

func castConstant(l *rex.Literal, t value.Type) rex.Expr {
	if l.V.IsNull() {
		return rex.NullLiteral(t)
	}
	if rex.SameType(l.T, t) {
		return l
	}
	if n, ok := rex.RetypeLiteral(l, t.NotNull()); ok {
		n.Text = l.Text
		l = n
	}
	if rex.SameType(l.T, t) {
		return l
	}
	return &rex.Call{Op: rex.Cast, Args: []rex.Expr{l}, T: t}
}

// reducible: no columns other than fixed ones, no calls that may differ each time.
func reducible(e rex.Expr, consts map[string]*rex.Literal) bool {
	if !rex.Deterministic(e) {
		return false
	}
	ok := true
	rex.Walk(e, func(x rex.Expr) bool {
		if _, known := fixed(x, consts); known {
			return false
		}
		switch x := x.(type) {
		case *rex.Call:
			// UNIX_TIMESTAMP is a dynamic function, even of a text, as CURRENT_DATABASE is:
			// neither they nor what they are in is folded.
			if x.Op.Name == "UNIX_TIMESTAMP" || x.Op.Name == "CURRENT_DATABASE" {
				ok = false
			}
		case *rex.InputRef, *rex.SubQuery, *rex.Over, *rex.CorrelVar, *rex.PatternRef, *rex.TableInput:
			ok = false
		}
		return ok
	})
	return ok
}

func withConstants(e rex.Expr, consts map[string]*rex.Literal) rex.Expr {
	if len(consts) == 0 {
		return e
	}
	return rex.Transform(e, func(x rex.Expr) rex.Expr {
		if l, ok := fixed(x, consts); ok {
			return castConstant(l, x.Type())
		}
		return x
	})
}

// withPlainConstants is withConstants without casts that keep types nullable.
func withPlainConstants(e rex.Expr, consts map[string]*rex.Literal) rex.Expr {
	if len(consts) == 0 {
		return e
	}
	return rex.Transform(e, func(x rex.Expr) rex.Expr {
		if l, ok := consts[rex.Key(x)]; ok {
			return constantOf(l, x.Type())
		}
		return x
	})
}

// evaluate asks the session's evaluator; composites and RAW values are not reduced.
func (b *builder) evaluate(e rex.Expr) (*rex.Literal, bool) {
	if b.cfg.Fold == nil {
		return nil, false
	}
	// The cast of a literal is no part of what the reducer evaluates: simplification folds it.
	if b.cfg.FoldFails != nil && !b.foldFailed && !castOfLiteral(e) {
		if err := b.cfg.FoldFails(e); err != nil {
			b.foldFailed = true
			if unsupported.Is(err) {
				b.doubtText("a constant that is not computed: %v", err)
			}
			return nil, false
		}
	}
	switch e.Type().Kind {
	case value.KindArray, value.KindMap, value.KindMultiset, value.KindRow, value.KindRaw,
		value.KindSymbol, value.KindDescriptor, value.KindNull:
		return nil, false
	}
	l, ok := b.cfg.Fold(e)
	if ok && readsClock(e) {
		// Behind a filter that a source takes the call stays as it is.
		b.doubtText("the current time in a constant")
	}
	return l, ok
}

// readsClock: the constant is another one whenever the query is planned.
func readsClock(e rex.Expr) bool {
	found := false
	rex.Walk(e, func(x rex.Expr) bool {
		if c, ok := x.(*rex.Call); ok {
			switch c.Op.Name {
			case "CURRENT_DATE", "CURRENT_TIME", "LOCALTIME", "LOCALTIMESTAMP", "CURRENT_TIMESTAMP", "NOW":
				found = true
			}
		}
		return !found
	})
	return found
}
