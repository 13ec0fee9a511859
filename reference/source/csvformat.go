package source

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/value"
)

// csvFormat holds the csv.* options of a table that matter for reading. Characters are
// code points; -1 means none.
type csvFormat struct {
	delimiter, quote, escape rune
	arrayDelimiter           string
	nullLiteral              string
	hasNullLiteral           bool
	comments                 bool
	ignoreErrors             bool
	trimSpaces               bool
	ignoreTrailing           bool
	allowTrailingComma       bool
	failOnMissing            bool
	emptyAsNull              bool
}

// newCSVFormat reads the options. Its errors are those that Flink reports when the
// table is first used.
func newCSVFormat(table *catalog.Table) (*csvFormat, error) {
	f := &csvFormat{delimiter: ',', quote: '"', escape: -1, arrayDelimiter: ";"}
	bools := []struct {
		key  string
		dst  *bool
		init bool
	}{
		{"csv.allow-comments", &f.comments, false},
		{"csv.ignore-parse-errors", &f.ignoreErrors, false},
		{"csv.trim-spaces", &f.trimSpaces, false},
		{"csv.ignore-trailing-unmappable", &f.ignoreTrailing, false},
		{"csv.allow-trailing-comma", &f.allowTrailingComma, true},
		{"csv.fail-on-missing-columns", &f.failOnMissing, false},
		{"csv.empty-string-as-null", &f.emptyAsNull, false},
	}
	var noQuote bool
	bools = append(bools, struct {
		key  string
		dst  *bool
		init bool
	}{"csv.disable-quote-character", &noQuote, false})
	for _, b := range bools {
		v, err := BoolOption(table, b.key, b.init)
		if err != nil {
			return nil, err
		}
		*b.dst = v
	}
	if _, ok := table.Option("csv.quote-character"); ok && noQuote {
		return nil, flinkerr.Validation("Format cannot define a quote character and disabled quote character at the same time.")
	}
	for _, c := range []struct {
		key      string
		dst      *rune
		unescape bool
	}{
		{"csv.field-delimiter", &f.delimiter, true},
		{"csv.array-element-delimiter", nil, false},
		{"csv.quote-character", &f.quote, false},
		{"csv.escape-character", &f.escape, false},
	} {
		s, ok := table.Option(c.key)
		if !ok {
			continue
		}
		text := s
		if c.unescape {
			text = UnescapeJava(s)
		}
		r, n := utf8.DecodeRuneInString(text)
		if n == 0 || n != len(text) || r > 0xffff {
			return nil, flinkerr.Validation("Option '%s' must be a string with single character, but was: %s", c.key, s)
		}
		if c.dst == nil {
			f.arrayDelimiter = text
		} else {
			*c.dst = r
		}
	}
	if noQuote {
		f.quote = -1
	}
	f.nullLiteral, f.hasNullLiteral = table.Option("csv.null-literal")
	return f, nil
}

// CheckCSVTypes refuses tables that the csv format cannot read, whether a column is read or
// not. Flink finds it when it translates a finished plan.
func CheckCSVTypes(table *catalog.Table) error {
	for _, c := range table.Columns {
		if c.Kind == catalog.Physical {
			if err := checkCSVType(c.Name, c.Type); err != nil {
				return err
			}
		}
	}
	return nil
}

// CheckCSV checks the csv.* options of a table, as Flink does when the table is first used as
// a source or a sink.
func CheckCSV(table *catalog.Table) error {
	_, err := newCSVFormat(table)
	return err
}

// checkCSVType refuses the types that csv files cannot hold.
func checkCSVType(name string, t value.Type) error {
	simple := func(t value.Type) bool {
		return t.IsNumeric() || t.IsCharacter() || t.IsBinary() || t.IsDatetime() || t.Kind == value.KindBoolean || t.Kind == value.KindNull
	}
	nested := func(e value.Type) error {
		if simple(e) {
			return nil
		}
		return flinkerr.New("java.lang.IllegalArgumentException", "Only simple types are supported in the second level nesting of fields '%s' but was: %s", name, e)
	}
	switch {
	case simple(t):
		return nil
	case t.Kind == value.KindArray:
		return nested(*t.Elem)
	case t.Kind == value.KindRow:
		for _, f := range t.Fields {
			if err := nested(f.Type); err != nil {
				return err
			}
		}
		return nil
	}
	return flinkerr.New("java.lang.IllegalArgumentException", "Unsupported type '%s' for field '%s'.", t, name)
}

// BoolOption reads a boolean option of a table.
func BoolOption(table *catalog.Table, key string, init bool) (bool, error) {
	s, ok := table.Option(key)
	if !ok {
		return init, nil
	}
	switch strings.ToUpper(s) {
	case "TRUE":
		return true, nil
	case "FALSE":
		return false, nil
	}
	return false, flinkerr.New("java.lang.IllegalArgumentException", "Unrecognized option for boolean: %s. Expected either true or false(case insensitive)", s)
}

// UnescapeJava undoes Java's escapes, as the field delimiter is written: \t, \\, \u0001, \001.
func UnescapeJava(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 't':
			b.WriteByte('\t')
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 'b':
			b.WriteByte('\b')
		case 'f':
			b.WriteByte('\f')
		case 'u':
			j := i + 1
			for j < len(s) && s[j] == 'u' {
				j++
			}
			if n, err := strconv.ParseUint(s[j:min(j+4, len(s))], 16, 16); err == nil && j+4 <= len(s) {
				b.WriteRune(rune(n))
				i = j + 3
				continue
			}
			b.WriteString(`\u`)
		case '0', '1', '2', '3', '4', '5', '6', '7':
			j := i + 1
			for j < len(s) && j < i+3 && s[j] >= '0' && s[j] <= '7' && (j < i+2 || c <= '3') {
				j++
			}
			n, _ := strconv.ParseUint(s[i:j], 8, 16)
			b.WriteRune(rune(n))
			i = j - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
