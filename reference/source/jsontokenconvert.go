package source

import (
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// tokenConverter reads a value that begins with the current token, and ends on its last token.
type tokenConverter func(p *jsonParser) (value.Value, error)

// newStreamConverter reads rows while the tokens go by. Its faults show: fields behind the
// last wanted one are not looked at, a name that comes twice counts twice, and a
// BOOLEAN takes an object for false and goes on inside it.
func newStreamConverter(f *jsonFormat, fields []value.Field) (lineConverter, error) {
	notNull, err := f.rowTokens(fields)
	if err != nil {
		return nil, err
	}
	row := func(p *jsonParser) (value.Value, error) {
		if p.tok == jsonNull || p.tok == jsonNone {
			return value.Null, nil
		}
		return notNull(p)
	}
	return func(line []byte, out []jsonRow) ([]jsonRow, error) {
		if len(line) == 0 {
			return out, nil
		}
		p := newJSONParser(line)
		if err := p.next(); err != nil {
			return out, err
		}
		one := func() error {
			v, err := row(p)
			if err == nil && v.IsNull() {
				// A row that is null is refused by the queue that it is put into.
				return flinkerr.Runtime("java.lang.NullPointerException", "")
			}
			if err != nil {
				return err
			}
			out = append(out, jsonRow{changelog.Insert, v.Composite().Elems})
			return nil
		}
		switch p.tok {
		case jsonStartObject:
			return out, one()
		case jsonStartArray:
			for {
				if err := p.next(); err != nil || p.tok == jsonEndArray {
					return out, err
				}
				if err := one(); err != nil {
					return out, err
				}
			}
		}
		return out, p.noContent()
	}, nil
}

// rowTokens reads an object as a row.
func (f *jsonFormat) rowTokens(fields []value.Field) (tokenConverter, error) {
	convs := make([]tokenConverter, len(fields))
	index := map[string]int{}
	for i, x := range fields {
		c, err := f.tokens(x.Type)
		if err != nil {
			return nil, err
		}
		convs[i] = c
		index[x.Name] = i
	}
	return func(p *jsonParser) (value.Value, error) {
		if p.tok != jsonStartObject {
			return value.Null, flinkerr.Runtime("java.lang.IllegalStateException", "Illegal JSON object data...")
		}
		row := make([]value.Value, len(fields))
		n := 0
		if err := p.next(); err != nil {
			return value.Null, err
		}
		for p.tok != jsonEndObject {
			if p.tok == jsonNone {
				return value.Null, noToken()
			}
			if n >= len(fields) {
				if err := skipField(p); err != nil {
					return value.Null, err
				}
				continue
			}
			member, err := p.content()
			if err != nil {
				return value.Null, err
			}
			i, known := index[member]
			name := ""
			if known {
				name = fields[i].Name
			}
			if err := p.next(); err != nil {
				return value.Null, err
			}
			if !known {
				if err := skipField(p); err != nil {
					return value.Null, err
				}
				continue
			}
			v, err := convs[i](p)
			if err != nil {
				if unsupported.Is(err) {
					return value.Null, err
				}
				return value.Null, flinkJSONError("Fail to deserialize at field: %s.", name)
			}
			row[i] = v
			n++
			if err := p.next(); err != nil {
				return value.Null, err
			}
		}
		if n < len(fields) && f.failOnMissing {
			return value.Null, flinkJSONError("Some field is missing in the JSON data.")
		}
		return value.Struct(row), nil
	}, nil
}

// skipField moves behind the value at the current token.
func skipField(p *jsonParser) error {
	if p.tok == jsonNone {
		return noToken()
	}
	if p.tok == jsonStartObject || p.tok == jsonStartArray {
		for depth := 1; depth > 0; {
			if err := p.next(); err != nil {
				return err
			}
			switch p.tok {
			case jsonStartObject, jsonStartArray:
				depth++
			case jsonEndObject, jsonEndArray:
				depth--
			case jsonNone:
				return p.fail()
			}
		}
	}
	return p.next()
}

// tokens makes the converter of a type, NULL for null and, with ignore-parse-errors, for what
// cannot be converted.
func (f *jsonFormat) tokens(t value.Type) (tokenConverter, error) {
	c, err := f.tokensNotNull(t)
	if err != nil {
		return nil, err
	}
	return func(p *jsonParser) (value.Value, error) {
		if p.tok == jsonNull || p.tok == jsonNone {
			return value.Null, nil
		}
		first := p.tok
		v, err := c(p)
		if err != nil && f.ignoreErrors && !unsupported.Is(err) {
			if malformed(err) && p.pos < len(p.b) && (first == jsonStartObject || first == jsonStartArray || first == jsonString) {
				return value.Null, unsupported.New("malformed JSON within a field, with ignore-parse-errors")
			}
			return value.Null, nil
		}
		return v, err
	}, nil
}

// malformed tells errors of the JSON text itself from those of its values.
func malformed(err error) bool {
	if e, ok := err.(*flinkerr.Error); ok {
		return e.Class == classJSONParse || e.Class == classJSONEOF
	}
	_, ok := err.(*unknownText)
	return ok
}

func (f *jsonFormat) tokensNotNull(t value.Type) (tokenConverter, error) {
	switch t.Kind {
	case value.KindArray:
		elem, err := f.tokens(*t.Elem)
		if err != nil {
			return nil, err
		}
		return func(p *jsonParser) (value.Value, error) {
			if p.tok != jsonStartArray {
				return value.Null, flinkerr.Runtime("java.lang.IllegalStateException", "Illegal JSON array data...")
			}
			var elems []value.Value
			for {
				if err := p.next(); err != nil {
					return value.Null, err
				}
				if p.tok == jsonEndArray {
					return value.Array(elems), nil
				}
				if p.tok == jsonNone {
					return value.Null, p.fail()
				}
				v, err := elem(p)
				if err != nil {
					return value.Null, err
				}
				elems = append(elems, v)
			}
		}, nil
	case value.KindMap, value.KindMultiset:
		return f.mapTokens(t)
	case value.KindRow:
		return f.rowTokens(t.Fields)
	case value.KindChar, value.KindVarchar:
		return func(p *jsonParser) (value.Value, error) {
			if p.tok == jsonStartObject || p.tok == jsonStartArray {
				n, err := readTree(p)
				if err != nil {
					return value.Null, err
				}
				text, err := n.compact(f)
				return value.String(text), err
			}
			text, err := p.content()
			return value.String(strings.Clone(text)), err
		}, nil
	}
	s, err := newJSONScalar(f, t)
	if err != nil {
		return nil, err
	}
	return func(p *jsonParser) (value.Value, error) {
		text, err := p.content()
		if err != nil {
			return value.Null, err
		}
		return s(p.tok, text)
	}, nil
}

// countOf: the counts of a MULTISET are NOT NULL, so that a null there is read as 0.
func countOf[P any](elem func(P) (value.Value, error)) func(P) (value.Value, error) {
	return func(p P) (value.Value, error) {
		v, err := elem(p)
		if err == nil && v.IsNull() {
			v = value.Int(0)
		}
		return v, err
	}
}

// mapTypes checks the key of a map and returns the types of key and value.
func mapTypes(t value.Type) (key, elem value.Type, err error) {
	key, elem = *t.Elem, value.TInt
	if t.Kind == value.KindMap {
		key, elem = *t.Key, *t.Elem
	}
	if !key.IsCharacter() {
		err = flinkerr.New("java.lang.UnsupportedOperationException", "JSON format doesn't support non-string as key type of map. The type is: %s", t)
	}
	return key, elem, err
}

func (f *jsonFormat) mapTokens(t value.Type) (tokenConverter, error) {
	kt, vt, err := mapTypes(t)
	if err != nil {
		return nil, err
	}
	elem, err := f.tokens(vt)
	if err != nil {
		return nil, err
	}
	if t.Kind == value.KindMultiset {
		elem = countOf(elem)
	}
	return func(p *jsonParser) (value.Value, error) {
		if p.tok != jsonStartObject {
			return value.Null, flinkerr.Runtime("java.lang.IllegalStateException", "Illegal JSON map data...")
		}
		var m mapBuilder
		for {
			if err := p.next(); err != nil {
				return value.Null, err
			}
			if p.tok == jsonEndObject {
				return m.value(&kt), nil
			}
			if p.tok == jsonNone {
				return value.Null, p.fail()
			}
			text, err := p.content()
			if err != nil {
				return value.Null, err
			}
			key := strings.Clone(text)
			if err := p.next(); err != nil {
				return value.Null, err
			}
			v, err := elem(p)
			if err != nil {
				return value.Null, err
			}
			m.put(key, v)
		}
	}, nil
}

// mapBuilder collects a map in the order of a java.util.HashMap.
type mapBuilder struct {
	keys, elems []value.Value
	index       map[string]int
}

func (m *mapBuilder) put(key string, v value.Value) {
	if i, ok := m.index[key]; ok {
		m.elems[i] = v
		return
	}
	if m.index == nil {
		m.index = map[string]int{}
	}
	m.index[key] = len(m.keys)
	m.keys = append(m.keys, value.String(key))
	m.elems = append(m.elems, v)
}

func (m *mapBuilder) value(t *value.Type) value.Value {
	value.SortJavaMap(t, m.keys, m.elems)
	return value.MapOf(m.keys, m.elems)
}
