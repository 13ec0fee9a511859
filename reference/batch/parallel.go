package batch

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"sync"

	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/source"
	"github.com/labgrade/labgrade/value"
)

// A hash aggregate straight over a large plain file is computed by several workers, each
// over some blocks of the file with groups of its own. The result is that of the plain
// path: the merged groups are put into the order in which the file has them, and only
// functions are taken for which it does not matter in which order rows come. If the file
// turns out not to be plain, or an expression fails, everything is thrown away and the
// plain path begins anew.

// parallelScan is the part of a plan that workers run: a scan and the Calcs above it.
type parallelScan struct {
	scan  *phys.TableSourceScan
	calcs []*phys.Calc // from the scan upwards
}

// parallelInput finds the scan below a hash aggregate that may be computed in parallel.
func (j *job) parallelInput(n *phys.BatchAggregate) *parallelScan {
	if n.Sorted || n.Merge || j.rt.Blocks == nil {
		return nil
	}
	for i := range n.Calls {
		if !orderFree(&n.Calls[i]) {
			return nil
		}
	}
	var p parallelScan
	for in := n.In[0]; ; in = in.Inputs()[0] {
		switch x := in.(type) {
		case *phys.TableSourceScan:
			p.scan = x
			slices.Reverse(p.calcs)
			return &p
		case *phys.Calc:
			p.calcs = append(p.calcs, x)
		case *phys.Exchange:
		default:
			return nil
		}
	}
}

// orderFree reports whether a call gives the same result for every order of its rows:
// sums of integers wrap alike, floating ones do not round alike, and an overflowing
// DECIMAL sum begins anew.
func orderFree(c *phys.AggCall) bool {
	if c.Distinct {
		return false
	}
	if c.Fn.Name == "COUNT" {
		return true
	}
	if len(c.ArgTypes) != 1 {
		return false
	}
	switch c.ArgTypes[0].Kind {
	case value.KindTinyInt, value.KindSmallInt, value.KindInt, value.KindBigInt:
		return slices.Contains([]string{"SUM", "$SUM0", "AVG", "MIN", "MAX"}, c.Fn.Name)
	case value.KindChar, value.KindVarchar, value.KindDate, value.KindTime, value.KindTimestamp, value.KindTimestampLTZ, value.KindBoolean, value.KindDecimal:
		return c.Fn.Name == "MIN" || c.Fn.Name == "MAX"
	}
	return false
}

// runParallel fills g with the groups of the input; false means that nothing was done.
func (a *aggregator) runParallel(p *parallelScan) (bool, error) {
	blocks, err := a.job.rt.Blocks(p.scan)
	if err != nil || blocks == nil {
		return false, err
	}
	defer blocks.Close()
	workers := make([]*worker, max(1, min(runtime.GOMAXPROCS(0), 8)))
	for i := range workers {
		if workers[i], err = a.newWorker(p); err != nil {
			return false, err
		}
	}
	var wg sync.WaitGroup
	errs := make([]error, len(workers))
	for i, w := range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			defer func() {
				if r := recover(); r != nil {
					errs[i] = fmt.Errorf("panic: %v", r) // the plain path meets it again, where it is caught
				}
			}()
			errs[i] = w.run(blocks)
		}()
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, io.EOF) {
			// An irregular file, or a failing expression, whose row the plain path will find.
			return false, nil
		}
	}
	a.mergeWorkers(workers)
	return true, nil
}

// worker aggregates some blocks. It takes rows in batches: the keys of a batch are looked
// up one after another without other work between, so that the processor can wait for
// several places in memory at a time, and then each call runs over the batch.
type worker struct {
	agg     *aggregator
	ctx     *fn.Ctx
	row     value.Row
	calcs   []workerCalc
	first   []int64 // where each group was first seen: block<<32 | line
	decoder *source.Decoder

	n      int
	rows   []value.Row
	ats    []int64
	keys   []byte
	ends   []int
	heads  []keyHead
	hashes []uint32
	groups []int32
}

const workerBatch = 256

// bulkState is a state that takes a batch of rows.
type bulkState interface {
	addAll(groups []int32, rows []value.Row)
}

type workerCalc struct {
	cond  fn.Eval
	exprs []fn.Eval
	out   value.Row
}

// newWorker makes an aggregator with its own states and its own compiled expressions.
func (a *aggregator) newWorker(p *parallelScan) (*worker, error) {
	j := &job{rt: a.job.rt}
	ints := &intSlab{}
	states, err := j.newStates(a.node.Calls, ints)
	if err != nil {
		return nil, err
	}
	w := &worker{
		ctx: &j.ctx, row: make(value.Row, len(p.scan.Fields)), rows: make([]value.Row, workerBatch),
		ats: make([]int64, workerBatch), ends: make([]int, workerBatch), heads: make([]keyHead, workerBatch),
		hashes: make([]uint32, workerBatch), groups: make([]int32, workerBatch),
	}
	slab := make(value.Row, workerBatch*len(a.node.In[0].Schema()))
	for i := range w.rows {
		n := len(a.node.In[0].Schema())
		w.rows[i] = slab[i*n : (i+1)*n : (i+1)*n]
	}
	own := *a
	own.job, own.states, own.buf = j, states, make([]byte, 0, keyRoom)
	own.groups = &groupTable{states: states, ints: ints}
	w.agg = &own
	for _, c := range p.calcs {
		var x workerCalc
		if c.Cond != nil {
			if x.cond, err = j.compile(c.Cond); err != nil {
				return nil, err
			}
		}
		if x.exprs, err = j.compileAll(c.Exprs); err != nil {
			return nil, err
		}
		x.out = make(value.Row, len(x.exprs))
		w.calcs = append(w.calcs, x)
	}
	return w, nil
}

func (w *worker) run(blocks *source.Blocks) error {
	w.decoder = blocks.Decoder()
	var buf []byte
	for {
		b, err := blocks.Next(buf)
		if err != nil {
			return err
		}
		base := int64(b.Index) << 32
		if err := w.decoder.Decode(b.Data, w.row, func(line int) error { return w.take(w.row, base|int64(line)) }); err != nil {
			return err
		}
		// The texts of the batch are borrowed from the block.
		if err := w.flush(); err != nil {
			return err
		}
		buf = b.Data
	}
}

func (w *worker) take(row value.Row, at int64) error {
	for i := range w.calcs {
		c := &w.calcs[i]
		if c.cond != nil {
			v := c.cond(w.ctx, row)
			if w.ctx.Err != nil {
				return w.ctx.Err
			}
			if v.IsNull() || !v.Bool() {
				return nil
			}
		}
		for k, e := range c.exprs {
			c.out[k] = e(w.ctx, row)
		}
		if w.ctx.Err != nil {
			return w.ctx.Err
		}
		row = c.out
	}
	copy(w.rows[w.n], row)
	w.ats[w.n] = at
	if w.n++; w.n == workerBatch {
		return w.flush()
	}
	return nil
}

// flush adds the rows of the batch to their groups.
func (w *worker) flush() error {
	n := w.n
	w.n = 0
	if n == 0 {
		return nil
	}
	w.findGroups(n)
	for k, s := range w.agg.states {
		b, bulk := s.(bulkState)
		if c := w.agg.filter[k]; c < 0 && bulk {
			b.addAll(w.groups[:n], w.rows[:n])
			continue
		}
		for i, row := range w.rows[:n] {
			if c := w.agg.filter[k]; c < 0 || !row[c].IsNull() && row[c].Bool() {
				s.add(int(w.groups[i]), row)
			}
		}
	}
	return w.ctx.Err
}

// findGroups looks up the groups of the first n rows, and begins those that are new.
func (w *worker) findGroups(n int) {
	a := w.agg
	if len(a.node.Keys) == 0 {
		if len(a.groups.keys) == 0 {
			a.group(w.rows[0])
			w.first = append(w.first, w.ats[0])
		}
		clear(w.groups[:n])
		return
	}
	var zeros [headBytes]byte
	w.keys = w.keys[:0]
	for i, row := range w.rows[:n] {
		from := len(w.keys)
		for k, c := range a.node.Keys {
			w.keys = appendKey(w.keys, &a.types[k], row[c])
		}
		w.ends[i] = len(w.keys)
		if short := headBytes - (len(w.keys) - from); short > 0 {
			w.keys = append(w.keys, zeros[:short]...)
		}
	}
	from := 0
	for i := range n {
		next := max(w.ends[i], from+headBytes)
		w.heads[i], w.hashes[i] = paddedHead(w.keys[from:next], w.ends[i]-from)
		from = next
	}
	from = 0
	for i := range n {
		w.groups[i] = int32(a.groups.index.find(w.keys[from:w.ends[i]], &w.heads[i], w.hashes[i]))
		from = max(w.ends[i], from+headBytes)
	}
	for i, g := range w.groups[:n] {
		if g < 0 {
			had := len(a.groups.keys)
			w.groups[i] = int32(a.group(w.rows[i]))
			if len(a.groups.keys) > had {
				w.first = append(w.first, w.ats[i])
			}
		}
	}
}

// mergeWorkers joins the workers' groups in the order of the file.
func (a *aggregator) mergeWorkers(workers []*worker) {
	type seen struct {
		at     int64
		w      *worker
		number int
	}
	var all []seen
	for _, w := range workers {
		for i, at := range w.first {
			all = append(all, seen{at, w, i})
		}
	}
	slices.SortFunc(all, func(x, y seen) int { return cmp.Compare(x.at, y.at) })
	g := a.groups
	for _, s := range all {
		from := s.w.agg.groups
		n := 0
		if len(a.node.Keys) == 0 {
			if len(g.keys) == 0 {
				g.add(from.keys[s.number])
			}
		} else {
			var fresh bool
			if n, fresh = g.index.number(slices.Clone(from.index.key(s.number))); fresh {
				g.add(from.keys[s.number])
			}
		}
		for k, st := range a.states {
			st.merge(n, from.states[k], s.number)
		}
	}
}
