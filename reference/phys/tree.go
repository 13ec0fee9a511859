package phys

import (
	"reflect"
	"strings"

	"github.com/labgrade/labgrade/changelog"
)

// Tree prints a plan, a line a node: children are marked with "+- " (last) and ":- ".
func Tree(root Node, o TextOptions) string {
	var b strings.Builder
	writeTree(&b, root, o, nil)
	return strings.TrimSuffix(b.String(), "\n")
}

func writeTree(b *strings.Builder, n Node, o TextOptions, more []bool) {
	for i, m := range more {
		last := i == len(more)-1
		switch {
		case last && m:
			b.WriteString(":- ")
		case last:
			b.WriteString("+- ")
		case m:
			b.WriteString(":  ")
		default:
			b.WriteString("   ")
		}
	}
	b.WriteString(Line(n, o))
	b.WriteByte('\n')
	in := n.Inputs()
	for i, c := range in {
		writeTree(b, c, o, append(more[:len(more):len(more)], i < len(in)-1))
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
