package plan

import (
	"slices"
	"sort"
	"strconv"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// reuseScans lets all scans of one table that differ only in their columns read the
// union of them, in table order, with a Calc above that picks what was wanted:
// Flink's ScanReuser. A plan with identical scans stays as it is.
func reuseScans(roots []phys.Node) []phys.Node {
	groups := map[string][]*phys.TableSourceScan{}
	seen := map[*phys.TableSourceScan]bool{}
	var order []string
	var walk func(n phys.Node)
	walk = func(n phys.Node) {
		if s, ok := n.(*phys.TableSourceScan); ok && !seen[s] {
			seen[s] = true
			k := s.Table.Path.String() + "|" + s.FilterText + "|" + fmtInt(s.Limit)
			if groups[k] == nil {
				order = append(order, k)
			}
			groups[k] = append(groups[k], s)
		}
		for _, in := range n.Inputs() {
			walk(in)
		}
	}
	for _, r := range roots {
		walk(r)
	}
	replace := map[phys.Node]phys.Node{}
	for _, k := range order {
		mergeScans(groups[k], replace)
	}
	if len(replace) == 0 {
		return roots
	}
	var rebuild func(n phys.Node) phys.Node
	rebuild = func(n phys.Node) phys.Node {
		if r, ok := replace[n]; ok {
			return r
		}
		for i, in := range n.Inputs() {
			n.Inputs()[i] = rebuild(in)
		}
		return n
	}
	out := make([]phys.Node, len(roots))
	for i, r := range roots {
		out[i] = rebuild(r)
	}
	return out
}

func mergeScans(scans []*phys.TableSourceScan, replace map[phys.Node]phys.Node) {
	differ := false
	for _, s := range scans[1:] {
		differ = differ || !slices.Equal(s.Columns, scans[0].Columns) || s.Projected != scans[0].Projected
	}
	if !differ {
		return
	}
	all := map[int]value.Field{}
	for _, s := range scans {
		for i, c := range s.Columns {
			all[c] = s.Fields[i]
		}
	}
	var cols []int
	for c := range all {
		cols = append(cols, c)
	}
	sort.Ints(cols)
	var physical, meta []int
	for _, c := range cols {
		if scans[0].Table.Columns[c].Kind == 0 {
			physical = append(physical, c)
		} else {
			meta = append(meta, c)
		}
	}
	cols = append(physical, meta...)
	at := map[int]int{}
	var fields []value.Field
	for i, c := range cols {
		at[c] = i
		fields = append(fields, all[c])
	}
	for _, s := range scans {
		n := *s
		n.Base = phys.Base{Fields: fields, Produce: s.Produce}
		n.Columns, n.Projected = cols, true
		if s.Metadata != nil || len(meta) > 0 {
			n.Metadata = []string{}
			for _, c := range meta {
				key := s.Table.Columns[c].MetadataKey
				if key == "" {
					key = s.Table.Columns[c].Name
				}
				n.Metadata = append(n.Metadata, key)
			}
		}
		var out phys.Node = &n
		if !slices.Equal(s.Columns, cols) {
			k := &phys.Calc{Base: phys.Base{In: []phys.Node{&n}, Fields: s.Fields, Produce: s.Produce}}
			for i, c := range s.Columns {
				k.Exprs = append(k.Exprs, &rex.InputRef{Index: at[c], T: s.Fields[i].Type})
			}
			out = k
		}
		replace[s] = out
	}
}

func fmtInt(n int64) string {
	if n < 0 {
		return "-"
	}
	return strconv.FormatInt(n, 10)
}

// mergeReused joins the Calc that picks columns of a reused scan with the Calc above it.
func mergeReused(n phys.Node) phys.Node {
	for i, in := range n.Inputs() {
		n.Inputs()[i] = mergeReused(in)
	}
	if top, ok := n.(*phys.Calc); ok {
		if below, ok := top.In[0].(*phys.Calc); ok {
			if _, scan := below.In[0].(*phys.TableSourceScan); scan {
				return mergeCalc(top)
			}
		}
	}
	return n
}

// mergeCalcs joins a Calc of plain columns with the Calc above it.
func mergeCalcs(n phys.Node) phys.Node {
	for i, in := range n.Inputs() {
		n.Inputs()[i] = mergeCalcs(in)
	}
	if top, ok := n.(*phys.Calc); ok {
		return mergeCalc(top)
	}
	return n
}

func mergeCalc(n *phys.Calc) phys.Node {
	top := n
	below, ok := top.In[0].(*phys.Calc)
	if !ok || below.Cond != nil {
		return n
	}
	for _, e := range below.Exprs {
		if _, ok := e.(*rex.InputRef); !ok {
			return n
		}
	}
	out := *top
	out.In = below.In
	out.Exprs = nil
	for _, e := range top.Exprs {
		out.Exprs = append(out.Exprs, rex.Substitute(e, below.Exprs))
	}
	if top.Cond != nil {
		out.Cond = rex.Substitute(top.Cond, below.Exprs)
	}
	return &out
}
