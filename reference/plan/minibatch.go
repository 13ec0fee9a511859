package plan

import (
	"fmt"
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/config"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// miniBatch rewrites a streaming plan for bundles, after its changelog modes are known
// (Flink's MiniBatchIntervalInferRule and TwoStageOptimizedAggregateRule): sources
// get an assigner, and an aggregate whose functions can merge is
// cut into a local and a global phase. Operators that Flink bundles in other ways are refused.
func miniBatch(n phys.Node, cfg *Config) (phys.Node, error) {
	var latency int64
	if text := cfg.option("table.exec.mini-batch.allow-latency"); text != "" {
		d, err := config.ParseDuration(text)
		if err != nil {
			return nil, err
		}
		latency = d.Milliseconds()
	}
	if latency <= 0 {
		return nil, flinkerr.New("java.lang.IllegalArgumentException", "MiniBatch Latency must be greater than 0 ms. [null]")
	}
	r := &miniBatchRewriter{latency: latency, size: cfg.number(config.KeyMiniBatchSize, -1), onePhase: strings.EqualFold(cfg.option("table.optimizer.agg-phase-strategy"), "ONE_PHASE")}
	n = r.node(n, unasked)
	return n, r.err
}

type miniBatchRewriter struct {
	latency  int64
	size     float64
	onePhase bool
	err      error
}

// miniBatchMode says what bounds bundles: the clock, or watermarks where an operator above needs them.
// Where no operator has asked for bundles, only watermarks have an assigner.
type miniBatchMode int

const (
	noMiniBatch miniBatchMode = iota
	unasked
	procTime
	rowTime
)

// node gives every source its assigner, above its watermarks (MiniBatchIntervalInferRule).
func (r *miniBatchRewriter) node(n phys.Node, mode miniBatchMode) phys.Node {
	in := n.Inputs()
	switch n := n.(type) {
	case *phys.TableSourceScan:
		if mode <= unasked {
			return n
		}
		return r.assigner(n, mode)
	case *phys.WatermarkAssigner:
		if mode == noMiniBatch {
			return n
		}
		return r.assigner(n, mode)
	case *phys.GroupAggregate:
		if mode == noMiniBatch || mode == unasked {
			mode = procTime
		}
		in[0] = r.node(in[0], mode)
		return r.aggregate(n)
	case *phys.GroupWindowAggregate:
		mode = noMiniBatch
	case *phys.Rank:
		if runsAsDeduplicate(n) && n.In[0].Schema()[n.Keys[0].Column].Type.IsRowtime() {
			mode = byWatermark(mode)
		}
	case *phys.OverAggregate:
		if n.In[0].Schema()[n.Keys[0].Column].Type.IsRowtime() {
			mode = byWatermark(mode)
		}
	case *phys.WindowAggregate:
		if n.Window.Rowtime {
			mode = byWatermark(mode)
		}
	case *phys.IntervalJoin:
		if n.Rowtime {
			mode = byWatermark(mode)
		}
	case *phys.Match, *phys.WindowRank, *phys.WindowDeduplicate, *phys.WindowJoin, *phys.WindowTableFunction:
		mode = byWatermark(mode)
	case *phys.Calc, *phys.Exchange, *phys.Expand, *phys.Union, *phys.Values, *phys.Sink, *phys.Limit, *phys.SortLimit, *phys.Sort:
	default:
		if r.err == nil {
			r.err = unsupported.New("mini-batch plans with %s", strings.TrimPrefix(fmt.Sprintf("%T", n), "*phys."))
		}
		return n
	}
	for i := range in {
		in[i] = r.node(in[i], mode)
	}
	return n
}

func (r *miniBatchRewriter) assigner(n phys.Node, mode miniBatchMode) phys.Node {
	a := &phys.MiniBatchAssigner{Base: base(n.Schema(), n), IntervalMillis: r.latency, TimeMode: "ProcTime"}
	if mode == rowTime {
		a.TimeMode = "RowTime"
	}
	a.Produce = n.Mode()
	return a
}

func byWatermark(mode miniBatchMode) miniBatchMode {
	if mode == noMiniBatch {
		return mode
	}
	return rowTime
}

func (r *miniBatchRewriter) aggregate(n *phys.GroupAggregate) phys.Node {
	n.MiniBatch = true
	if r.size <= 0 && r.err == nil {
		r.err = flinkerr.New("java.lang.IllegalArgumentException", "Key: 'table.exec.mini-batch.size' , default: -1 (fallback keys: []) must be > 0.")
	}
	x, ok := n.In[0].(*phys.Exchange)
	if r.onePhase || !ok {
		return n
	}
	for _, c := range n.Calls {
		if !mergeable(c.Fn.Name) {
			return n
		}
		if !r.known(c) {
			return n
		}
	}
	in := x.In[0]
	local := &phys.LocalGroupAggregate{Keys: n.Keys, Calls: n.Calls}
	local.In = []phys.Node{in}
	local.Fields = accFields(in, n.Keys, n.Calls)
	local.Accs = local.Fields[len(n.Keys):]
	phys.SetMode(local, changelog.InsertOnly)
	global := &phys.GlobalGroupAggregate{Keys: sequence(len(n.Keys)), Calls: n.Calls, Local: local}
	global.Fields = n.Fields
	global.Produce = n.Produce
	d := distribute(local, global.Keys).(*phys.Exchange)
	d.Produce = changelog.InsertOnly
	global.In = []phys.Node{d}
	return global
}

// known refuses calls whose accumulators have no recorded two-phase form.
func (r *miniBatchRewriter) known(c phys.AggCall) bool {
	ok := false
	switch c.Fn.Name {
	case "COUNT", "SUM", "$SUM0", "AVG", "MIN", "MAX":
		ok = !(c.Distinct && (c.Filter >= 0 || c.Retract)) && !(c.Fn.Name == "$SUM0" && c.Retract)
	case "LISTAGG":
		ok = !c.Retract && !c.Distinct && len(c.Args) == 1
	}
	if !ok && r.err == nil {
		r.err = unsupported.New("mini-batch plans with %s in two phases", c.Fn.Name)
	}
	return ok
}
