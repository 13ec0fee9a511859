package source

import (
	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/value"
)

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
