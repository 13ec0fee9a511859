package checks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/reference/merge"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// keepRows is the number of rows of a computed result that are kept in memory. Larger
// results are computed again each time they are needed.
const keepRows = 50_000

// cellStyle is how values are written in the file that is compared.
type cellStyle uint8

const (
	styleTable cellStyle = iota // a cell of the client's table, uncut
	styleSink                   // a field of a CSV sink, without quotes
	stylePrint                  // a value in a line of a print sink
)

// answer is a computed answer to one statement.
type answer struct {
	stmt      sql.Statement
	text      string
	line      int
	err       error
	streaming bool
	columns   []string
	// byPlace: the rows are compared with columns by their places, since the file has no
	// names.
	byPlace bool
	isRows  bool
	sink    string
	plan    string
	// shape is the plan, read once; nil without a readable one.
	shape *planShape

	// rows are the result when it is small enough (stored).
	rows   []row
	stored bool
	counts kindCounts
	// large has the counts of a result that is not stored, once they are known.
	large *largeCounts
	// rerun computes the rows again.
	rerun produce
	// again computes the rows for other orders of the inputs; nil when there is one input.
	again again
}

// feed gives the rows from memory or by computing them again.
func (a *answer) feed(ctx context.Context) feed {
	if a.stored {
		return &storedFeed{rows: a.rows}
	}
	return newLiveFeed(ctx, a.rerun)
}

// transform changes a source's bytes for a model of a mistake; nil leaves them.
type transform struct {
	// id tells transforms apart.
	id string
	// apply wraps the table's data.
	apply func(table string, f fs.File) (fs.File, error)
	// any maps every path to the (only) source table.
	any bool
}

// execute runs a script and describes its answers, remembering them.
func (g *Grader) execute(ctx context.Context, script string, style cellStyle, why purpose, tr *transform) ([]*answer, error) {
	id := script
	if style != styleTable {
		id = fmt.Sprintf("\x00style %d\x00%s", style, id)
	}
	if tr != nil {
		id = "\x00" + tr.id + "\x00" + id
	}
	if why == forLearner && len(script) > maxRemembered {
		return g.run(ctx, script, style, false, tr)
	}
	for {
		m := g.remembered(id, why)
		m.once.Do(func() {
			m.err = errPanicked // stays when run does not return
			m.answers, m.err = g.run(ctx, script, style, why == forTruth, tr)
			g.counted(m.answers, why)
		})
		if !interrupted(m.err) {
			return m.answers, m.err
		}
		// An interrupted run is no answer. Where another submission's time was up, this one
		// runs the script itself.
		g.forget(id, why, m)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// errPanicked is what those get who waited for a computation that panicked.
var errPanicked = errors.New("labgrade failed while it computed an answer")

func interrupted(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// errTooMany ends the first run of a large result, errEndless that of a learner's script
// whose results have more than maxOtherRun rows: a comma in FROM makes a product.
var (
	errTooMany = errors.New("too many rows to keep")
	errEndless = errors.New("more rows than any lab has")
)

const maxOtherRun = 10_000_000

// run executes a script and keeps its results, as far as they are small enough.
func (g *Grader) run(ctx context.Context, script string, style cellStyle, own bool, tr *transform) ([]*answer, error) {
	var out []*answer
	var cur *answer
	var w *cellWriter
	var arena rowArena
	begin := func(a *Answer) {
		n := len(out)
		cur = &answer{stored: true, large: &largeCounts{}}
		cur.rerun = func(ctx context.Context, emit func(*row) error) error {
			return g.rerun(ctx, script, style, tr, n, emit)
		}
		for _, c := range a.Columns {
			cur.columns = append(cur.columns, c.Name)
		}
		w = newCellWriter(a.Columns, style)
	}
	end := func(a *Answer) {
		cur.stmt, cur.text, cur.line, cur.err = a.Statement, a.Text, a.Line, a.Err
		cur.streaming, cur.plan, cur.sink, cur.isRows = a.Streaming, a.Plan, a.SinkTable, a.IsRows
		if len(cur.columns) != len(a.Columns) {
			cur.columns = nil
			for _, c := range a.Columns {
				cur.columns = append(cur.columns, c.Name)
			}
		}
		if style == stylePrint {
			// The lines show a kind in batch mode, too, and no names.
			cur.streaming, cur.byPlace = true, true
		}
		if cur.plan != "" {
			cur.shape = readPlan(cur.plan)
		}
		out = append(out, cur)
		cur, w = nil, nil
	}
	var large *Answer
	seen := 0
	err := g.engine.Execute(ctx, script, &graderFiles{g: g, tr: tr}, Handler{
		Row: func(a *Answer, kind changelog.RowKind, vals value.Row, cause Cause) error {
			if cur == nil {
				begin(a)
			}
			cur.counts.add(kind)
			if seen++; !own && seen > maxOtherRun {
				large = a
				return errEndless
			}
			if !cur.stored {
				return nil
			}
			if len(cur.rows) >= keepRows {
				cur.stored, cur.rows = false, nil
				if own {
					// The lab's query comes last: what is behind it is of no interest.
					large = a
					return errTooMany
				}
				return nil
			}
			cur.rows = append(cur.rows, arena.clone(w.row(kind, vals, cause)))
			return nil
		},
		Again: func(a *Answer, _ merge.Run) error {
			if cur == nil {
				begin(a)
			}
			cur.again = g.againOf(script, style, tr, len(out))
			return nil
		},
		End: func(a *Answer) error {
			if cur == nil {
				begin(a)
			}
			end(a)
			return nil
		},
	})
	if errors.Is(err, errTooMany) {
		cur.counts = kindCounts{}
		end(large)
		return out, nil
	}
	if errors.Is(err, errEndless) {
		large.Err = unsupported.New("a result of more than %d rows", maxOtherRun)
		end(large)
		return out, nil
	}
	return out, err
}

// rerun runs a script again and hands the rows of its n-th answer to emit.
func (g *Grader) rerun(ctx context.Context, script string, style cellStyle, tr *transform, n int, emit func(*row) error) error {
	i := 0
	var w *cellWriter
	var failed error
	err := g.engine.Execute(ctx, script, &graderFiles{g: g, tr: tr}, Handler{
		Row: func(a *Answer, kind changelog.RowKind, vals value.Row, cause Cause) error {
			if i != n {
				return nil
			}
			if w == nil {
				w = newCellWriter(a.Columns, style)
			}
			return emit(w.row(kind, vals, cause))
		},
		End: func(a *Answer) error {
			if i == n {
				failed = a.Err
				return errStopped
			}
			i++
			return nil
		},
	})
	if errors.Is(err, errStopped) {
		return failed
	}
	return err
}

// cellWriter writes the cells of rows as text.
type cellWriter struct {
	types []value.Type
	style cellStyle
	r     row
	buf   []byte
	ends  []int
}

func newCellWriter(columns []value.Field, style cellStyle) *cellWriter {
	w := &cellWriter{style: style, ends: make([]int, len(columns))}
	for _, c := range columns {
		w.types = append(w.types, c.Type)
	}
	w.r.cells = make([][]byte, len(columns))
	return w
}

// row writes a row; it is borrowed until the next call.
func (w *cellWriter) row(kind changelog.RowKind, vals value.Row, cause Cause) *row {
	if w.style == stylePrint {
		return w.printed(kind, vals, cause)
	}
	w.buf = w.buf[:0]
	for i := range w.types {
		if w.style == styleSink {
			w.buf = appendSinkField(w.buf, &w.types[i], vals[i])
		} else {
			w.buf = value.AppendCell(w.buf, &w.types[i], vals[i], nil)
		}
		w.ends[i] = len(w.buf)
	}
	start := 0
	for i, e := range w.ends {
		from := start
		if w.style == styleTable {
			// A table pads on the left, so that blanks there cannot be told from padding.
			for from < e && w.buf[from] == ' ' {
				from++
			}
		}
		w.r.cells[i] = w.buf[from:e:e]
		start = e
	}
	w.r.kind, w.r.cause = kind, cause
	return &w.r
}

// printed is the row as a reader of a print sink's line sees it.
func (w *cellWriter) printed(kind changelog.RowKind, vals value.Row, cause Cause) *row {
	w.buf = append(w.buf[:0], kind.String()...)
	w.buf = append(w.buf, '[')
	for i := range w.types {
		if i > 0 {
			w.buf = append(w.buf, ", "...)
		}
		w.buf = value.AppendExternal(w.buf, &w.types[i], vals[i])
	}
	w.buf = append(w.buf, ']')
	if p, ok := parse.ParsePrintLine(w.buf, nil); ok {
		w.r.cells = printedCells(p.Fields, len(w.types))
	}
	w.r.kind, w.r.cause = kind, cause
	return &w.r
}

// printedCells brings the fields of a printed row to n: a text with ", " in it looks like
// two, so that what is too much belongs to the last one.
func printedCells(fields [][]byte, n int) [][]byte {
	if len(fields) <= n || n == 0 {
		return fields
	}
	out := slices.Clone(fields[:n])
	out[n-1] = bytes.Join(fields[n-1:], []byte(", "))
	return out
}

// graderFiles opens the lab's source for every path that ends in its file name, so that
// it does not matter where on a learner's machine it lies.
type graderFiles struct {
	g  *Grader
	tr *transform
}

func (f *graderFiles) Open(path string) (fs.File, error) {
	table, ok := f.g.isLabFile(path)
	if !ok && f.tr != nil && f.tr.any && len(f.g.lab.Tables) == 1 {
		table, ok = f.g.lab.Tables[0].Name, true
	}
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	r, err := f.g.source(table)
	if err != nil {
		return nil, err
	}
	if f.tr != nil && f.tr.apply != nil {
		return f.tr.apply(table, r)
	}
	return r, nil
}

// labAnswer is the answer to the step's own query.
func (s *submission) labAnswer(ctx context.Context, script string, style cellStyle) (*answer, error) {
	answers, err := s.g.execute(ctx, script, style, forTruth, nil)
	if err != nil {
		return nil, err
	}
	if len(answers) == 0 {
		return nil, errors.New("the lab's query is empty")
	}
	return answers[len(answers)-1], nil
}

// count counts the rows by kind, running the query again when they are not known.
func (a *answer) count(ctx context.Context) (kindCounts, error) {
	if a.stored {
		return a.counts, nil
	}
	a.large.mu.Lock()
	defer a.large.mu.Unlock()
	if a.large.known {
		return a.large.counts, nil
	}
	var c kindCounts
	err := a.rerun(ctx, func(r *row) error {
		c.add(r.kind)
		return nil
	})
	a.large.counts, a.large.known = c, err == nil
	return c, err
}

// learn takes over the counts of a log that was found equal.
func (a *answer) learn(c kindCounts) {
	if a.stored {
		return
	}
	a.large.mu.Lock()
	a.large.counts, a.large.known = c, true
	a.large.mu.Unlock()
}

// largeCounts are counts that are found out later.
type largeCounts struct {
	mu     sync.Mutex
	known  bool
	counts kindCounts
}
