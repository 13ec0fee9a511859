package sql

import "strings"

// The hints are our own advice beside Flink's message. They look at the tokens around the
// place of the error and name the most likely slip; "" when there is nothing to say.

// ahead is the token n places on, or an empty one where the text is no token: a hint must not
// fail by itself.
func (p *parser) ahead(n int) (t *token) {
	defer func() {
		if recover() != nil {
			t = &token{}
		}
	}()
	return p.tok(n)
}

func (p *parser) back(n int) *token {
	if k := p.i - n; k >= 0 && k < len(p.toks) {
		return &p.toks[k]
	}
	return &token{}
}

func (p *parser) hintExpected(key string) string {
	t := p.peek()
	switch {
	case key == ")" && t.kind == tokEOF:
		return "a closing bracket ) is missing"
	case key == ")" && (t.isName() || t.kind == tokString) && p.back(1).isName():
		return "a comma or a closing bracket is missing before " + t.text
	case key == "(":
		return "an opening bracket ( is missing before " + t.text
	case key == "AS" && t.isName():
		return ""
	}
	return p.hintGeneral()
}

func (p *parser) hintName() string {
	t := p.peek()
	if t.kind == tokKeyword && t.class&wordNonReserved == 0 {
		return t.text + " is a reserved word; to use it as a name, write it in backquotes: `" + t.text + "`"
	}
	if t.text == "'" || t.kind == tokString {
		return "a name stands here; names go in backquotes, single quotes make a text"
	}
	return p.hintGeneral()
}

func (p *parser) hintTable() string {
	if p.peek().kind == tokString {
		return "a table name stands here; names go in backquotes, single quotes make a text"
	}
	return p.hintName()
}

func (p *parser) hintString() string {
	t := p.peek()
	if t.isName() {
		return "a text stands here: '" + strings.Trim(t.text, "`") + "'"
	}
	return p.hintGeneral()
}

func (p *parser) hintType() string {
	switch upperASCII(p.peek().text) {
	case "DATETIME":
		return "Flink has no DATETIME; use TIMESTAMP(3)"
	case "TEXT", "LONG":
		return "use STRING or BIGINT"
	}
	return p.hintGeneral()
}

func (p *parser) hintQuery() string {
	if t := p.peek(); t.kind == tokWord {
		if w := closest(t.text, "SELECT", "INSERT", "CREATE", "EXPLAIN", "SHOW", "DESCRIBE", "DROP", "ALTER", "SET", "RESET", "WITH"); w != "" {
			return "did you mean " + w + "?"
		}
	}
	return p.hintGeneral()
}

func (p *parser) hintExpr() string {
	t, b := p.peek(), p.back(1)
	switch {
	case b.key == "," && t.oneOf("FROM", ")", "WHERE", "GROUP", "]"):
		return "there is a comma too many before " + t.text
	case b.key == "=" && t.key == "=":
		return "SQL compares with a single ="
	case t.kind == tokEOF:
		return "the statement ends too early"
	}
	return p.hintName()
}

// hintGeneral looks for slips that can be met anywhere.
func (p *parser) hintGeneral() string {
	t, b := p.peek(), p.back(1)
	switch {
	case t.text == "\"":
		return "double quotes mean nothing in Flink SQL: a text goes in single quotes '..', a name in backquotes `..`"
	case t.text == "'":
		return "the text that begins with this quote is never closed"
	case t.key == "=" && p.ahead(1).key == "=":
		return "SQL compares with a single ="
	case t.key == ":" && p.ahead(1).key == ":":
		return "write CAST(x AS type) instead of x::type"
	case t.key == "," && p.ahead(1).oneOf("FROM", ")", "]", "WHERE", "GROUP"):
		return "there is a comma too many before " + p.ahead(1).text
	case t.key == ")" && b.key == ",":
		return "there is a comma too many before )"
	case t.key == ")":
		return "there is a closing bracket ) too many, or an opening one is missing"
	case t.kind == tokEOF:
		return "the statement ends too early; is a closing bracket missing?"
	case t.oneOf("SELECT", "INSERT", "CREATE", "SET", "DROP", "EXPLAIN") && t.start.Col == 1 && t.start.Line > 1:
		return "a new statement seems to begin here: is the semicolon missing at the end of the one before?"
	case t.key == "WHERE" && p.seenWord("GROUP"):
		return "WHERE stands before GROUP BY; conditions on groups go into HAVING"
	case t.kind == tokWord && b.isName() || t.kind == tokKeyword && b.isName() && p.ahead(1).key == "(":
		if w := closest(t.text, "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "UNION", "JOIN"); w != "" {
			return "did you mean " + w + "?"
		}
		return "a comma may be missing before " + t.text
	case t.kind == tokWord:
		if w := closest(t.text, "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "UNION", "JOIN"); w != "" {
			return "did you mean " + w + "?"
		}
	}
	return ""
}

func (p *parser) seenWord(key string) bool {
	for i := p.i - 1; i >= 0 && i < len(p.toks); i-- {
		if p.toks[i].key == key {
			return true
		}
	}
	return false
}

// closest finds a word that differs from text by at most two letters, never itself.
func closest(text string, words ...string) string {
	up := upperASCII(text)
	best, min := "", 3
	for _, w := range words {
		if d := editDistance(up, w); d > 0 && d < min && d < len(w)/2+1 {
			best, min = w, d
		}
	}
	return best
}

// editDistance counts inserted, deleted, replaced and swapped letters.
func editDistance(a, b string) int {
	prev2 := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
