package sql

// Query is [WITH ...] body [ORDER BY ...] [LIMIT/OFFSET/FETCH].
type Query struct {
	Span
	With    []CTE
	Body    QueryBody
	OrderBy []OrderItem
	Offset  Expr
	Fetch   Expr // LIMIT n or FETCH NEXT n ROWS ONLY
}

// CTE is one WITH item.
type CTE struct {
	Name    Ident
	Columns []Ident
	Query   *Query
}

// QueryBody is *Select, *SetOp, *Values, *Query (in brackets) or *ExplicitTable.
type QueryBody interface {
	Node
	body()
}

// Select is one SELECT block.
type Select struct {
	Span
	Distinct bool
	Stream   bool
	Hints    []Hint
	Items    []SelectItem
	From     TableExpr // nil without FROM
	Where    Expr
	// GroupBy is nil without a GROUP BY; GroupEmpty marks GROUP BY ().
	GroupBy []GroupItem
	Grouped bool
	Having  Expr
	Windows []NamedWindow
	Qualify Expr
}

// SelectItem is an expression with its alias, if any.
type SelectItem struct {
	X     Expr
	Alias *Ident
}

// NamedWindow is WINDOW w AS (...).
type NamedWindow struct {
	Name Ident
	Spec *WindowSpec
}

// GroupItem is a grouping expression or a ROLLUP, CUBE or GROUPING SETS list.
// Kind: "" (X), "()" , "ROLLUP", "CUBE", "GROUPING SETS" (Items), "TUPLE" ((a, b)).
type GroupItem struct {
	Span
	Kind  string
	X     Expr
	Items []GroupItem
}

// SetOp is left op right; Op is "UNION", "INTERSECT" or "EXCEPT" (MINUS is not Flink's).
type SetOp struct {
	Span
	Op          string
	All         bool
	Left, Right QueryBody
}

// Values is VALUES (..), (..); each row is a RowExpr or a single expression.
type Values struct {
	Span
	Rows []Expr
}

// ExplicitTable is TABLE t.
type ExplicitTable struct {
	Span
	Name Name
}

func (*Select) body()        {}
func (*SetOp) body()         {}
func (*Values) body()        {}
func (*Query) body()         {}
func (*ExplicitTable) body() {}

// Hint is one entry of /*+ ... */.
type Hint struct {
	Span
	Name    Ident
	Options []Option // 'k'='v' form
	Args    []string // plain arguments
}

// TableExpr is an item of FROM.
type TableExpr interface {
	Node
	table()
}

type (
	// TableRef is a named table with hints and FOR SYSTEM_TIME AS OF.
	TableRef struct {
		Span
		Name  Name
		Hints []Hint
		AsOf  Expr
		Alias *Alias
	}
	// Derived is (query) [AS a], with Lateral.
	Derived struct {
		Span
		Query   *Query
		Lateral bool
		Alias   *Alias
	}
	// TableFunc is TABLE(f(...)), LATERAL TABLE(f(...)) or f(TABLE t, ...).
	TableFunc struct {
		Span
		Call    *Call
		Lateral bool
		Wrapped bool // TABLE( ) stood around it
		Alias   *Alias
	}
	// Unnest is UNNEST(x) [WITH ORDINALITY].
	Unnest struct {
		Span
		Args       []Expr
		Ordinality bool
		Alias      *Alias
	}
	// JoinExpr is a join; Type: "CROSS", "INNER", "LEFT", "RIGHT", "FULL", "COMMA".
	JoinExpr struct {
		Span
		Type        string
		Natural     bool
		Left, Right TableExpr
		On          Expr
		Using       []Ident
		Brackets    bool // brackets stood around it
	}
	// MatchRecognize is t MATCH_RECOGNIZE (...).
	MatchRecognize struct {
		Span
		Input       TableExpr
		PartitionBy []Expr
		OrderBy     []OrderItem
		Measures    []SelectItem
		OneRow      bool // ONE ROW PER MATCH was written
		AllRows     bool
		After       MatchSkip
		Pattern     Pattern
		Within      Expr
		Subset      []MatchSubset
		Define      []MatchDefine
		Alias       *Alias
	}
)

func (*TableRef) table()       {}
func (*Derived) table()        {}
func (*TableFunc) table()      {}
func (*Unnest) table()         {}
func (*JoinExpr) table()       {}
func (*MatchRecognize) table() {}

// Alias is AS a (c1, c2).
type Alias struct {
	Name    Ident
	Columns []Ident
}

// MatchSkip is AFTER MATCH SKIP ...; Kind: "", "PAST LAST ROW", "TO NEXT ROW", "TO FIRST", "TO LAST".
type MatchSkip struct {
	Kind string
	Var  string
}

// MatchSubset is SUBSET u = (a, b).
type MatchSubset struct {
	Name Ident
	Vars []Ident
}

// MatchDefine is DEFINE a AS cond.
type MatchDefine struct {
	Name Ident
	X    Expr
}

// Pattern is a row pattern. Kind: "VAR", "CONCAT", "ALT", "GROUP", "PERMUTE",
// "EXCLUDE", "START", "END". Min/Max quantify it (Max -1: unbounded); Quantified
// tells that a quantifier was written, Reluctant the trailing ?.
type Pattern struct {
	Span
	Kind       string
	Var        string
	Items      []Pattern
	Quantified bool
	Min, Max   int
	Reluctant  bool
	// OpenMin: {,n} was written.
	OpenMin bool
}
