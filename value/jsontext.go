package value

import (
	"math"
	"unicode/utf16"
	"unicode/utf8"
)

// JSONStyle is how the json formats write.
type JSONStyle struct {
	// ISO joins date and time by T (json.timestamp-format.standard = ISO-8601).
	ISO bool
	// IgnoreNull leaves fields that are NULL out of objects.
	IgnoreNull bool
	// PlainDecimal writes decimals with all their digits and without an exponent.
	PlainDecimal bool
	// NullKey is what becomes of a NULL key of a MAP: "FAIL", "DROP" or "LITERAL".
	NullKey string
	// NullKeyLiteral is the key for LITERAL.
	NullKeyLiteral string
}

// AppendJSON appends a value. The error is a *CastError: a MAP with a NULL key.
func (s *JSONStyle) AppendJSON(dst []byte, t *Type, v Value) ([]byte, error) {
	if !v.set {
		return append(dst, "null"...), nil
	}
	switch t.Kind {
	case KindDecimal:
		if s.PlainDecimal {
			return AppendDecimal(dst, v.Dec(), t.Scale), nil
		}
	case KindFloat:
		return appendJSONNumber(dst, float64(v.Float()), func(d []byte) []byte { return AppendFloat(d, v.Float()) }), nil
	case KindDouble:
		return appendJSONNumber(dst, v.Double(), func(d []byte) []byte { return AppendDouble(d, v.Double()) }), nil
	case KindChar, KindVarchar:
		return appendJSONBytes(dst, v.s), nil
	case KindArray:
		dst = append(dst, '[')
		for i, e := range v.c.Elems {
			if i > 0 {
				dst = append(dst, ',')
			}
			var err error
			if dst, err = s.AppendJSON(dst, t.Elem, e); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case KindRow:
		return s.AppendObject(dst, t.Fields, v.c.Elems)
	case KindMap, KindMultiset:
		return s.appendMap(dst, t, v.c)
	}
	if !isFileText(t.Kind) {
		return appendFileText(dst, t, v, ' '), nil
	}
	sep := byte(' ')
	if s.ISO {
		sep = 'T'
	}
	dst = append(dst, '"')
	return append(appendFileText(dst, t, v, sep), '"'), nil
}

// AppendObject appends the fields of a row as an object.
func (s *JSONStyle) AppendObject(dst []byte, fields []Field, row []Value) ([]byte, error) {
	dst = append(dst, '{')
	first := true
	for i := range fields {
		if !row[i].set && s.IgnoreNull {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendJSONBytes(dst, fields[i].Name), ':')
		var err error
		if dst, err = s.AppendJSON(dst, &fields[i].Type, row[i]); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func (s *JSONStyle) appendMap(dst []byte, t *Type, c *Composite) ([]byte, error) {
	vt := t.Elem
	if t.Kind == KindMultiset {
		count := TInt
		vt = &count
	}
	dst = append(dst, '{')
	first := true
	for i, k := range c.Keys {
		key := k.s
		if !k.set {
			switch s.NullKey {
			case "DROP":
				continue
			case "LITERAL":
				key = s.NullKeyLiteral
			default:
				return dst, &CastError{"java.lang.RuntimeException", "JSON format doesn't support to serialize map data with null keys. You can drop null key entries or encode null in literals by specifying map-null-key.mode option."}
			}
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendJSONBytes(dst, key), ':')
		var err error
		if dst, err = s.AppendJSON(dst, vt, c.Elems[i]); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// appendJSONNumber quotes what JSON has no number for.
func appendJSONNumber(dst []byte, f float64, text func([]byte) []byte) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(text(append(dst, '"')), '"')
	}
	return text(dst)
}

// appendJSONBytes appends a quoted text as Jackson writes it to bytes: characters beyond
// U+FFFF become the escapes of their two UTF-16 units.
func appendJSONBytes(dst []byte, s string) []byte { return appendJSONText(dst, s, true) }

// AppendJSONString appends a quoted text as Jackson writes it to a string, which is what
// JSON functions and texts of nodes do: only quote, backslash and control characters are escaped.
func AppendJSONString(dst []byte, s string) []byte { return appendJSONText(dst, s, false) }

func appendJSONText(dst []byte, s string, escapePairs bool) []byte {
	const hex = "0123456789ABCDEF"
	dst = append(dst, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= 0xf0 && escapePairs {
			r, n := utf8.DecodeRuneInString(s[i:])
			dst = append(dst, s[from:i]...)
			i += n - 1
			from = i + 1
			hi, lo := utf16.EncodeRune(r)
			for _, u := range [2]rune{hi, lo} {
				dst = append(dst, '\\', 'u', hex[u>>12], hex[u>>8&15], hex[u>>4&15], hex[u&15])
			}
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[from:i]...)
		from = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(dst, s[from:]...), '"')
}
