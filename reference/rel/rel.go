// Package rel holds relational algebra as the binder makes it: the nodes that
// EXPLAIN prints under "Abstract Syntax Tree" (Calcite's Logical* nodes).
// The printed text is the contract between binder and planner.
package rel

import (
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// Node is a logical operator. Schema returns its output columns.
type Node interface {
	Inputs() []Node
	Schema() []value.Field
}

// Base carries what every node has.
type Base struct {
	In     []Node
	Fields []value.Field
}

// Inputs returns the children, left to right.
func (b *Base) Inputs() []Node { return b.In }

// Schema returns the output columns.
func (b *Base) Schema() []value.Field { return b.Fields }

type (
	// Scan is LogicalTableScan: all columns of a table, with computed and metadata
	// columns added by a Project and the watermark by a WatermarkAssigner above it.
	Scan struct {
		Base
		Table *catalog.Table
		// Hints given with OPTIONS(...), already merged into Table.
		Hints map[string]string
		// HintText is the hints as the tree shows them, "" without.
		HintText string
		// Metadata lists the keys of the metadata columns, which the scan appends to
		// the physical columns; nil without.
		Metadata []string
	}
	// WatermarkAssigner is LogicalWatermarkAssigner.
	WatermarkAssigner struct {
		Base
		Column int
		Expr   rex.Expr
	}
	// Project is LogicalProject; names are in Fields.
	Project struct {
		Base
		Exprs []rex.Expr
		// Variables are the ids of the correlation variables that sub-queries of this
		// node use ($corN).
		Variables []int
	}
	// Filter is LogicalFilter.
	Filter struct {
		Base
		Cond      rex.Expr
		Variables []int
	}
	// Aggregate is LogicalAggregate. Keys are input columns in ascending order, as
	// Calcite's group={0, 1}. Sets is nil for a plain GROUP BY; each set lists input columns.
	Aggregate struct {
		Base
		Keys  []int
		Sets  [][]int
		Calls []AggCall
	}
	// Sort is LogicalSort: order, offset, fetch. Offset and Fetch are -1 where absent.
	Sort struct {
		Base
		Keys          []SortKey
		Offset, Fetch int64
	}
	// Union, Intersect, Minus have All or not.
	Union struct {
		Base
		All bool
	}
	// Intersect is LogicalIntersect.
	Intersect struct {
		Base
		All bool
	}
	// Minus is LogicalMinus (EXCEPT).
	Minus struct {
		Base
		All bool
	}
	// Values is LogicalValues.
	Values struct {
		Base
		Rows [][]*rex.Literal
	}
	// Join is LogicalJoin; Type is "inner", "left", "right", "full", "semi", "anti".
	Join struct {
		Base
		Type      string
		Cond      rex.Expr
		Variables []int
		// Hints and TTLHints are the texts of join hints, "" without.
		Hints, TTLHints string
		// Strategies are the hints that name a side; TTL is the text of STATE_TTL for sides.
		Strategies []Strategy
		TTL        string
	}
	// Strategy is a join hint and the side that it names.
	Strategy struct {
		Name string
		Left bool
	}
	// Correlate is LogicalCorrelate.
	Correlate struct {
		Base
		ID       int
		Type     string
		Required []int
	}
	// Uncollect is Uncollect: UNNEST.
	Uncollect struct {
		Base
		Ordinality bool
	}
	// Snapshot is LogicalSnapshot: FOR SYSTEM_TIME AS OF.
	Snapshot struct {
		Base
		Period rex.Expr
	}
	// TableFunction is LogicalTableFunctionScan: TUMBLE, TO_CHANGELOG, ...
	TableFunction struct {
		Base
		Call *rex.Call
		// Name as written by the user.
		Name string
	}
	// Match is LogicalMatch.
	Match struct {
		Base
		PartitionBy []int
		OrderBy     []SortKey
		Measures    []NamedExpr
		Defines     []NamedExpr
		Pattern     any // *sql.Pattern
		Skip        string
		SkipVar     string
		Within      rex.Expr
		AllRows     bool
		// The texts of AFTER MATCH, PATTERN and SUBSET as the tree shows them.
		AfterText, PatternText, SubsetText string
		StrictStart, StrictEnd             bool
		// Subsets are the unions of variables under a name of their own.
		Subsets []PatternSubset
	}
	// Sink is LogicalSink.
	Sink struct {
		Base
		Table      *catalog.Table
		Overwrite  bool
		Partition  map[string]string
		OnConflict string
		// TargetColumns are the indexes of a partial column list, or nil.
		TargetColumns []int
		HintText      string
	}
)

// NamedExpr is an expression with a name.
type NamedExpr struct {
	Name string
	X    rex.Expr
}

// SortKey is an input column with a direction.
type SortKey struct {
	Column    int
	Desc      bool
	NullsLast bool
}

// AggCall is an aggregate call; Args and Filter are input columns, Filter -1 for none.
// Name is the output name; "" where Calcite prints agg#i.
type AggCall struct {
	Fn          *rex.Op
	Args        []int
	Distinct    bool
	Approximate bool
	IgnoreNulls bool
	Filter      int
	Collation   []SortKey
	Name        string
	T           value.Type
}

// PatternSubset is X = (A, B) in SUBSET.
type PatternSubset struct {
	Name string
	Vars []string
}
