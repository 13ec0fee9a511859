package replay

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/labgrade/labgrade/changelog"
)

// maxOpen bounds the -U that are remembered as waiting for their +U. In a log whose
// updates are pairs there is at most one.
const maxOpen = 256

// Replayer replays a log.
type Replayer struct {
	opts  Options
	table *Table
	res   Result
	width int

	// last is the change before this one when it was a -U, else its Row is 0.
	last open
	// open are earlier -U whose +U has not come, oldest first.
	open        []open
	droppedOpen int
	// place is the table place that the last -U left, for its +U; -1 without one.
	place   int64
	row, id []byte // encodings of the change at hand; id is row without a key
	idMem   []byte
	stopped bool
	inf     *inference
}

// open is a -U without its +U.
type open struct {
	line, row int
	id        []byte // its key, with Options.Key
	enc       []byte // the row
}

// New makes a replayer with an empty table.
func New(o Options) *Replayer {
	if o.MaxViolations == 0 {
		o.MaxViolations = 1000
	}
	t := newTable(o.Key)
	return &Replayer{opts: o, table: t, width: -1, place: -1, res: Result{Table: t}}
}

// Table is the table so far.
func (r *Replayer) Table() *Table { return r.table }

// Add replays one change. It returns false when Options.StopAfter is reached and the
// change was not taken.
func (r *Replayer) Add(c Change) bool {
	if r.opts.StopAfter > 0 && r.res.Rows >= r.opts.StopAfter {
		r.stopped = true
		return false
	}
	r.res.Rows++
	if c.Row == 0 {
		c.Row = r.res.Rows
	}
	if c.Kind <= changelog.Delete {
		r.res.Counts[c.Kind]++
	}
	r.res.LastLine = c.Line
	if r.width < 0 {
		r.width = len(c.Cells)
	}
	if len(c.Cells) != r.width {
		r.violate(&c, Violation{Code: WrongWidth})
		return true
	}
	if m := r.opts.Mode; m != 0 && !m.Has(changelog.ModeOf(c.Kind)) {
		r.violate(&c, Violation{Code: OutsideMode})
	}
	r.row = encode(r.row[:0], c.Cells)
	r.id = r.row
	if r.table.keyed {
		var ok bool
		if r.idMem, ok = encodeKey(r.idMem[:0], c.Cells, r.opts.Key); !ok {
			r.violate(&c, Violation{Code: WrongWidth})
			return true
		}
		r.id = r.idMem
	}
	if r.opts.InferKey {
		r.infer(&c)
	}
	r.pair(&c)
	if c.Kind.Adds() {
		r.enter(&c)
	} else {
		r.leave(&c)
	}
	if r.table.rows > r.res.MaxTable {
		r.res.MaxTable = r.table.rows
	}
	return true
}

// infer keeps the search for an upsert key going until a -U shows that there is none.
func (r *Replayer) infer(c *Change) {
	switch {
	case r.res.Counts[changelog.UpdateBefore] > 0:
		r.inf, r.opts.InferKey = nil, false
		return
	case r.inf == nil && c.Kind == changelog.UpdateAfter:
		r.startInference()
	}
	if r.inf != nil {
		r.inf.add(*c)
	}
}

// pair follows which -U waits for which +U.
func (r *Replayer) pair(c *Change) {
	before := r.last
	r.last.row = 0
	if c.Kind == changelog.UpdateAfter {
		switch {
		case before.row > 0:
			if r.table.keyed && !bytes.Equal(before.id, r.id) {
				if i := r.openOf(r.id); i >= 0 {
					r.split(c, i)
					r.keepOpen(before)
					return
				}
				r.violate(c, Violation{Code: MixedPair, OtherLine: before.line, OtherRow: before.row, Held: texts(decode(nil, before.enc))})
			}
		case r.opts.Upsert || r.opts.LonePairs:
		default:
			r.split(c, r.openOf(r.id))
		}
		return
	}
	r.place = -1
	if before.row > 0 && !r.opts.LonePairs {
		r.keepOpen(before)
	}
	if c.Kind == changelog.UpdateBefore {
		// The memory of last is reused from one -U to the next.
		r.last.line, r.last.row = c.Line, c.Row
		r.last.enc = append(r.last.enc[:0], r.row...)
		if r.table.keyed {
			r.last.id = append(r.last.id[:0], r.id...)
		}
	}
}

func (r *Replayer) keepOpen(o open) {
	if len(r.open) == maxOpen {
		r.open = r.open[1:]
		r.droppedOpen++
	}
	o.id, o.enc = bytes.Clone(o.id), bytes.Clone(o.enc)
	r.open = append(r.open, o)
}

// openOf finds the oldest open -U of the key (without a key, the oldest of all); -1
// when there is none.
func (r *Replayer) openOf(id []byte) int {
	for i := range r.open {
		if !r.table.keyed || bytes.Equal(r.open[i].id, id) {
			return i
		}
	}
	return -1
}

// split judges a +U that does not stand behind its -U, which is open[at], or nowhere
// (at < 0).
func (r *Replayer) split(c *Change, at int) {
	if at < 0 {
		r.violate(c, Violation{Code: LoneUpdateAfter})
		return
	}
	o := r.open[at]
	r.open = slices.Delete(r.open, at, at+1)
	r.violate(c, Violation{Code: SplitPair, OtherLine: o.line, OtherRow: o.row, Held: texts(decode(nil, o.enc))})
}

// enter applies +I and +U.
func (r *Replayer) enter(c *Change) {
	e := r.table.find(r.id)
	if !r.table.keyed {
		if e != nil {
			e.count++
			r.table.rows++
			e.line, e.rowN = c.Line, c.Row
			return
		}
		r.table.insert(r.id, nil, c.Line, c.Row, r.place)
		r.place = -1
		return
	}
	if e == nil {
		r.table.insert(r.id, r.row, c.Line, c.Row, r.place)
		r.place = -1
		return
	}
	if c.Kind == changelog.Insert {
		r.violate(c, Violation{Code: DuplicateInsert, OtherLine: e.line, OtherRow: e.rowN, Held: texts(decode(nil, e.row))})
	}
	e.row = append(e.row[:0], r.row...)
	e.line, e.rowN = c.Line, c.Row
}

// leave applies -U and -D.
func (r *Replayer) leave(c *Change) {
	e := r.table.find(r.id)
	switch {
	case e == nil:
		r.violate(c, Violation{Code: AbsentRow})
	case r.table.keyed && !bytes.Equal(e.row, r.row) && !(r.opts.Upsert && c.Kind == changelog.Delete):
		// Another row stands there. It stays: a +U will replace it, and a -D of a row
		// that is not there deletes nothing. (An upsert log's -D may carry the key alone.)
		r.violate(c, Violation{Code: AbsentRow, OtherLine: e.line, OtherRow: e.rowN, Held: texts(decode(nil, e.row))})
	default:
		if seq := r.table.remove(e); c.Kind == changelog.UpdateBefore {
			r.place = seq
		}
	}
}

// Finish ends the log: what is only seen at its end (a pair without its second half)
// becomes a violation, except when StopAfter ended it.
func (r *Replayer) Finish() *Result {
	if !r.stopped {
		for _, o := range r.open {
			r.violateOpen(LoneUpdateBefore, o)
		}
		if r.droppedOpen > 0 {
			r.res.NViolations += r.droppedOpen
			r.res.ByCode[LoneUpdateBefore] += r.droppedOpen
		}
		if r.last.row > 0 && !r.opts.LonePairs {
			r.violateOpen(EndsInsidePair, r.last)
		}
	}
	r.upsert()
	slices.SortStableFunc(r.res.Violations, func(a, b Violation) int { return cmp.Compare(a.Row, b.Row) })
	return &r.res
}

func (r *Replayer) violateOpen(code Code, o open) {
	c := Change{Line: o.line, Row: o.row, Kind: changelog.UpdateBefore, Cells: decode(nil, o.enc)}
	r.violate(&c, Violation{Code: code})
}

func (r *Replayer) violate(c *Change, v Violation) {
	r.res.NViolations++
	r.res.ByCode[v.Code]++
	if len(r.res.Violations) >= r.opts.MaxViolations {
		return
	}
	v.Line, v.Row, v.Kind, v.Cells = c.Line, c.Row, c.Kind, texts(c.Cells)
	v.Text = v.words(r.opts, r.width)
	r.res.Violations = append(r.res.Violations, v)
}

func texts(cells [][]byte) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = string(c)
	}
	return out
}
