package fn

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/unsupported"
)

// jsonPath is a path of the SQL/JSON functions: the subset of Jayway's JsonPath
// with names, indexes, slices, wildcards and deep scans. The rest (filters,
// functions, several names) is refused.
type jsonPath struct {
	lax   bool
	steps []jsonStep
}

type jsonStep struct {
	// key of an object, where index and all say nothing else.
	key     string
	index   int
	isIndex bool
	all     bool
	// picks are the indexes of [0, 2]; slice those of [from:to], where an end that is
	// left out has no flag.
	picks          []int
	slice          bool
	from, to       int
	hasFrom, hasTo bool
	// scan: the step is done at every node below, from above (..name).
	scan bool
}

// many: the step may give several nodes, so that the path gives an array.
func (s jsonStep) many() bool { return s.all || s.scan || s.slice || len(s.picks) > 0 }

func (s jsonStep) text() string {
	switch {
	case s.all:
		return "[*]"
	case s.isIndex:
		return "[" + strconv.Itoa(s.index) + "]"
	}
	return "['" + s.key + "']"
}

func (p *jsonPath) isDefinite() bool {
	for _, s := range p.steps {
		if s.many() {
			return false
		}
	}
	return true
}

// text is the normal form that messages show.
func (p *jsonPath) text(n int) string {
	out := "$"
	for _, s := range p.steps[:n] {
		out += s.text()
	}
	return out
}

var (
	pathMode    = regexp.MustCompile(`(?is)\A[ \t\n\x0B\f\r]*(strict|lax)[ \t\n\x0B\f\r]+(.+)\z`)
	pathName    = regexp.MustCompile(`\A[\pL\pN_-]+`)
	pathPicks   = regexp.MustCompile(`\A\[(-?[0-9]{1,9}(?:, ?-?[0-9]{1,9})+)\]`)
	pathSlice   = regexp.MustCompile(`\A\[(-?[0-9]{1,9})?:(-?[0-9]{1,9})?\]`)
	pathBracket = regexp.MustCompile(`\A\[(?:'([^'\\]+)'|"([^"\\]+)"|(-?[0-9]{1,9})|(\*))\]`)
)

// compileJSONPath reads a path specification; without a mode it is strict.
func compileJSONPath(spec string) (*jsonPath, error) {
	p := &jsonPath{}
	rest := spec
	if m := pathMode.FindStringSubmatch(spec); m != nil {
		p.lax, rest = strings.EqualFold(m[1], "lax"), m[2]
	}
	rest = strings.TrimRightFunc(rest, func(r rune) bool { return r <= ' ' })
	if !strings.HasPrefix(rest, "$") {
		// A path without $ is one below the root.
		if pathName.FindString(rest) == "" {
			return nil, unsupported.New("the JSON path '%s'", spec)
		}
		rest = "$." + rest
	}
	rest = rest[1:]
	for rest != "" {
		if s, n := severalAt(rest); n > 0 {
			p.steps, rest = append(p.steps, s), rest[n:]
			continue
		}
		if strings.HasPrefix(rest, "..") {
			s, n := scanAt(rest[2:])
			if n == 0 {
				return nil, unsupported.New("the JSON path '%s'", spec)
			}
			p.steps, rest = append(p.steps, s), rest[2+n:]
			continue
		}
		switch m := pathBracket.FindStringSubmatch(rest); {
		case m != nil && m[3] != "":
			n, _ := strconv.Atoi(m[3])
			p.steps, rest = append(p.steps, jsonStep{index: n, isIndex: true}), rest[len(m[0]):]
		case m != nil && m[4] != "":
			p.steps, rest = append(p.steps, jsonStep{all: true}), rest[len(m[0]):]
		case m != nil:
			p.steps, rest = append(p.steps, jsonStep{key: m[1] + m[2]}), rest[len(m[0]):]
		case strings.HasPrefix(rest, ".*"):
			p.steps, rest = append(p.steps, jsonStep{all: true}), rest[2:]
		case strings.HasPrefix(rest, ".") && pathName.MatchString(rest[1:]):
			name := pathName.FindString(rest[1:])
			p.steps, rest = append(p.steps, jsonStep{key: name}), rest[1+len(name):]
		default:
			return nil, unsupported.New("the JSON path '%s'", spec)
		}
	}
	return p, nil
}

// pathError is Jayway's PathNotFoundException; an empty message stands for one
// whose words are not imitated.
type pathError struct{ message string }

func (e *pathError) Error() string { return e.message }

// read evaluates the path. A definite path gives one node or an error, others an array.
func (p *jsonPath) read(root *jsonNode) (*jsonNode, error) {
	found := []*jsonNode{root}
	definite := true
	for i, s := range p.steps {
		var next []*jsonNode
		last := i == len(p.steps)-1
		for _, n := range found {
			got, err := s.apply(n, definite)
			if err != nil {
				return nil, err
			}
			if got == nil && !s.many() && !s.isIndex && n.kind == jsonObject && !last && definite {
				return nil, &pathError{"Missing property in path " + p.text(i+1)}
			}
			next = append(next, got...)
		}
		found = next
		definite = definite && !s.many()
	}
	if p.isDefinite() {
		if len(found) == 0 {
			return nil, &pathError{"No results for path: " + p.text(len(p.steps))}
		}
		return found[0], nil
	}
	list := jsonNode{kind: jsonArray}
	for _, n := range found {
		list.items = append(list.items, *n)
	}
	return &list, nil
}

// apply takes one step. definite tells that no wildcard came before.
func (s jsonStep) apply(n *jsonNode, definite bool) ([]*jsonNode, error) {
	var out []*jsonNode
	switch {
	case s.scan:
		return s.below(n, out), nil
	case s.slice || len(s.picks) > 0:
		if n.kind != jsonArray {
			if definite {
				return nil, &pathError{}
			}
			return nil, nil
		}
		for _, i := range s.indexes(len(n.items)) {
			if i < 0 {
				i += len(n.items)
			}
			if i >= 0 && i < len(n.items) {
				out = append(out, &n.items[i])
			}
		}
	case s.all:
		if !n.isScalar() {
			for i := range n.items {
				out = append(out, &n.items[i])
			}
		}
	case s.isIndex:
		if n.kind != jsonArray {
			if definite {
				return nil, &pathError{}
			}
			return nil, nil
		}
		i := s.index
		if i < 0 {
			i += len(n.items)
		}
		if i >= 0 && i < len(n.items) {
			out = append(out, &n.items[i])
		}
	default:
		if n.kind != jsonObject {
			if definite {
				return nil, &pathError{}
			}
			return nil, nil
		}
		if v := n.get(s.key); v != nil {
			out = append(out, v)
		}
	}
	return out, nil
}
