package authoring

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/labgrade/labgrade/labs"
)

// Inferred is a source file with the table that it probably is.
type Inferred struct {
	Table labs.Table
	// Data is the file without its header line, which Flink's CSV format does not know.
	Data []byte
	// Notes say what was guessed or changed.
	Notes []string
}

// Infer guesses names and types of a CSV file's columns. columns, when not nil, are the
// names; header is "yes", "no" or "auto".
func Infer(name string, data []byte, columns []string, header string) (*Inferred, error) {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	out := &Inferred{Data: data}
	out.Table.File = base
	out.Table.Name = sqlName(strings.TrimSuffix(base, path.Ext(base)))
	delimiter := delimiterOf(data)
	rows, err := readRows(data, delimiter)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s is empty", name)
	}
	options := map[string]string{}
	if delimiter != ',' {
		options["csv.field-delimiter"] = string(delimiter)
		if delimiter == '\t' {
			options["csv.field-delimiter"] = `\t`
		}
		out.Notes = append(out.Notes, fmt.Sprintf("the fields are separated by %q", delimiter))
	}
	width := len(rows[0])
	if header == "yes" || header != "no" && (columns == nil && isHeader(rows) || slices.EqualFunc(columns, rows[0], strings.EqualFold)) {
		if columns == nil {
			columns = rows[0]
		}
		end := bytes.IndexByte(data, '\n')
		out.Data = data[end+1:]
		rows = rows[1:]
		out.Notes = append(out.Notes, "the first line was taken for a header and left out of the data: Flink's CSV format has none")
	}
	if columns == nil {
		out.Notes = append(out.Notes, "the columns have no names: say them with --columns, or in lab.yaml")
		for i := range width {
			columns = append(columns, fmt.Sprintf("c%d", i+1))
		}
	}
	if len(columns) != width {
		return nil, fmt.Errorf("%s has %d columns, but %d names were given", name, width, len(columns))
	}
	for i, c := range columns {
		t, empty := columnType(rows, i)
		if empty && t != "STRING" {
			options["csv.null-literal"] = ""
		}
		n := sqlName(c)
		out.Table.Columns = append(out.Table.Columns, quoted(n)+" "+t)
	}
	if _, ok := options["csv.null-literal"]; ok {
		out.Notes = append(out.Notes, "empty fields are read as NULL ('csv.null-literal' = '')")
	}
	if len(options) > 0 {
		out.Table.Options = options
	}
	return out, nil
}

// delimiterOf is the most frequent of the usual separators in the first line.
func delimiterOf(data []byte) rune {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	best, n := ',', bytes.Count(line, []byte(","))
	for _, d := range ";\t|" {
		if k := bytes.Count(line, []byte(string(d))); k > n {
			best, n = d, k
		}
	}
	return best
}

// maxInferred is how many rows are looked at.
const maxInferred = 10_000

func readRows(data []byte, delimiter rune) ([][]string, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.Comma = delimiter
	var out [][]string
	for len(out) < maxInferred {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		out = append(out, row)
	}
	return out, nil
}

var nameText = regexp.MustCompile(`^[\pL_][\pL\pN_ .-]*$`)

// isHeader: the first line has only names, and a column below is no text.
func isHeader(rows [][]string) bool {
	if len(rows) < 2 {
		return false
	}
	seen := map[string]bool{}
	for _, f := range rows[0] {
		if !nameText.MatchString(f) || seen[f] {
			return false
		}
		seen[f] = true
	}
	for i := range rows[0] {
		if t, _ := columnType(rows[1:], i); t != "STRING" {
			return true
		}
	}
	return false
}

// sqlName makes a name of a text: letters, digits and underscores.
func sqlName(s string) string {
	var b strings.Builder
	for _, r := range strings.TrimSpace(s) {
		switch {
		case unicode.IsLetter(r) || r == '_' || unicode.IsDigit(r) && b.Len() > 0:
			b.WriteRune(r)
		case b.Len() > 0:
			b.WriteByte('_')
		}
	}
	if b.Len() == 0 {
		return "t"
	}
	return strings.TrimRight(b.String(), "_")
}

var decimalText = regexp.MustCompile(`^-?\d+\.(\d+)$`)

// columnType is the narrowest type that holds every field; empty tells that some fields
// are empty.
func columnType(rows [][]string, i int) (t string, empty bool) {
	known := 0
	isInt, isBig, isBool, isDate, isTime, isStamp := true, true, true, true, true, true
	isDecimal, scale, whole := true, 0, 0
	for _, r := range rows {
		if i >= len(r) || r[i] == "" {
			empty = true
			continue
		}
		f := r[i]
		known++
		n, err := strconv.ParseInt(f, 10, 64)
		leadingZero := len(f) > 1 && f[0] == '0'
		isBig = isBig && err == nil && !leadingZero
		isInt = isInt && isBig && n >= math.MinInt32 && n <= math.MaxInt32
		isBool = isBool && (strings.EqualFold(f, "true") || strings.EqualFold(f, "false"))
		d := decimalText.FindStringSubmatch(f)
		isDecimal = isDecimal && (d != nil || err == nil && !leadingZero)
		if d != nil {
			scale = max(scale, len(d[1]))
		}
		digits, _, _ := strings.Cut(strings.TrimPrefix(f, "-"), ".")
		whole = max(whole, len(digits))
		isDate = isDate && parses(f, "2006-01-02")
		isTime = isTime && parses(f, "15:04:05")
		isStamp = isStamp && parses(f, "2006-01-02 15:04:05")
	}
	switch {
	case known == 0:
		return "STRING", empty
	case isInt:
		return "INT", empty
	case isBig:
		return "BIGINT", empty
	case isDecimal && whole+scale+2 <= 38:
		return fmt.Sprintf("DECIMAL(%d, %d)", max(10, whole+scale+2), scale), empty
	case isBool:
		return "BOOLEAN", empty
	case isDate:
		return "DATE", empty
	case isTime:
		return "TIME", empty
	case isStamp:
		return "TIMESTAMP(3)", empty
	}
	return "STRING", empty
}

// parses also takes fractions of seconds, which the layout need not show.
func parses(s, layout string) bool {
	_, err := time.Parse(layout, s)
	return err == nil
}
