package checks

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/sql"
)

// variations are small changes of any query, word by word: other comparisons, numbers,
// intervals, joins, orders. Unlike mutations they say nothing about why somebody would
// make them; they try whether a check would notice.
func variations(query string) []mutation {
	words := sql.Words(query)
	var out []mutation
	add := func(i, n int, with string) {
		last := words[i+n-1]
		from, to := words[i].Offset, last.Offset+len(last.Text)
		out = append(out, mutation{says: fmt.Sprintf("%s instead of %s", orNothing(with), query[from:to]), text: query[:from] + with + query[to:]})
	}
	at := func(i int, text ...string) bool {
		if i < 0 || i+len(text) > len(words) {
			return false
		}
		for k, t := range text {
			if words[i+k].Text != t || words[i+k].Quoted {
				return false
			}
		}
		return true
	}
	swaps := map[string]string{"=": "<>", ">": ">=", ">=": ">", "<": "<=", "<=": "<", "<>": "=", "AND": "OR", "ASC": "DESC", "DESC": "ASC",
		"SUM": "MAX", "MAX": "MIN", "MIN": "MAX", "AVG": "SUM", "LAST": "FIRST", "FIRST": "LAST", "RANK": "ROW_NUMBER", "ROW_NUMBER": "RANK"}
	aggregate := map[string]bool{"SUM": true, "MAX": true, "MIN": true, "AVG": true, "LAST": true, "FIRST": true, "RANK": true, "ROW_NUMBER": true}
	for i, w := range words {
		switch {
		case w.Quoted:
			if at(i-1, "INTERVAL") {
				if n, err := strconv.Atoi(strings.Trim(w.Text, "'")); err == nil {
					add(i, 1, fmt.Sprintf("'%d'", 2*n+1))
				}
			}
		case at(i, "LEFT", "JOIN"):
			add(i, 2, "JOIN")
		case at(i, "LEFT", "OUTER", "JOIN"):
			add(i, 3, "JOIN")
		case at(i, "INNER", "JOIN"):
			add(i, 2, "LEFT JOIN")
		case at(i, "JOIN") && !at(i-1, "LEFT") && !at(i-1, "RIGHT") && !at(i-1, "FULL") && !at(i-1, "OUTER") && !at(i-1, "INNER") && !at(i-1, "CROSS"):
			add(i, 1, "LEFT JOIN")
		case at(i, "UNION", "ALL"):
			add(i, 2, "UNION")
		case at(i, "PAST", "LAST", "ROW"):
			add(i, 3, "TO NEXT ROW")
		case at(i, "TO", "NEXT", "ROW"):
			add(i, 3, "PAST LAST ROW")
		case at(i, "DISTINCT"):
			add(i, 1, "")
		case swaps[w.Text] != "":
			if !aggregate[w.Text] || at(i+1, "(") {
				add(i, 1, swaps[w.Text])
			}
		default:
			if n, err := strconv.Atoi(w.Text); err == nil {
				add(i, 1, strconv.Itoa(n+1))
			}
		}
	}
	return out
}

func orNothing(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

// withoutConditions leaves out, one at a time, the conditions that AND connects in the ON
// and WHERE clauses of a query.
func withoutConditions(query string) []mutation {
	var out []mutation
	var each func(x sql.Expr)
	each = func(x sql.Expr) {
		if b, ok := x.(*sql.Binary); ok && b.Op == "AND" {
			each(b.X)
			each(b.Y)
			return
		}
		if x == nil {
			return
		}
		text := textOf(query, x.At())
		out = append(out, mutation{says: "the condition " + strings.Join(strings.Fields(text), " ") + " is missing", text: edited(query, over(x, "TRUE"))})
	}
	for _, st := range statementsOf(query) {
		q := queryOf(st.stmt)
		if v, ok := st.stmt.(*sql.CreateView); ok {
			q = v.Query
		}
		if q == nil {
			continue
		}
		for _, j := range clausesOf(q, query, 0, nil).joins {
			each(j.node.On)
		}
		if s, ok := q.Body.(*sql.Select); ok {
			each(s.Where)
		}
	}
	return out
}
