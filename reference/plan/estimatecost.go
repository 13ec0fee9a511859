package plan

import (
	"math"

	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
)

// What FlinkCost takes for single steps: hashing a key, serializing a row, comparing a key,
// calling a function.
const (
	hashCPU      = 8
	serializeCPU = 160
	compareCPU   = 4
	functionCPU  = 12
	workerBytes  = 1 << 30
)

// self is the cost of a node without its inputs: computeSelfCost.
func (e *estimates) self(n phys.Node) fullCost {
	rows := e.rows(n)
	switch n := n.(type) {
	case *phys.TableSourceScan:
		c := fullCost{rows: rows, io: rows * e.rowBytes(n)}
		if !e.cfg.Batch {
			c.cpu = rows
		}
		return c
	case *phys.Values:
		return fullCost{rows: rows, cpu: 1}
	case *phys.Calc:
		return fullCost{rows: rows, cpu: rows * float64(computations(n.Exprs))}
	case *phys.Exchange:
		return e.exchangeCost(n)
	case *phys.Expand:
		return fullCost{rows: rows, cpu: rows}
	case *phys.Sort:
		if n.Temporal {
			return e.orderCost(n, len(n.Keys), 0, -1)
		}
		in := e.in(n)
		return fullCost{rows: in, cpu: float64(compareCPU*len(n.Keys)) * in * math.Max(e.log(in), 1), memory: e.sortMemory(n.In[0])}
	case *phys.SortLimit:
		if !n.Batch {
			return e.orderCost(n, len(n.Keys), n.Offset, n.Fetch)
		}
		in := e.in(n)
		heap := in
		if n.Fetch >= 0 {
			heap = math.Min(in, float64(n.Offset+n.Fetch))
		}
		return fullCost{rows: rows, cpu: float64(compareCPU*len(n.Keys)) * in * e.log(heap), memory: heap * e.rowBytes(n)}
	case *phys.Limit:
		if !n.Batch {
			return e.orderCost(n, 0, n.Offset, n.Fetch)
		}
		return fullCost{rows: rows, cpu: compareCPU * rows}
	case *phys.Rank:
		in := e.in(n)
		if n.Batch {
			return fullCost{rows: rows, cpu: functionCPU * in, memory: e.rowBytes(n)}
		}
		return fullCost{rows: in, cpu: in}
	case *phys.WindowRank:
		return fullCost{rows: e.in(n), cpu: e.in(n)}
	case *phys.OverAggregate:
		return e.overCost(n)
	case *phys.BatchAggregate:
		return e.aggregateCost(n)
	case *phys.BatchWindowAggregate:
		return e.windowCost(n)
	case *phys.Join:
		if !e.cfg.Batch {
			return fullCost{rows: 200, cpu: 200}
		}
		return e.batchJoinCost(n)
	case *phys.WindowJoin:
		if n.JoinType == "LeftSemiJoin" {
			return fullCost{rows: 1, cpu: 1}
		}
		return fullCost{rows: rows}
	case *phys.IntervalJoin:
		if n.JoinType == "LeftSemiJoin" {
			return fullCost{rows: 1, cpu: 1}
		}
		return fullCost{rows: rows}
	}
	return e.perRow(n)
}

func (e *estimates) log(x float64) float64 { return e.exact(fn.JavaLog(x)) }

func (e *estimates) exchangeCost(n *phys.Exchange) fullCost {
	in := e.in(n)
	size := e.rowBytes(n.In[0]) * in
	c := fullCost{rows: in, network: size}
	switch n.Distribution {
	case "single":
		c.cpu = (1 + serializeCPU) * in
	case "broadcast":
		copies := math.Max(1, math.Trunc(size/workerBytes))
		c.cpu, c.network = copies*in*serializeCPU, copies*size
	case "hash":
		c.cpu = float64(hashCPU*len(n.Keys)+serializeCPU) * in
	default:
		c.cpu = serializeCPU * in
	}
	return c
}

// orderCost is what Calcite's Sort costs.
func (e *estimates) orderCost(n phys.Node, keys int, offset, fetch int64) fullCost {
	in := e.in(n)
	read := in
	if fetch == 0 {
		return fullCost{rows: in}
	}
	if fetch > 0 {
		read = math.Min(in, float64(offset+fetch))
	}
	width := float64((3 + len(n.Schema())) * 4)
	if keys == 0 {
		return fullCost{rows: read, cpu: read * width}
	}
	cpu := in
	if read >= math.E {
		cpu = in * e.log(read)
	}
	return fullCost{rows: read, cpu: cpu * width}
}

// sortMemory is FlinkRelMdUtil.computeSortMemory.
func (e *estimates) sortMemory(in phys.Node) float64 {
	rows := e.rows(in)
	return rows*(e.binaryBytes(in)+4) + rows*(16+8)
}

func (e *estimates) overCost(n *phys.OverAggregate) fullCost {
	rows := e.rows(n)
	if !e.cfg.Batch {
		return fullCost{rows: rows, cpu: rows * (float64(len(n.Fields)-1) * 1 / float64(len(n.In[0].Schema())))}
	}
	calls := len(n.Calls)
	for _, g := range n.Groups {
		calls += len(g.Calls)
	}
	return fullCost{rows: rows, cpu: functionCPU * e.in(n) * float64(calls), memory: e.rowBytes(n)}
}

func (e *estimates) aggregateCost(n *phys.BatchAggregate) fullCost {
	rows, in := e.rows(n), e.in(n)
	functions := functionCPU * in * float64(len(n.Calls))
	if n.Sorted {
		return fullCost{rows: rows, cpu: functions, memory: e.rowBytes(n)}
	}
	c := fullCost{rows: rows, cpu: hashCPU*in*float64(len(n.Keys)) + functions}
	if len(n.Keys) == 0 {
		c.memory = e.rowBytes(n)
	} else {
		c.memory = rows*16/2 + rows*(e.binaryBytes(n)+8)
	}
	return c
}

func (e *estimates) windowCost(n *phys.BatchWindowAggregate) fullCost {
	rows, in := e.rows(n), e.in(n)
	functions := functionCPU * in * float64(len(n.Calls))
	if n.Sorted {
		return fullCost{rows: rows, cpu: functions, memory: e.rowBytes(n)}
	}
	return fullCost{rows: rows, cpu: hashCPU*in*float64(len(n.Keys)+1) + functions, memory: rows*8/2 + rows*(e.binaryBytes(n)+8)}
}

func (e *estimates) batchJoinCost(n *phys.Join) fullCost {
	rows, left, right := e.rows(n), e.rows(n.In[0]), e.rows(n.In[1])
	build, probe, buildRows := n.In[1], n.In[0], right
	if n.BuildLeft {
		build, probe, buildRows = probe, build, left
	}
	copies := func() float64 { return math.Max(1, math.Trunc(e.rows(probe)*e.rowBytes(probe)/workerBytes)) }
	switch n.Kind {
	case "NestedLoopJoin":
		c := fullCost{rows: rows, cpu: left * right, memory: buildRows * (e.rowBytes(build) + 4) * copies()}
		if n.SingleRow {
			return c.times(0.99)
		}
		return c
	case "HashJoin":
		memory := buildRows*8/2 + buildRows*(e.binaryBytes(build)+4)
		if n.Broadcast {
			memory *= copies()
		}
		return fullCost{rows: rows, cpu: hashCPU * (left + right), memory: memory}
	}
	keys := float64(len(n.LeftKeys))
	sorting := func(in phys.Node, rows float64) (cpu, memory float64) {
		if _, ok := in.(*phys.Sort); ok {
			return rows, 0
		}
		return compareCPU * keys * rows * math.Max(e.log(rows), 1), e.sortMemory(in)
	}
	cpuL, memoryL := sorting(n.In[0], left)
	cpuR, memoryR := sorting(n.In[1], right)
	return fullCost{rows: rows, cpu: cpuL + cpuR + compareCPU*(left+right), memory: memoryL + memoryR}
}
