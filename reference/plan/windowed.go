package plan

import (
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// windowRank is a Top-N by window: partitions hold the window's start and end. The first
// or last row by time, and nothing else, is a WindowDeduplicate. nil for neither.
func (p *physical) windowRank(n *rankNode, r *phys.Rank, in phys.Node) phys.Node {
	props := windowsOf(in)
	plain, start, end, time, ok := props.splitKeys(n.partition)
	switch {
	case ok && n.rankType != "ROW_NUMBER":
		return p.fail(flinkerr.Table("%s() function is not supported on Window TopN currently, only ROW_NUMBER() is supported.", n.rankType))
	case n.rankType != "ROW_NUMBER":
		return p.fail(flinkerr.Table("%s() on streaming table is not supported currently", n.rankType))
	case !ok:
		return nil
	}
	if props.window.Kind == "SESSION" && len(props.window.PartitionBy) > 0 {
		p.doubtText("a Top-N in sessions with PARTITION BY")
	}
	plain = append(plain, time...)
	w := props.attached(start[0], end[0])
	x := distribute(in, plain)
	k := r.Keys[0]
	if len(r.Keys) == 1 && n.start == 1 && n.end == 1 && !n.outputRank && in.Schema()[k.Column].Type.Time != value.NoTimeAttribute {
		return &phys.WindowDeduplicate{Base: base(r.Fields, x), Window: w, PartitionBy: plain, TimeColumn: k.Column, KeepLast: k.Desc}
	}
	return &phys.WindowRank{Base: base(r.Fields, x), Window: w, RankStart: n.start, RankEnd: n.end,
		PartitionBy: plain, Keys: r.Keys, OutputRank: n.outputRank}
}

// joinedWindows are the equalities of a window join: start and end of both sides.
type joinedWindows struct {
	left, right phys.Window
	// rest are the other conditions.
	rest []rex.Expr
}

// windowPairs finds a window join: both sides carry the same kind of window, and the
// condition has start = start and end = end.
func windowPairs(cond []rex.Expr, l, r *windowProps, w int) *joinedWindows {
	if l == nil || r == nil {
		return nil
	}
	var out joinedWindows
	start, end := [2]int{-1, -1}, [2]int{-1, -1}
	for _, e := range cond {
		c, ok := e.(*rex.Call)
		if ok && c.Op == rex.Eq {
			a, okA := c.Args[0].(*rex.InputRef)
			b, okB := c.Args[1].(*rex.InputRef)
			if okA && okB && (a.Index < w) != (b.Index < w) {
				if a.Index >= w {
					a, b = b, a
				}
				switch {
				case l.start[a.Index] && r.start[b.Index-w]:
					start = [2]int{a.Index, b.Index - w}
					continue
				case l.end[a.Index] && r.end[b.Index-w]:
					end = [2]int{a.Index, b.Index - w}
					continue
				}
			}
		}
		out.rest = append(out.rest, e)
	}
	a, b := l.window, r.window
	if start[0] < 0 || end[0] < 0 || a.Kind != b.Kind || a.Size != b.Size || a.Slide != b.Slide || a.Offset != b.Offset || a.Rowtime != b.Rowtime || a.LTZ != b.LTZ || a.NotNull != b.NotNull {
		return nil
	}
	out.left, out.right = l.attached(start[0], end[0]), r.attached(start[1], end[1])
	return &out
}

func (p *physical) windowJoin(n *joinNode, j *phys.Join, w *joinedWindows, l, r phys.Node, in []value.Field) phys.Node {
	x := &phys.WindowJoin{JoinType: j.JoinType, LeftWindow: w.left, RightWindow: w.right}
	var rest []rex.Expr
	x.LeftKeys, x.RightKeys, x.FilterNulls, rest = equiKeys(w.rest, len(l.Schema()))
	if len(rest) > 0 {
		x.NonEqui = p.plainJoin(rex.AndOf(rest), in)
	}
	if len(w.rest) > 0 {
		x.Cond = p.plainJoin(rex.AndOf(w.rest), in)
	}
	x.Fields = j.Fields
	x.In = []phys.Node{distribute(l, x.LeftKeys), distribute(r, x.RightKeys)}
	return x
}
