package replay

import "github.com/labgrade/labgrade/changelog"

// maxInferWidth is the widest row for which keys are looked for.
const maxInferWidth = 12

// inference looks for the key of an upsert log, which has +U but no -U: a column, or
// failing that a pair of columns, whose values always name a row that is there when it
// is updated, and none that is there when it is inserted.
type inference struct {
	candidates []*Replayer
}

// startInference begins at the first +U; everything before it stands in the table.
func (r *Replayer) startInference() {
	inf := &inference{}
	add := func(key ...int) {
		c := New(Options{Key: key, Upsert: true, MaxViolations: 1})
		for row := range r.table.Rows() {
			if row.Count > 1 || c.table.has(row.Cells, key) {
				return
			}
			c.Add(Change{Line: row.Line, Row: row.Row, Kind: changelog.Insert, Cells: row.Cells})
		}
		c.res.MaxTable = r.res.MaxTable
		inf.candidates = append(inf.candidates, c)
	}
	if r.width <= maxInferWidth {
		for i := range r.width {
			add(i)
		}
		// A large table with a key of one column needs no look at pairs.
		if len(inf.candidates) > 0 && r.table.live > 10_000 {
			r.inf = inf
			return
		}
		for i := range r.width {
			for j := i + 1; j < r.width; j++ {
				add(i, j)
			}
		}
	}
	r.inf = inf
}

// add replays a change in every candidate and drops those that it contradicts.
func (inf *inference) add(c Change) {
	kept := inf.candidates[:0]
	for _, r := range inf.candidates {
		present := r.table.has(c.Cells, r.opts.Key)
		ok := c.Kind == changelog.Insert && !present || c.Kind != changelog.Insert && present
		if ok {
			r.Add(c)
			kept = append(kept, r)
		}
	}
	clear(inf.candidates[len(kept):])
	inf.candidates = kept
}

// has reports whether the table holds a row with the key of these cells.
func (t *Table) has(cells [][]byte, key []int) bool {
	id, ok := encodeKey(t.scratch[:0], cells, key)
	t.scratch = id
	return ok && t.find(id) != nil
}

// upsert turns the result into that of an upsert log when a key was found.
func (r *Replayer) upsert() {
	if r.inf == nil || len(r.inf.candidates) == 0 || r.res.Counts[changelog.UpdateBefore] > 0 {
		return
	}
	best := r.inf.candidates[0]
	if len(best.opts.Key) >= r.width {
		return // the whole row is no key
	}
	r.res.Key = best.opts.Key
	r.res.Table = best.table
	r.res.MaxTable = max(best.res.MaxTable, best.table.rows)
	kept := r.res.Violations[:0]
	for _, v := range r.res.Violations {
		if v.Code != LoneUpdateAfter && v.Code != AbsentRow {
			kept = append(kept, v)
		}
	}
	r.res.NViolations -= r.res.ByCode[LoneUpdateAfter] + r.res.ByCode[AbsentRow]
	r.res.ByCode[LoneUpdateAfter], r.res.ByCode[AbsentRow] = 0, 0
	r.res.Violations = kept
}
