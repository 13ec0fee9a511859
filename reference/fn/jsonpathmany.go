package fn

import (
	"strconv"
	"strings"
)

// severalAt reads [0, 2] and [1:3] at the beginning of a path; n is its length, 0 for none.
func severalAt(rest string) (s jsonStep, n int) {
	if m := pathPicks.FindStringSubmatch(rest); m != nil {
		for _, t := range strings.Split(m[1], ",") {
			i, _ := strconv.Atoi(strings.TrimSpace(t))
			s.picks = append(s.picks, i)
		}
		return s, len(m[0])
	}
	m := pathSlice.FindStringSubmatch(rest)
	if m == nil || m[1] == "" && m[2] == "" {
		return s, 0
	}
	s.slice = true
	s.hasFrom, s.hasTo = m[1] != "", m[2] != ""
	s.from, _ = strconv.Atoi(m[1])
	s.to, _ = strconv.Atoi(m[2])
	return s, len(m[0])
}

// scanAt reads what follows the dots of a deep scan: a name. Wildcards and indexes go on in ways
// of their own when more follows, so they stand for the end of a path only.
func scanAt(rest string) (s jsonStep, n int) {
	if name := pathName.FindString(rest); name != "" {
		return jsonStep{scan: true, key: name}, len(name)
	}
	if rest == "*" {
		return jsonStep{scan: true, all: true}, 1
	}
	if m := pathBracket.FindStringSubmatch(rest); m != nil && m[3] != "" && len(m[0]) == len(rest) {
		i, _ := strconv.Atoi(m[3])
		return jsonStep{scan: true, isIndex: true, index: i}, len(rest)
	}
	return s, 0
}

// indexes of an array of n items. Only an end that stands alone counts from the back: [1:-1] is empty.
func (s jsonStep) indexes(n int) []int {
	if !s.slice {
		return s.picks
	}
	from, to := 0, n
	switch {
	case s.hasFrom && s.hasTo:
		from, to = s.from, min(s.to, n)
	case s.hasFrom:
		if from = s.from; from < 0 {
			from = max(n+from, 0)
		}
	default:
		if to = s.to; to < 0 {
			to += n
		}
		to = min(to, n)
	}
	var out []int
	for i := from; i < to && n > 0; i++ {
		if i+n < 0 {
			i = -n - 1 // far below the array there is nothing
			continue
		}
		out = append(out, i)
	}
	return out
}

// below does the step at a node and at all objects and arrays in it, from above.
func (s jsonStep) below(n *jsonNode, out []*jsonNode) []*jsonNode {
	if n.isScalar() {
		return out
	}
	plain := s
	plain.scan = false
	got, _ := plain.apply(n, false)
	out = append(out, got...)
	for i := range n.items {
		out = s.below(&n.items[i], out)
	}
	return out
}
