// Package stream runs a physical plan as Flink's streaming runtime does at
// parallelism 1: rows are pushed through operators one by one, and every change of a
// result leaves as a row with a kind.
//
// The log is the answer here, not only the final table, so operators follow Flink's
// mechanisms (timer heaps, hash map order, bundles) instead of any convenient order.
// Where Flink itself has no single order - two inputs meet - the package has one fixed
// convention: see twoInput and union.
//
// Rows are borrowed: an operator may read a row during the call only, and copies what
// it keeps. The package shares no operator code with package batch, so that each can
// judge the other.
package stream

import (
	"io"
	"math"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// MinWatermark is the watermark before the first one, MaxWatermark the one at the end
// of the input.
const (
	MinWatermark = math.MinInt64
	MaxWatermark = math.MaxInt64
)

// Position is a place in a source: the number of the file among the files of the scan
// and the line on which the row begins, both from 1; zero when unknown.
type Position struct {
	File int
	Line int
}

// Reader gives the rows of one scan.
type Reader interface {
	// Next fills row, which has one place for each column of the scan, and tells its
	// kind and position; io.EOF ends the table. Strings put into row must stay valid
	// until the next call only.
	Next(row value.Row) (changelog.RowKind, Position, error)
	io.Closer
}

// Cause says why a change was emitted: the source row that was being processed and,
// when a watermark triggered the change (a window that fires, a timer), that
// watermark in epoch milliseconds. At the end of the input Watermark is MaxWatermark.
type Cause struct {
	Table       string
	Position    Position
	ByWatermark bool
	Watermark   int64
}

// Out takes the rows of the result in order. The row is borrowed for the call.
type Out func(kind changelog.RowKind, row value.Row, cause Cause) error

// Runtime is what a plan needs besides itself.
type Runtime struct {
	Env fn.Env
	// Compile turns an expression into a closure; nil stands for fn.Compile.
	Compile func(rex.Expr) (fn.Eval, error)
	// Open begins a scan.
	Open func(scan *phys.TableSourceScan) (Reader, error)
	// StateTTL is table.exec.state.ttl in milliseconds. State never expires here, since
	// a bounded run is shorter; but a positive value makes unchanged results be sent again.
	StateTTL int64
	// WatermarkInterval is pipeline.auto-watermark-interval in milliseconds; 0 stands for
	// Flink's default of 200, a negative value for an interval of 0.
	WatermarkInterval int64
	// Lead is how many elements of its left input a join takes before it goes on in turns, or,
	// if negative, of its right input. A negative Lead also turns the inputs of UNION ALL
	// around. What Flink does is a race: all of these are possible.
	Lead int
	// Order, if set, decides at every merge of inputs and takes the place of Lead.
	Order Order
	// Facts, if set, is shared by the runs of one plan in several orders.
	Facts *OrderFacts
	// MiniBatchSize is table.exec.mini-batch.size: the records of one bundle.
	MiniBatchSize int64
	// Lineage, if set, follows source rows to the rows of the result.
	Lineage *Lineage
	// Sink, if set, takes the rows that reach a Sink node instead of Run's out.
	Sink func(sink *phys.Sink, kind changelog.RowKind, row value.Row, cause Cause) error
}

// Run executes the plan to the end of its input and hands every row of the result to
// out. It returns a flinkerr.Error where Flink's job would fail, an unsupported.Error
// where the exact answer cannot be given, and out's own error if out stops the run.
func Run(root phys.Node, rt *Runtime, out Out) error {
	j := &job{rt: rt}
	defer j.close()
	var emit Out = out
	if s, ok := root.(*phys.Sink); ok && rt.Sink != nil {
		emit = func(k changelog.RowKind, row value.Row, c Cause) error { return rt.Sink(s, k, row, c) }
	}
	j.byCounts = rt.Order != nil && countsDecide(root)
	d, err := j.build(root, &collector{job: j, out: emit})
	if err != nil {
		return err
	}
	for {
		more, err := d.step()
		if err != nil || !more {
			return err
		}
	}
}

// job is one run.
type job struct {
	rt      *Runtime
	ctx     fn.Ctx
	cause   Cause
	readers []Reader
	// merges numbers the places where inputs meet; parts are the operators whose state
	// Merge.State reads. Both are kept only for an Order.
	merges int
	parts  []any
	// path has the choices so far; it stands for the state where that cannot be read (pathOnly).
	path     []byte
	pathOnly bool
	// byCounts: the state follows from what the merge has taken.
	byCounts bool
	// calc: what is compiled is for a Calc, which knows its watermark.
	calc bool
}

func (j *job) close() {
	for _, r := range j.readers {
		_ = r.Close() // the rows are read; a failure to close changes no answer
	}
}

func (j *job) compile(e rex.Expr) (fn.Eval, error) {
	if !j.calc && fn.ReadsWatermark(e) {
		return nil, unsupported.New("CURRENT_WATERMARK outside of a projection or filter")
	}
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

// operator receives the elements of one stream, in order: rows, watermarks (strictly
// rising), and once the end. The row is borrowed.
type operator interface {
	row(kind changelog.RowKind, row value.Row) error
	watermark(w int64) error
	end() error
}

// driver advances the sources of a part of the plan.
type driver interface {
	// step reads one element somewhere below and pushes what follows from it. It
	// returns false once the end has been pushed.
	step() (bool, error)
}

// collector is the last operator.
type collector struct {
	job *job
	out Out
}

func (c *collector) row(kind changelog.RowKind, row value.Row) error {
	return c.out(kind, row, c.job.cause)
}
func (c *collector) watermark(int64) error { return nil }
func (c *collector) end() error            { return nil }

// forward passes watermarks and the end on; operators that keep neither timers nor
// bundles embed it.
type forward struct{ next operator }

func (f *forward) watermark(w int64) error { return f.next.watermark(w) }
func (f *forward) end() error              { return f.next.end() }

// byWatermark notes that what is emitted next was triggered by a watermark.
func (j *job) byWatermark(w int64) { j.cause.ByWatermark, j.cause.Watermark = true, w }
