package checks

// bagDifference is how a table differs from the expected one, as indexes.
type bagDifference struct {
	// missing are expected rows without a saved one, extra saved rows without an
	// expected one; pairs are rows of the same key with other values.
	missing, extra []int
	pairs          [][2]int
	// twice are the extra rows that stand in the table already.
	twice []int
}

func (d *bagDifference) equal() bool {
	return len(d.missing)+len(d.extra)+len(d.pairs)+len(d.twice) == 0
}

// compareBags compares two tables in any order. key are the columns that tell whose
// row it is.
func compareBags(want, saved []row, key []int) bagDifference {
	left := map[string][]int{}
	for i := range want {
		k := want[i].full()
		left[k] = append(left[k], i)
	}
	used := make([]bool, len(want))
	var open []int
	for i := range saved {
		k := saved[i].full()
		if saved[i].cut == 0 && len(left[k]) > 0 {
			used[left[k][0]] = true
			left[k] = left[k][1:]
			continue
		}
		open = append(open, i)
	}
	var rest []int
	for i, u := range used {
		if !u {
			rest = append(rest, i)
		}
	}
	open, rest = matchCut(want, saved, open, rest)

	var d bagDifference
	seen := map[string]bool{}
	for i := range want {
		seen[want[i].full()] = true
	}
	byKey := map[string]int{}
	for _, i := range rest {
		byKey[want[i].text(key)] = i
	}
	paired := map[int]bool{}
	for _, i := range open {
		k := saved[i].text(key)
		w, ok := byKey[k]
		switch {
		case ok && !paired[w] && len(key) > 0:
			paired[w] = true
			d.pairs = append(d.pairs, [2]int{w, i})
		case saved[i].cut == 0 && seen[saved[i].full()]:
			d.twice = append(d.twice, i)
		default:
			d.extra = append(d.extra, i)
		}
	}
	for _, i := range rest {
		if !paired[i] {
			d.missing = append(d.missing, i)
		}
	}
	return d
}

// matchCut pairs rows with cut cells, which have no text to look them up by.
func matchCut(want, saved []row, open, rest []int) (openLeft, restLeft []int) {
	taken := map[int]bool{}
	for _, i := range open {
		found := false
		if saved[i].cut != 0 {
			for _, w := range rest {
				if !taken[w] && want[w].equal(&saved[i]) {
					taken[w], found = true, true
					break
				}
			}
		}
		if !found {
			openLeft = append(openLeft, i)
		}
	}
	for _, w := range rest {
		if !taken[w] {
			restLeft = append(restLeft, w)
		}
	}
	return openLeft, restLeft
}
