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

// Ident is one part of a name; Quoted tells that backquotes stood around it. Bare ones, which
// the parser never makes, are keywords and are printed without backquotes.
type Ident struct {
	Span
	Text   string
	Quoted bool
	Bare   bool
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
		Ordered  bool        // Within was written as f(x ORDER BY ...)
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
	// Long: TIMESTAMP_LTZ was written as TIMESTAMP WITH LOCAL TIME ZONE.
	Long bool
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
