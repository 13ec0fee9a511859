package plan

import (
	"math"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// groups estimates the rows of a group window: FlinkRelMdRowCount takes a key to have two
// windows, or four that overlap.
func (n *groupWindowNode) groups(rows float64, b *builder) float64 {
	keys := 1.0
	if k := n.agg.keys; len(k) > 0 {
		keys = rows * (1 - math.Exp(-0.1*float64(len(k))))
		if d, ok := b.distinctRows(n.agg.in, k, nil); ok {
			keys = math.Min(d, rows)
		}
	}
	if n.overlaps() {
		return 4 * keys
	}
	return math.Min(2*keys, rows)
}

// overlaps: a row is in several windows.
func (n *groupWindowNode) overlaps() bool {
	return n.window.Kind == "HOP" && n.window.Slide < n.window.Size
}

// windowCosts are the CPU costs of the ways to aggregate n rows into m, see aggregateForms. Here
// the slice of time is a key of the hash table and of the sort, but not of the exchange.
type windowCosts struct{ hash2, sort2, hash1, sort1 float64 }

func newWindowCosts(keys, calls, n, m float64) windowCosts {
	shuffle := 160 + 8*keys
	if keys == 0 {
		shuffle = 161
	}
	work := 12 * calls
	sort := func(rows float64) float64 { return 4 * (keys + 1) * rows * math.Max(math.Log(rows), 1) }
	hash := func(rows float64) float64 { return 8 * (keys + 1) * rows }
	return windowCosts{
		hash2: hash(n) + work*n + shuffle*m + hash(m) + work*m,
		sort2: sort(n) + work*n + shuffle*m + sort(m) + work*m,
		hash1: shuffle*n + hash(n) + work*n,
		sort1: shuffle*n + sort(n) + work*n,
	}
}

// batchWindowAggregate is BatchPhysicalWindowAggregateRule: hash tables where accumulators are of
// fixed length, else sorted groups; two phases or one by cost.
func (p *physical) batchWindowAggregate(n *groupWindowNode) phys.Node {
	a, w := n.agg, n.window
	if hasDistinct(a.calls) {
		return p.fail(flinkerr.Table("DISTINCT aggregates are currently not supported."))
	}
	in := p.calc(a.in)
	if p.err != nil {
		return in
	}
	if w.Kind == "SESSION" {
		return p.fail(flinkerr.Table("Window SessionGroupWindow('w$, %s, %d) is not supported right now.", in.Schema()[w.TimeColumn].Name, w.Size))
	}
	t := in.Schema()[w.TimeColumn].Type
	switch {
	case t.Time == value.Proctime:
		return p.fail(flinkerr.Validation("Window can not be defined over a proctime attribute column for batch mode"))
	case t.Kind == value.KindTimestampLTZ:
		return p.fail(flinkerr.Validation("Unsupported reinterpret cast from '%s' to 'BIGINT'.", t))
	case !t.IsTimestamp() || t.Precision > 3:
		return p.fail(unsupported.New("a group window over %s in batch", t))
	}
	if n.proctime {
		return p.fail(flinkerr.Validation("PROCTIME window property is not supported in batch queries."))
	}
	for _, c := range a.calls {
		if c.Fn.Name == "APPROX_COUNT_DISTINCT" {
			return p.fail(flinkerr.Table("DISTINCT aggregates are currently not supported."))
		}
	}
	rows := p.rows(a.in)
	calls, fields := p.calls(a, in)
	merge, fixed := true, true
	for _, c := range calls {
		merge = merge && mergeable(c.Fn.Name)
		fixed = fixed && fixedLength(c)
	}
	if n.overlaps() && gcd(w.Size, w.Slide) == 1 {
		return p.fail(unsupported.New("a HOP whose size and slide have no common divisor"))
	}
	pane := n.overlaps() && merge
	cost := newWindowCosts(float64(len(a.keys)), float64(len(calls)), rows, atLeastOne(n.groups(rows, p.builder)))
	// Panes are not hashed in one phase.
	one, sorted := cost.hash1 < cost.hash2, false
	switch {
	case !fixed:
		one, sorted = cost.sort1 < cost.sort2, true
	case pane:
		one = cost.sort1 < cost.hash2
		sorted = one
	}
	one = one || !merge
	node := phys.BatchWindowAggregate{Sorted: sorted, Pane: pane, Window: w, Keys: a.keys, Calls: calls}
	if n.props {
		node.Props = []string{"start", "end"}
		if w.Rowtime {
			node.Props = append(node.Props, "rowtime")
		}
		fields = append(fields, n.fields[len(a.fields):]...)
	}
	order := func(keys []int, time int) []phys.SortKey {
		if !sorted {
			return nil
		}
		return plainSort(append(append([]int(nil), keys...), time))
	}
	if one {
		node.Base = base(fields, arrange(in, a.keys, order(a.keys, w.TimeColumn)))
		return &node
	}
	local := node
	local.Local = true
	local.In = []phys.Node{sortNodes(in, order(a.keys, w.TimeColumn))}
	slice := "assignedWindow$"
	if pane {
		slice = "assignedPane$"
	}
	local.Fields = append(append([]value.Field(nil), fields[:len(a.keys)]...), value.Field{Name: slice, Type: bigint(false)})
	local.Fields = append(local.Fields, phys.BufferFields(calls, names(fields[len(a.keys):len(a.keys)+len(calls)]))...)
	final := node
	final.Merge, final.Partial, final.Keys = true, &local, sequence(len(a.keys))
	final.Base = base(fields, sortNodes(distribute(&local, final.Keys), order(final.Keys, len(final.Keys))))
	return &final
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
