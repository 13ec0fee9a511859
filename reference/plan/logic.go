package plan

import (
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
)

// logic says which of TRUE, FALSE and UNKNOWN must be told apart where a sub-query
// stands (RelOptUtil.Logic).
type logic int

const (
	logicTrue logic = iota
	logicFalse
	trueFalse
	trueFalseUnknown
	unknownAsFalse
	unknownAsTrue
)

// logicOf finds the logic of the places where q stands in expressions (LogicVisitor).
func (b *builder) logicOf(start logic, exprs []rex.Expr, q *rex.SubQuery) logic {
	key := rex.Key(q)
	found := map[logic]bool{}
	for _, e := range exprs {
		findLogic(e, start, func(x rex.Expr, l logic) {
			if rex.Key(x) == key {
				found[l] = true
			}
		})
	}
	if len(found) == 0 {
		// Flink's search does not look into windows.
		b.fail(flinkerr.New("java.lang.IllegalArgumentException", "not found: %s", rex.Digest(q)))
	}
	if found[logicFalse] {
		delete(found, logicFalse)
		found[unknownAsTrue] = true
	}
	if len(found) != 1 {
		return trueFalseUnknown
	}
	for l := range found {
		return l
	}
	return trueFalseUnknown
}

func findLogic(e rex.Expr, l logic, visit func(rex.Expr, logic)) {
	switch x := e.(type) {
	case *rex.SubQuery:
		if !x.T.Nullable && l == trueFalseUnknown {
			l = trueFalse
		}
		visit(x, l)
	case *rex.Field:
		findLogic(x.X, l, visit)
	case *rex.Over:
		return
	case *rex.Call:
		switch x.Op {
		case rex.IsNull, rex.IsNotNull, rex.Case:
			l = trueFalseUnknown
		case rex.IsTrue, rex.IsNotTrue:
			l = unknownAsFalse
		case rex.IsFalse, rex.IsNotFalse:
			l = unknownAsTrue
		case rex.Not:
			l = l.negated()
		}
		if l == logicTrue && x.Op != rex.And {
			l = trueFalseUnknown
		}
		for _, a := range x.Args {
			findLogic(a, l, visit)
		}
	}
}

func (l logic) negated() logic {
	switch l {
	case logicTrue:
		return logicFalse
	case logicFalse:
		return logicTrue
	case unknownAsFalse:
		return unknownAsTrue
	case unknownAsTrue:
		return unknownAsFalse
	}
	return l
}
