package phys

import (
	"reflect"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/rex"
)

// Tree prints a plan, a line a node: children are marked with "+- " (last) and ":- ".
func Tree(root Node, o TextOptions) string {
	t := &tree{o: o}
	if o.Execution {
		t.findReuse([]Node{root})
	}
	t.write(root, nil)
	return strings.TrimSuffix(t.b.String(), "\n")
}

type tree struct {
	b strings.Builder
	o TextOptions
	// digests of sub-plans that occur more than once, with their reuse ids in the order in
	// which they are met again.
	shared map[string]int
	key    map[Node]string
	// written are the shared sub-plans that have been printed.
	written map[string]bool
	// borders are the inputs of a MultipleInput.
	borders []Node
}

// findReuse finds sub-plans that occur twice: Flink runs them once.
func (t *tree) findReuse(roots []Node) {
	t.shared, t.key, t.written = map[string]int{}, map[Node]string{}, map[string]bool{}
	seen := map[string]int{}
	digest := (&digests{known: t.key}).of
	if t.o.Graph {
		digest = t.identity
	}
	// Below a repeated sub-plan only its first occurrence is looked into.
	var walk func(n Node)
	walk = func(n Node) {
		k := digest(n)
		if reusable(n) && !t.border(n) {
			seen[k]++
			if seen[k] == 2 {
				t.shared[k] = len(t.shared) + 1
			}
			if seen[k] > 1 {
				return
			}
		}
		if t.border(n) {
			return
		}
		for _, in := range n.Inputs() {
			walk(in)
		}
	}
	for _, r := range roots {
		walk(r)
	}
}

// identity tells nodes of a graph apart.
func (t *tree) identity(n Node) string {
	if _, ok := t.key[n]; !ok {
		t.key[n] = "#" + itoa(len(t.key))
	}
	return t.key[n]
}

func (t *tree) border(n Node) bool { return slices.Contains(t.borders, n) }

// digests are the texts of sub-plans by which Flink knows them again.
type digests struct{ known map[Node]string }

func (d *digests) of(n Node) string {
	if k, ok := d.known[n]; ok {
		return k
	}
	var b strings.Builder
	b.WriteString(Line(n, TextOptions{ChangelogMode: true}))
	b.WriteString(RowDigest(n))
	for _, in := range n.Inputs() {
		b.WriteString("(" + d.of(in) + ")")
	}
	d.known[n] = b.String()
	return d.known[n]
}

// Sharer copies plans so that sub-plans with the same digest become one node.
type Sharer struct {
	digests digests
	nodes   map[string]Node
	// Copied are the copies that Copy made or gave again, by the nodes that they stand for.
	Copied map[Node]Node
}

// NewSharer returns a Sharer that knows no plan yet.
func NewSharer() *Sharer {
	return &Sharer{digests: digests{map[Node]string{}}, nodes: map[string]Node{}, Copied: map[Node]Node{}}
}

// Copy returns the copy of a plan; its nodes belong to the caller.
func (s *Sharer) Copy(n Node) Node {
	k := s.digests.of(n)
	if c, ok := s.nodes[k]; ok && reusable(n) {
		s.follow(n, c)
		return c
	}
	in := make([]Node, len(n.Inputs()))
	for i, x := range n.Inputs() {
		in[i] = s.Copy(x)
	}
	c := WithInputs(n, in)
	s.nodes[k], s.Copied[n] = c, c
	return c
}

// follow notes the copy of a sub-plan that was copied before from another place.
func (s *Sharer) follow(n, c Node) {
	s.Copied[n] = c
	for i, x := range n.Inputs() {
		s.follow(x, c.Inputs()[i])
	}
}

// MemberTree prints the operators inside a MultipleInput; its inputs are shown with their
// numbers, and nothing below them. Every line ends in \n.
func MemberTree(root Node, inputs []Node, o TextOptions) string {
	o.Graph = true
	t := &tree{o: o, borders: inputs}
	t.findReuse([]Node{root})
	t.write(root, nil)
	return t.b.String()
}

// RowDigest tells apart sub-plans of one text whose columns are of different types.
func RowDigest(n Node) string {
	return rex.RecordText(n.Schema(), true)
}

func reusable(n Node) bool {
	switch n.(type) {
	case *Sink, *ProcessTableFunction:
		return false
	}
	return true
}

func (t *tree) write(n Node, more []bool) {
	for i, m := range more {
		last := i == len(more)-1
		switch {
		case last && m:
			t.b.WriteString(":- ")
		case last:
			t.b.WriteString("+- ")
		case m:
			t.b.WriteString(":  ")
		default:
			t.b.WriteString("   ")
		}
	}
	if i := slices.Index(t.borders, n); i >= 0 {
		t.b.WriteString("[#" + itoa(i+1) + "] " + Line(n, t.o) + "\n")
		return
	}
	if id, ok := t.shared[t.key[n]]; ok && t.key[n] != "" {
		if t.written[t.key[n]] {
			t.b.WriteString("Reused(reference_id=[" + itoa(id) + "])\n")
			return
		}
		t.written[t.key[n]] = true
		t.b.WriteString(Line(n, t.o) + "(reuse_id=[" + itoa(id) + "])\n")
	} else {
		t.b.WriteString(Line(n, t.o))
		t.b.WriteByte('\n')
	}
	in := n.Inputs()
	for i, c := range in {
		t.write(c, append(more[:len(more):len(more)], i < len(in)-1))
	}
}

// SetMode sets the row kinds that a node produces.
func SetMode(n Node, m changelog.Mode) { n.base().Produce = m }

// WithInputs copies a node with other inputs.
func WithInputs(n Node, in []Node) Node {
	v := reflect.ValueOf(n).Elem()
	c := reflect.New(v.Type())
	c.Elem().Set(v)
	out, ok := c.Interface().(Node)
	if !ok {
		return n
	}
	out.base().In = in
	return out
}
