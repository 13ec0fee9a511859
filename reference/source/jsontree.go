package source

import (
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// jsonNode is a JSON value in memory.
type jsonNode struct {
	tok   jsonToken // jsonStartObject and jsonStartArray for containers
	text  string
	names []string // of an object, in order
	elems []*jsonNode
}

// get is the member of an object, or nil.
func (n *jsonNode) get(name string) *jsonNode {
	if n == nil || n.tok != jsonStartObject {
		return nil
	}
	for i, x := range n.names {
		if x == name {
			return n.elems[i]
		}
	}
	return nil
}

// find is Jackson's findValue: the first member of this name, at any depth.
func (n *jsonNode) find(name string) *jsonNode {
	if n == nil {
		return nil
	}
	if m := n.get(name); m != nil {
		return m
	}
	for _, e := range n.elems {
		if m := e.find(name); m != nil {
			return m
		}
	}
	return nil
}

// readTree reads the value at the current token. A name that comes twice keeps its
// place and takes the later value.
func readTree(p *jsonParser) (*jsonNode, error) {
	n := &jsonNode{tok: p.tok}
	switch p.tok {
	case jsonStartObject:
		for {
			if err := p.next(); err != nil {
				return nil, err
			}
			if p.tok == jsonEndObject {
				return n, nil
			}
			text, err := p.content()
			if err != nil {
				return nil, err
			}
			name := strings.Clone(text)
			if err := p.next(); err != nil {
				return nil, err
			}
			m, err := readTree(p)
			if err != nil {
				return nil, err
			}
			n.set(name, m)
		}
	case jsonStartArray:
		for {
			if err := p.next(); err != nil {
				return nil, err
			}
			if p.tok == jsonEndArray {
				return n, nil
			}
			m, err := readTree(p)
			if err != nil {
				return nil, err
			}
			n.elems = append(n.elems, m)
		}
	}
	text, err := p.content()
	n.text = strings.Clone(text)
	return n, err
}

func (n *jsonNode) set(name string, m *jsonNode) {
	for i, x := range n.names {
		if x == name {
			n.elems[i] = m
			return
		}
	}
	n.names = append(n.names, name)
	n.elems = append(n.elems, m)
}

// compact is JsonNode.toString.
func (n *jsonNode) compact(f *jsonFormat) (string, error) {
	var b []byte
	b, err := n.appendCompact(b, f)
	return string(b), err
}

func (n *jsonNode) appendCompact(b []byte, f *jsonFormat) ([]byte, error) {
	var err error
	switch n.tok {
	case jsonStartObject:
		b = append(b, '{')
		for i, m := range n.elems {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(value.AppendJSONString(b, n.names[i]), ':')
			if b, err = m.appendCompact(b, f); err != nil {
				return b, err
			}
		}
		return append(b, '}'), nil
	case jsonStartArray:
		b = append(b, '[')
		for i, m := range n.elems {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = m.appendCompact(b, f); err != nil {
				return b, err
			}
		}
		return append(b, ']'), nil
	case jsonString:
		return value.AppendJSONString(b, n.text), nil
	case jsonFloat, jsonInt:
		text, err := n.asText(f)
		return append(b, text...), err
	}
	return append(b, n.text...), nil
}

// asText is JsonNode.asText: numbers in Java's form, containers empty.
func (n *jsonNode) asText(f *jsonFormat) (string, error) {
	switch n.tok {
	case jsonStartObject, jsonStartArray:
		return "", nil
	case jsonInt:
		if n.text == "-0" {
			return "0", nil
		}
	case jsonFloat:
		if f.decimals {
			return value.PlainBigDecimal(n.text)
		}
		x, _ := value.ParseJavaDouble(n.text, 64)
		return string(value.AppendDouble(nil, x)), nil
	}
	return n.text, nil
}

// nodeConverter turns a tree into a value.
type nodeConverter func(n *jsonNode) (value.Value, error)

// newTreeConverter reads lines as trees.
func newTreeConverter(f *jsonFormat, fields []value.Field) (lineConverter, error) {
	f.decimals = hasDecimal(value.RowType(fields...))
	row, err := f.rowNodes(fields)
	if err != nil {
		return nil, err
	}
	return func(line []byte, out []jsonRow) ([]jsonRow, error) {
		n, err := parseTree(line)
		if err != nil || n == nil {
			return out, err
		}
		nodes := []*jsonNode{n}
		if n.tok == jsonStartArray {
			nodes = n.elems
		}
		for _, m := range nodes {
			if m.tok == jsonNull {
				continue
			}
			v, err := row(m)
			if err != nil {
				if f.ignoreErrors && !unsupported.Is(err) {
					continue
				}
				return out, err
			}
			out = append(out, jsonRow{changelog.Insert, v.Composite().Elems})
		}
		return out, nil
	}, nil
}

// parseTree reads the first value of a line, nil if there is none.
func parseTree(line []byte) (*jsonNode, error) {
	p := newJSONParser(line)
	if err := p.next(); err != nil || p.tok == jsonNone {
		return nil, err
	}
	return readTree(p)
}

func (f *jsonFormat) rowNodes(fields []value.Field) (nodeConverter, error) {
	convs := make([]nodeConverter, len(fields))
	for i, x := range fields {
		c, err := f.nodes(x.Type)
		if err != nil {
			return nil, err
		}
		convs[i] = c
	}
	return func(n *jsonNode) (value.Value, error) {
		if n.tok != jsonStartObject {
			return value.Null, unknown("a JSON value in place of an object")
		}
		row := make([]value.Value, len(fields))
		for i, x := range fields {
			m := n.get(x.Name)
			if m == nil {
				if f.failOnMissing {
					return value.Null, flinkJSONError("Could not find field with name '%s'.", x.Name)
				}
				continue
			}
			v, err := convs[i](m)
			if err != nil {
				return value.Null, err
			}
			row[i] = v
		}
		return value.Struct(row), nil
	}, nil
}

func (f *jsonFormat) nodes(t value.Type) (nodeConverter, error) {
	c, err := f.nodesNotNull(t)
	if err != nil {
		return nil, err
	}
	return func(n *jsonNode) (value.Value, error) {
		if n == nil || n.tok == jsonNull {
			return value.Null, nil
		}
		v, err := c(n)
		if err != nil && f.ignoreErrors {
			return value.Null, nil
		}
		return v, err
	}, nil
}

func (f *jsonFormat) nodesNotNull(t value.Type) (nodeConverter, error) {
	switch t.Kind {
	case value.KindArray:
		elem, err := f.nodes(*t.Elem)
		if err != nil {
			return nil, err
		}
		return func(n *jsonNode) (value.Value, error) {
			if n.tok != jsonStartArray {
				return value.Null, unknown("a JSON value in place of an array")
			}
			elems := make([]value.Value, len(n.elems))
			for i, m := range n.elems {
				v, err := elem(m)
				if err != nil {
					return value.Null, err
				}
				elems[i] = v
			}
			return value.Array(elems), nil
		}, nil
	case value.KindMap, value.KindMultiset:
		kt, vt, err := mapTypes(t)
		if err != nil {
			return nil, err
		}
		elem, err := f.nodes(vt)
		if err != nil {
			return nil, err
		}
		if t.Kind == value.KindMultiset {
			elem = countOf(elem)
		}
		return func(n *jsonNode) (value.Value, error) {
			var m mapBuilder
			for i := range n.names {
				v, err := elem(n.elems[i])
				if err != nil {
					return value.Null, err
				}
				m.put(n.names[i], v)
			}
			return m.value(&kt), nil
		}, nil
	case value.KindRow:
		return f.rowNodes(t.Fields)
	case value.KindChar, value.KindVarchar:
		return func(n *jsonNode) (value.Value, error) {
			if n.tok == jsonStartObject || n.tok == jsonStartArray {
				text, err := n.compact(f)
				return value.String(text), err
			}
			text, err := n.asText(f)
			return value.String(text), err
		}, nil
	}
	s, err := newJSONScalar(f, t)
	if err != nil {
		return nil, err
	}
	return func(n *jsonNode) (value.Value, error) {
		text, err := n.asText(f)
		if err != nil {
			return value.Null, err
		}
		return s(n.tok, text)
	}, nil
}

// hasDecimal reports a DECIMAL anywhere in a type.
func hasDecimal(t value.Type) bool {
	for _, f := range t.Fields {
		if hasDecimal(f.Type) {
			return true
		}
	}
	return t.Kind == value.KindDecimal || t.Elem != nil && hasDecimal(*t.Elem) || t.Key != nil && hasDecimal(*t.Key)
}
