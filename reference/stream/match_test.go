package stream_test

import (
	"testing"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

const joins = "../../fixtures/recorded/corpus/join/"

// vShape is the tutorial's pattern: a price falls and then rises.
func vShape(in phys.Node, after, target string) *phys.Match {
	col := func(v string, i int) rex.Expr {
		return &rex.PatternRef{Var: v, Index: i, T: in.Schema()[i].Type}
	}
	at := func(op string, x rex.Expr, n int64) rex.Expr {
		return &rex.Call{Op: &rex.Op{Name: op}, Args: []rex.Expr{x, &rex.Literal{V: value.Int(n), T: value.TInt}}, T: x.Type()}
	}
	boolean := value.Type{Kind: value.KindBoolean, Nullable: true}
	op := func(o *rex.Op, args ...rex.Expr) rex.Expr { return &rex.Call{Op: o, Args: args, T: boolean} }
	down, lastDown := at("PREV", col("DOWN", 1), 0), at("LAST", col("DOWN", 1), 1)
	spec := &rel.Match{
		Skip: after, SkipVar: target,
		Pattern: &sql.Pattern{Kind: "CONCAT", Items: []sql.Pattern{
			{Kind: "VAR", Var: "A"}, {Kind: "VAR", Var: "DOWN", Quantified: true, Min: 1, Max: -1}, {Kind: "VAR", Var: "UP"},
		}},
		Defines: []rel.NamedExpr{
			{Name: "DOWN", X: op(rex.Or,
				op(rex.And, op(rex.IsNull, lastDown), op(rex.Lt, down, at("LAST", col("A", 1), 0))),
				op(rex.Lt, down, lastDown))},
			{Name: "UP", X: op(rex.Gt, at("PREV", col("UP", 1), 0), at("LAST", col("DOWN", 1), 0))},
		},
		Measures: []rel.NamedExpr{
			{Name: "start_ts", X: at("FIRST", col("A", 2), 0)}, {Name: "bottom_ts", X: at("LAST", col("DOWN", 2), 0)},
			{Name: "end_ts", X: at("LAST", col("UP", 2), 0)}, {Name: "low", X: at("LAST", col("DOWN", 1), 0)},
		},
	}
	return &phys.Match{
		Base:        over(in, changelog.InsertOnly, in.Schema()[0], field("start_ts", tStamp), field("bottom_ts", tStamp), field("end_ts", tStamp), field("low", tInt)),
		PartitionBy: []int{0}, Keys: []phys.SortKey{{Column: 2}}, Spec: spec,
	}
}

func TestMatchRecognize(t *testing.T) {
	quotes := []value.Field{field("sym", tString), field("price", tInt), field("ts", tTime)}
	for _, c := range []struct{ name, after, target string }{
		{"mr-v-shape-default-skip", "", ""},
		{"mr-v-shape-skip-to-next-row", "TO NEXT ROW", ""},
		{"mr-v-shape-skip-past-last-row", "PAST LAST ROW", ""},
		{"mr-v-shape-skip-to-first-variable", "TO FIRST", "DOWN"},
		{"mr-v-shape-skip-to-last-variable", "TO LAST", "UP"},
	} {
		scan := &phys.TableSourceScan{Base: phys.Base{Fields: quotes, Produce: changelog.InsertOnly}, Limit: -1}
		plan := vShape(watermarked(scan, 2, 0), c.after, c.target)
		rows := loadCSV(t, joins+c.name+"/quotes.csv", quotes)
		rt := stream.Runtime{Compile: func(e rex.Expr) (fn.Eval, error) { return compile(e) }}
		got := printed(t, plan, rt, map[*phys.TableSourceScan][]change{scan: rows})
		compareLog(t, c.name, got, recorded(t, joins+c.name+"/stream.txt"))
	}
}
