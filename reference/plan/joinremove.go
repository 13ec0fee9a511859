package plan

import (
	"github.com/labgrade/labgrade/reference/rex"
)

// withoutJoin is the calc over the left (or right) input alone, where nobody reads the
// other side of an outer join whose keys are unique there (ProjectJoinRemoveRule).
func (b *builder) withoutJoin(c *calc, n *joinNode, refs []int) *calc {
	w := len(n.left.exprs)
	lk, rk, _, _ := equiKeys(n.cond, w)
	switch n.typ {
	case "left":
		for _, r := range refs {
			if r >= w {
				return nil
			}
		}
		if !uniqueOn(n.right, rk) {
			return nil
		}
		return b.onto(c, n.left, 0)
	case "right":
		for _, r := range refs {
			if r < w {
				return nil
			}
		}
		if !uniqueOn(n.left, lk) {
			return nil
		}
		return b.onto(c, n.right, w)
	}
	return nil
}

func uniqueOn(c *calc, keys []int) bool {
	for _, k := range logicalKeys(c, false) {
		if subset(k, keys) {
			return true
		}
	}
	return false
}

// onto puts a calc on the calc that takes its operator's place.
func (b *builder) onto(c, in *calc, from int) *calc {
	out := &calc{in: in.in, fields: c.fields, projected: true, cond: append([]rex.Expr(nil), in.cond...)}
	for _, e := range c.exprs {
		out.exprs = append(out.exprs, rex.Substitute(shift(e, -from), in.exprs))
	}
	for _, e := range c.cond {
		out.cond = append(out.cond, rex.Substitute(shift(e, -from), in.exprs))
	}
	return out
}
