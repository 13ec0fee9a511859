package checks

// isMerge reports whether a saved log is one that some merge of the sources' rows can
// give (compare merge). saved has the columns in the expected order.
func (s *submission) isMerge(saved []row, want *answer, key []int) (bool, error) {
	d := compareBags(replayed(want.rows, key), replayed(saved, key), key)
	return d.equal(), nil
}
