package conformance

import "strings"

// difference shows lines that only one side has: - recorded, + ours.
func difference(want, got string) string {
	a, b := shown(want), shown(got)
	n, m := len(a), len(b)
	if n*m > 4_000_000 {
		return "- " + strings.Join(a[:min(n, 20)], "\n- ") + "\n+ " + strings.Join(b[:min(m, 20)], "\n+ ")
	}
	lcs := make([][]int32, n+1)
	for i := range lcs {
		lcs[i] = make([]int32, m+1)
	}
	for i := n - 1; i >= 0; i-- {
		for j := m - 1; j >= 0; j-- {
			if a[i] == b[j] {
				lcs[i][j] = lcs[i+1][j+1] + 1
			} else {
				lcs[i][j] = max(lcs[i+1][j], lcs[i][j+1])
			}
		}
	}
	var out []string
	for i, j := 0, 0; i < n || j < m; {
		switch {
		case i < n && j < m && a[i] == b[j]:
			i++
			j++
		case i < n && (j == m || lcs[i+1][j] >= lcs[i][j+1]):
			out = append(out, "- "+a[i])
			i++
		default:
			out = append(out, "+ "+b[j])
			j++
		}
	}
	if len(out) > 200 {
		out = append(out[:200], "...")
	}
	return strings.Join(out, "\n")
}

// shown are the lines of an answer for a reader: a plan's frame is as wide as its longest
// line and says nothing by itself.
func shown(text string) []string {
	lines := strings.Split(normal(text), "\n")
	plan := strings.Contains(text, "== Abstract Syntax Tree ==")
	for i, l := range lines {
		if plan && (strings.HasPrefix(l, "+--") || strings.HasPrefix(l, "|  ")) {
			lines[i] = runs.ReplaceAllString(l, " ")
		}
		if len(l) > 0 && l == strings.Repeat(l[:1], len(l)) && len(l) > 100 {
			lines[i] = l[:100]
		}
	}
	return lines
}
