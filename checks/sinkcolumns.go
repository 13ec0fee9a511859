package checks

import (
	"slices"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/sql"
)

// sinkColumns are the names of the fields in the files: from the table that the
// learner's INSERT names, else from the lab's.
func sinkColumns(l *learner, want *answer) []string {
	text := withoutComments(l.text)
	if len(text) > maxRemembered {
		text = "" // nobody writes such a statement; the lab's columns do
	}
	if names := l.s.g.columns.get(text, func() []string { return insertedColumns(text) }); names != nil {
		return names
	}
	return want.columns
}

// insertedColumns are the columns of the table that the last INSERT of a text names, nil
// when they are not to be found.
func insertedColumns(text string) []string {
	all, err := sql.ParseList(text)
	if err != nil || text == "" {
		return nil
	}
	target := ""
	for _, st := range all {
		if ins, ok := st.(*sql.Insert); ok {
			target = lastPart(ins.Table)
		}
	}
	for _, st := range all {
		if c, ok := st.(*sql.CreateTable); ok && lastPart(c.Name) == target {
			var names []string
			for _, col := range c.Columns {
				names = append(names, col.Name.Text)
			}
			return names
		}
	}
	return nil
}

// fieldOrder maps the expected columns to fields: by the names of the learner's table,
// else by what makes the first row fit. A CSV file itself has no names.
func fieldOrder(f *sinkFiles, want *answer, w, got *row) []int {
	if idx := indexByName(want.columns, f.columns); idx != nil && len(f.columns) == len(want.columns) {
		return idx
	}
	if len(got.cells) == len(w.cells) && len(w.cells) <= 6 {
		var found []int
		permutations(len(w.cells), func(p []int) bool {
			for i, at := range p {
				if string(got.cells[at]) != string(w.cells[i]) {
					return true
				}
			}
			found = slices.Clone(p)
			return false
		})
		if found != nil {
			return found
		}
	}
	return identity(len(want.columns))
}

func identity(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// permutations calls f with each permutation of 0..n-1, the identity first, until it
// returns false.
func permutations(n int, f func([]int) bool) {
	p := identity(n)
	var rec func(int) bool
	rec = func(i int) bool {
		if i == n {
			return f(p)
		}
		for j := i; j < n; j++ {
			p[i], p[j] = p[j], p[i]
			if !rec(i + 1) {
				return false
			}
			p[i], p[j] = p[j], p[i]
		}
		return true
	}
	rec(0)
}

// opColumn is the column that holds a change code in every expected row; -1 without one.
func opColumn(want *answer) int {
	if !want.stored || len(want.rows) == 0 {
		return -1
	}
	for c := range want.columns {
		all := true
		for i := range want.rows {
			if _, ok := changelog.ParseRowKindName(string(want.rows[i].cells[c])); !ok {
				all = false
				break
			}
		}
		if all {
			return c
		}
	}
	return -1
}

// kinded moves the op column into the row's kind.
func kinded(rows []row, op int) []row {
	out := make([]row, len(rows))
	for i, r := range rows {
		if op < len(r.cells) {
			if k, ok := changelog.ParseRowKindName(string(r.cells[op])); ok {
				r.kind = k
				r.cells = slices.Delete(slices.Clone(r.cells), op, op+1)
			}
		}
		out[i] = r
	}
	return out
}

// hasCodes reports whether nearly all rows hold a change code; a few others are damage,
// not another mapping.
func hasCodes(rows []row, op int) bool {
	bad := 0
	for i := range rows {
		if op >= len(rows[i].cells) {
			bad++
			continue
		}
		if _, ok := changelog.ParseRowKindName(string(rows[i].cells[op])); !ok {
			bad++
		}
	}
	return bad*4 < len(rows) || bad <= 2 && len(rows) > 2
}

// valuesOf lists the different values of a field, at most six.
func valuesOf(f *sinkFiles, at int) []string {
	var out []string
	for i := range f.rows {
		if at < len(f.rows[i].cells) {
			if v := cellWords(string(f.rows[i].cells[at])); !slices.Contains(out, v) && len(out) < 6 {
				out = append(out, v)
			}
		}
	}
	return out
}
