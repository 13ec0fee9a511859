package fn

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/labgrade/labgrade/reference/unsupported"
)

// javaRegex is a regular expression of java.util.regex within the subset whose
// meaning Go's regexp shares once it is rewritten: literals, classes, groups,
// greedy and reluctant quantifiers, alternation, anchors. Both prefer the leftmost
// match and the first alternative. Everything else (look-around, back references,
// possessive quantifiers, class intersection, ...) is refused.
type javaRegex struct {
	find, whole *regexp.Regexp
	// later finds matches behind the beginning of the text, where ^ never matches.
	later  *regexp.Regexp
	groups int
	// dollar, boundary, fold: the pattern has $ (before a final line end too in
	// Java), \b (which knows Unicode letters in Java) or (?i) (ASCII only in Java).
	dollar, boundary, fold bool
}

// errBadPattern is a pattern that Java refuses too.
var errBadPattern = fmt.Errorf("PatternSyntaxException")

// regexParser rewrites a Java pattern for Go.
type regexParser struct {
	src []rune
	i   int
	out strings.Builder
	re  javaRegex
}

func compileJavaRegex(pattern string) (*javaRegex, error) {
	p := &regexParser{src: []rune(pattern)}
	if strings.Contains(pattern, begin) || !utf8.ValidString(pattern) {
		return nil, p.refuse("an odd character")
	}
	if _, err := p.alternatives(0); err != nil {
		return nil, err
	}
	if p.i < len(p.src) { // an unmatched )
		return nil, errBadPattern
	}
	out := p.out.String()
	for _, v := range []struct {
		to   **regexp.Regexp
		text string
	}{
		{&p.re.find, strings.ReplaceAll(out, begin, `\A`)},
		{&p.re.whole, `\A(?:` + strings.ReplaceAll(out, begin, `\A`) + `)\z`},
		{&p.re.later, strings.ReplaceAll(out, begin, `[^\x00-\x{10FFFF}]`)},
	} {
		re, err := regexp.Compile(v.text)
		if err != nil {
			return nil, p.refuse("this construct")
		}
		*v.to = re
	}
	return &p.re, nil
}

// begin stands for ^ until the pattern is complete.
const begin = "\uE000"

// findAll gives the matches as Matcher.find finds them one after another: the next
// search begins where the last match ended, or one character further behind an
// empty one. Go's own FindAll leaves out an empty match directly behind a match.
func (re *javaRegex) findAll(s string) ([][]int, error) {
	if re.boundary {
		all := re.find.FindAllStringSubmatchIndex(s, -1)
		for _, m := range all {
			if m[0] == m[1] {
				return nil, unsupported.New(`\b in a regular expression that matches nothing`)
			}
		}
		return all, nil
	}
	var all [][]int
	for at := 0; at <= len(s); {
		r := re.later
		if at == 0 {
			r = re.find
		}
		m := r.FindStringSubmatchIndex(s[at:])
		if m == nil {
			break
		}
		for i := range m {
			if m[i] >= 0 {
				m[i] += at
			}
		}
		all = append(all, m)
		if at = m[1]; m[0] == m[1] {
			_, n := utf8.DecodeRuneInString(s[at:])
			if n == 4 {
				// Java goes on in the middle of the surrogate pair.
				return nil, unsupported.New("a regular expression that matches nothing before a character beyond U+FFFF")
			}
			at += max(n, 1)
		}
	}
	return all, nil
}

// check refuses the subjects on which the rewritten pattern may differ from Java's.
func (re *javaRegex) check(subject string) error {
	switch {
	case re.dollar && subject != "" && endsLine(subject):
		return unsupported.New("$ in a regular expression on text that ends with a line break")
	case (re.boundary || re.fold) && !isASCII(subject):
		return unsupported.New(`\b and (?i) in a regular expression on text outside ASCII`)
	case !utf8.ValidString(subject):
		return unsupported.New("a regular expression on text that is not UTF-8")
	}
	return nil
}

func endsLine(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r == '\n' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (p *regexParser) refuse(what string) error {
	return unsupported.New("%s in the regular expression '%s'", what, string(p.src))
}

func (p *regexParser) more() bool { return p.i < len(p.src) }
func (p *regexParser) at(k int) rune {
	if p.i+k < len(p.src) {
		return p.src[p.i+k]
	}
	return -1
}

func (p *regexParser) has(s string) bool {
	for k, r := range []rune(s) {
		if p.at(k) != r {
			return false
		}
	}
	return true
}

// alternatives parses a|b|c up to a closing bracket; empty tells that it can match
// the empty text.
func (p *regexParser) alternatives(depth int) (empty bool, err error) {
	if depth > 50 {
		return false, p.refuse("deep nesting")
	}
	for {
		e, err := p.sequence(depth)
		if err != nil {
			return false, err
		}
		empty = empty || e
		if p.at(0) != '|' {
			return empty, nil
		}
		p.i++
		p.out.WriteByte('|')
	}
}

func (p *regexParser) sequence(depth int) (empty bool, err error) {
	empty = true
	for p.more() && p.at(0) != '|' && p.at(0) != ')' {
		start := p.out.Len()
		e, group, err := p.atom(depth)
		if err != nil {
			return false, err
		}
		e, err = p.quantifier(e, group, start)
		if err != nil {
			return false, err
		}
		empty = empty && e
	}
	return empty, nil
}

// atom parses one element; group tells a bracketed one.
func (p *regexParser) atom(depth int) (empty, group bool, err error) {
	r := p.at(0)
	switch r {
	case '(':
		e, err := p.group(depth)
		return e, true, err
	case '[':
		return false, false, p.class()
	case '\\':
		e, err := p.escape()
		return e, false, err
	case '.':
		p.i++
		p.out.WriteString(`[^\n\r\x{85}\x{2028}\x{2029}]`)
		return false, false, nil
	case '^':
		p.i++
		p.out.WriteString(begin)
		return true, false, nil
	case '$':
		p.i++
		p.re.dollar = true
		p.out.WriteString(`\z`)
		return true, false, nil
	case '*', '+', '?', '{':
		return false, false, errBadPattern
	}
	p.i++
	p.literal(r)
	return false, false, nil
}

func (p *regexParser) literal(r rune) { p.out.WriteString(regexp.QuoteMeta(string(r))) }

// group parses ( ), (?: ), (?<name> ) and the flags (?i), (?s), (?m) at the very beginning.
func (p *regexParser) group(depth int) (empty bool, err error) {
	switch {
	case p.has("(?:"):
		p.i += 3
		p.out.WriteString("(?:")
	case p.has("(?s:"):
		return p.dotAll()
	case p.has("(?i)") && p.i == 0:
		p.i += 4
		p.re.fold = true
		p.out.WriteString("(?i)")
		if !isASCII(string(p.src)) {
			return false, p.refuse("(?i) with text outside ASCII")
		}
		return true, nil
	case p.has("(?<") && p.at(3) != '=' && p.at(3) != '!':
		end := p.i + 3
		for end < len(p.src) && (isLetter(p.src[end]) || p.src[end] >= '0' && p.src[end] <= '9') {
			end++
		}
		if end >= len(p.src) || p.src[end] != '>' {
			return false, errBadPattern
		}
		p.i = end + 1
		p.re.groups++
		p.out.WriteString("(")
	case p.has("(?"):
		return false, p.refuse("(?...)")
	default:
		p.i++
		p.re.groups++
		p.out.WriteString("(")
	}
	empty, err = p.alternatives(depth + 1)
	if err != nil {
		return false, err
	}
	if p.at(0) != ')' {
		return false, errBadPattern
	}
	p.i++
	p.out.WriteByte(')')
	return empty, nil
}

// dotAll is (?s:.*), the % of LIKE and SIMILAR TO.
func (p *regexParser) dotAll() (bool, error) {
	if !p.has("(?s:.*)") {
		return false, p.refuse("(?s:...)")
	}
	p.i += len("(?s:.*)")
	p.out.WriteString("(?s:.*)")
	return true, nil
}

// escape parses \x outside of a class.
func (p *regexParser) escape() (empty bool, err error) {
	r := p.at(1)
	switch {
	case r == -1:
		return false, errBadPattern
	case r == 'd' || r == 'w' || r == 's':
		p.i += 2
		p.out.WriteString("[" + regexClasses[r] + "]")
		return false, nil
	case r == 'D' || r == 'W' || r == 'S':
		p.i += 2
		p.out.WriteString("[^" + regexClasses[r+'a'-'A'] + "]")
		return false, nil
	case r == 'b' || r == 'B':
		p.i += 2
		p.re.boundary = true
		p.out.WriteString(`\` + string(r))
		return true, nil
	case r == 'A':
		p.i += 2
		p.out.WriteString(begin)
		return true, nil
	case r == 'z':
		p.i += 2
		p.out.WriteString(`\z`)
		return true, nil
	case r == 'p' || r == 'P':
		in, err := p.property()
		if err != nil {
			return false, err
		}
		not := ""
		if r == 'P' {
			not = "^"
		}
		p.out.WriteString("[" + not + in + "]")
		return false, nil
	case r == 'Q':
		return false, p.quoted()
	}
	c, err := p.escapedRune()
	if err != nil {
		return false, err
	}
	p.literal(c)
	return false, nil
}

func (p *regexParser) quoted() error {
	p.i += 2
	start := p.i
	for p.more() && !p.has(`\E`) {
		p.i++
	}
	text := string(p.src[start:p.i])
	if p.more() {
		p.i += 2
	}
	if c := p.at(0); c == '*' || c == '+' || c == '?' || c == '{' {
		return p.refuse(`a quantifier behind \Q...\E`)
	}
	p.out.WriteString(regexp.QuoteMeta(text))
	return nil
}

// escapedRune parses an escape that stands for one character.
func (p *regexParser) escapedRune() (rune, error) {
	r := p.at(1)
	simple := map[rune]rune{'t': '\t', 'n': '\n', 'r': '\r', 'f': '\f', 'a': '\a', 'e': 0x1b}
	if c, ok := simple[r]; ok {
		p.i += 2
		return c, nil
	}
	switch {
	case r == 'x' && p.at(2) != '{', r == 'u':
		n := 2
		if r == 'u' {
			n = 4
		}
		c := rune(0)
		for k := range n {
			h := hexValue(p.at(2 + k))
			if h < 0 {
				return 0, errBadPattern
			}
			c = c<<4 | rune(h)
		}
		if c >= 0xd800 && c < 0xe000 {
			return 0, p.refuse("a surrogate")
		}
		p.i += 2 + n
		return c, nil
	case r >= utf8.RuneSelf || !isLetter(r) && (r < '0' || r > '9'):
		p.i += 2
		return r, nil
	}
	return 0, p.refuse(`\` + string(r))
}

// quantifier parses *, +, ?, {n,m} behind an atom, reluctant or not.
func (p *regexParser) quantifier(empty, group bool, _ int) (bool, error) {
	q := ""
	switch p.at(0) {
	case '*', '+', '?':
		q = string(p.at(0))
		p.i++
	case '{':
		end := p.i + 1
		for end < len(p.src) && (p.src[end] >= '0' && p.src[end] <= '9' || p.src[end] == ',') {
			end++
		}
		if end >= len(p.src) || p.src[end] != '}' || end == p.i+1 || p.src[p.i+1] == ',' {
			return false, errBadPattern
		}
		q = string(p.src[p.i : end+1])
		p.i = end + 1
	default:
		return empty, nil
	}
	if p.at(0) == '+' {
		return false, p.refuse("a possessive quantifier")
	}
	if empty && group {
		return false, p.refuse("a quantifier behind a group that can be empty")
	}
	p.out.WriteString(q)
	if p.at(0) == '?' {
		p.i++
		p.out.WriteByte('?')
	}
	if c := p.at(0); c == '*' || c == '+' || c == '?' || c == '{' {
		return false, errBadPattern
	}
	return empty || q == "*" || q == "?" || strings.HasPrefix(q, "{0"), nil
}
