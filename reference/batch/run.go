// Package batch runs a physical plan as Flink's batch runtime does at parallelism 1:
// each node hands its rows to the one above it, and those that must see everything
// first (sorts, aggregates, the build side of a join) collect it.
//
// The order of rows is part of the answer where Flink's is known: groups of a hash
// aggregate come in the order in which they were first seen, ties of a sort as Flink's
// quicksort leaves them (agg.md 45, 46, 50). It shares no operator code with package
// stream, so that each can judge the other.
package batch

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/source"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// Reader gives the rows of one scan.
type Reader interface {
	// Next fills row, which has one place for each column of the scan; io.EOF ends the
	// table. Strings put into row must stay valid until the next call only.
	Next(row value.Row) error
	io.Closer
}

// Runtime is what a plan needs besides itself.
type Runtime struct {
	Env fn.Env
	// Compile turns an expression into a closure; nil stands for fn.Compile.
	Compile func(rex.Expr) (fn.Eval, error)
	// Open begins a scan.
	Open func(scan *phys.TableSourceScan) (Reader, error)
	// Blocks, if set, opens a scan for several readers at a time; it returns nil for tables
	// that cannot be read so.
	Blocks func(scan *phys.TableSourceScan) (*source.Blocks, error)
	// Sink, if set, takes the rows that reach a Sink node instead of Run's out.
	Sink func(sink *phys.Sink, row value.Row) error
}

// Run executes the plan and hands every row of the result to out, which borrows it for
// the call. It returns a flinkerr.Error where Flink's job would fail, an
// unsupported.Error where the exact answer cannot be given, and out's own error if out
// stops the run.
func Run(root phys.Node, rt *Runtime, out func(row value.Row) error) error {
	j := &job{rt: rt, partials: map[*phys.BatchAggregate]*groupTable{}, slices: map[*phys.BatchWindowAggregate]*groupTable{}}
	if s, ok := root.(*phys.Sink); ok && rt.Sink != nil {
		out = func(row value.Row) error { return rt.Sink(s, row) }
	}
	p, err := j.build(root)
	if err != nil {
		return err
	}
	err = p(out)
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// producer runs a node: it calls emit for each of its rows, in order. The row is
// borrowed for the call.
type producer func(emit func(row value.Row) error) error

// errEnough is returned by an emit that needs no more rows.
var errEnough = errors.New("no more rows are needed")

// job is one run.
type job struct {
	rt  *Runtime
	ctx fn.Ctx
	// partials are the groups of local aggregates, for the nodes that merge them.
	partials map[*phys.BatchAggregate]*groupTable
	slices   map[*phys.BatchWindowAggregate]*groupTable
}

func (j *job) compile(e rex.Expr) (fn.Eval, error) {
	if j.rt.Compile == nil {
		return fn.Compile(e, &j.rt.Env)
	}
	return j.rt.Compile(e)
}

// compileAll compiles the expressions of a projection.
func (j *job) compileAll(es []rex.Expr) ([]fn.Eval, error) {
	out := make([]fn.Eval, len(es))
	for i, e := range es {
		f, err := j.compile(e)
		if err != nil {
			return nil, err
		}
		out[i] = fn.Store(f, e.Type())
	}
	return out, nil
}

func (j *job) build(n phys.Node) (producer, error) {
	switch n := n.(type) {
	case *phys.TableSourceScan:
		return j.scan(n)
	case *phys.Values:
		return values(n), nil
	case *phys.Union:
		return j.union(n)
	case *phys.Join:
		return j.join(n)
	}
	if len(n.Inputs()) != 1 {
		return nil, unsupported.New("the batch evaluator does not run %s", nodeName(n))
	}
	in, err := j.build(n.Inputs()[0])
	if err != nil {
		return nil, err
	}
	switch n := n.(type) {
	case *phys.Exchange, *phys.Sink:
		return in, nil
	case *phys.Calc:
		return j.calc(n, in)
	case *phys.Expand:
		return j.expand(n, in)
	case *phys.Limit:
		return limit(n, in), nil
	case *phys.Sort:
		return sorted(n, in), nil
	case *phys.SortLimit:
		return sortLimit(n, in), nil
	case *phys.BatchAggregate:
		return j.aggregate(n, in)
	case *phys.Rank:
		return rank(n, in)
	case *phys.OverAggregate:
		return j.over(n, in)
	case *phys.WatermarkAssigner:
		return in, nil // batch mode has no watermarks
	case *phys.WindowTableFunction:
		return j.windowTableFunction(n, in)
	case *phys.BatchWindowAggregate:
		return j.groupWindows(n, in)
	case *phys.WindowAggregate:
		switch {
		case n.Phase == "Local":
			return in, nil // the global phase does the work
		case n.Local != nil:
			return j.windowAggregate(n.Local.Window, n.Local.Keys, n.Local.Calls, n.Props, n.Local.In[0].Schema(), in)
		}
		return j.windowAggregate(n.Window, n.Keys, n.Calls, n.Props, n.In[0].Schema(), in)
	case *phys.Match:
		return j.match(n, in)
	case *phys.Correlate:
		return j.correlate(n, in)
	}
	return nil, unsupported.New("the batch evaluator does not run %s", nodeName(n))
}

func nodeName(n phys.Node) string { return strings.TrimPrefix(fmt.Sprintf("%T", n), "*phys.") }
