package checks

import (
	"fmt"
	"strings"

	"github.com/labgrade/labgrade/changelog"
)

// kindWords says what a row kind does. Signs are avoided in everything that is shown:
// a spreadsheet takes "+I" and "-D" for formulas, a diff viewer for changed lines.
func kindWords(k changelog.RowKind) string {
	switch k {
	case changelog.Insert:
		return "insert"
	case changelog.UpdateBefore:
		return "update before (the old row)"
	case changelog.UpdateAfter:
		return "update after (the new row)"
	}
	return "delete"
}

// words writes a row as "insert: user_id u07, clicks 1".
func words(r *row, columns []string, withKind bool) string {
	var b strings.Builder
	if withKind {
		b.WriteString(kindWords(r.kind))
		b.WriteString(": ")
	}
	for i, c := range r.cells {
		if i > 0 {
			b.WriteString(", ")
		}
		name := fmt.Sprintf("column %d", i+1)
		if i < len(columns) {
			name = columns[i]
		}
		b.WriteString(name)
		b.WriteByte(' ')
		b.WriteString(cellWords(string(c)))
	}
	return b.String()
}

// cellWords makes invisible and empty values visible.
func cellWords(s string) string {
	switch {
	case s == "<NULL>" || s == "(NULL)":
		return "NULL"
	case s == "":
		return "(empty)"
	case strings.TrimSpace(s) != s:
		return "'" + s + "'"
	}
	return s
}

// keyWords names whose row it is: "user_id u07".
func keyWords(r *row, columns []string, key []int) string {
	var parts []string
	for _, k := range key {
		if k < len(r.cells) && k < len(columns) {
			parts = append(parts, columns[k]+" "+cellWords(string(r.cells[k])))
		}
	}
	return strings.Join(parts, ", ")
}

// plural writes "1 row" or "5 rows".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// list writes at most limit of the numbers, "3, 5, 8 and 12 more".
func list(nums []int, limit int) string {
	var parts []string
	for i, n := range nums {
		if i == limit {
			return strings.Join(parts, ", ") + fmt.Sprintf(" and %d more", len(nums)-limit)
		}
		parts = append(parts, fmt.Sprint(n))
	}
	return strings.Join(parts, ", ")
}
