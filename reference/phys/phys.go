// Package phys holds physical plans: the nodes that EXPLAIN prints under
// "Optimized Physical Plan", and that the evaluators stream and batch run.
// A plan is pure data. Each node type knows its own EXPLAIN attributes.
package phys

import (
	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// Node is a physical operator.
type Node interface {
	Inputs() []Node
	// Schema returns the output columns (fields=[..] or select=[..] names).
	Schema() []value.Field
	// Mode is the set of row kinds that the node produces in streaming; 0 in batch
	// and for sinks.
	Mode() changelog.Mode
	base() *Base
}

// Base carries what every node has.
type Base struct {
	In      []Node
	Fields  []value.Field
	Produce changelog.Mode
}

// Inputs returns the children, left to right.
func (b *Base) Inputs() []Node { return b.In }

// Schema returns the output columns.
func (b *Base) Schema() []value.Field { return b.Fields }

// Mode is the set of produced row kinds.
func (b *Base) Mode() changelog.Mode { return b.Produce }

func (b *Base) base() *Base { return b }

// AggCall is an aggregate call over input columns. Retract says that the function
// must take back values (printed as COUNT_RETRACT); Filter is an input column or -1.
// Fn.Name is the name as EXPLAIN prints it without _RETRACT: COUNT, SUM, $SUM0, ...
type AggCall struct {
	Fn          *rex.Op
	Args        []int
	ArgTypes    []value.Type
	Distinct    bool
	IgnoreNulls bool
	Filter      int
	Retract     bool
	Name        string
	T           value.Type
	// Constants are literal arguments behind Args: the offset and the default of LAG
	// and LEAD, the number of buckets of NTILE.
	Constants []*rex.Literal
}

// SortKey is an input column with a direction.
type SortKey struct {
	Column    int
	Desc      bool
	NullsLast bool
}

type (
	// TableSourceScan reads a table. Columns are the read columns (indexes into
	// Table.Columns) in output order; Limit is -1 without a pushed limit.
	TableSourceScan struct {
		Base
		Table   *catalog.Table
		Columns []int
		// Projected: project=[..], metadata=[..] is printed.
		Projected bool
		Metadata  []string
		// FilterText is the inside of filter=[..], "" without; the filter also stays in the Calc above.
		FilterText string
		// Hints is the inside of hints=[..], "" without.
		Hints     string
		Limit     int64
		Watermark rex.Expr
	}
	// Values is an inline table.
	Values struct {
		Base
		Rows []value.Row
		// Literals prints the tuples.
		Literals [][]*rex.Literal
	}
	// Calc projects and filters; Cond is nil without a condition.
	Calc struct {
		Base
		Exprs []rex.Expr
		Cond  rex.Expr
		// InputNames are the names under which it shows its input's columns; nil stands for their own.
		InputNames []string
	}
	// Exchange redistributes. Distribution: "hash", "single", "broadcast", "forward",
	// "keep_input_as_is" (hashed on Keys), "any".
	Exchange struct {
		Base
		Distribution string
		Keys         []int
		// ShuffleMode is "BATCH" where the execution plan asks to store all rows.
		ShuffleMode string
	}
	// MultipleInput is how the execution plan shows operators that run as one.
	MultipleInput struct {
		Base
		Text string
		// HashKeys are the columns that inputs, by number, must be hashed on.
		HashKeys map[int][]int
		// Member is the last of the operators inside; Borders are its inputs as these know them.
		Member  Node
		Borders []Node
	}
	// Expand makes one row per grouping set. A projection entry is an InputRef, a
	// NULL literal or the BIGINT literal of $e.
	Expand struct {
		Base
		Projects  [][]rex.Expr
		ExpandCol int
	}
	// GroupAggregate is the streaming one-phase aggregate. Output: keys, then calls.
	// CountStar is the index in Calls of the COUNT(*) that counts the rows of a
	// group when the input retracts, or -1 when it is implicit.
	GroupAggregate struct {
		Base
		Keys  []int
		Calls []AggCall
		// Partial: "", "PARTIAL" or "FINAL" of the distinct split.
		PartialFinal string
		MiniBatch    bool
	}
	// LocalGroupAggregate and GlobalGroupAggregate are the mini-batch two-phase
	// aggregate. Both carry the calls over the local input; Accs describes the
	// intermediate columns.
	LocalGroupAggregate struct {
		Base
		Keys  []int
		Calls []AggCall
		Accs  []value.Field
	}
	// GlobalGroupAggregate merges; its keys are columns of its own input.
	GlobalGroupAggregate struct {
		Base
		Keys  []int
		Calls []AggCall
		Local *LocalGroupAggregate
	}
	// MiniBatchAssigner marks bundles. Mode is "ProcTime" or "RowTime".
	MiniBatchAssigner struct {
		Base
		IntervalMillis int64
		TimeMode       string
	}
	// BatchAggregate is HashAggregate or SortAggregate (Sorted), local or not, final
	// or complete. Merge is isMerge; Local marks the partial phase. Calls are over
	// the input of the partial phase in all cases; for a merging node Partial points
	// to the local node that made its input.
	BatchAggregate struct {
		Base
		Sorted  bool
		Local   bool
		Merge   bool
		Keys    []int
		Calls   []AggCall
		Partial *BatchAggregate
		// AuxKeys are auxGrouping columns.
		AuxKeys []int
	}
	// Union is UNION ALL.
	Union struct{ Base }
	// Sort is a batch sort, or a streaming sort by rowtime (TemporalSort).
	Sort struct {
		Base
		Keys     []SortKey
		Temporal bool
	}
	// SortLimit is ORDER BY with LIMIT; in batch Global tells the phase, in
	// streaming Strategy is the rank strategy ("AppendFastStrategy", ...).
	SortLimit struct {
		Base
		Keys          []SortKey
		Offset, Fetch int64
		Global        bool
		Batch         bool
		Strategy      string
		// PrimaryKeys of the update-fast strategy.
		PrimaryKeys []int
	}
	// Limit is LIMIT without ORDER BY; Fetch is -1 for OFFSET alone (batch).
	Limit struct {
		Base
		Offset, Fetch int64
		Global        bool
		Batch         bool
	}
	// Rank is Top-N by ROW_NUMBER, RANK (batch) over partitions. RankEnd is -1 when variable.
	Rank struct {
		Base
		Strategy           string
		RankType           string
		RankStart, RankEnd int64
		PartitionBy        []int
		Keys               []SortKey
		OutputRank         bool
		PrimaryKeys        []int
		Global, Batch      bool
	}
	// Deduplicate is how the execution plan shows a Rank by time with N = 1.
	Deduplicate struct {
		Base
		Keys             []int
		KeepLast         bool
		Rowtime          bool
		TimeColumn       int
		OutputInsertOnly bool
	}
	// OverAggregate evaluates OVER windows: output is input columns, then calls.
	OverAggregate struct {
		Base
		PartitionBy []int
		Keys        []SortKey
		Rows        bool
		Lower       rex.Bound
		Upper       rex.Bound
		Calls       []AggCall
		// Groups are further windows (batch only).
		Groups []OverGroup
	}
	// Join is a streaming regular join, or a batch join of Kind "NestedLoopJoin",
	// "HashJoin", "SortMergeJoin". JoinType: "InnerJoin", "LeftOuterJoin",
	// "RightOuterJoin", "FullOuterJoin", "LeftSemiJoin", "LeftAntiJoin".
	Join struct {
		Base
		Kind                string
		JoinType            string
		Cond                rex.Expr
		LeftKeys, RightKeys []int
		// FilterNulls[i] is false for IS NOT DISTINCT FROM keys.
		FilterNulls         []bool
		NonEqui             rex.Expr
		LeftSpec, RightSpec string // JoinKeyContainsUniqueKey, HasUniqueKey, NoUniqueKey
		LeftUnique          []int
		RightUnique         []int
		// BuildLeft, Broadcast, SingleRow and DistinctBuild belong to batch joins: the side
		// that is collected, whether all tasks get it, whether it has one row at most, and
		// whether equal rows of it need not be kept.
		BuildLeft, Broadcast, SingleRow, DistinctBuild bool
		// Hinted: a hint of the query decided on Kind. Hints and TTL are the texts of hints.
		Hinted     bool
		Hints, TTL string
		// Adaptive: Flink chooses the algorithm and the build side again at run time, by the
		// bytes of the inputs; a side of less than BroadcastBytes may be broadcast.
		Adaptive       bool
		BroadcastBytes int64
		// LeftRows and RightRows are the estimates that size the hash table.
		LeftRows, RightRows int64
		// Original is the algorithm of an AdaptiveJoin, as the execution plan shows it.
		Original string
		// LeftSize and RightSize are the planner's estimates in bytes.
		LeftSize, RightSize float64
	}
	// IntervalJoin joins rows whose times lie within bounds (left - right, ms).
	IntervalJoin struct {
		Base
		JoinType            string
		Rowtime             bool
		Lower, Upper        int64
		LeftTime, RightTime int
		LeftKeys, RightKeys []int
		FilterNulls         []bool
		Cond, NonEqui       rex.Expr
	}
	// TemporalJoin is FOR SYSTEM_TIME AS OF.
	TemporalJoin struct {
		Base
		JoinType            string
		Cond, NonEqui       rex.Expr
		LeftKeys, RightKeys []int
		LeftTime, RightTime int
		Rowtime             bool
	}
	// Correlate applies a table function per row.
	Correlate struct {
		Base
		Call     *rex.Call
		JoinType string
		Cond     rex.Expr
		// Invocation is the text in invocation=[..].
		Invocation string
	}
	// WatermarkAssigner emits watermarks Expr over Column.
	WatermarkAssigner struct {
		Base
		Column int
		Expr   rex.Expr
	}
	// WindowSpec describes TUMBLE, HOP, CUMULATE, SESSION (milliseconds).
	WindowTableFunction struct {
		Base
		Window Window
	}
	// WindowAggregate is one-, two-phase (Local, Global) window aggregation.
	WindowAggregate struct {
		Base
		Phase  string // "", "Local", "Global"
		Window Window
		Keys   []int
		Calls  []AggCall
		// Props are the appended window properties: "start", "end", "rowtime" in output order.
		Props []string
		Local *WindowAggregate
	}
	// GroupWindowAggregate is the legacy TUMBLE/HOP/SESSION in GROUP BY.
	GroupWindowAggregate struct {
		Base
		Window Window
		Keys   []int
		Calls  []AggCall
		Props  []string
		// EarlyFire and LateFire in ms, -1 when off.
		EarlyFire, LateFire, AllowLateness int64
	}
	// BatchWindowAggregate is GROUP BY TUMBLE or HOP in batch, in one phase or two: Local makes
	// accumulators by key and slice of time, Merge joins them. A slice is a pane if windows overlap
	// (Pane), else the window itself; it stands behind the keys of the local output, as its start.
	// Calls and Window are over the input of the first phase, Keys over the node's own input.
	BatchWindowAggregate struct {
		Base
		Sorted, Local, Merge, Pane bool
		Window                     Window
		Keys                       []int
		Calls                      []AggCall
		Props                      []string
		Partial                    *BatchWindowAggregate
	}
	// WindowRank, WindowDeduplicate and WindowJoin work on windowed inputs.
	WindowRank struct {
		Base
		Window             Window
		RankStart, RankEnd int64
		PartitionBy        []int
		Keys               []SortKey
		OutputRank         bool
	}
	// WindowDeduplicate keeps the first or last row by rowtime of a window.
	WindowDeduplicate struct {
		Base
		Window      Window
		PartitionBy []int
		TimeColumn  int
		KeepLast    bool
	}
	// WindowJoin joins rows of the same window.
	WindowJoin struct {
		Base
		JoinType                string
		LeftWindow, RightWindow Window
		LeftKeys, RightKeys     []int
		FilterNulls             []bool
		Cond, NonEqui           rex.Expr
	}
	// Match is MATCH_RECOGNIZE; Spec is a *rel.Match.
	Match struct {
		Base
		PartitionBy []int
		Keys        []SortKey
		Spec        any
		// The texts of EXPLAIN: expressions with time attributes as plain timestamps.
		Measures, Defines []NamedExpr
		After, Pattern    string
		Subsets           []string
	}
	// ChangelogNormalize turns an upsert changelog into a full one.
	ChangelogNormalize struct {
		Base
		Keys []int
		Cond rex.Expr
	}
	// DropUpdateBefore drops -U.
	DropUpdateBefore struct{ Base }
	// ProcessTableFunction is TO_CHANGELOG or FROM_CHANGELOG.
	ProcessTableFunction struct {
		Base
		// Function is "TO_CHANGELOG" or "FROM_CHANGELOG"; Call prints the invocation.
		Function string
		Call     *rex.Call
		Name     string
		UID      string
		// OpColumn: the name TO_CHANGELOG adds, or the column FROM_CHANGELOG removes.
		OpColumn string
		// Mapping: op code per row kind (TO), row kind per op code (FROM).
		To     map[changelog.RowKind]string
		From   map[string]changelog.RowKind
		OnTime int
	}
	// Sink writes a table.
	Sink struct {
		Base
		Table       *catalog.Table
		Overwrite   bool
		Partition   map[string]string
		Materialize bool
		Conflict    string
		// TargetColumns are the columns of a partial INSERT; nil without a list.
		TargetColumns []int
		// Hints is the inside of hints=[..], "" without.
		Hints string
		// UpsertKey, PrimaryKey: column indexes of the input.
		UpsertKey, PrimaryKey []int
	}
)

// OverGroup is one window of a batch OverAggregate.
type OverGroup struct {
	PartitionBy  []int
	Keys         []SortKey
	Rows         bool
	Lower, Upper rex.Bound
	Calls        []AggCall
}

// NamedExpr is a measure or a definition of MATCH_RECOGNIZE.
type NamedExpr struct {
	Name string
	X    rex.Expr
}

// Window is a window assignment (all times in milliseconds).
type Window struct {
	// NotNull: the time of the windows is a NOT NULL column. Windows of different nullability do not join.
	NotNull bool
	Kind    string // "TUMBLE", "HOP", "CUMULATE", "SESSION"
	// TimeColumn is an input column; -1 when the window is attached (win_start, win_end).
	TimeColumn          int
	StartCol, EndCol    int
	Size, Slide, Offset int64 // Slide: HOP slide or CUMULATE step; Size: also the SESSION gap
	PartitionBy         []int
	Rowtime             bool
	// LTZ: the time column is TIMESTAMP_LTZ, windows are cut in the session zone.
	LTZ bool
}
