package plan

import (
	"math"

	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// estimates are the numbers of EXPLAIN ESTIMATED_COST: for every node of a physical plan the
// rows that Flink's planner expects (FlinkRelMdRowCount) and what they cost.
type estimates struct {
	cfg *Config
	// b estimates joins and groups on the logical form of a plan; known has the rows of that form.
	b     *builder
	forms map[phys.Node]*calc
	count map[phys.Node]float64
	costs map[phys.Node]fullCost
	err   error
}

// Costs gives the text that stands behind each node.
func (p *Plan) Costs() (func(phys.Node) string, error) {
	cfg := *p.cfg
	cfg.Batch = true // streaming estimates by the same rules, but knows no sizes of tables
	if !p.Batch {
		cfg.RowCount = nil
	}
	e := &estimates{cfg: p.cfg, b: &builder{cfg: &cfg, implementing: p.Batch, known: map[any]float64{}},
		forms: map[phys.Node]*calc{}, count: map[phys.Node]float64{}, costs: map[phys.Node]fullCost{}}
	text := map[phys.Node]string{}
	err := refusing(func() error {
		visitInputsFirst(p.Roots, func(n phys.Node) {
			text[n] = ": rowcount = " + javaDouble(e.rows(n)) + ", cumulative cost = " + e.cumulative(n).text()
		})
		return e.err
	})
	return func(n phys.Node) string { return text[n] }, err
}

func (e *estimates) refuse(format string, args ...any) {
	if e.err == nil {
		e.err = unsupported.New("EXPLAIN ESTIMATED_COST of "+format, args...)
	}
}

// rows is RelMetadataQuery.getRowCount: never less than one.
func (e *estimates) rows(n phys.Node) float64 {
	if r, ok := e.count[n]; ok {
		return r
	}
	r := atLeastOne(e.rowsOf(n))
	e.count[n] = r
	return r
}

func (e *estimates) in(n phys.Node) float64 { return e.rows(n.Inputs()[0]) }

func (e *estimates) rowsOf(n phys.Node) float64 {
	switch n := n.(type) {
	case *phys.TableSourceScan:
		rows := 1e8
		if e.b.cfg.RowCount != nil {
			if r, ok := e.b.cfg.RowCount(n.Table); ok {
				rows = r
			}
		}
		if n.Limit >= 0 {
			rows = math.Min(rows, float64(n.Limit))
		}
		return rows
	case *phys.Values:
		return float64(len(n.Literals))
	case *phys.Calc:
		if n.Cond == nil {
			return e.in(n)
		}
		return e.in(n) * e.selectivity(n.In[0], rex.Conjunctions(n.Cond))
	case *phys.Exchange, *phys.OverAggregate, *phys.Sink, *phys.Correlate, *phys.WatermarkAssigner, *phys.Match,
		*phys.GroupAggregate, *phys.LocalGroupAggregate, *phys.GlobalGroupAggregate, *phys.MiniBatchAssigner,
		*phys.WindowAggregate, *phys.GroupWindowAggregate, *phys.WindowDeduplicate, *phys.ChangelogNormalize, *phys.DropUpdateBefore:
		return e.in(n)
	case *phys.Expand:
		return e.in(n) * float64(len(n.Projects))
	case *phys.Union:
		sum := 0.0
		for _, in := range n.In {
			sum += e.rows(in)
		}
		return sum
	case *phys.Sort:
		return e.in(n)
	case *phys.SortLimit:
		return limitedRows(e.in(n), n.Offset, n.Fetch)
	case *phys.Limit:
		return limitedRows(e.in(n), n.Offset, n.Fetch)
	case *phys.Rank:
		return e.rankRows(n, n.PartitionBy, n.RankStart, n.RankEnd)
	case *phys.WindowRank:
		return e.rankRows(n, n.PartitionBy, n.RankStart, n.RankEnd)
	case *phys.BatchAggregate:
		return e.aggregateRows(n)
	case *phys.BatchWindowAggregate:
		return e.windowRows(n)
	case *phys.WindowTableFunction:
		w := n.Window
		switch w.Kind {
		case "HOP", "CUMULATE":
			return e.in(n) * float64(w.Size/w.Slide)
		case "SESSION":
			return e.in(n) * float64(int32(w.Size))
		}
		return e.in(n)
	}
	if j, ok := e.join(n); ok {
		return e.joinRows(j)
	}
	e.refuse("%s", nodeName(n))
	return 1
}

// limitedRows is FlinkRelMdRowCount.getRowCountOfSort.
func limitedRows(rows float64, offset, fetch int64) float64 {
	rows = math.Max(rows-float64(offset), 0)
	if fetch >= 0 && float64(fetch) < rows {
		return float64(fetch)
	}
	return rows
}

// rankRows is Rank.estimateRowCount.
func (e *estimates) rankRows(n phys.Node, partition []int, start, end int64) float64 {
	each := 100.0
	if end >= 0 {
		each = float64(end - start + 1)
	}
	if len(partition) == 0 {
		return each
	}
	if d, ok := e.distinct(n.Inputs()[0], partition); ok {
		return math.Min(d*each, e.in(n))
	}
	return math.Min(e.in(n)*0.1, e.in(n))
}

// aggregateRows is getRowCountOfBatchExecAgg.
func (e *estimates) aggregateRows(n *phys.BatchAggregate) float64 {
	rows := e.in(n)
	groups := 1.0
	d, known := 0.0, true
	if len(n.Keys) > 0 {
		d, known = e.distinct(n.In[0], n.Keys)
		switch {
		case known:
			groups = math.Min(d, rows)
		case n.Merge && !n.Local:
			groups = rows
		default:
			groups = rows * e.groupRatio(n.Keys)
		}
	}
	if !n.Local {
		return groups
	}
	workers := math.Trunc(rows/1e6 + 1)
	switch {
	case workers == 1:
		return groups
	case len(n.Keys) == 0:
		return workers
	case !known:
		return groups
	}
	return math.Min((1-e.exact(fn.JavaPow(1-1/workers, rows/groups)))*groups*workers, rows)
}

// groupRatio is the part of the rows that groups are where nothing is known of their keys. Flink
// takes the length of a set of bits for their number.
func (e *estimates) groupRatio(keys []int) float64 {
	length := 0
	for _, k := range keys {
		length = max(length, k+1)
	}
	return 1 - e.exact(fn.JavaExp(-0.1*float64(length)))
}

// exact refuses a result of java.lang.Math whose last digit is not known.
func (e *estimates) exact(x float64, certain bool) float64 {
	if !certain {
		e.refuse("numbers whose last digit is uncertain")
	}
	return x
}

// windowRows is estimateRowCountOfWindowAgg: each group is in two windows, or in four where they overlap.
func (e *estimates) windowRows(n *phys.BatchWindowAggregate) float64 {
	rows := e.in(n)
	groups := 1.0
	if len(n.Keys) > 0 {
		if _, known := e.distinct(n.In[0], n.Keys); known {
			e.refuse("windows by keys whose values are counted")
		}
		groups = rows
		if !n.Merge || n.Local {
			groups = rows * e.groupRatio(n.Keys)
		}
	}
	if n.Local && rows/1e6 >= 1 {
		e.refuse("windows over more than a million rows")
	}
	if w := n.Window; w.Kind == "HOP" && w.Size > w.Slide {
		return 4 * groups
	}
	return math.Min(2*groups, rows)
}
