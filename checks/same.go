package checks

import (
	"context"
	"errors"
	"strings"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/merge"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

// indexByName maps each name to its place in columns; nil when one is not there.
func indexByName(names, columns []string) []int {
	idx := make([]int, 0, len(names))
	for _, n := range names {
		at := -1
		for i, c := range columns {
			if c == n || strings.HasSuffix(c, "...") && strings.HasPrefix(n, strings.TrimSuffix(c, "...")) {
				at = i
				break
			}
		}
		if at < 0 {
			return nil
		}
		idx = append(idx, at)
	}
	return idx
}

// indexes maps wanted columns to the answer's own; nil when some are not there.
func (a *answer) indexes(want []string) []int {
	if a.byPlace && len(want) == len(a.columns) {
		return identity(len(want))
	}
	return indexByName(want, a.columns)
}

// sameAnswer compares two computed results as strictly as the step does. Columns are
// found by name.
func sameAnswer(ctx context.Context, a, want *answer, step *labs.Step) (bool, error) {
	if a.streaming != want.streaming {
		return false, nil
	}
	idx := a.indexes(want.columns)
	if idx == nil {
		return false, nil
	}
	if a.stored && want.stored {
		rows := projectAll(a.rows, idx)
		key := columnIndexes(want.columns, step.Key)
		switch step.Compare {
		case labs.CompareMultiset:
			d := compareBags(want.rows, rows, key)
			return d.equal(), nil
		case labs.CompareFinal:
			d := compareBags(replayed(want.rows, key), replayed(rows, key), key)
			return d.equal(), nil
		case labs.ComparePerKey:
			return sameByKey(want.rows, rows, key), nil
		}
	}
	return sameFeeds(a.feed(ctx), want.feed(ctx), idx)
}

// sameFeeds compares two logs row by row; idx maps the second's columns to the first's.
func sameFeeds(a, b feed, idx []int) (bool, error) {
	defer a.close()
	defer b.close()
	c := comparison{columns: idx, cells: make([][]byte, len(idx))}
	for {
		x, okX := a.next()
		y, okY := b.next()
		if okX != okY || okX && !y.equal(c.project(x)) {
			return false, nil
		}
		if !okX {
			if err := a.err(); err != nil {
				return false, err
			}
			return true, b.err()
		}
	}
}

// gives reports whether a computed result is exactly what the saved one shows, with
// its own columns and kind.
func (s *submission) gives(ctx context.Context, a *answer, r *savedResult, file string) (bool, error) {
	if a == nil || !a.isRows || a.err != nil || a.streaming != r.hasOp || len(a.columns) != len(r.columns) {
		return false, nil
	}
	idx := indexByName(a.columns, r.columns)
	if a.byPlace {
		idx = identity(len(a.columns))
	}
	if idx == nil {
		return false, nil
	}
	if a.again != nil && a.streaming && !r.overflow {
		saved := projectAll(r.rows, idx)
		found := false
		err := a.again(ctx, func(run merge.Run, w *cellWriter) error {
			got, err := merge.Search(run, &mergeLog{saved, w, -1}, merge.Limits{Elements: guessElements})
			found = got.Found
			return err
		})
		return found, oursOnly(err)
	}
	if a.stored && a.counts.total() != r.counts.total() {
		return false, nil
	}
	if !a.streaming {
		if !a.stored || r.overflow {
			return false, nil
		}
		d := compareBags(a.rows, projectAll(r.rows, idx), nil)
		return d.equal(), nil
	}
	f := a.feed(ctx)
	defer f.close()
	c := comparison{columns: idx, cells: make([][]byte, len(idx))}
	for i := range r.rows {
		w, ok := f.next()
		if !ok {
			return false, oursOnly(f.err())
		}
		if !w.equal(c.project(&r.rows[i])) {
			return false, nil
		}
	}
	if !r.overflow {
		_, more := f.next()
		return !more && f.err() == nil, oursOnly(f.err())
	}
	// The head is the same; read the file again to compare the rest.
	out, bad, err := s.readOutput(ctx, file, a, &labs.Step{Compare: labs.CompareExact})
	if err != nil || bad != nil {
		return false, err
	}
	for _, x := range out.results {
		if x.block.FirstLine == r.block.FirstLine {
			return x.cmp.equal, nil
		}
	}
	return false, nil
}

// oursOnly drops the errors by which a statement itself fails: then it gives nothing.
func oursOnly(err error) error {
	var fe *flinkerr.Error
	var se *sql.Error
	if errors.As(err, &fe) || errors.As(err, &se) || unsupported.Is(err) || errors.Is(err, errTooLarge) {
		return nil
	}
	return err
}
