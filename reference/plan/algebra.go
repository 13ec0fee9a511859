package plan

import (
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// node is an operator between calcs; schema is its output before any calc on top.
type node interface {
	schema() []value.Field
}

// calc is a filter and a projection on top of an operator: what Flink keeps merged
// as one Calc. The condition is over the operator's output, too.
type calc struct {
	in     node
	exprs  []rex.Expr
	fields []value.Field
	cond   []rex.Expr
	// projected: the query has a projection here, even if it changes nothing; without
	// one, constants that the condition fixes are not put into the columns.
	projected bool
	// reads is the order in which a source gives its columns, where an older projection has
	// decided it.
	reads []int
}

// identity puts the empty calc on an operator.
func identity(n node) *calc {
	s := n.schema()
	c := &calc{in: n, fields: append([]value.Field(nil), s...)}
	for i, f := range s {
		c.exprs = append(c.exprs, &rex.InputRef{Index: i, T: f.Type})
	}
	return c
}

// trivial: nothing but the operator's columns in their order; names do not count.
func (c *calc) trivial() bool { return len(c.cond) == 0 && c.keepsColumns() }

func (c *calc) keepsColumns() bool {
	if len(c.exprs) != len(c.in.schema()) {
		return false
	}
	for i, e := range c.exprs {
		if r, ok := e.(*rex.InputRef); !ok || r.Index != i {
			return false
		}
	}
	return true
}

// names of the columns as the node above sees them: a calc that vanishes leaves the
// operator's names.
func (c *calc) outFields() []value.Field {
	if c.losesNames() {
		s := c.in.schema()
		out := make([]value.Field, len(c.exprs))
		for i, e := range c.exprs {
			out[i] = s[e.(*rex.InputRef).Index]
		}
		return out
	}
	return c.fields
}

// losesNames: a projection that keeps the columns and their order is removed, and its
// names with it. Below a filter (ProjectFilterTranspose) that is one that drops columns
// which the filter does not read, too.
func (c *calc) losesNames() bool {
	if c.keepsColumns() {
		return true
	}
	if len(c.cond) == 0 {
		return false
	}
	last := -1
	kept := map[int]bool{}
	for _, e := range c.exprs {
		r, ok := e.(*rex.InputRef)
		if !ok || r.Index <= last {
			return false
		}
		last = r.Index
		kept[last] = true
	}
	for _, r := range rex.Refs(c.cond...) {
		if !kept[r] {
			return false
		}
	}
	return true
}

func (c *calc) onlyRefs() bool {
	for _, e := range c.exprs {
		if _, ok := e.(*rex.InputRef); !ok {
			return false
		}
	}
	return true
}

type (
	// scanNode reads columns of a table.
	scanNode struct {
		table *catalog.Table
		// columns are indexes into table.Columns; physical ones first, then metadata.
		columns    []int
		projected  bool
		metaListed bool
		filter     string
		hints      string
		limit      int64
		fields     []value.Field
	}
	valuesNode struct {
		rows   [][]*rex.Literal
		fields []value.Field
	}
	aggNode struct {
		in    *calc
		keys  []int
		sets  [][]int
		calls []rel.AggCall
		// aux are places in keys whose value the other keys determine.
		aux []int
		// names of the calls' outputs; keys take the input's names.
		fields []value.Field
		// distinct: made to take apart DISTINCT calls, not written in the query.
		distinct bool
		// regrouped: the aggregate of a sub-query, which groups by columns of the outer row, too.
		regrouped bool
		// json: the input has columns for JSON aggregates, and keeps all others.
		json bool
	}
	expandNode struct {
		in       *calc
		projects [][]rex.Expr
		col      int
		fields   []value.Field
	}
	unionNode struct {
		in     []*calc
		fields []value.Field
	}
	sortNode struct {
		in            *calc
		keys          []rel.SortKey
		offset, fetch int64
	}
	joinNode struct {
		left, right *calc
		typ         string // inner, left, right, full, semi, anti
		// pushL and pushR are conditions on their way into the inputs.
		pushL, pushR []rex.Expr
		// keepCond: the condition stays as it was made.
		keepCond bool
		cond     []rex.Expr
		fields   []value.Field
		// hints name a side for an algorithm; ttl is the text of STATE_TTL.
		hints []rel.Strategy
		ttl   string
		// single: the right (or left) side is a scalar sub-query with one row.
		single bool
	}
	watermarkNode struct {
		in     *calc
		column int
		expr   rex.Expr
		fields []value.Field
	}
	// ptfNode is TO_CHANGELOG or FROM_CHANGELOG.
	ptfNode struct {
		in     *calc
		fn     *rel.TableFunction
		fields []value.Field
	}
	// windowTVFNode is TUMBLE, HOP, CUMULATE, SESSION as a table function.
	windowTVFNode struct {
		in     *calc
		window phys.Window
		fields []value.Field
	}
	// overNode evaluates windows: the input's columns, then a column a call.
	overNode struct {
		in     *calc
		groups []overGroup
		fields []value.Field
	}
	rankNode struct {
		in         *calc
		rankType   string
		start, end int64
		partition  []int
		keys       []rel.SortKey
		outputRank bool
		fields     []value.Field
	}
	sinkNode struct {
		in   *calc
		sink *rel.Sink
	}
	// correlateNode gives each row with the rows of a table function of it.
	correlateNode struct {
		in   *calc
		call *rex.Call
		typ  string // inner, left
		// cond are conditions over the function's columns alone.
		cond   []rex.Expr
		fields []value.Field
		// right is the projection over the function; named says that it stays.
		right *calc
		named bool
		// constant: the function stands alone, over one empty row.
		constant bool
	}
	matchNode struct {
		in     *calc
		m      *rel.Match
		fields []value.Field
	}
)

func (n *scanNode) schema() []value.Field      { return n.fields }
func (n *valuesNode) schema() []value.Field    { return n.fields }
func (n *aggNode) schema() []value.Field       { return n.fields }
func (n *expandNode) schema() []value.Field    { return n.fields }
func (n *unionNode) schema() []value.Field     { return n.fields }
func (n *sortNode) schema() []value.Field      { return n.in.outFields() }
func (n *joinNode) schema() []value.Field      { return n.fields }
func (n *watermarkNode) schema() []value.Field { return n.fields }
func (n *ptfNode) schema() []value.Field       { return n.fields }
func (n *windowTVFNode) schema() []value.Field { return n.fields }
func (n *overNode) schema() []value.Field      { return n.fields }
func (n *rankNode) schema() []value.Field      { return n.fields }
func (n *sinkNode) schema() []value.Field      { return nil }
func (n *correlateNode) schema() []value.Field { return n.fields }
func (n *matchNode) schema() []value.Field     { return n.fields }
