package sql

// specialCalls are functions with keywords between their arguments; each needs its bracket.
const specialCallWords = " CAST TRY_CAST SAFE_CAST EXTRACT POSITION CONVERT TRANSLATE OVERLAY FLOOR CEIL CEILING SUBSTRING TRIM " +
	"CONTAINS_SUBSTR DATE_TRUNC DATETIME_TRUNC TIMESTAMP_DIFF TIMESTAMP_TRUNC TIME_DIFF TIME_TRUNC " +
	"CLASSIFIER MATCH_NUMBER PREV RUNNING JSON_EXISTS JSON_VALUE JSON_QUERY JSON_OBJECT JSON_OBJECTAGG JSON_ARRAY JSON_ARRAYAGG "

func hasWord(list, w string) bool {
	if w == "" {
		return false
	}
	n := len(w)
	for i := 0; i+n+2 <= len(list); i++ {
		if list[i] == ' ' && list[i+1:i+1+n] == w && list[i+1+n] == ' ' {
			return true
		}
	}
	return false
}

// startsExpr tells whether an expression can begin with t. It counts as trying a name.
func (p *parser) startsExpr(t *token) bool {
	switch t.kind {
	case tokWord, tokQuotedIdent, tokInt, tokDecimal, tokApprox, tokString, tokPrefixed, tokUnicode, tokCString, tokBinary:
		return true
	case tokKeyword:
		if t.class&(wordNonReserved|wordFunction|wordContext) != 0 || hasWord(specialCallWords, t.key) {
			return true
		}
		return t.oneOf("TRUE", "FALSE", "UNKNOWN", "NULL", "DATE", "TIME", "TIMESTAMP", "DATETIME", "INTERVAL", "DECIMAL",
			"CASE", "ROW", "ARRAY", "MULTISET", "PERIOD", "NEW", "NEXT", "CURRENT", "CURSOR", "SPECIFIC", "NOT", "EXISTS", "UNIQUE")
	case tokOp:
		return t.oneOf("(", "+", "-", "?")
	}
	return false
}

// startsQuery tells whether a query without brackets begins here.
func (p *parser) startsQuery() bool { return p.peek().isQueryWord() }

func (t *token) isQueryWord() bool { return t.oneOf("SELECT", "WITH", "VALUES", "VALUE", "TABLE") }

// intervalGoesOn tells whether s may stand behind INTERVAL.
func intervalGoesOn(s *token) bool {
	return s.kind == tokString || s.kind == tokInt || s.kind == tokDecimal || s.kind == tokApprox || s.oneOf("-", "+", "(") || s.isName()
}

// operandAhead tells whether the grammar accepts the tokens from place n on as the operand of
// a binary operator: it checks two of them.
func (p *parser) operandAhead(n int) bool {
	ok := p.operandAt(n)
	if !ok && n > 0 {
		p.nameAt = p.i
	}
	return ok
}

func (p *parser) operandAt(n int) bool {
	p.look(n + 1)
	t := p.tok(n)
	if !p.startsExpr(t) {
		return false
	}
	p.look(n + 2)
	s := p.tok(n + 1)
	if t.kind != tokKeyword && t.kind != tokOp {
		return true
	}
	switch {
	case t.key == "(":
		return p.startsExpr(s) || s.isQueryWord()
	case t.oneOf("+", "-", "NOT", "EXISTS", "UNIQUE", "NEW"):
		return p.startsExpr(s)
	case t.key == "INTERVAL":
		return intervalGoesOn(s)
	case t.oneOf("DATE", "TIME", "TIMESTAMP"):
		return s.kind == tokString || s.key == "(" || t.key == "TIMESTAMP" && s.key == "WITH"
	case t.key == "DECIMAL":
		return s.kind == tokString
	case t.key == "ARRAY", t.key == "MULTISET":
		return s.oneOf("[", "(")
	case t.key == "ROW" && n == 0:
		return true
	case t.key == "ROW", hasWord(specialCallWords, t.key), t.class&wordFunction != 0 && t.class&wordContext == 0:
		return s.key == "("
	case t.oneOf("NEXT", "CURRENT"):
		return s.key == "VALUE"
	}
	return true
}
