// Package rex is the language of typed row expressions (Calcite's RexNode): input
// references, literals, calls. The binder makes them, the planner rewrites them,
// EXPLAIN prints them, and package fn gives their calls a meaning.
package rex

import "github.com/labgrade/labgrade/value"

// Expr is a typed expression over one input row (for joins: left and right
// columns in one numbering).
type Expr interface {
	Type() value.Type
	rex()
}

type (
	// InputRef is column Index of the input row.
	InputRef struct {
		Index int
		T     value.Type
	}
	// Literal is a constant. Text, if set, is the digest that the literal was
	// written with, where the value alone does not determine it.
	Literal struct {
		V    value.Value
		T    value.Type
		Text string
	}
	// Call applies an operator. The type of a CAST call is its target.
	Call struct {
		Op   *Op
		Args []Expr
		T    value.Type
	}
	// Flag is a symbol argument: FLAG(YEAR), FLAG(BOTH), ...
	Flag struct {
		Text string
		T    value.Type
	}
	// Sarg is the right operand of SEARCH: a set of ranges over T.
	Sarg struct {
		Ranges []Range
		// NullAs is "TRUE", "FALSE" or "" (UNKNOWN).
		NullAs string
		T      value.Type
	}
	// CorrelVar is $corN, the outer row of a correlated expression.
	CorrelVar struct {
		ID int
		T  value.Type
	}
	// Field is x.name, of a ROW value or a CorrelVar.
	Field struct {
		X     Expr
		Name  string
		Index int
		T     value.Type
	}
	// SubQuery is a query used as an expression before it is turned into a join;
	// Rel is a rel.Node.
	SubQuery struct {
		Op   *Op // IN, EXISTS, SCALAR_QUERY, SOME, ...
		Args []Expr
		Rel  any
		// Text is the plain form of Rel (two blanks a level), which digests show.
		Text string
		T    value.Type
	}
	// PatternRef is v.$i: a column of the row that pattern variable v matched.
	PatternRef struct {
		Var   string
		Index int
		T     value.Type
	}
	// TableInput is TABLE(#i), the i-th input of a table function, with the input
	// columns of its PARTITION BY.
	TableInput struct {
		Index       int
		PartitionBy []int
		T           value.Type
	}
	// Over is an aggregate or ranking call over a window.
	Over struct {
		Agg         *Op
		Args        []Expr
		Distinct    bool
		IgnoreNulls bool
		PartitionBy []Expr
		OrderBy     []OrderKey
		Rows        bool
		Lower       Bound
		Upper       Bound
		T           value.Type
	}
)

func (e *InputRef) Type() value.Type   { return e.T }
func (e *Literal) Type() value.Type    { return e.T }
func (e *Call) Type() value.Type       { return e.T }
func (e *Flag) Type() value.Type       { return e.T }
func (e *Sarg) Type() value.Type       { return e.T }
func (e *CorrelVar) Type() value.Type  { return e.T }
func (e *Field) Type() value.Type      { return e.T }
func (e *SubQuery) Type() value.Type   { return e.T }
func (e *Over) Type() value.Type       { return e.T }
func (e *PatternRef) Type() value.Type { return e.T }
func (e *TableInput) Type() value.Type { return e.T }
func (*PatternRef) rex()               {}
func (*TableInput) rex()               {}
func (*InputRef) rex()                 {}
func (*Literal) rex()                  {}
func (*Call) rex()                     {}
func (*Flag) rex()                     {}
func (*Sarg) rex()                     {}
func (*CorrelVar) rex()                {}
func (*Field) rex()                    {}
func (*SubQuery) rex()                 {}
func (*Over) rex()                     {}

// Op is an operator or function. There is one *Op per operator: compare by
// pointer. Built-in operators of the language are the variables of this package
// (ops.go); functions come from package fn, whose registry hangs its own data on Impl.
type Op struct {
	// Name as EXPLAIN prints it: "+", "AND", "IS NULL", "CAST", "UPPER".
	Name   string
	Syntax Syntax
	// Deterministic is false for RAND, UUID, NOW, ...
	NonDeterministic bool
	// Aggregate marks aggregate functions.
	Aggregate bool
	// Bare operators print no brackets when they have no arguments: CURRENT_DATE.
	Bare bool
	// NoFrame marks window functions that take no frame: ROW_NUMBER, RANK, LAG, ...
	NoFrame bool
	// Impl belongs to package fn.
	Impl any
}

// Syntax tells how the Optimized Execution Plan prints a call.
type Syntax uint8

// The syntaxes.
const (
	Function Syntax = iota
	Infix           // (a + b)
	Prefix          // -a, NOT a
	Postfix         // a IS NULL
	Special
)

// Range is an interval of a Sarg; nil bounds are infinite.
type Range struct {
	Low, High         *value.Value
	LowOpen, HighOpen bool
	// LowText and HighText are the bounds as written, where the value does not tell
	// (1 as DECIMAL(12, 2)).
	LowText, HighText string
}

// OrderKey is a sort key.
type OrderKey struct {
	X         Expr
	Desc      bool
	NullsLast bool
}

// Bound of an OVER frame.
type Bound struct {
	Kind string // "UNBOUNDED PRECEDING", "PRECEDING", "CURRENT ROW", "FOLLOWING", "UNBOUNDED FOLLOWING"
	X    Expr
}
