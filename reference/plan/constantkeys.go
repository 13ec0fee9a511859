package plan

import (
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// constantKeys takes literals out of the group keys (AggregateProjectPullUpConstants);
// one key stays.
func (b *builder) constantKeys(c *calc, n *aggNode) {
	if len(n.keys) < 2 || len(n.sets) > 0 || len(n.aux) > 0 {
		return
	}
	drop := map[int]bool{}
	for i, k := range n.keys {
		if _, ok := n.in.exprs[k].(*rex.Literal); ok {
			drop[i] = true
		}
	}
	if len(drop) == 0 {
		return
	}
	if len(drop) == len(n.keys) {
		delete(drop, 0)
	}
	var old []rex.Expr
	var keys []int
	var fields []value.Field
	for i, k := range n.keys {
		if drop[i] {
			old = append(old, n.in.exprs[k])
			continue
		}
		old = append(old, &rex.InputRef{Index: len(keys), T: n.fields[i].Type})
		keys = append(keys, k)
		fields = append(fields, n.fields[i])
	}
	for i := len(n.keys); i < len(n.fields); i++ {
		old = append(old, &rex.InputRef{Index: len(fields), T: n.fields[i].Type})
		fields = append(fields, n.fields[i])
	}
	n.keys, n.fields = keys, fields
	c.substitute(old)
	c.projected = true
	if b.cfg.Batch && hasDistinct(n.calls) {
		n.dropUnread()
	}
}

// dropUnread cuts the input to what the keys and calls read.
func (n *aggNode) dropUnread() {
	need := map[int]bool{}
	for _, k := range n.keys {
		need[k] = true
	}
	for _, call := range n.calls {
		n.reads(call, need)
	}
	at := map[int]int{}
	var want []int
	for i := range n.in.exprs {
		if need[i] {
			at[i] = len(want)
			want = append(want, i)
		}
	}
	if len(want) == 0 || len(want) == len(n.in.exprs) {
		return
	}
	n.in = n.in.keepOutputs(want)
	n.renumberInput(at)
}
