package parse

import (
	"bytes"
	"unicode/utf8"
)

// parseElision recognises a line that stands for rows left out: "...", "…", "⋮",
// "| ... | ... |", "[85 rows omitted]", "-- (snip) --", "<85 more rows>".
func parseElision(b []byte, lineNo int) (Elision, bool) {
	t := trimSpace(b)
	if len(t) == 0 || len(t) > 200 {
		return Elision{}, false
	}
	e := Elision{Line: lineNo, Text: string(t)}
	dots, letters, digits := 0, 0, 0
	for i := 0; i < len(t); {
		r, n := utf8.DecodeRune(t[i:])
		switch {
		case r == '.' || r == ':' || r == '~':
			dots++
		case r == '。' || r == '·' || r == '．':
			dots++
		case r == '…' || r == '⋮' || r == '⋯' || r == '︙' || r == '‥':
			dots += 3
		case r >= '0' && r <= '9':
			digits++
		case r == '|' || r == '-' || r == ' ' || r == '\t' || r == '[' || r == ']' || r == '(' || r == ')' || r == '<' || r == '>' || r == '*' || r == '#' || r == '/' || r == ',' || r == '+':
		default:
			letters++
		}
		i += n
	}
	if t[0] == '|' && t[len(t)-1] != '|' {
		return e, false // a row that goes on
	}
	if letters == 0 && digits == 0 {
		return e, dots >= 2 || dots == 1 && len(t) == 1
	}
	low := bytes.ToLower(t)
	if t[0] == '|' {
		return e, false // a row
	}
	if !leavesOut(low, dots, bracketed(t)) {
		return e, false
	}
	if _, _, footer := parseFooter(t); footer {
		return e, false
	}
	for i := range t {
		if t[i] >= '0' && t[i] <= '9' {
			e.Rows, _, _ = number(t[i:])
			break
		}
	}
	return e, true
}

func bracketed(t []byte) bool {
	c := t[0]
	return c == '[' || c == '(' || c == '<'
}

// leavesOut: the words say that rows are left out.
func leavesOut(low []byte, dots int, bracketed bool) bool {
	for _, w := range [...]string{"省略", "생략", "以下", "中略", "略"} {
		if bytes.Contains(low, []byte(w)) {
			return true
		}
	}
	thing, gone := false, false
	for _, w := range bytes.FieldsFunc(low, func(r rune) bool { return r < 'a' || r > 'z' }) {
		switch string(w) {
		case "row", "rows", "line", "lines", "record", "records", "entries", "output", "results":
			thing = true
		case "snip", "snipped", "omitted", "truncated", "elided", "skipped", "more", "left", "removed", "shortened", "cut":
			gone = true
		case "info", "error", "warning", "at", "caused":
			return false
		}
		if string(w) == "snip" || string(w) == "snipped" || string(w) == "omitted" || string(w) == "truncated" {
			thing = true
		}
	}
	return thing && gone || (thing || gone) && (dots >= 2 || bracketed)
}
