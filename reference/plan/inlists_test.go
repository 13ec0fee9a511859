package plan

import (
	"slices"
	"testing"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// The keys and their order were seen in a plan of Flink 2.3.0 over two lists in one OR.
func TestScalaOrder(t *testing.T) {
	got := scalaOrder([]string{"LOWER($7)", "UPPER($7)"})
	if want := []string{"UPPER($7)", "LOWER($7)"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Conditions like these took minutes: each OR of conjunctions doubled the one before.
func TestLongAlternatives(t *testing.T) {
	col := func(i int) rex.Expr {
		return &rex.InputRef{Index: i, T: value.Type{Kind: value.KindInt, Nullable: true}}
	}
	var pairs, lists []rex.Expr
	for i := range 2000 {
		pairs = append(pairs, rex.AndOf([]rex.Expr{rex.Compare(rex.Eq, col(0), intLiteral(int64(i))), rex.Compare(rex.Eq, col(1), intLiteral(int64(i)))}))
		lists = append(lists, rex.Compare(rex.Eq, &rex.Call{Op: rex.Plus, Args: []rex.Expr{col(0), col(1)}, T: col(0).Type()}, intLiteral(int64(2000-i))))
	}
	if e := rex.OrOf(pairs); !rex.Equal(rex.ToCNF(e), e) {
		t.Error("a conjunctive form that is too large was not given up")
	}
	c, ok := (&builder{cfg: &Config{}}).inLists(rex.OrOf(lists)).(*rex.Call)
	if !ok || c.Op != rex.Search || len(c.Args[1].(*rex.Sarg).Ranges) != 2000 {
		t.Error("2000 equalities of one expression are no SEARCH")
	}
}
