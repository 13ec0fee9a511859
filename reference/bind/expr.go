package bind

import (
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// exprs binds the expressions of one clause.
type exprs struct {
	b  *binder
	sc *scope
	// blk is the SELECT block, for USING columns and named windows; nil outside one.
	blk *block
	// agg is set while expressions are read over the aggregate's output.
	agg *aggregation
	// noAgg names the clause in which aggregates are illegal ("WHERE", ...), or is "".
	noAgg string
	// inAgg: inside the arguments of an aggregate.
	inAgg bool
	// inOver: inside the arguments of a window function.
	inOver bool
}

func (x *exprs) resolve(name string, args ...rex.Expr) (rex.Expr, error) {
	return fn.Resolve(x.b.fn, name, args)
}

// bind types one expression.
func (x *exprs) bind(e sql.Expr) (rex.Expr, error) {
	if x.b.exprDepth++; x.b.exprDepth > maxExprDepth {
		return nil, unsupported.New("an expression of more than %d operators in one another", maxExprDepth)
	}
	defer func() { x.b.exprDepth-- }()
	if x.agg != nil {
		if r, err := x.agg.lookup(x, e); r != nil || err != nil {
			return r, err
		}
	}
	switch e := e.(type) {
	case *sql.ColumnRef:
		return x.column(e)
	case *sql.NumberLit:
		return numberLiteral(e.Text, false)
	case *sql.StringLit:
		return stringLiteral(e.Value), nil
	case *sql.BinaryLit:
		return binaryLiteral(e.Hex)
	case *sql.BoolLit:
		if e.Unknown {
			return &rex.Literal{V: value.Null, T: value.Type{Kind: value.KindBoolean, Nullable: true}}, nil
		}
		return &rex.Literal{V: value.Bool(e.Value), T: value.Type{Kind: value.KindBoolean}}, nil
	case *sql.NullLit:
		return &rex.Literal{V: value.Null, T: value.Type{Kind: value.KindNull, Nullable: true}}, nil
	case *sql.TemporalLit:
		return temporalLiteral(e.Kind, e.Text)
	case *sql.IntervalLit:
		return x.interval(e)
	case *sql.Unary:
		return x.unary(e)
	case *sql.Binary:
		return x.binary(e)
	case *sql.Between:
		return x.between(e)
	case *sql.Like:
		return x.like(e)
	case *sql.In:
		return x.in(e)
	case *sql.Case:
		return x.caseExpr(e)
	case *sql.Cast:
		return x.cast(e)
	case *sql.Call:
		return x.call(e)
	case *sql.Flag:
		return &rex.Flag{Text: e.Text, T: value.Type{Kind: value.KindSymbol}}, nil
	case *sql.Subquery:
		return x.scalarSubquery(e)
	case *sql.Quantified:
		return x.quantified(e)
	case *sql.RowExpr:
		return x.constructor("ROW", e.Items)
	case *sql.ArrayExpr:
		if e.Query != nil {
			return nil, unsupported.New("ARRAY(query)")
		}
		return x.constructor("ARRAY", e.Items)
	case *sql.MapExpr:
		if e.Query != nil {
			return nil, unsupported.New("MAP(query)")
		}
		return x.constructor("MAP", e.Items)
	case *sql.Index:
		return x.operator("ITEM", e.X, e.I)
	case *sql.FieldAccess:
		return x.field(e)
	case *sql.Star:
		return nil, flinkerr.Validator("Unknown identifier '*'")
	case *sql.Descriptor:
		return x.descriptor(e)
	}
	return nil, unsupported.New("expression %T", e)
}

// operator binds the operands and resolves a call of them.
func (x *exprs) operator(name string, operands ...sql.Expr) (rex.Expr, error) {
	args := make([]rex.Expr, len(operands))
	for i, o := range operands {
		a, err := x.bind(o)
		if err != nil {
			return nil, err
		}
		args[i] = a
	}
	return x.resolve(name, args...)
}

func (x *exprs) constructor(name string, items []sql.Expr) (rex.Expr, error) {
	return x.operator(name, items...)
}

// column resolves a name used as a value.
func (x *exprs) column(e *sql.ColumnRef) (rex.Expr, error) {
	parts := nameParts(e.Name)
	if x.sc.pattern != nil {
		return x.sc.pattern.ref(x, parts)
	}
	if len(parts) == 1 && x.blk != nil {
		if common := x.blk.commonColumn(parts[0]); common != nil && x.noAgg != "WHERE" {
			if len(common) > 2 {
				return nil, unsupported.New("a column that several USING share")
			}
			return x.operator("COALESCE", common[0], common[1])
		}
	}
	c, err := x.sc.resolve(parts)
	if err != nil {
		return nil, err
	}
	if x.agg != nil {
		// Columns of outer queries are none of the groups either.
		return nil, x.agg.notGrouped(e.Name)
	}
	return x.ref(c), nil
}

// ref makes the expression of a resolved column; a column of an outer block becomes a
// field of a correlation variable.
func (x *exprs) ref(c *column) rex.Expr {
	f := c.kid.fields[c.index]
	var r rex.Expr
	if c.scope == x.sc {
		r = &rex.InputRef{Index: c.kid.offset + c.index, T: c.kid.convertedType(c.index)}
	} else {
		v := &rex.CorrelVar{ID: x.b.cors}
		x.b.cors++
		c.scope.cors = append(c.scope.cors, outerRef{v: v, index: c.kid.offset + c.index})
		r = &rex.Field{X: v, Name: f.Name, Index: c.kid.offset + c.index, T: f.Type}
	}
	for _, n := range c.rest {
		r = fieldOf(r, n)
	}
	return r
}

// fieldOf opens a ROW value; its fields may be NULL when the row may be.
func fieldOf(r rex.Expr, name string) rex.Expr {
	t := r.Type()
	i := fieldIndex(t.Fields, name)
	ft := t.Fields[i].Type
	ft.Nullable = ft.Nullable || t.Nullable
	return &rex.Field{X: r, Name: name, Index: i, T: ft}
}

func (x *exprs) field(e *sql.FieldAccess) (rex.Expr, error) {
	r, err := x.bind(e.X)
	if err != nil {
		return nil, err
	}
	if r.Type().Kind != value.KindRow || fieldIndex(r.Type().Fields, e.Field.Text) < 0 {
		return nil, flinkerr.Validator("Unknown field '%s'", e.Field.Text)
	}
	return fieldOf(r, e.Field.Text), nil
}

func (x *exprs) unary(e *sql.Unary) (rex.Expr, error) {
	switch e.Op {
	case "-":
		if lit, ok := negated(e.X); ok {
			return lit, nil
		}
		return x.operator("-", e.X)
	case "+":
		return x.bind(e.X)
	case "EXISTS":
		return x.exists(e)
	case "NOT":
		// NOT x IN (..) is read as x NOT IN (..) by the conversion (see pushNot).
		return x.operator("NOT", e.X)
	case "UNIQUE":
		return nil, unsupported.New("UNIQUE")
	case "IS UNKNOWN":
		return x.operator("IS NULL", e.X)
	case "IS NOT UNKNOWN":
		return x.operator("IS NOT NULL", e.X)
	}
	return x.operator(e.Op, e.X)
}

func (x *exprs) binary(e *sql.Binary) (rex.Expr, error) {
	args, err := x.bindAll(e.X, e.Y)
	if err != nil {
		return nil, err
	}
	switch e.Op {
	case "AND":
		return x.resolve(e.Op, flatten(rex.And, args)...)
	case "OR":
		return x.resolve(e.Op, flatten(rex.Or, args)...)
	}
	r, err := x.resolve(e.Op, args...)
	if err == nil && (e.Op == "IS DISTINCT FROM" || e.Op == "IS NOT DISTINCT FROM") {
		return distinctFrom(args[0], args[1], e.Op == "IS NOT DISTINCT FROM"), nil
	}
	return r, err
}

// distinctFrom is RelOptUtil.isDistinctFrom: the comparison spelled out.
func distinctFrom(a, b rex.Expr, not bool) rex.Expr {
	boolean := value.Type{Kind: value.KindBoolean}
	eq := &rex.Call{Op: rex.Eq, Args: []rex.Expr{a, b}, T: boolean.WithNullable(a.Type().Nullable || b.Type().Nullable)}
	call := func(op *rex.Op, args ...rex.Expr) rex.Expr { return &rex.Call{Op: op, Args: args, T: boolean} }
	if not {
		return call(rex.Or, call(rex.And, call(rex.IsNull, a), call(rex.IsNull, b)), call(rex.IsTrue, eq))
	}
	return call(rex.And, call(rex.Or, call(rex.IsNotNull, a), call(rex.IsNotNull, b)), call(rex.IsNotTrue, eq))
}

// flatten opens nested calls of the same associative operator.
func flatten(op *rex.Op, args []rex.Expr) []rex.Expr {
	var out []rex.Expr
	for _, a := range args {
		if c, ok := a.(*rex.Call); ok && c.Op == op {
			out = append(out, flatten(op, c.Args)...)
			continue
		}
		out = append(out, a)
	}
	return out
}

func (x *exprs) bindAll(es ...sql.Expr) ([]rex.Expr, error) {
	args := make([]rex.Expr, len(es))
	for i, e := range es {
		a, err := x.bind(e)
		if err != nil {
			return nil, err
		}
		args[i] = a
	}
	return args, nil
}

func (x *exprs) like(e *sql.Like) (rex.Expr, error) {
	ops := []sql.Expr{e.X, e.Pattern}
	if e.Escape != nil {
		ops = append(ops, e.Escape)
	}
	if !e.Not {
		return x.operator(e.Op, ops...)
	}
	args, err := x.bindAll(ops...)
	if err != nil {
		return nil, err
	}
	ctx := *x.b.fn
	ctx.Written = "NOT " + e.Op // the name in errors
	r, err := fn.Resolve(&ctx, e.Op, args)
	if err != nil {
		return nil, err
	}
	return x.resolve("NOT", r)
}

func (x *exprs) caseExpr(e *sql.Case) (rex.Expr, error) {
	var args []rex.Expr
	var subject rex.Expr
	if e.X != nil {
		s, err := x.bind(e.X)
		if err != nil {
			return nil, err
		}
		subject = s
	}
	for _, w := range e.When {
		cond, err := x.bind(w.Cond)
		if err != nil {
			return nil, err
		}
		if subject != nil {
			if cond, err = x.resolve("=", subject, cond); err != nil {
				return nil, err
			}
		}
		then, err := x.bind(w.Then)
		if err != nil {
			return nil, err
		}
		args = append(args, cond, then)
	}
	var elseX rex.Expr = &rex.Literal{V: value.Null, T: value.Type{Kind: value.KindNull, Nullable: true}}
	if e.Else != nil {
		r, err := x.bind(e.Else)
		if err != nil {
			return nil, err
		}
		elseX = r
	}
	return x.resolve("CASE", append(args, elseX)...)
}

func (x *exprs) cast(e *sql.Cast) (rex.Expr, error) {
	to, err := typeOf(e.Type)
	if err != nil {
		return nil, err
	}
	arg, err := x.bind(e.X)
	if err != nil {
		return nil, err
	}
	return fn.ResolveCast(x.b.fn, arg, to, e.Try)
}

func (x *exprs) descriptor(e *sql.Descriptor) (rex.Expr, error) {
	names := make([]rex.Expr, len(e.Columns))
	for i, c := range e.Columns {
		ref, ok := c.(*sql.ColumnRef)
		if !ok || len(ref.Name.Parts) != 1 {
			return nil, flinkerr.Validator("Table or column alias must be a simple identifier")
		}
		names[i] = stringLiteral(ref.Name.Parts[0].Text)
	}
	return &rex.Call{Op: rex.Descriptor, Args: names, T: value.Type{Kind: value.KindDescriptor}}, nil
}

func nameParts(n sql.Name) []string {
	parts := make([]string, len(n.Parts))
	for i, p := range n.Parts {
		parts[i] = p.Text
	}
	return parts
}

func callName(c *sql.Call) string {
	if len(c.Name.Parts) == 0 {
		return ""
	}
	return c.Name.Parts[len(c.Name.Parts)-1].Text
}
