package alike

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/report/class"
)

const (
	// minOwn is the least number of particular grams of both: less is no evidence.
	minOwn = 24
	// minShared is the share of the smaller one's grams from which on two agree too closely.
	minShared = 0.8
	// maxCommon and commonShare bound how many submissions may have a gram for it to be
	// particular: what every twentieth has is common knowledge.
	maxCommon   = 6
	commonShare = 20
)

// pair is two submissions, by their places, that agree.
type pair struct {
	a, b   int
	shared float64
	files  map[string]bool
	run    string
}

// Groups finds the groups. The result depends on neither the order of prints nor on
// anything else but them.
func Groups(prints []Print) []class.Alike {
	prints = slices.Clone(prints)
	slices.SortFunc(prints, func(a, b Print) int {
		if c := strings.Compare(a.ID, b.ID); c != 0 {
			return c
		}
		return strings.Compare(a.Path, b.Path)
	})
	pairs := append(sameRun(prints), sameText(prints)...)
	return group(prints, pairs)
}

// sameRun pairs those whose files come from one run of Flink. Each is paired with the next
// that has it, which is enough to group them.
func sameRun(prints []Print) []pair {
	var out []pair
	last := map[string]int{}
	for i := range prints {
		for _, r := range prints[i].runs {
			j, ok := last[r.id]
			if ok && prints[j].ID != prints[i].ID {
				out = append(out, pair{a: j, b: i, shared: 1, files: map[string]bool{shownFile(r.file): true}, run: r.id})
			}
			last[r.id] = i
		}
	}
	return out
}

// shownFile is the folder of a part file, whose own name is the random one.
func shownFile(name string) string {
	if i := strings.LastIndex(name, "/part-"); i >= 0 {
		return name[:i]
	}
	return name
}

// sameText pairs those whose statements or comments agree. Only submissions that share a
// rare gram are looked at, so that a large class costs no more than its own size.
func sameText(prints []Print) []pair {
	most := max(maxCommon, len(prints)/commonShare)
	have := map[uint64][]int32{}
	for i := range prints {
		for _, g := range prints[i].grams {
			have[g.hash] = append(have[g.hash], int32(i))
		}
	}
	own := make([]int, len(prints))
	common := map[[2]int32]int{}
	files := map[[2]int32]map[string]bool{}
	for i := range prints {
		for _, g := range prints[i].grams {
			who := have[g.hash]
			if len(who) > most {
				continue
			}
			own[i]++
			for _, j := range who {
				if int(j) <= i || prints[j].ID == prints[i].ID {
					continue
				}
				key := [2]int32{int32(i), j}
				common[key]++
				if files[key] == nil {
					files[key] = map[string]bool{}
				}
				files[key][g.file] = true
			}
		}
	}
	var out []pair
	for key, n := range common {
		least := min(own[key[0]], own[key[1]])
		if least < minOwn {
			continue
		}
		if shared := float64(n) / float64(least); shared >= minShared {
			out = append(out, pair{a: int(key[0]), b: int(key[1]), shared: shared, files: files[key]})
		}
	}
	slices.SortFunc(out, func(x, y pair) int {
		if x.a != y.a {
			return x.a - y.a
		}
		return x.b - y.b
	})
	return out
}

// group joins pairs that have a member in common.
func group(prints []Print, pairs []pair) []class.Alike {
	parent := make([]int, len(prints))
	for i := range parent {
		parent[i] = i
	}
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for _, p := range pairs {
		a, b := find(p.a), find(p.b)
		parent[max(a, b)] = min(a, b)
	}
	type gathered struct {
		members map[int]float64 // the best similarity of each
		files   map[string]bool
		runs    []string
	}
	groups := map[int]*gathered{}
	for _, p := range pairs {
		root := find(p.a)
		g := groups[root]
		if g == nil {
			g = &gathered{members: map[int]float64{}, files: map[string]bool{}}
			groups[root] = g
		}
		for _, m := range []int{p.a, p.b} {
			g.members[m] = max(g.members[m], p.shared)
		}
		for f := range p.files {
			g.files[f] = true
		}
		if p.run != "" && !slices.Contains(g.runs, p.run) {
			g.runs = append(g.runs, p.run)
		}
	}
	var roots []int
	for r := range groups {
		roots = append(roots, r)
	}
	slices.Sort(roots)
	var out []class.Alike
	for _, r := range roots {
		g := groups[r]
		var a class.Alike
		var members []int
		for m := range g.members {
			members = append(members, m)
		}
		slices.Sort(members)
		a.Similarity = 1
		for _, m := range members {
			a.IDs, a.Paths = append(a.IDs, prints[m].ID), append(a.Paths, prints[m].Path)
			a.Similarity = min(a.Similarity, g.members[m])
		}
		a.Similarity = float64(int(a.Similarity*100+0.5)) / 100
		for f := range g.files {
			a.Files = append(a.Files, f)
		}
		slices.Sort(a.Files)
		slices.Sort(g.runs)
		switch {
		case len(g.runs) == 1:
			a.Why = "their files come from one run of Flink: " + g.runs[0]
		case len(g.runs) > 1:
			a.Why = fmt.Sprintf("their files come from the same %d runs of Flink: %s, ...", len(g.runs), g.runs[0])
		default:
			a.Why = "their statements or comments agree beyond what the lab gives and others write"
		}
		out = append(out, a)
	}
	return out
}
