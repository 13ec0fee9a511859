package plan

import (
	"fmt"
	"math"
	"slices"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// cost is FlinkCost: CPU decides, then memory and network in units of CPU, then rows. It
// counts what the forms of an operator do not have in common; sources cost all of them
// the same.
type cost struct{ cpu, memory, network, rows float64 }

func (c cost) plus(o cost) cost {
	return cost{c.cpu + o.cpu, c.memory + o.memory, c.network + o.network, c.rows + o.rows}
}

func (c cost) less(o cost) bool {
	a, b := c.memory+4*c.network, o.memory+4*o.network
	switch {
	case c.cpu != o.cpu:
		return c.cpu < o.cpu
	case a != b:
		return a < b
	}
	return c.rows < o.rows
}

// planned is a physical form with its cost.
type planned struct {
	node phys.Node
	cost cost
}

// need is the distribution that an operator asks of an input: "" for any, "broadcast",
// "single" or "hash" on exactly these columns; a loose one is content with some of them.
type need struct {
	distribution string
	keys         []int
	loose        bool
}

// joinInput is a side of a batch join with Flink's estimates.
type joinInput struct {
	calc *calc
	rows float64
	// sizes of the columns, row the average width of a row, binary that of its binary form.
	row, binary float64
	keys        []int
	// distinct: a local aggregate drops equal rows of a semi-join's right side.
	distinct bool
}

func (p *physical) joinInput(c *calc, keys []int) *joinInput {
	sizes := p.columnSizes(c)
	return &joinInput{calc: c, rows: p.rows(c), row: rowSize(sizes), binary: binarySize(c.fields, sizes), keys: keys}
}

// size is what the broadcast threshold and the choice of the build side go by.
func (s *joinInput) size() float64 { return s.rows * s.binary }

// batchJoin is a join whose form is being chosen among those that Flink's planner
// considers: nested loop, hash join (broadcast or shuffled) and sort-merge join.
type batchJoin struct {
	p           *physical
	n           *joinNode
	model       *phys.Join
	left, right *joinInput
	rows        float64
}

const buildRowOverhead = 4 // BinaryRowDataSerializer.LENGTH_SIZE_IN_BYTES

// form is one way to run a join.
type form struct {
	kind      string
	buildLeft bool
	broadcast bool
	singleRow bool
	// distinct allows the local aggregate below the right side of a semi-join.
	distinct bool
}

// wanted is a memo's key: a join and the distribution of its rows.
type wanted struct {
	join *joinNode
	need string
}

// batchJoin picks the cheapest form of a join whose rows are to be distributed so; no
// node where no form can do it without an exchange on top.
func (p *physical) batchJoin(n *joinNode, want need) planned {
	key := wanted{n, fmt.Sprint(want)}
	if x, ok := p.joins[key]; ok {
		return x
	}
	x := p.cheapestJoin(n, want)
	p.joins[key] = x
	return x
}

func (p *physical) cheapestJoin(n *joinNode, want need) planned {
	l, r := p.plain(n.left), p.plain(n.right)
	if p.err != nil {
		return planned{node: &phys.Values{}}
	}
	for _, f := range append(slices.Clone(n.left.fields), n.right.fields...) {
		if f.Type.Time == value.Proctime {
			p.doubtText("a join of proctime columns in batch")
		}
	}
	model := p.joinModel(n, l.node, r.node)
	j := &batchJoin{p: p, n: n, model: model, rows: p.nodeRows(n)}
	j.left, j.right = p.joinInput(n.left, model.LeftKeys), p.joinInput(n.right, model.RightKeys)
	forms := j.forms()
	if p.err != nil {
		return planned{node: &phys.Values{}}
	}
	if len(forms) == 0 {
		return planned{node: p.fail(unsupported.New("a join for which all operators are disabled"))}
	}
	var best planned
	for _, f := range forms {
		if x, ok := j.build(f, want); ok && (best.node == nil || x.cost.less(best.cost)) {
			best = x
		}
		if p.err != nil {
			return planned{node: &phys.Values{}}
		}
	}
	return best
}

// forms lists the forms in the order of Flink's rules, the first of equals wins.
func (j *batchJoin) forms() []form {
	if f, ok := j.hinted(); ok {
		j.model.Hinted = true
		return []form{f}
	}
	var out []form
	equi := len(j.model.LeftKeys) > 0
	left, right := j.left.size(), j.right.size()
	if equi {
		if broadcast, buildLeft := j.canBroadcast(left, right); broadcast {
			if !j.p.cfg.disabledOperator("BroadcastHashJoin") {
				out = append(out, form{kind: "HashJoin", buildLeft: buildLeft, broadcast: true, distinct: true})
			}
		} else if !j.p.cfg.disabledOperator("ShuffleHashJoin") {
			buildLeft := left < right
			if left == right {
				buildLeft = !j.n.semi()
			}
			out = append(out, form{kind: "HashJoin", buildLeft: buildLeft, distinct: true})
		}
		if !j.p.cfg.disabledOperator("SortMergeJoin") {
			out = append(out, form{kind: "SortMergeJoin"})
		}
	}
	if !j.p.cfg.disabledOperator("NestedLoopJoin") {
		out = append(out, form{kind: "NestedLoopJoin", buildLeft: j.loopBuildsLeft(), distinct: true})
	}
	l, r := singleRowInput(j.n.left), singleRowInput(j.n.right)
	switch j.n.typ {
	case "left", "semi", "anti":
		l = false
	case "right":
		r = false
	}
	if l || r {
		out = append(out, form{kind: "NestedLoopJoin", buildLeft: singleRowInput(j.n.left), singleRow: true})
	}
	return out
}

func (j *batchJoin) loopBuildsLeft() bool {
	switch j.n.typ {
	case "right":
		return true
	case "inner", "full":
		return j.left.size() <= j.right.size()
	}
	return false
}

// canBroadcast: an outer side, and the left one of a semi-join, cannot be broadcast.
func (j *batchJoin) canBroadcast(left, right float64) (ok, buildLeft bool) {
	limit := j.p.cfg.number("table.optimizer.join.broadcast-threshold", 1024*1024)
	switch j.n.typ {
	case "right":
		return left <= limit, true
	case "full":
		return false, false
	case "inner":
		return left <= limit || right <= limit, left < right
	}
	return right <= limit, false
}

// singleRowInput: an aggregate without groups, maybe with projections and filters above.
func singleRowInput(c *calc) bool {
	a, ok := c.in.(*aggNode)
	return ok && len(a.keys) == 0 && len(a.sets) == 0
}

// buildSide is the right input; a semi-join drops equal rows of it first, where
// Flink takes it that this leaves less than 0.8 of them.
func (j *batchJoin) buildSide(allow bool) *joinInput {
	if !allow || !j.n.semi() {
		return j.right
	}
	cols := sequence(len(j.n.right.exprs))
	d, ok := j.p.distinctRows(j.n.right, cols, nil)
	if !ok || d/j.right.rows >= 0.8 {
		return j.right
	}
	r := *j.right
	r.distinct, r.rows = true, localGroups(r.rows, math.Min(d, r.rows))
	return &r
}

// build makes a form of the join whose rows are distributed as wanted.
func (j *batchJoin) build(f form, want need) (planned, bool) {
	left, right := j.left, j.buildSide(f.distinct)
	var needL, needR need
	switch {
	case f.kind == "NestedLoopJoin" && j.n.typ == "full":
		needL, needR = need{distribution: "single"}, need{distribution: "single"}
	case (f.kind == "NestedLoopJoin" || f.broadcast) && f.buildLeft:
		needL.distribution = "broadcast"
	case f.kind == "NestedLoopJoin" || f.broadcast:
		needR.distribution = "broadcast"
	default:
		needL, needR = need{distribution: "hash", keys: left.keys}, need{distribution: "hash", keys: right.keys}
	}
	if want.distribution != "" {
		var ok bool
		if needL, needR, ok = j.pushNeed(f, want, needL, needR); !ok {
			return planned{}, false
		}
	}
	l, r := j.p.inputFor(left, needL), j.p.inputFor(right, needR)
	if j.p.err != nil {
		return planned{}, false
	}
	x := *j.model
	x.Kind, x.BuildLeft, x.Broadcast, x.SingleRow = f.kind, f.buildLeft, f.broadcast, f.singleRow
	x.DistinctBuild = right.distinct && f.kind == "HashJoin"
	x.LeftSize, x.RightSize = left.row*left.rows, right.row*right.rows
	x.LeftRows, x.RightRows = int64(left.rows), int64(right.rows)
	x.In = []phys.Node{l.node, r.node}
	return planned{&x, l.cost.plus(r.cost).plus(j.cost(f, left, right))}, true
}

// pushNeed hands a wanted hash distribution down to the inputs, if the form keeps it:
// a broadcast join that of its probe side, a shuffled one that of its keys.
func (j *batchJoin) pushNeed(f form, want, needL, needR need) (need, need, bool) {
	if want.distribution != "hash" || j.n.typ == "full" && f.kind != "NestedLoopJoin" {
		return needL, needR, false
	}
	w := len(j.n.left.exprs)
	if f.kind == "NestedLoopJoin" || f.broadcast {
		keys := make([]int, len(want.keys))
		for i, k := range want.keys {
			if k < w == f.buildLeft {
				return needL, needR, false
			}
			keys[i] = k
			if f.buildLeft {
				keys[i] = k - w
			}
		}
		if f.buildLeft {
			return needL, need{"hash", keys, want.loose}, true
		}
		return need{"hash", keys, want.loose}, needR, true
	}
	var keysL, keysR []int
	for _, k := range want.keys {
		at := -1
		switch {
		case k < w && j.n.typ != "right":
			at = slices.Index(j.model.LeftKeys, k)
		case k >= w && (j.n.typ == "right" || j.n.typ == "inner"):
			at = slices.Index(j.model.RightKeys, k-w)
		default:
			return needL, needR, false
		}
		if at < 0 && want.loose {
			continue
		}
		if at < 0 {
			return needL, needR, false
		}
		keysL, keysR = append(keysL, j.model.LeftKeys[at]), append(keysR, j.model.RightKeys[at])
	}
	return need{distribution: "hash", keys: keysL}, need{distribution: "hash", keys: keysR}, len(keysL) > 0
}

// cost is what the join itself costs (computeSelfCost of the three nodes).
func (j *batchJoin) cost(f form, left, right *joinInput) cost {
	build, probe := right, left
	if f.buildLeft {
		build, probe = left, right
	}
	copies := math.Max(1, math.Floor(probe.rows*probe.row/(1<<30)))
	c := cost{rows: j.rows}
	switch f.kind {
	case "NestedLoopJoin":
		c.cpu = left.rows * right.rows
		c.memory = build.rows * (build.row + buildRowOverhead) * copies
		if f.singleRow {
			c = cost{0.99 * c.cpu, 0.99 * c.memory, 0, 0.99 * c.rows}
		}
	case "HashJoin":
		if !f.broadcast {
			copies = 1
		}
		c.cpu = 8 * (left.rows + right.rows)
		c.memory = (build.rows*8/2 + build.rows*(build.binary+buildRowOverhead)) * copies
	case "SortMergeJoin":
		keys := float64(len(j.model.LeftKeys))
		for _, s := range []*joinInput{left, right} {
			c.cpu += 4*keys*s.rows*math.Max(math.Log(s.rows), 1) + 4*s.rows
			c.memory += s.rows*(s.binary+buildRowOverhead) + s.rows*(16+8)
		}
	}
	return c
}

// hinted is the form that the first hint of the query asks for that can be followed.
func (j *batchJoin) hinted() (form, bool) {
	equi := len(j.model.LeftKeys) > 0
	for _, h := range j.n.hints {
		switch {
		case h.Name == "NEST_LOOP":
			return form{kind: "NestedLoopJoin", buildLeft: h.Left}, true
		case !equi:
		case h.Name == "SHUFFLE_HASH":
			return form{kind: "HashJoin", buildLeft: h.Left}, true
		case h.Name == "SHUFFLE_MERGE":
			return form{kind: "SortMergeJoin"}, true
		case h.Name == "BROADCAST" && (j.n.typ == "inner" || j.n.typ == "left" && !h.Left || j.n.typ == "right" && h.Left):
			return form{kind: "HashJoin", buildLeft: h.Left, broadcast: true}, true
		}
	}
	return form{}, false
}

// strategyText is how a streaming join shows hints.
func strategyText(hints []rel.Strategy) string {
	s := ""
	for _, h := range hints {
		side := "RIGHT"
		if h.Left {
			side = "LEFT"
		}
		s += "[" + h.Name + " options:[" + side + "]]"
	}
	if s == "" {
		return ""
	}
	return "[" + s + "]"
}
