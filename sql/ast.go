// Package sql turns Flink SQL text into a syntax tree and back.
// It knows neither types nor data: names are not resolved here.
package sql

// Pos is a place in a text: line and column count from 1, columns in UTF-16
// units as Calcite counts them; Offset is a byte offset. End places are inclusive.
type Pos struct {
	Offset, Line, Col int
}

// Span is the first and the last character of a node.
type Span struct {
	Start, End Pos
}

// At returns the span; it makes every node that embeds Span a Node.
func (s Span) At() Span { return s }

// Node is any piece of syntax.
type Node interface{ At() Span }

// Ident is one part of a name; Quoted tells that backquotes stood around it.
type Ident struct {
	Span
	Text   string
	Quoted bool
}

// Name is a possibly qualified name.
type Name struct {
	Span
	Parts []Ident
}

// ---- expressions ----

// Expr is a scalar expression.
type Expr interface {
	Node
	expr()
}

type (
	// ColumnRef is a name used as a value: a, t.a, cat.db.t.a, r.f
	ColumnRef struct {
		Span
		Name Name
	}
	// Star is * or t.* in a select list or COUNT(*).
	Star struct {
		Span
		Qualifier Name
	}
	// NumberLit is a numeric literal as written: 1, 1.50, 1e3.
	NumberLit struct {
		Span
		Text string
	}
	// StringLit is 'text', unescaped; Charset is the prefix as in _UTF16'x', or "".
	// Unicode tells U&'...' (already decoded).
	StringLit struct {
		Span
		Value   string
		Charset string
		Unicode bool
	}
	// BinaryLit is X'CAFE'; Hex as written without quotes.
	BinaryLit struct {
		Span
		Hex string
	}
	// BoolLit is TRUE, FALSE or UNKNOWN (Unknown).
	BoolLit struct {
		Span
		Value   bool
		Unknown bool
	}
	// NullLit is NULL.
	NullLit struct{ Span }
	// TemporalLit is DATE '..', TIME '..', TIMESTAMP '..'; Kind is upper case.
	TemporalLit struct {
		Span
		Kind string
		Text string
	}
	// IntervalLit is INTERVAL '1' DAY or INTERVAL '1 2' DAY TO HOUR; Negative for INTERVAL -'1'.
	// Value is nil for the text form; Flink also takes INTERVAL 5 SECOND and
	// INTERVAL expr unit, which keep the expression in Value.
	IntervalLit struct {
		Span
		Text     string
		Negative bool
		Value    Expr
		Unit     IntervalUnit
	}
	// Unary is -x, +x, NOT x, x IS NULL, ... Op: "-", "+", "NOT", "IS NULL",
	// "IS NOT NULL", "IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE",
	// "IS UNKNOWN", "IS NOT UNKNOWN", "IS JSON VALUE", "IS NOT JSON OBJECT", ..., "EXISTS", "UNIQUE".
	Unary struct {
		Span
		Op string
		X  Expr
	}
	// Binary is x op y. Op: + - * / % || = <> != < <= > >= AND OR,
	// "IS DISTINCT FROM", "IS NOT DISTINCT FROM", OVERLAPS, CONTAINS, ...
	Binary struct {
		Span
		Op    string
		X, Y  Expr
		OpPos Pos
	}
	// Between is x [NOT] BETWEEN [SYMMETRIC|ASYMMETRIC] lo AND hi.
	Between struct {
		Span
		X, Lo, Hi      Expr
		Not, Symmetric bool
	}
	// Like is x [NOT] LIKE|SIMILAR TO pattern [ESCAPE e]; Op is "LIKE" or "SIMILAR TO".
	Like struct {
		Span
		Op                 string
		X, Pattern, Escape Expr
		Not                bool
	}
	// In is x [NOT] IN (list | query); X may be a RowExpr.
	In struct {
		Span
		X     Expr
		List  []Expr
		Query *Query
		Not   bool
	}
	// Quantified is x op SOME|ANY|ALL (query | list).
	Quantified struct {
		Span
		X     Expr
		Op    string
		Quant string
		Query *Query
		List  []Expr
	}
	// Case is CASE [x] WHEN .. THEN .. [ELSE ..] END.
	Case struct {
		Span
		X    Expr
		When []When
		Else Expr
	}
	// Cast is CAST(x AS T) or TRY_CAST(x AS T).
	Cast struct {
		Span
		X    Expr
		Type TypeName
		Try  bool
	}
	// Call is a function call, in any of SQL's forms. Special argument syntax is
	// normalised: SUBSTRING(x FROM a FOR b) to args x,a,b; TRIM(BOTH c FROM x) to
	// args Flag BOTH, c, x; EXTRACT(u FROM x) to Flag u, x; POSITION(a IN b) to a,b;
	// CEIL(x TO u) to x, Flag u; OVERLAY(x PLACING y FROM a FOR b) to x,y,a,b;
	// JSON_VALUE and friends keep their clauses as Flags. Syntax tells how it was
	// written: "" for plain, "SPECIAL" for keyword forms, "BARE" for CURRENT_DATE without brackets.
	Call struct {
		Span
		Name     Name
		Args     []Expr
		Syntax   string
		Distinct bool
		All      bool
		Star     bool // COUNT(*)
		Filter   Expr
		Within   []OrderItem // WITHIN GROUP (ORDER BY ...)
		Nulls    string      // "IGNORE", "RESPECT" or ""
		Over     *WindowSpec
		OverName string
	}
	// Flag is a keyword argument such as YEAR, BOTH, "NULL ON EMPTY"; upper case.
	Flag struct {
		Span
		Text string
	}
	// NamedArg is name => value.
	NamedArg struct {
		Span
		Name  Ident
		Value Expr
	}
	// TableArg is TABLE t [PARTITION BY ..] [ORDER BY ..] or TABLE(t), as an argument of a table function.
	TableArg struct {
		Span
		Name        Name
		Query       *Query // for (SELECT ...) as an argument, Name is empty
		PartitionBy []Expr
		OrderBy     []OrderItem
		Parens      bool // TABLE(t)
	}
	// Descriptor is DESCRIPTOR(a, b).
	Descriptor struct {
		Span
		Columns []Expr
	}
	// Subquery is (SELECT ...) as a value.
	Subquery struct {
		Span
		Query *Query
	}
	// RowExpr is ROW(a, b) or (a, b) (Explicit false).
	RowExpr struct {
		Span
		Items    []Expr
		Explicit bool
	}
	// ArrayExpr is ARRAY[a, b]; Query for ARRAY(SELECT ..).
	ArrayExpr struct {
		Span
		Items []Expr
		Query *Query
	}
	// MapExpr is MAP[k, v, ...].
	MapExpr struct {
		Span
		Items []Expr
		Query *Query
	}
	// MultisetExpr is MULTISET[a, b].
	MultisetExpr struct {
		Span
		Items []Expr
	}
	// Index is x[i].
	Index struct {
		Span
		X, I Expr
	}
	// FieldAccess is (x).f, where x is no plain name.
	FieldAccess struct {
		Span
		X     Expr
		Field Ident
	}
	// DefaultExpr is DEFAULT.
	DefaultExpr struct{ Span }
)

func (*ColumnRef) expr()    {}
func (*Star) expr()         {}
func (*NumberLit) expr()    {}
func (*StringLit) expr()    {}
func (*BinaryLit) expr()    {}
func (*BoolLit) expr()      {}
func (*NullLit) expr()      {}
func (*TemporalLit) expr()  {}
func (*IntervalLit) expr()  {}
func (*Unary) expr()        {}
func (*Binary) expr()       {}
func (*Between) expr()      {}
func (*Like) expr()         {}
func (*In) expr()           {}
func (*Quantified) expr()   {}
func (*Case) expr()         {}
func (*Cast) expr()         {}
func (*Call) expr()         {}
func (*Flag) expr()         {}
func (*NamedArg) expr()     {}
func (*TableArg) expr()     {}
func (*Descriptor) expr()   {}
func (*Subquery) expr()     {}
func (*RowExpr) expr()      {}
func (*ArrayExpr) expr()    {}
func (*MapExpr) expr()      {}
func (*MultisetExpr) expr() {}
func (*Index) expr()        {}
func (*FieldAccess) expr()  {}
func (*DefaultExpr) expr()  {}

// When is one branch of a Case.
type When struct {
	Cond, Then Expr
}

// IntervalUnit is DAY, DAY(3) TO SECOND(2), ...; precisions are -1 where absent.
type IntervalUnit struct {
	From, To               string
	Precision, ToPrecision int
}

// TypeName is a type as written. Name is upper case and normalised by the parser:
// "INT" for INTEGER, "VARCHAR", "STRING", "BYTES", "DECIMAL", "TIMESTAMP",
// "TIMESTAMP_LTZ", "ARRAY", "MAP", "MULTISET", "ROW", ... Params are the numbers in
// brackets. Unknown names are kept as written, for the binder to refuse.
type TypeName struct {
	Span
	Name   string
	Params []int
	Elems  []TypeName // ARRAY, MULTISET: 1; MAP: 2; ROW: per field
	Fields []TypeField
	// NotNull: NOT NULL stood behind it; Null: NULL stood behind it.
	NotNull, Null bool
	// User: a name that is no type of Flink's own.
	User bool
	// Unit of an INTERVAL type.
	Unit IntervalUnit
}

// TypeField is a field of a ROW type.
type TypeField struct {
	Name    Ident
	Type    TypeName
	Comment string
}

// WindowSpec is the inside of OVER (...) or a WINDOW clause entry.
type WindowSpec struct {
	Span
	Ref         string
	PartitionBy []Expr
	OrderBy     []OrderItem
	Frame       *Frame
}

// Frame is ROWS|RANGE [BETWEEN] start [AND end].
type Frame struct {
	Rows       bool
	Start, End FrameBound
}

// FrameBound: Kind is "UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING", "UNBOUNDED FOLLOWING".
type FrameBound struct {
	Kind string
	X    Expr
}

// OrderItem is one ORDER BY key; Nulls is "FIRST", "LAST" or "".
type OrderItem struct {
	X     Expr
	Desc  bool
	Nulls string
}

// ---- queries ----

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

// ---- statements ----

// Statement is one client statement.
type Statement interface {
	Node
	stmt()
}

// Option is 'key' = 'value'.
type Option struct {
	Span
	Key, Value string
}

type (
	// QueryStmt is a SELECT, VALUES, WITH, TABLE.
	QueryStmt struct {
		Span
		Query *Query
	}
	// Insert is INSERT INTO|OVERWRITE t [PARTITION (..)] [(cols)] query [ON CONFLICT DO x].
	Insert struct {
		Span
		Table      Name
		Overwrite  bool
		Partition  []Option // static partition: column = value text
		Columns    []Ident
		Query      *Query
		Hints      []Hint
		OnConflict string // "", "DEDUPLICATE", "ERROR", "NOTHING"
	}
	// StatementSet is EXECUTE STATEMENT SET BEGIN ... END, or EXPLAIN's STATEMENT SET.
	StatementSet struct {
		Span
		Inserts []*Insert
	}
	// BeginStatementSet and EndStatementSet are the client's own brackets.
	BeginStatementSet struct{ Span }
	EndStatementSet   struct{ Span }
	// CreateTable is CREATE [TEMPORARY] TABLE.
	CreateTable struct {
		Span
		Temporary, OrReplace, IfNotExists bool
		Name                              Name
		Columns                           []ColumnDef
		Names                             []Ident // column names without types, for AS
		Watermark                         *WatermarkDef
		Watermarks                        int // how many WATERMARK clauses stood there
		Constraints                       []Constraint
		Comment                           *string
		PartitionedBy                     []Ident
		Distribution                      string
		Options                           []Option
		Like                              *LikeClause
		AsQuery                           *Query
		AsText                            string // AsQuery as written
	}
	// CreateView is CREATE [TEMPORARY] VIEW v [(cols)] [COMMENT ..] AS query.
	// QueryText is the query as written.
	CreateView struct {
		Span
		Temporary, IfNotExists bool
		Name                   Name
		Columns                []Ident
		Comment                *string
		Query                  *Query
		QueryText              string
	}
	// CreateCatalog, CreateDatabase, CreateFunction.
	CreateCatalog struct {
		Span
		Name        Ident
		IfNotExists bool
		Comment     *string
		Options     []Option
	}
	CreateDatabase struct {
		Span
		Name        Name
		IfNotExists bool
		Comment     *string
		Options     []Option
	}
	CreateFunction struct {
		Span
		Temporary, System, IfNotExists bool
		Name                           Name
		Class                          string
		Language                       string
	}
	// Drop is DROP [TEMPORARY] TABLE|VIEW|CATALOG|DATABASE|FUNCTION.
	Drop struct {
		Span
		Kind                string
		Temporary, IfExists bool
		Name                Name
		Cascade, Restrict   bool
	}
	// AlterTable is ALTER TABLE ...; Action: "RENAME", "SET", "RESET", "ADD",
	// "MODIFY", "DROP", "RENAME COLUMN".
	AlterTable struct {
		Span
		IfExists bool
		Name     Name
		Action   string
		NewName  Name
		Options  []Option
		Keys     []string
		Columns  []ColumnDef
		// Drops names what DROP removes: columns, or "PRIMARY KEY", "WATERMARK", "CONSTRAINT c".
		Drops       []string
		Constraints []Constraint
		Watermark   *WatermarkDef
		From, To    Ident
	}
	// AlterView is ALTER VIEW v RENAME TO w | AS query.
	AlterView struct {
		Span
		Name      Name
		NewName   *Name
		Query     *Query
		QueryText string
	}
	// AlterDatabase is ALTER DATABASE d SET (...).
	AlterDatabase struct {
		Span
		Name    Name
		Options []Option
	}
	// Use is USE x, USE CATALOG c, USE MODULES a, b; Kind: "", "CATALOG", "MODULES".
	Use struct {
		Span
		Kind  string
		Names []Name
	}
	// Show is SHOW what ...; What is upper case: "TABLES", "VIEWS", "CREATE TABLE",
	// "CREATE VIEW", "CATALOGS", "CURRENT CATALOG", "DATABASES", "CURRENT DATABASE",
	// "COLUMNS", "FUNCTIONS", "USER FUNCTIONS", "MODULES", "FULL MODULES", "JOBS", "JARS", "PARTITIONS", ...
	Show struct {
		Span
		What  string
		Name  Name // FROM/IN x, or the object of SHOW CREATE
		Not   bool
		ILike bool
		Like  *string
	}
	// Describe is DESCRIBE|DESC [EXTENDED] t, DESCRIBE CATALOG c, DESCRIBE DATABASE d, ...
	Describe struct {
		Span
		Kind     string
		Extended bool
		Name     Name
	}
	// Explain is EXPLAIN [details | PLAN FOR] statement; details in written order, upper case.
	Explain struct {
		Span
		Details []string
		PlanFor bool
		Stmt    Statement
	}
	// Set is SET [key = value]; All lists the settings.
	Set struct {
		Span
		All        bool
		Key, Value string
	}
	// Reset is RESET [key].
	Reset struct {
		Span
		All bool
		Key string
	}
	// ClientCommand is HELP, QUIT, EXIT, CLEAR, ...; Name is upper case.
	ClientCommand struct {
		Span
		Name string
	}
	// Delete, Update, Truncate and the rest parse so that they can be refused in Flink's words.
	Delete struct {
		Span
		Table Name
		Where Expr
	}
	Update struct {
		Span
		Table Name
		Where Expr
	}
	Truncate struct {
		Span
		Table Name
	}
	// Other is a statement that parses in Flink but is outside the engine's scope
	// (ADD JAR, LOAD MODULE, CALL, ANALYZE, ...); Name says which.
	Other struct {
		Span
		Name string
	}
)

func (*QueryStmt) stmt()         {}
func (*Insert) stmt()            {}
func (*StatementSet) stmt()      {}
func (*BeginStatementSet) stmt() {}
func (*EndStatementSet) stmt()   {}
func (*CreateTable) stmt()       {}
func (*CreateView) stmt()        {}
func (*CreateCatalog) stmt()     {}
func (*CreateDatabase) stmt()    {}
func (*CreateFunction) stmt()    {}
func (*Drop) stmt()              {}
func (*AlterTable) stmt()        {}
func (*AlterView) stmt()         {}
func (*AlterDatabase) stmt()     {}
func (*Use) stmt()               {}
func (*Show) stmt()              {}
func (*Describe) stmt()          {}
func (*Explain) stmt()           {}
func (*Set) stmt()               {}
func (*Reset) stmt()             {}
func (*ClientCommand) stmt()     {}
func (*Delete) stmt()            {}
func (*Update) stmt()            {}
func (*Truncate) stmt()          {}
func (*Other) stmt()             {}

// ColumnDef is a column of CREATE TABLE: physical (Type), computed (Computed) or
// metadata (Metadata, with From and Virtual).
type ColumnDef struct {
	Span
	Name         Ident
	Type         TypeName
	Computed     Expr
	ComputedText string
	Metadata     bool
	From         *string
	Virtual      bool
	Comment      *string
	// InlineKey is a column-level PRIMARY KEY or UNIQUE constraint.
	InlineKey *Constraint
	// First, After: position in ALTER TABLE ADD/MODIFY.
	First bool
	After *Ident
}

// WatermarkDef is WATERMARK FOR col AS expr.
type WatermarkDef struct {
	Span
	Column Name
	X      Expr
	Text   string
}

// Constraint is PRIMARY KEY or UNIQUE; Enforced: "", "ENFORCED", "NOT ENFORCED".
type Constraint struct {
	Span
	Name     *Ident
	Unique   bool
	Columns  []Ident
	Enforced string
}

// LikeClause is LIKE t (INCLUDING ALL ...); options as "INCLUDING ALL" texts.
type LikeClause struct {
	Name    Name
	Options []string
}
