package checks

import (
	"context"

	"github.com/labgrade/labgrade/labs"
)

// sinkFits compares the files of a sink with the expected rows where the lab does not ask
// for every row at its place, or a batch wrote them, whose rows have no order.
func (s *submission) sinkFits(ctx context.Context, f *sinkFiles, want *answer, step *labs.Step) (bool, error) {
	how := step.Compare
	if how == labs.CompareExact && !want.streaming {
		how = labs.CompareMultiset
	}
	if how == labs.CompareExact || f.more || !want.stored || len(f.rows) == 0 || len(want.rows) == 0 {
		return false, nil
	}
	for i := range f.rows {
		if len(f.rows[i].cells) != len(want.columns) {
			return false, nil
		}
	}
	op := -1
	saved := projectAll(f.rows, fieldOrder(f, want, &want.rows[0], &f.rows[0]))
	rows, columns := want.rows, want.columns
	if at := opColumn(want); at >= 0 && hasCodes(saved, at) && how != labs.CompareMultiset {
		op = at
		saved, rows = kinded(saved, op), kinded(rows, op)
		columns = append(append([]string{}, columns[:op]...), columns[op+1:]...)
	}
	key := columnIndexes(columns, step.Key)
	switch how {
	case labs.CompareMultiset:
		d := compareBags(rows, saved, key)
		return d.equal(), nil
	case labs.ComparePerKey:
		return sameByKey(rows, saved, key), nil
	case labs.CompareFinal:
		d := compareBags(replayed(rows, key), replayed(saved, key), key)
		return d.equal(), nil
	case labs.CompareMerge:
		log := *want
		log.rows, log.columns = rows, columns
		is, _, err := s.isMerge(ctx, saved, &log, key, op)
		return is, err
	}
	return false, nil
}
