package bind

import (
	"time"

	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// foldCast evaluates the cast of a literal, as RexSimplify does with Flink's
// expression reducer. A cast that fails stays as it is.
func (b *binder) foldCast(c *rex.Call) (rex.Expr, bool) {
	l := c.Args[0].(*rex.Literal)
	if e, ok := fn.MakeCast(c.T.NotNull(), l).(*rex.Literal); ok {
		return e, true
	}
	switch {
	case c.T.IsComposite(), l.T.Kind == value.KindTime && c.T.IsTimestamp():
		return nil, false
	case l.T.IsInterval(), c.T.IsInterval():
		b.unsure = true
		return nil, false
	}
	zone := b.env.Zone
	if zone == nil {
		zone = time.UTC
	}
	f, err := fn.Compile(c, &fn.Env{Zone: zone})
	if err != nil {
		b.unsure = true
		return nil, false
	}
	var ctx fn.Ctx
	v := f(&ctx, nil)
	if ctx.Err != nil {
		return nil, false
	}
	if v.IsNull() {
		if !c.T.Nullable {
			return nil, false // too large for a DECIMAL that is NOT NULL: the cast stays
		}
		return rex.NullLiteral(c.T), true
	}
	if c.T.IsApprox() { // NaN and infinities: a DOUBLE stays a cast, with a FLOAT planning ends
		if _, ok, err := fn.Fold(c, &fn.Env{Zone: zone}); err != nil || !ok {
			if b.late == nil {
				b.late = err
			}
			return nil, false
		}
	}
	return &rex.Literal{V: v, T: c.T.NotNull()}, true
}
