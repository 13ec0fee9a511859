package phys

import (
	"reflect"
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
	// digests of sub-plans that occur more than once, with their reuse ids; an id is
	// given when a sub-plan is first printed.
	shared map[string]int
	key    map[Node]string
	next   int
}

// findReuse finds sub-plans that occur twice: Flink runs them once.
func (t *tree) findReuse(roots []Node) {
	t.shared, t.key = map[string]int{}, map[Node]string{}
	seen := map[string]int{}
	var digest func(n Node) string
	digest = func(n Node) string {
		if k, ok := t.key[n]; ok {
			return k
		}
		var b strings.Builder
		b.WriteString(Line(n, TextOptions{ChangelogMode: true}))
		b.WriteString(RowDigest(n))
		for _, in := range n.Inputs() {
			b.WriteString("(" + digest(in) + ")")
		}
		t.key[n] = b.String()
		return t.key[n]
	}
	// Below a repeated sub-plan only its first occurrence is looked into.
	var walk func(n Node)
	walk = func(n Node) {
		k := digest(n)
		if reusable(n) {
			seen[k]++
			if seen[k] == 2 {
				t.shared[k] = 0
			}
			if seen[k] > 1 {
				return
			}
		}
		for _, in := range n.Inputs() {
			walk(in)
		}
	}
	for _, r := range roots {
		walk(r)
	}
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
	if id, ok := t.shared[t.key[n]]; ok && t.key[n] != "" {
		if id > 0 {
			t.b.WriteString("Reused(reference_id=[" + itoa(id) + "])\n")
			return
		}
		t.next++
		t.shared[t.key[n]] = t.next
		t.b.WriteString(Line(n, t.o) + "(reuse_id=[" + itoa(t.next) + "])\n")
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
