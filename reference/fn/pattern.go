package fn

import (
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// AnyVariable stands for all variables of a row pattern.
const AnyVariable = "*"

// PatternTerm is a part of an expression over pattern variables that looks at matched
// rows: a column of one row (Agg is nil), or an aggregate over the rows of a variable.
type PatternTerm struct {
	Var string
	// First and Offset say which of the variable's rows is meant, counted from the first
	// or from the last. Inner is evaluated over that row; where there is none, over a row
	// of NULLs.
	First  bool
	Offset int
	Inner  Eval
	// Agg is an aggregate call, whose arguments are Args.
	Agg  *rex.Call
	Args []Eval
	// Rowtime marks MATCH_ROWTIME(): the time at which the match is emitted.
	Rowtime bool
}

// PatternExpr is an expression over pattern variables, ready to be evaluated: Rest is
// a function of the values of Terms, given as a row.
type PatternExpr struct {
	Terms []PatternTerm
	Rest  Eval
}

// CompilePattern compiles an expression of DEFINE or MEASURES.
func CompilePattern(e rex.Expr, env *Env) (*PatternExpr, error) {
	p := &patternCompiler{env: env, out: &PatternExpr{}}
	rest, err := p.split(e)
	if err != nil {
		return nil, err
	}
	if p.out.Rest, err = Compile(rest, env); err != nil {
		return nil, err
	}
	return p.out, nil
}

type patternCompiler struct {
	env *Env
	out *PatternExpr
}

// term notes a part and returns the column that stands for it.
func (p *patternCompiler) term(t PatternTerm, typ value.Type) rex.Expr {
	p.out.Terms = append(p.out.Terms, t)
	return &rex.InputRef{Index: len(p.out.Terms) - 1, T: typ}
}

func (p *patternCompiler) split(e rex.Expr) (rex.Expr, error) {
	switch e := e.(type) {
	case *rex.PatternRef:
		return p.position(e, false, 0)
	case *rex.Call:
		switch {
		case e.Op.Name == "FINAL" || e.Op.Name == "RUNNING":
			return p.split(e.Args[0])
		case e.Op.Name == "FIRST" || e.Op.Name == "LAST" || e.Op.Name == "PREV":
			offset := 0
			if len(e.Args) > 1 {
				l, ok := e.Args[1].(*rex.Literal)
				if !ok {
					return nil, unsupported.New("%s with an offset that is not constant", e.Op.Name)
				}
				offset = int(l.V.Int())
			}
			return p.position(e.Args[0], e.Op.Name == "FIRST", offset)
		case e.Op.Name == "MATCH_ROWTIME":
			return p.term(PatternTerm{Rowtime: true}, e.T), nil
		case e.Op.Aggregate:
			t := PatternTerm{Var: variableOf(e), Agg: e}
			for _, a := range e.Args {
				f, err := Compile(ofMatchedRow(a), p.env)
				if err != nil {
					return nil, err
				}
				t.Args = append(t.Args, f)
			}
			return p.term(t, e.T), nil
		}
		c := *e
		c.Args = make([]rex.Expr, len(e.Args))
		for i, a := range e.Args {
			x, err := p.split(a)
			if err != nil {
				return nil, err
			}
			c.Args[i] = x
		}
		return &c, nil
	case *rex.Field:
		c := *e
		x, err := p.split(e.X)
		c.X = x
		return &c, err
	}
	return e, nil
}

// position is x of one matched row.
func (p *patternCompiler) position(x rex.Expr, first bool, offset int) (rex.Expr, error) {
	inner, err := Compile(ofMatchedRow(x), p.env)
	if err != nil {
		return nil, err
	}
	return p.term(PatternTerm{Var: variableOf(x), First: first, Offset: offset, Inner: inner}, x.Type()), nil
}

// ofMatchedRow turns columns of pattern variables into columns of a row.
func ofMatchedRow(e rex.Expr) rex.Expr {
	switch e := e.(type) {
	case *rex.PatternRef:
		return &rex.InputRef{Index: e.Index, T: e.T}
	case *rex.Call:
		c := *e
		c.Args = make([]rex.Expr, len(e.Args))
		for i, a := range e.Args {
			c.Args[i] = ofMatchedRow(a)
		}
		return &c
	case *rex.Field:
		c := *e
		c.X = ofMatchedRow(e.X)
		return &c
	}
	return e
}

// variableOf is the variable whose columns an expression reads.
func variableOf(e rex.Expr) string {
	switch e := e.(type) {
	case *rex.PatternRef:
		return e.Var
	case *rex.Call:
		for _, a := range e.Args {
			if v := variableOf(a); v != AnyVariable {
				return v
			}
		}
	case *rex.Field:
		return variableOf(e.X)
	}
	return AnyVariable
}
