package plan

import (
	"testing"

	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// oneColumn is a table of one column of type INT.
func oneColumn() rel.Node {
	return &rel.Values{Base: rel.Base{Fields: []value.Field{{Name: "x", Type: value.Type{Kind: value.KindInt, Nullable: true}}}}}
}

func TestCountsToExists(t *testing.T) {
	count := func(args ...int) rex.Expr {
		a := aggregateOf(oneColumn(), nil, rel.AggCall{Fn: fn.AggregateOp("COUNT"), Args: args, Filter: -1, T: bigint(false)})
		return &rex.SubQuery{Op: rex.ScalarQuery, Rel: a, Text: rel.PlainText(a), T: bigint(true)}
	}
	tests := []struct {
		name string
		cond rex.Expr
		want bool
	}{
		{"count > 0", rex.Compare(rex.Gt, count(), intLiteral(0)), true},
		{"0 < count", rex.Compare(rex.Lt, intLiteral(0), count()), true},
		{"count >= 1", rex.Compare(rex.Ge, count(), intLiteral(1)), true},
		{"1 <= count", rex.Compare(rex.Le, intLiteral(1), count()), true},
		{"count > 1", rex.Compare(rex.Gt, count(), intLiteral(1)), false},
		{"count >= 0", rex.Compare(rex.Ge, count(), intLiteral(0)), false},
		{"count < 1", rex.Compare(rex.Lt, count(), intLiteral(1)), false},
		{"count = 0", rex.Compare(rex.Eq, count(), intLiteral(0)), false},
		{"COUNT(x) > 0", rex.Compare(rex.Gt, count(0), intLiteral(0)), false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := countsToExists(&rel.Filter{Base: rel.Base{In: []rel.Node{oneColumn()}}, Cond: test.cond})
			q, ok := f.Cond.(*rex.SubQuery)
			if got := ok && q.Op == rex.Exists; got != test.want {
				t.Errorf("EXISTS = %v, want %v", got, test.want)
			}
		})
	}
}

func TestLogicOf(t *testing.T) {
	query := func(nullable bool) *rex.SubQuery {
		n := oneColumn()
		return &rex.SubQuery{Op: rex.In, Args: []rex.Expr{refTo(n, 0)}, Rel: n, Text: rel.PlainText(n), T: rex.BoolType(nullable)}
	}
	not := func(e rex.Expr) rex.Expr { return &rex.Call{Op: rex.Not, Args: []rex.Expr{e}, T: e.Type()} }
	or := func(e rex.Expr) rex.Expr { return orOf([]rex.Expr{e, rex.BoolLiteral(false)}) }
	q, sure := query(true), query(false)
	tests := []struct {
		name  string
		start logic
		e     rex.Expr
		q     *rex.SubQuery
		want  logic
	}{
		{"alone in a condition", logicTrue, q, q, logicTrue},
		{"below AND", logicTrue, rex.AndOf([]rex.Expr{q, or(rex.BoolLiteral(true))}), q, logicTrue},
		{"negated", logicTrue, not(q), q, unknownAsTrue},
		{"below OR", logicTrue, or(q), q, trueFalseUnknown},
		{"never unknown", logicTrue, or(sure), sure, trueFalse},
		{"IS TRUE", trueFalseUnknown, rex.IsOf(rex.IsTrue, q), q, unknownAsFalse},
		{"in SELECT", trueFalseUnknown, q, q, trueFalseUnknown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := &builder{cfg: &Config{}}
			if got := b.logicOf(test.start, []rex.Expr{test.e}, test.q); got != test.want || b.err != nil {
				t.Errorf("got %v (%v), want %v", got, b.err, test.want)
			}
		})
	}
}
