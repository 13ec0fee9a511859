package checks

// maxEdits bounds the edit scripts that are looked for: a log with more single
// differences is not called damaged but different.
const maxEdits = 60

// edit is one step of an edit script from the expected rows to the saved ones.
type edit struct {
	// insert: saved[s] is additional and stands before expected[e]. Otherwise
	// expected[e] is missing before saved[s].
	insert bool
	e, s   int
}

// editScript finds a shortest script of single insertions and deletions (Myers'
// greedy algorithm), or nil and false when it needs more than limit steps. same tells
// whether expected[e] and saved[s] are the same row. With open, the rows go on behind
// what is compared: the script ends where either side does.
func editScript(n, m, limit int, open bool, same func(e, s int) bool) ([]edit, bool) {
	if !open && (n-m > limit || m-n > limit) {
		return nil, false
	}
	limit = min(limit, n+m)
	width := 2*limit + 3
	v := make([]int, width)
	var trace [][]int
	mid := limit + 1
	for d := 0; d <= limit; d++ {
		for k := -d; k <= d; k += 2 {
			x := 0
			switch {
			case d == 0:
			case k == -d || k != d && v[mid+k-1] < v[mid+k+1]:
				x = v[mid+k+1]
			default:
				x = v[mid+k-1] + 1
			}
			y := x - k
			if x > n || y > m || y < 0 {
				v[mid+k] = max(x, 0)
				continue
			}
			for x < n && y < m && same(x, y) {
				x++
				y++
			}
			v[mid+k] = x
			if x >= n && y >= m || open && (x >= n || y >= m) {
				return backtrack(trace, x, y, d, mid), true
			}
		}
		trace = append(trace, append([]int(nil), v...))
	}
	return nil, false
}

// backtrack walks the recorded frontiers from the end to the start.
func backtrack(trace [][]int, n, m, d, mid int) []edit {
	var out []edit
	x, y := n, m
	for ; d > 0; d-- {
		v := trace[d-1]
		k := x - y
		down := k == -d || k != d && v[mid+k-1] < v[mid+k+1]
		pk := k - 1
		if down {
			pk = k + 1
		}
		px := v[mid+pk]
		py := px - pk
		if down {
			out = append(out, edit{insert: true, e: px, s: py})
		} else {
			out = append(out, edit{e: px, s: py})
		}
		x, y = px, py
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}
