package parse

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/changelog"
)

// ParsePlan reads the text of an EXPLAIN. firstLine is the number of its first line.
func ParsePlan(text string, firstLine int) (*Plan, []Problem) {
	p := newPlanReader()
	for i, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		p.add(firstLine+i, []byte(strings.TrimSuffix(l, "\r")))
	}
	return p.finish()
}

// planReader builds a plan line by line.
type planReader struct {
	plan     *Plan
	problems []Problem
	// path are the open nodes from the root down; last says which of them came behind
	// a "+- ", after which its parent can have no further child.
	path   []*Node
	closed []bool // the node's last child has come
	// pending is a node whose brackets are still open: a string in it holds a line break.
	pending      []byte
	pendingLine  int
	pendingLines int
	depth        int
	lostIndent   bool
	json         bool
	advice       bool
}

func newPlanReader() *planReader { return &planReader{plan: &Plan{}} }

func (p *planReader) section() *Section {
	if n := len(p.plan.Sections); n > 0 {
		return &p.plan.Sections[n-1]
	}
	return nil
}

// add reads a line; it must have been cleaned of prefixes.
func (p *planReader) add(n int, b []byte) {
	b = trimRightSpace(b)
	if p.plan.FirstLine == 0 {
		p.plan.FirstLine = n
	}
	if len(b) > 0 {
		p.plan.LastLine = n
	}
	if title, ok := planTitle(b); ok {
		p.flush()
		p.path, p.json, p.advice = nil, false, false
		p.plan.Sections = append(p.plan.Sections, Section{Kind: sectionKind(title), Title: title, Line: n})
		return
	}
	sec := p.section()
	if sec == nil {
		if len(b) > 0 {
			p.problem(n, "text before the first section of the plan", b)
		}
		return
	}
	if p.pending != nil {
		if _, m, rest := planIndent(b); m != 0 && nodeStart(rest) || len(b) == 0 {
			p.flush() // its brackets never close
		}
	}
	if p.pending != nil {
		p.pending = append(append(p.pending, '\n'), b...)
		// A string may hold some line breaks; a bracket that never closes must not
		// swallow the rest of the file.
		if p.pendingLines++; balanced(p.pending) || p.pendingLines > 50 || len(p.pending) > 1<<20 {
			p.flush()
		}
		return
	}
	switch {
	case p.json || sec.Kind == SectionJSON:
		p.json = true
		sec.JSON += string(b) + "\n"
	case len(b) == 0:
		p.path = nil
	case bytes.HasPrefix(b, []byte("advice[")) || bytes.HasPrefix(b, []byte("No available advice")):
		p.advice = true
		sec.Advice = append(sec.Advice, string(b))
	default:
		p.node(n, b)
	}
}

func (p *planReader) problem(n int, reason string, b []byte) {
	if len(b) > 200 {
		b = b[:200]
	}
	if len(p.problems) < 1000 {
		p.problems = append(p.problems, Problem{Line: n, Code: ProblemPlanNode, Reason: reason, Text: string(b)})
	}
}

// node reads "   +- Name(attributes)".
func (p *planReader) node(n int, b []byte) {
	depth, marker, rest := planIndent(b)
	if !nodeStart(rest) {
		if p.advice {
			sec := p.section()
			sec.Advice[len(sec.Advice)-1] += "\n" + string(b)
			return
		}
		p.problem(n, "this line of the plan is no operator", b)
		return
	}
	if marker != 0 && len(p.path) > 0 && depth <= len(p.path) {
		// Where indentation was lost (text pasted without its blanks) a second last child
		// gives it away: then the operator is the input of the one above it.
		if depth > 0 && p.closed[depth-1] && !p.lostIndent {
			p.lostIndent = true
		}
	}
	if p.lostIndent && marker != 0 {
		depth = len(p.path)
	}
	if depth > len(p.path) {
		if len(p.path) > 0 || depth > 0 {
			p.problem(n, "the operator is indented deeper than its place allows: lines above it are missing", b)
		}
		depth = len(p.path)
	}
	p.depth = depth
	p.pendingLine, p.pendingLines = n, 0
	p.pending = append([]byte(nil), rest...)
	p.path, p.closed = p.path[:depth], p.closed[:min(depth, len(p.closed))]
	if depth > 0 && marker == '+' {
		p.closed[depth-1] = true
	}
	if balanced(p.pending) {
		p.flush()
	}
}

// flush turns the pending text into a node.
func (p *planReader) flush() {
	if p.pending == nil {
		return
	}
	text := string(p.pending)
	p.pending = nil
	nd := parseNode(text)
	nd.Line, nd.Depth = p.pendingLine, p.depth
	if !balanced([]byte(text)) {
		p.problem(p.pendingLine, "the operator's brackets do not close: the line is cut", []byte(text))
	}
	if p.depth == 0 {
		sec := p.section()
		sec.Roots = append(sec.Roots, nd)
	} else {
		parent := p.path[p.depth-1]
		parent.Children = append(parent.Children, nd)
	}
	p.path = append(p.path[:p.depth], nd)
	p.closed = append(p.closed[:p.depth], false)
}

func (p *planReader) finish() (*Plan, []Problem) {
	p.flush()
	return p.plan, p.problems
}

// planTitle reads "== Optimized Physical Plan ==".
func planTitle(b []byte) (string, bool) {
	t := trimSpace(b)
	if len(t) > 6 && bytes.HasPrefix(t, []byte("== ")) && bytes.HasSuffix(t, []byte(" ==")) {
		return string(t[3 : len(t)-3]), true
	}
	return "", false
}

func sectionKind(title string) SectionKind {
	switch {
	case title == "Abstract Syntax Tree":
		return SectionAST
	case strings.HasPrefix(title, "Optimized Physical Plan"):
		return SectionPhysical
	case title == "Optimized Execution Plan", title == "Optimized Logical Plan": // 1.11 has one optimized plan
		return SectionExecution
	case title == "Physical Execution Plan":
		return SectionJSON
	}
	return SectionOther
}

// planIndent reads the tree drawing: three characters a level, the last of them "+- "
// or ":- ".
func planIndent(b []byte) (depth int, marker byte, rest []byte) {
	for len(b) >= 3 {
		switch string(b[:3]) {
		case "   ", ":  ":
			depth++
			b = b[3:]
		case "+- ", ":- ":
			return depth + 1, b[0], b[3:]
		default:
			return depth, 0, trimLeftSpace(b)
		}
	}
	return depth, 0, trimLeftSpace(b)
}

// nodeStart: an operator's name and a bracket ("LogicalValues(tuples=[[]])"), or a
// name alone.
func nodeStart(b []byte) bool {
	i := 0
	for i < len(b) && (b[i] >= 'a' && b[i] <= 'z' || b[i] >= 'A' && b[i] <= 'Z' || b[i] >= '0' && i > 0 && b[i] <= '9' || b[i] == '_') {
		i++
	}
	return i > 0 && b[0] >= 'A' && b[0] <= 'Z' && (i == len(b) || b[i] == '(')
}

// quoteEnd is the index of the quote that closes the one at i, -1 when none does. The
// name 'w$ of a window's properties has one quote only.
func quoteEnd[T string | []byte](b T, i int) int {
	if len(b) > i+2 && b[i+1] == 'w' && b[i+2] == '$' {
		return i
	}
	for j := i + 1; j < len(b); j++ {
		if b[j] == '\'' {
			return j
		}
	}
	return -1
}

// balanced: every bracket outside quotes is closed.
func balanced(b []byte) bool {
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '\'':
			if i = quoteEnd(b, i); i < 0 {
				return false
			}
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		}
	}
	return depth <= 0
}

// parseNode reads one operator.
func parseNode(text string) *Node {
	n := &Node{Text: text}
	open := strings.IndexByte(text, '(')
	if open < 0 {
		n.Name = text
		return n
	}
	n.Name = text[:open]
	end := closing(text, open)
	n.Attrs = parseAttrs(text[open+1 : end])
	rest := ""
	if end < len(text) {
		rest = text[end+1:]
	}
	if v, ok := n.Attr("changelogMode"); ok {
		if m, ok := changelog.ParseMode(v); ok {
			n.Mode, n.HasMode = m, true
		}
	}
	if v, ok := n.Attr("reference_id"); ok {
		n.ReuseID, _ = strconv.Atoi(v)
	}
	if i := strings.Index(rest, "(reuse_id=["); i >= 0 {
		s := rest[i+len("(reuse_id=["):]
		if j := strings.IndexByte(s, ']'); j >= 0 {
			n.ReuseID, _ = strconv.Atoi(s[:j])
		}
	}
	if c, ok := strings.CutPrefix(rest, ": "); ok {
		n.Cost = c
	}
	return n
}

// closing is the index of the bracket that closes the one at open, len(text) when none does.
func closing(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '\'':
			i = max(i, quoteEnd(text, i))
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(text)
}

// parseAttrs cuts "a=[x, y], b=[z]" at the commas outside brackets and quotes.
func parseAttrs(s string) []Attr {
	var out []Attr
	depth, from := 0, 0
	add := func(t string) {
		if t = strings.TrimSpace(t); t == "" {
			return
		}
		k, v, ok := strings.Cut(t, "=")
		if !ok || strings.ContainsAny(k, "([{ '") {
			out = append(out, Attr{Value: t})
			return
		}
		if len(v) > 1 && v[0] == '[' && v[len(v)-1] == ']' {
			v = v[1 : len(v)-1]
		}
		out = append(out, Attr{Key: k, Value: v})
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\'':
			i = max(i, quoteEnd(s, i))
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ',':
			if depth == 0 {
				add(s[from:i])
				from = i + 1
			}
		}
	}
	add(s[min(from, len(s)):])
	return out
}
