package checks

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/reference/merge"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/report"
	"github.com/labgrade/labgrade/value"
)

// again lets use run the plan of an answer in other orders of its inputs.
type again func(ctx context.Context, use func(run merge.Run, w *cellWriter) error) error

// againOf runs a script up to its n-th answer for again.
func (g *Grader) againOf(script string, style cellStyle, tr *transform, n int) again {
	return func(ctx context.Context, use func(run merge.Run, w *cellWriter) error) error {
		i := 0
		var failed error
		err := g.engine.Execute(ctx, script, &graderFiles{g: g, tr: tr}, Handler{
			Again: func(a *Answer, run merge.Run) error {
				if i == n {
					failed = use(run, newCellWriter(a.Columns, style))
					return errStopped
				}
				return nil
			},
			End: func(*Answer) error {
				i++
				return nil
			},
		})
		if errors.Is(err, errStopped) {
			return failed
		}
		return err
	}
}

// mergeLog is a saved log as the search for a merge sees it. op is the column with the
// change in a file that TO_CHANGELOG wrote, of which the rows are kinds; -1 without.
type mergeLog struct {
	rows []row
	w    *cellWriter
	op   int
}

func (l *mergeLog) Len() int { return len(l.rows) }

func (l *mergeLog) Equal(i int, kind changelog.RowKind, vals value.Row) bool {
	r := l.row(kind, vals, Cause{})
	return r.equal(&l.rows[i])
}

// row is a computed row as it would be saved; borrowed without op.
func (l *mergeLog) row(kind changelog.RowKind, vals value.Row, cause Cause) *row {
	r := l.w.row(kind, vals, cause)
	if l.op >= 0 {
		return &kinded([]row{*r}, l.op)[0]
	}
	return r
}

// isMerge reports whether a saved log is one that some merge of the sources' rows can
// give (compare merge). saved has the columns in the expected order. known is false when
// there are too many merges to try; then the tables to which the logs lead decide.
func (s *submission) isMerge(ctx context.Context, saved []row, want *answer, key []int, op int) (is, known bool, err error) {
	if want.again == nil {
		if len(saved) != len(want.rows) {
			return false, true, nil
		}
		for i := range saved {
			if !want.rows[i].equal(&saved[i]) {
				return false, true, nil
			}
		}
		return true, true, nil
	}
	var limits merge.Limits
	if s.g.brief {
		limits.Elements = briefElements
	}
	var got merge.Result
	err = want.again(ctx, func(run merge.Run, w *cellWriter) error {
		var err error
		got, err = merge.Search(run, &mergeLog{saved, w, op}, limits)
		return err
	})
	if err != nil || !got.GaveUp {
		return got.Found, true, err
	}
	d := compareBags(replayed(want.rows, key), replayed(saved, key), key)
	return d.equal(), false, nil
}

// The bounds of repairing a log, and of a search in an answer that is only a guess.
const (
	maxRepairs     = 8
	repairElements = 60_000
	guessElements  = 30_000
	// briefElements bounds it for mutants, of which there are many.
	briefElements = 20_000
)

// nearest is a right log that a saved one can be compared with: one that some merge gives,
// which agrees with the saved log up to the first row that no merge explains, and, if a
// few changes of the saved log make it right, behind it, too. at is the index of that
// row; options are the rows that could have stood there. ok is false when the search was
// given up.
type nearest struct {
	log     *answer
	at      int
	options []row
	ok      bool
}

func (a *answer) nearest(ctx context.Context, saved []row) (n nearest, err error) {
	if a.again == nil || !a.stored {
		return nearest{}, nil
	}
	err = a.again(ctx, func(run merge.Run, w *cellWriter) error {
		r := repair{run: run, w: w, log: slices.Clone(saved)}
		path, ok, err := r.repair(&n)
		if err != nil || !ok {
			return err
		}
		log := *a
		log.rows, log.counts = nil, kindCounts{}
		err = run(merge.Begin(path), func(k changelog.RowKind, vals value.Row, c stream.Cause) error {
			log.rows = append(log.rows, w.row(k, vals, causeOf(c)).clone())
			log.counts.add(k)
			return nil
		})
		n.log, n.ok = &log, true
		return err
	})
	return n, err
}

// repair changes a log row by row until a merge gives it.
type repair struct {
	run merge.Run
	w   *cellWriter
	log []row
}

func (r *repair) search(log []row) (merge.Result, error) {
	return merge.Search(r.run, &mergeLog{log, r.w, -1}, merge.Limits{Elements: repairElements})
}

// repair gives the path of the repaired log, or, if it is beyond repair, the longest one
// that a merge explains; ok is false when the search was given up.
func (r *repair) repair(n *nearest) (path []int, ok bool, err error) {
	best, err := r.search(r.log)
	if err != nil || best.GaveUp {
		return nil, false, err
	}
	n.at, n.options = best.At, r.options(best)
	first := best
	for range maxRepairs {
		if best.Found {
			return best.Path, true, nil
		}
		log, next := []row(nil), best
		for _, try := range r.changes(best) {
			got, err := r.search(try)
			if err != nil {
				return nil, false, err
			}
			if got.GaveUp {
				continue
			}
			// what brings a change further is measured from its end: a row put in moves all by one
			if got.Found || log == nil || len(try)-got.At < len(log)-next.At {
				log, next = try, got
			}
			if got.Found {
				break
			}
		}
		if log == nil || !next.Found && len(log)-next.At >= len(r.log)-best.At {
			break
		}
		r.log, best = log, next
	}
	if best.Found {
		return best.Path, true, nil
	}
	return first.Path, true, nil
}

// options are the rows that could have come where a search ended.
func (r *repair) options(got merge.Result) []row {
	var out []row
	for _, c := range got.Candidates {
		out = append(out, r.w.row(c.Kind, c.Row, causeOf(c.Cause)).clone())
	}
	return out
}

// changes are the logs with one row removed, replaced or put in where a search ended.
func (r *repair) changes(got merge.Result) [][]row {
	var out [][]row
	at := got.At
	if at < len(r.log) {
		out = append(out, slices.Delete(slices.Clone(r.log), at, at+1))
	}
	for _, o := range r.options(got) {
		if at < len(r.log) {
			c := slices.Clone(r.log)
			c[at] = o
			out = append(out, c)
		}
		out = append(out, slices.Insert(slices.Clone(r.log), at, o))
	}
	return out
}

// compareWithNearest takes, where any merge of the inputs is right, the right log that is
// nearest to the saved one for the expected one.
func (d *diagnosis) compareWithNearest(ctx context.Context) error {
	if d.step.Compare != labs.CompareMerge || d.saved == nil || d.res.overflow || d.res.hasOp != d.want.streaming {
		return nil
	}
	n, err := d.want.nearest(ctx, d.saved)
	if err != nil || !n.ok {
		return err
	}
	d.want, d.unexplained = n.log, &n
	return nil
}

// noMerge names the first row that no merge explains, and the rows that could stand there.
func (d *diagnosis) noMerge(ctx context.Context) {
	n := d.unexplained
	f := report.Finding{File: d.out.name, Line: d.res.block.LastLine, Actual: "the end of the log"}
	if n.at < len(d.saved) {
		r := &d.saved[n.at]
		f.Line, f.Actual, f.Key = r.line, words(r, d.want.columns, true), keyWords(r, d.want.columns, d.key)
	}
	f.Message = fmt.Sprintf("Row %d is the first that no order of reading the sources gives.", n.at+1)
	firedByWatermark := false
	for i := range n.options {
		o := &n.options[i]
		text := words(o, d.want.columns, true)
		if i == 0 {
			f.Expected = text
			f.SourceRows = d.s.g.sourceRows([]Cause{o.cause})
			if list, fired := d.firedBy(ctx, o); fired != "" {
				f.SourceRows = list
				f.More = append(f.More, fired)
				firedByWatermark = true
			}
			continue
		}
		f.More = append(f.More, "or "+text)
	}
	if len(n.options) == 0 {
		f.Expected = "the end of the log"
	}
	if f.SourceRows != nil && !firedByWatermark && n.options[0].cause.Line == 0 {
		f.SourceRows = nil
	}
	d.v.add("LG-STREAM-018", f)
}
