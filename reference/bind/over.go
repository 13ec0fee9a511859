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

const (
	unboundedPreceding = "UNBOUNDED PRECEDING"
	unboundedFollowing = "UNBOUNDED FOLLOWING"
	currentRow         = "CURRENT ROW"
)

// nameWindows registers the WINDOW clause.
func (blk *block) nameWindows() error {
	blk.windows = map[string]*sql.WindowSpec{}
	for _, w := range blk.sel.Windows {
		if _, ok := blk.windows[w.Name.Text]; ok {
			return flinkerr.Validator("Duplicate window names not allowed")
		}
		blk.windows[w.Name.Text] = w.Spec
	}
	return nil
}

// window finds the full specification of OVER w or OVER (w ORDER BY ..).
func (x *exprs) window(c *sql.Call) (*sql.WindowSpec, error) {
	spec := c.Over
	if spec == nil {
		spec = &sql.WindowSpec{Ref: c.OverName}
	}
	for depth := 0; spec.Ref != ""; depth++ {
		if x.blk == nil || x.blk.windows[spec.Ref] == nil || depth > 20 {
			return nil, flinkerr.Validator("Window '%s' not found", spec.Ref)
		}
		base := x.blk.windows[spec.Ref]
		merged := *base
		if spec.PartitionBy != nil {
			return nil, flinkerr.Validator("PARTITION BY not allowed with existing window reference")
		}
		if spec.OrderBy != nil {
			if base.OrderBy != nil {
				return nil, flinkerr.Validator("ORDER BY not allowed in both base and referenced windows")
			}
			merged.OrderBy = spec.OrderBy
		}
		if base.Frame != nil && c.Over != nil && depth == 0 {
			return nil, flinkerr.Validator("Referenced window cannot have framing declarations")
		}
		if spec.Frame != nil {
			// Flink forgets the bounds of such a frame, but not whether it counts ROWS.
			if up := spec.Frame.End.Kind; spec.Frame.Start.Kind != "PRECEDING" && spec.Frame.Start.Kind != unboundedPreceding || up != "" && up != currentRow {
				return nil, unsupported.New("a frame of its own for the named window %s, but from PRECEDING to CURRENT ROW", spec.Ref)
			}
			merged.Frame = &sql.Frame{Rows: spec.Frame.Rows, Start: sql.FrameBound{Kind: unboundedPreceding}, End: sql.FrameBound{Kind: currentRow}}
		}
		spec = &merged
	}
	return spec, nil
}

// over binds f(..) OVER w. SUM that may be NULL becomes CASE(COUNT > 0, $SUM0, NULL).
func (x *exprs) over(c *sql.Call) (rex.Expr, error) {
	if x.noAgg != "" && x.noAgg != "SELECT" {
		return nil, flinkerr.Validator("Windowed aggregate expression is illegal in %s clause", x.noAgg)
	}
	if x.inOver {
		return nil, flinkerr.Validator("Aggregate expressions cannot be nested")
	}
	if c.Filter != nil && len(c.Within) == 0 {
		return nil, flinkerr.Validator("OVER must be applied to aggregate function")
	}
	if len(c.Within) > 0 {
		return nil, unsupported.New("WITHIN GROUP with OVER")
	}
	spec, err := x.window(c)
	if err != nil {
		return nil, err
	}
	if err := noOverInside(spec); err != nil {
		return nil, err
	}
	in := *x
	in.inOver = true
	name := strings.ToUpper(callName(c))
	if !fn.IsAggregate(name, true) {
		args, err := in.bindAll(c.Args...)
		if err != nil {
			return nil, err
		}
		if _, err := x.resolve(name, args...); err != nil {
			return nil, err
		}
		return nil, flinkerr.Validator("OVER must be applied to aggregate function")
	}
	args, err := in.bindAll(c.Args...)
	if err != nil {
		return nil, err
	}
	ctx := *x.b.fn
	ctx.Written = callName(c)
	agg, err := fn.ResolveAggregate(&ctx, name, args, fn.AggregateUse{Over: true, Global: mayBeEmpty(spec.Frame), Distinct: c.Distinct, Star: c.Star})
	if err != nil {
		return nil, err
	}
	if len(spec.OrderBy) == 0 {
		switch name {
		case "RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST":
			return nil, flinkerr.Validator("RANK or DENSE_RANK functions require ORDER BY clause in window specification")
		}
		if spec.Frame != nil && !spec.Frame.Rows && !agg.Op.NoFrame {
			return nil, flinkerr.Validator("Window specification must contain an ORDER BY clause")
		}
	}
	if agg.Op.NoFrame && spec.Frame != nil {
		return nil, flinkerr.Validator("ROW/RANGE not allowed with RANK, DENSE_RANK or ROW_NUMBER functions")
	}
	if c.Nulls != "" && name != "LAG" && name != "LEAD" && name != "ARRAY_AGG" {
		return nil, flinkerr.Validator("Cannot specify IGNORE NULLS or RESPECT NULLS following '%s'", name)
	}
	// The smallest of different values is the smallest of all.
	distinct := c.Distinct && name != "MIN" && name != "MAX"
	o := &rex.Over{Agg: agg.Op, Args: agg.Args, Distinct: distinct, IgnoreNulls: c.Nulls == "IGNORE", T: agg.T}
	if o.PartitionBy, err = in.bindAll(spec.PartitionBy...); err != nil {
		return nil, err
	}
	for _, k := range spec.OrderBy {
		e, err := in.bind(k.X)
		if err != nil {
			return nil, err
		}
		key := rex.OrderKey{X: e, Desc: k.Desc, NullsLast: k.Desc}
		switch k.Nulls {
		case "FIRST":
			key.NullsLast = false
		case "LAST":
			key.NullsLast = true
		}
		o.OrderBy = append(o.OrderBy, key)
	}
	if err := in.frame(o, spec, name); err != nil {
		return nil, err
	}
	switch {
	case name == "SUM" && o.T.Nullable:
		return x.sumOver(o)
	case name == "AVG":
		return x.averageOver(o, mayBeEmpty(spec.Frame))
	case strings.HasPrefix(name, "STDDEV"), strings.HasPrefix(name, "VAR"):
		return x.varianceOver(o, name, mayBeEmpty(spec.Frame))
	}
	return o, nil
}

// mayBeEmpty is !SqlWindow.isAlwaysNonEmpty: only frames bounded by UNBOUNDED and
// CURRENT ROW are known to have rows.
func mayBeEmpty(f *sql.Frame) bool {
	if f == nil {
		return false
	}
	rank := func(kind string) int {
		switch kind {
		case unboundedPreceding:
			return 0
		case currentRow, "":
			return 2
		case unboundedFollowing:
			return 4
		}
		return -1
	}
	lo, hi := rank(f.Start.Kind), rank(f.End.Kind)
	return lo < 0 || hi < 0 || lo > hi
}

// frame sets the bounds as SqlToRelConverter does.
func (x *exprs) frame(o *rex.Over, spec *sql.WindowSpec, name string) error {
	switch {
	case o.Agg.NoFrame:
		o.Lower, o.Upper = rex.Bound{Kind: unboundedPreceding}, rex.Bound{Kind: currentRow}
		o.Rows = name == "ROW_NUMBER"
	case len(o.OrderBy) == 0:
		o.Lower, o.Upper = rex.Bound{Kind: unboundedPreceding}, rex.Bound{Kind: unboundedFollowing}
	case spec.Frame == nil:
		o.Lower, o.Upper = rex.Bound{Kind: unboundedPreceding}, rex.Bound{Kind: currentRow}
	default:
		o.Rows = spec.Frame.Rows
		if err := x.checkFrame(spec.Frame, o.OrderBy); err != nil {
			return err
		}
		var err error
		if o.Lower, err = x.bound(spec.Frame.Start); err != nil {
			return err
		}
		end := spec.Frame.End
		if end.Kind == "" {
			end.Kind = currentRow
		}
		if o.Upper, err = x.bound(end); err != nil {
			return err
		}
	}
	if o.Lower.Kind == unboundedPreceding && o.Upper.Kind == unboundedFollowing {
		o.Rows = false
	}
	return nil
}

func (x *exprs) bound(f sql.FrameBound) (rex.Bound, error) {
	b := rex.Bound{Kind: f.Kind}
	if f.X == nil {
		return b, nil
	}
	e, err := x.bind(f.X)
	if err != nil {
		return b, err
	}
	b.X = e
	return b, nil
}

func (x *exprs) sumOver(o *rex.Over) (rex.Expr, error) {
	bigint := value.Type{Kind: value.KindBigInt}
	count := *o
	count.Agg, count.T = fn.AggregateOp("COUNT"), bigint
	sum := *o
	sum.Agg = fn.AggregateOp("$SUM0")
	sum.T.Nullable = false
	cond := &rex.Call{Op: rex.Gt, Args: []rex.Expr{&count, &rex.Literal{V: value.Int(0), T: bigint}}, T: value.Type{Kind: value.KindBoolean}}
	return &rex.Call{Op: rex.Case, Args: []rex.Expr{cond, &sum, &rex.Literal{V: value.Null, T: o.T}}, T: o.T}, nil
}

// averageOver is AVG as SUM / COUNT, cast back to the type of AVG.
func (x *exprs) averageOver(o *rex.Over, empty bool) (rex.Expr, error) {
	r, err := fn.ResolveAggregate(x.b.fn, "SUM", o.Args, fn.AggregateUse{Over: true, Global: empty, Distinct: o.Distinct})
	if err != nil {
		return nil, err
	}
	s := *o
	s.Agg, s.T = r.Op, r.T
	var sum rex.Expr = &s
	if s.T.Nullable {
		if sum, err = x.sumOver(&s); err != nil {
			return nil, err
		}
	}
	sum = fn.Ensure(o.T, sum)
	count := *o
	count.Agg, count.T = fn.AggregateOp("COUNT"), value.TBigInt.NotNull()
	quotient, err := x.resolve("/", sum, &count)
	if err != nil {
		return nil, err
	}
	return fn.MakeCast(o.T, quotient), nil
}
