package bind

import (
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

func navigationOp(name string) *rex.Op {
	switch name {
	case "FIRST":
		return rex.MatchFirst
	case "LAST":
		return rex.MatchLast
	case "PREV":
		return rex.MatchPrev
	case "NEXT":
		return rex.MatchNext
	case "FINAL":
		return rex.MatchFinal
	case "RUNNING":
		return rex.MatchRunning
	}
	return nil
}

// define binds a DEFINE condition: a column of the variable itself is PREV(v.c, 0),
// of another variable LAST(v.c, 0).
func (x *exprs) define(d sql.MatchDefine) (rex.Expr, error) {
	if err := oneVariableEach(qualify(d.X)); err != nil {
		return nil, err
	}
	e := expandNavigation(qualify(d.X), nil)
	e = replaceNavigation(e, d.Name.Text)
	r, err := x.bindMatch(e)
	if err != nil {
		return nil, err
	}
	if k := r.Type().Kind; k != value.KindBoolean && k != value.KindNull {
		return nil, flinkerr.Validator("DEFINE clause must be a condition")
	}
	return r, nil
}

// measure binds a MEASURES expression under FINAL.
func (x *exprs) measure(e sql.Expr) (rex.Expr, error) {
	e = qualify(e)
	var err error
	find(e, func(n sql.Expr) bool {
		c, ok := n.(*sql.Call)
		if !ok {
			return false
		}
		name := strings.ToUpper(callName(c))
		if name == "PREV" || name == "NEXT" {
			err = flinkerr.Validator("Cannot use PREV/NEXT in MEASURE '%s'", quotedCall(withOffset(c)))
			return true
		}
		if c.Distinct {
			err = flinkerr.Validator("DISTINCT/ALL not allowed with %s function", quotedCall(c))
			return true
		}
		return false
	})
	if err == nil {
		err = oneVariableEach(e)
	}
	if err != nil {
		return nil, err
	}
	op := rex.MatchFinal
	if c, ok := e.(*sql.Call); ok && len(c.Args) == 1 {
		switch strings.ToUpper(callName(c)) {
		case "RUNNING":
			op = rex.MatchRunning
			e = c.Args[0]
		case "FINAL":
			e = c.Args[0]
		}
	}
	r, err := x.bindMatch(expandNavigation(e, nil))
	if err != nil {
		return nil, err
	}
	return &rex.Call{Op: op, Args: []rex.Expr{r}, T: r.Type()}, nil
}

// oneVariableEach: an aggregate or a navigation call looks at the rows of one variable.
func oneVariableEach(e sql.Expr) error {
	var err error
	find(e, func(n sql.Expr) bool {
		c, ok := n.(*sql.Call)
		if _, nav := isNavigation(n); !ok || !nav && !isAggregateCall(c) {
			return false
		}
		vars := map[string]bool{}
		for _, a := range c.Args {
			find(a, func(x sql.Expr) bool {
				if r, ok := x.(*sql.ColumnRef); ok && len(r.Name.Parts) > 1 {
					vars[r.Name.Parts[0].Text] = true
				}
				return false
			})
		}
		if len(vars) < 2 {
			return false
		}
		text := quotedCall(c)
		if strings.Contains(text, "?") {
			err = unsupported.New("several pattern variables in a call")
		} else {
			err = flinkerr.Validator("Multiple pattern variables in '%s'", text)
		}
		return true
	})
	return err
}

// quotedCall prints a call as Calcite's messages do.
func quotedCall(c *sql.Call) string {
	var args []string
	for _, a := range c.Args {
		switch a := a.(type) {
		case *sql.ColumnRef:
			args = append(args, "`"+strings.Join(nameParts(a.Name), "`.`")+"`")
		case *sql.NumberLit:
			args = append(args, a.Text)
		case *sql.Call:
			args = append(args, quotedCall(a))
		case *sql.Binary:
			x, okX := a.X.(*sql.ColumnRef)
			y, okY := a.Y.(*sql.ColumnRef)
			if !okX || !okY {
				args = append(args, "?")
				break
			}
			args = append(args, "`"+strings.Join(nameParts(x.Name), "`.`")+"` "+a.Op+" `"+strings.Join(nameParts(y.Name), "`.`")+"`")
		default:
			args = append(args, "?")
		}
	}
	s := strings.ToUpper(callName(c)) + "("
	if c.Distinct {
		s += "DISTINCT "
	}
	return s + strings.Join(args, ", ") + ")"
}

// qualify writes c as *.c.
func qualify(e sql.Expr) sql.Expr {
	return rewrite(e, func(n sql.Expr) sql.Expr {
		c, ok := n.(*sql.ColumnRef)
		if !ok || len(c.Name.Parts) != 1 {
			return nil
		}
		return columnRef(c.Span, anyVariable, c.Name.Parts[0].Text)
	})
}

// withOffset adds the offset that a navigation call leaves out: 0 for FIRST and LAST,
// 1 for PREV and NEXT.
func withOffset(c *sql.Call) *sql.Call {
	if len(c.Args) != 1 {
		return c
	}
	off := "0"
	switch strings.ToUpper(callName(c)) {
	case "PREV", "NEXT":
		off = "1"
	}
	n := *c
	n.Args = append(append([]sql.Expr(nil), c.Args...), &sql.NumberLit{Text: off})
	return &n
}

func isNavigation(e sql.Expr) (*sql.Call, bool) {
	c, ok := e.(*sql.Call)
	if !ok {
		return nil, false
	}
	switch strings.ToUpper(callName(c)) {
	case "FIRST", "LAST", "PREV", "NEXT":
		return withOffset(c), true
	}
	return nil, false
}

// children copies an expression with f applied to its direct operands.
func children(e sql.Expr, f func(sql.Expr) sql.Expr) sql.Expr {
	return rewrite(e, func(n sql.Expr) sql.Expr {
		if n == e {
			return nil
		}
		return f(n)
	})
}

// expandNavigation moves navigation down to the columns: PREV(A.x + A.y) is
// PREV(A.x) + PREV(A.y). outer is the navigation that stands around e.
func expandNavigation(e sql.Expr, outer *sql.Call) sql.Expr {
	wrap := func(n sql.Expr) sql.Expr {
		if outer == nil {
			return n
		}
		c := *outer
		c.Args = []sql.Expr{n, outer.Args[1]}
		return &c
	}
	if nav, ok := isNavigation(e); ok {
		return wrap(expandNavigation(nav.Args[0], nav))
	}
	if _, ok := e.(*sql.ColumnRef); ok {
		return wrap(e)
	}
	return children(e, func(n sql.Expr) sql.Expr { return wrap(expandNavigation(n, nil)) })
}

// replaceNavigation turns plain columns of a DEFINE condition into PREV and LAST.
func replaceNavigation(e sql.Expr, alpha string) sql.Expr {
	nav := func(name string, n sql.Expr) sql.Expr {
		return &sql.Call{Span: e.At(), Name: callOf(name), Args: []sql.Expr{n, &sql.NumberLit{Text: "0"}}}
	}
	if c, ok := e.(*sql.Call); ok {
		name := strings.ToUpper(callName(c))
		switch {
		case name == "FIRST" || name == "LAST" || fn.IsAggregate(name, false):
			return e
		case name == "PREV" && len(c.Args) == 2:
			if ref, ok := c.Args[0].(*sql.ColumnRef); ok {
				if nameParts(ref.Name)[0] == alpha {
					return e
				}
				n := *c
				n.Name = callOf("LAST")
				return &n
			}
		}
	}
	if ref, ok := e.(*sql.ColumnRef); ok && len(ref.Name.Parts) > 1 {
		if ref.Name.Parts[0].Text == alpha {
			return nav("PREV", e)
		}
		return nav("LAST", e)
	}
	return children(e, func(n sql.Expr) sql.Expr { return replaceNavigation(n, alpha) })
}

// bindMatch binds an expression of MATCH_RECOGNIZE.
func (x *exprs) bindMatch(e sql.Expr) (rex.Expr, error) {
	return x.bind(e)
}

// matchCall binds navigation, aggregates and the functions of MATCH_RECOGNIZE; nil
// for other calls.
func (x *exprs) matchCall(c *sql.Call, name string) (rex.Expr, error) {
	if op := navigationOp(name); op != nil && len(c.Args) > 0 {
		args, err := x.bindAll(c.Args...)
		if err != nil {
			return nil, err
		}
		t := args[0].Type()
		if op != rex.MatchFinal && op != rex.MatchRunning {
			t.Nullable = true
		}
		return &rex.Call{Op: op, Args: args, T: t}, nil
	}
	switch name {
	case "CLASSIFIER":
		return &rex.Call{Op: rex.Classifier, T: value.VarcharType(2000)}, nil
	case "MATCH_ROWTIME":
		if len(c.Args) > 0 {
			return nil, unsupported.New("MATCH_ROWTIME with an argument")
		}
		return &rex.Call{Op: rex.MatchRowtime, T: value.Type{Kind: value.KindTimestamp, Precision: 3, Nullable: true, Time: value.Rowtime}}, nil
	case "MATCH_PROCTIME":
		return &rex.Call{Op: rex.MatchProctime, T: value.Type{Kind: value.KindTimestampLTZ, Precision: 3, Time: value.Proctime}}, nil
	}
	if !isAggregateCall(c) {
		return nil, nil
	}
	args, err := x.bindAll(c.Args...)
	if err != nil {
		return nil, err
	}
	if c.Star && name == "COUNT" {
		return &rex.Call{Op: fn.AggregateOp("COUNT"), T: value.TBigInt.NotNull()}, nil
	}
	if name == "AVG" {
		return x.averageInMatch(args)
	}
	r, err := fn.ResolveAggregate(x.b.fn, name, args, fn.AggregateUse{Global: true})
	if err != nil {
		return nil, err
	}
	return &rex.Call{Op: r.Op, Args: r.Args, T: r.T}, nil
}

// averageInMatch is AVG as SUM / COUNT, which Calcite makes of it here.
func (x *exprs) averageInMatch(args []rex.Expr) (rex.Expr, error) {
	avg, err := fn.ResolveAggregate(x.b.fn, "AVG", args, fn.AggregateUse{Global: true})
	if err != nil {
		return nil, err
	}
	sum, err := fn.ResolveAggregate(x.b.fn, "SUM", args, fn.AggregateUse{Global: true})
	if err != nil {
		return nil, err
	}
	s := castTo(&rex.Call{Op: sum.Op, Args: sum.Args, T: sum.T}, avg.T)
	count := &rex.Call{Op: fn.AggregateOp("COUNT"), Args: args, T: value.TBigInt.NotNull()}
	q, err := x.resolve("/", s, count)
	if err != nil || sameType(q.Type().AsNullable(), avg.T.AsNullable()) {
		return q, err
	}
	return castTo(q, avg.T), nil
}
