package source

import (
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/flinkerr"
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

// newChangelogConverter reads the changes of debezium-json, canal-json, maxwell-json and
// ogg-json. A line is first converted as a whole, then interpreted.
func newChangelogConverter(f *jsonFormat, fields []value.Field) (lineConverter, error) {
	image := value.RowType(fields...)
	list := value.ArrayType(image)
	field := func(name string, t value.Type) value.Field { return value.Field{Name: name, Type: t} }
	c := &changeReader{f: f, fields: fields}
	var outer []value.Field
	switch f.name {
	case "debezium-json":
		outer = []value.Field{field("before", image), field("after", image), field("op", value.TString)}
		c.read = c.beforeAfter("op", "Debezium", map[string]changelog.RowKind{
			"c": changelog.Insert, "r": changelog.Insert, "u": changelog.UpdateAfter, "d": changelog.Delete})
	case "ogg-json":
		outer = []value.Field{field("before", image), field("after", image), field("op_type", value.TString)}
		c.read = c.beforeAfter("op_type", "Ogg", map[string]changelog.RowKind{
			"I": changelog.Insert, "U": changelog.UpdateAfter, "D": changelog.Delete})
	case "maxwell-json":
		outer = []value.Field{field("data", image), field("old", image), field("type", value.TString)}
		c.read = c.dataOld("Maxwell", map[string]changelog.RowKind{
			"insert": changelog.Insert, "update": changelog.UpdateAfter, "delete": changelog.Delete})
	default:
		outer = []value.Field{field("data", list), field("old", list), field("type", value.TString)}
		c.read = c.dataOld("Canal", map[string]changelog.RowKind{
			"INSERT": changelog.Insert, "UPDATE": changelog.UpdateAfter, "DELETE": changelog.Delete})
	}
	if f.schemaInclude {
		outer = []value.Field{field("payload", value.RowType(outer...))}
	}
	f.decimals = hasDecimal(image)
	whole, err := f.rowNodes(outer)
	if err != nil {
		return nil, err
	}
	return func(line []byte, out []jsonRow) ([]jsonRow, error) {
		if len(line) == 0 {
			return out, nil
		}
		n, err := parseTree(line)
		if err != nil {
			return out, err
		}
		if n == nil || n.tok != jsonStartObject {
			return out, unknown("a line of %s that is no object", f.name)
		}
		v, err := whole(n)
		if err != nil {
			return out, err
		}
		parts := v.Composite().Elems
		if f.schemaInclude {
			if parts[0].IsNull() {
				return out, unknown("a change of %s without payload", f.name)
			}
			parts = parts[0].Composite().Elems
		}
		rows, err := c.read(n, parts, string(line))
		if err != nil {
			return out, err
		}
		return append(out, rows...), nil
	}, nil
}

// changeReader interprets changes; parts are the three fields that a change has.
type changeReader struct {
	f      *jsonFormat
	fields []value.Field
	read   func(n *jsonNode, parts []value.Value, line string) ([]jsonRow, error)
}

// kindOf finds out what a change does. Java fails where there is no code.
func (c *changeReader) kindOf(code value.Value, field, product string, codes map[string]changelog.RowKind, line string) (changelog.RowKind, error) {
	if code.IsNull() {
		return 0, unknown("a change of %s without %s", c.f.name, field)
	}
	kind, ok := codes[code.Str()]
	if !ok {
		return 0, flinkerr.Runtime("java.io.IOException", "Unknown \"%s\" value \"%s\". The %s JSON message is '%s'", field, code.Str(), product, line)
	}
	return kind, nil
}

// beforeAfter reads a change with both images of its row.
func (c *changeReader) beforeAfter(field, product string, codes map[string]changelog.RowKind) func(*jsonNode, []value.Value, string) ([]jsonRow, error) {
	return func(_ *jsonNode, parts []value.Value, line string) ([]jsonRow, error) {
		kind, err := c.kindOf(parts[2], field, product, codes, line)
		if err != nil {
			return nil, err
		}
		before, after := parts[0], parts[1]
		if kind != changelog.Insert && before.IsNull() {
			name := "DELETE"
			if kind == changelog.UpdateAfter {
				name = "UPDATE"
			}
			return nil, flinkerr.Runtime("java.lang.IllegalStateException", "The \"before\" field of %s message is null, if you are using %s Postgres Connector, please check the Postgres table has been set REPLICA IDENTITY to FULL level.", name, product)
		}
		if kind == changelog.Delete {
			return []jsonRow{{kind, before.Composite().Elems}}, nil
		}
		if after.IsNull() {
			return nil, unknown("a change of %s without after", c.f.name)
		}
		rows := []jsonRow{{kind, after.Composite().Elems}}
		if kind == changelog.UpdateAfter {
			rows = []jsonRow{{changelog.UpdateBefore, before.Composite().Elems}, rows[0]}
		}
		return rows, nil
	}
}

// dataOld reads a change with its new rows and what they were before; a field that is
// nowhere in old is the same as in data.
func (c *changeReader) dataOld(product string, codes map[string]changelog.RowKind) func(*jsonNode, []value.Value, string) ([]jsonRow, error) {
	rowsOf := func(v value.Value) []value.Value {
		switch {
		case v.IsNull():
			return nil
		case product == "Canal":
			return v.Composite().Elems
		}
		return []value.Value{v}
	}
	return func(n *jsonNode, parts []value.Value, line string) ([]jsonRow, error) {
		if product == "Canal" && !parts[2].IsNull() && parts[2].Str() == "CREATE" {
			return nil, nil
		}
		kind, err := c.kindOf(parts[2], "type", product, codes, line)
		if err != nil {
			return nil, err
		}
		if parts[0].IsNull() || kind == changelog.UpdateAfter && parts[1].IsNull() {
			return nil, unknown("a change of %s without data or old", c.f.name)
		}
		data, old := rowsOf(parts[0]), rowsOf(parts[1])
		var out []jsonRow
		for i, d := range data {
			if d.IsNull() || kind == changelog.UpdateAfter && (i >= len(old) || old[i].IsNull()) {
				return nil, unknown("a change of %s without data or old", c.f.name)
			}
			after := d.Composite().Elems
			if kind != changelog.UpdateAfter {
				out = append(out, jsonRow{kind, after})
				continue
			}
			before := old[i].Composite().Elems
			for k, f := range c.fields {
				if before[k].IsNull() && n.get("old").find(f.Name) == nil {
					before[k] = after[k]
				}
			}
			out = append(out, jsonRow{changelog.UpdateBefore, before}, jsonRow{changelog.UpdateAfter, after})
		}
		return out, nil
	}
}
