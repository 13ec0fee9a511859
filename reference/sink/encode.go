package sink

import (
	"strings"
	"unicode/utf8"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/source"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// encoder appends the line of a row.
type encoder func(dst []byte, kind changelog.RowKind, row value.Row) ([]byte, error)

func newEncoder(table *catalog.Table, fields []value.Field) (encoder, error) {
	switch format, _ := table.Option("format"); format {
	case "csv":
		return newCSVEncoder(table, fields)
	case "json":
		style, err := jsonStyle(table, "json")
		if err != nil {
			return nil, err
		}
		for _, f := range fields {
			if err := textKeys(f.Type); err != nil {
				return nil, err
			}
		}
		return func(dst []byte, _ changelog.RowKind, row value.Row) ([]byte, error) {
			return line(style.AppendObject(dst, fields, row))
		}, nil
	case "debezium-json", "canal-json", "maxwell-json", "ogg-json":
		style, err := jsonStyle(table, format)
		if err != nil {
			return nil, err
		}
		return newChangelogEncoder(format, style, fields), nil
	default:
		return nil, unsupported.New("writing the format '%s'", format)
	}
}

func line(dst []byte, err error) ([]byte, error) {
	if e, ok := err.(*value.CastError); ok {
		err = &flinkerr.Error{Class: e.Class, Message: e.Message, AtRuntime: true}
	}
	return append(dst, '\n'), err
}

func newCSVEncoder(table *catalog.Table, fields []value.Field) (encoder, error) {
	// The source's options are checked in the same way.
	if err := source.CheckCSV(table); err != nil {
		return nil, err
	}
	if err := source.CheckCSVTypes(table); err != nil {
		return nil, err
	}
	s := value.DefaultCSVStyle()
	for _, c := range []struct {
		key string
		dst *byte
	}{{"csv.field-delimiter", &s.Delimiter}, {"csv.quote-character", &s.Quote}, {"csv.escape-character", &s.Escape}} {
		text, ok := table.Option(c.key)
		if !ok {
			continue
		}
		if c.dst == &s.Delimiter {
			text = source.UnescapeJava(text)
		}
		r, _ := utf8.DecodeRuneInString(text)
		if r >= utf8.RuneSelf {
			return nil, unsupported.New("the csv control character '%c', which is not ASCII", r)
		}
		*c.dst = byte(r)
	}
	noQuote, err := source.BoolOption(table, "csv.disable-quote-character", false)
	if err != nil {
		return nil, err
	}
	if noQuote {
		s.Quote = 0
	}
	s.NullLiteral, _ = table.Option("csv.null-literal")
	if d, ok := table.Option("csv.array-element-delimiter"); ok {
		s.ArrayDelimiter = d
	}
	return func(dst []byte, _ changelog.RowKind, row value.Row) ([]byte, error) {
		for i := range fields {
			if i > 0 {
				dst = append(dst, s.Delimiter)
			}
			dst = s.AppendCSV(dst, &fields[i].Type, row[i])
		}
		return append(dst, '\n'), nil
	}, nil
}

// jsonStyle reads the options of a json format, whose keys begin with its name.
// textKeys checks that the maps of a type have keys that JSON can have.
func textKeys(t value.Type) error {
	key := t.Key
	if t.Kind == value.KindMultiset {
		key = t.Elem
	}
	if (t.Kind == value.KindMap || t.Kind == value.KindMultiset) && !key.IsCharacter() {
		return flinkerr.New("java.lang.UnsupportedOperationException", "JSON format doesn't support non-string as key type of map. The type is: %s", t)
	}
	if t.Elem != nil {
		if err := textKeys(*t.Elem); err != nil {
			return err
		}
	}
	for _, f := range t.Fields {
		if err := textKeys(f.Type); err != nil {
			return err
		}
	}
	return nil
}

func jsonStyle(table *catalog.Table, format string) (*value.JSONStyle, error) {
	s := &value.JSONStyle{NullKey: "FAIL", NullKeyLiteral: "null"}
	switch v, _ := table.Option(format + ".timestamp-format.standard"); v {
	case "", "SQL":
	case "ISO-8601":
		s.ISO = true
	default:
		return nil, flinkerr.Validation("Unsupported value '%s' for timestamp-format.standard. Supported values are [SQL, ISO-8601].", v)
	}
	var err error
	if s.IgnoreNull, err = source.BoolOption(table, format+".encode.ignore-null-fields", false); err != nil {
		return nil, err
	}
	if s.PlainDecimal, err = source.BoolOption(table, format+".encode.decimal-as-plain-number", false); err != nil {
		return nil, err
	}
	if v, ok := table.Option(format + ".map-null-key.mode"); ok {
		s.NullKey = strings.ToUpper(v)
	}
	if v, ok := table.Option(format + ".map-null-key.literal"); ok {
		s.NullKeyLiteral = v
	}
	return s, nil
}

// newChangelogEncoder writes what the changelog formats make of a change: they know
// only inserts and deletes, so that an update is one of each.
func newChangelogEncoder(format string, style *value.JSONStyle, fields []value.Field) encoder {
	return func(dst []byte, kind changelog.RowKind, row value.Row) ([]byte, error) {
		adds := kind.Adds()
		var err error
		object := func() {
			if err == nil {
				dst, err = style.AppendObject(dst, fields, row)
			}
		}
		text := func(s string) { dst = append(dst, s...) }
		switch format {
		case "canal-json":
			text(`{"data":[`)
			object()
			text(pick(adds, `],"type":"INSERT"}`, `],"type":"DELETE"}`))
		case "maxwell-json":
			text(`{"data":`)
			object()
			text(pick(adds, `,"type":"insert"}`, `,"type":"delete"}`))
		default:
			op := pick(format == "ogg-json", `"op_type":`, `"op":`)
			if adds {
				text(`{"before":null,"after":`)
				object()
				text("," + op + pick(format == "ogg-json", `"I"}`, `"c"}`))
			} else {
				text(`{"before":`)
				object()
				text(`,"after":null,` + op + pick(format == "ogg-json", `"D"}`, `"d"}`))
			}
		}
		return line(dst, err)
	}
}

func pick(c bool, a, b string) string {
	if c {
		return a
	}
	return b
}
