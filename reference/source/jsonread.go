package source

import (
	"bytes"
	"errors"
	"io"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// jsonFormat holds the options of the json formats that matter for reading; their keys begin
// with the name of the format.
type jsonFormat struct {
	name          string
	failOnMissing bool
	ignoreErrors  bool
	time          value.TimestampFormat
	// tree reads a whole line before it converts (json.decode.json-parser.enabled = false
	// and the changelog formats).
	tree bool
	// decimals: a tree keeps fractions exactly, as there is a DECIMAL among the columns.
	decimals bool
	// schemaInclude of debezium-json: the change is in the field payload.
	schemaInclude bool
}

func newJSONFormat(table *catalog.Table, name string) (*jsonFormat, error) {
	f := &jsonFormat{name: name, tree: name != "json"}
	parser := true
	for _, b := range []struct {
		key  string
		dst  *bool
		init bool
	}{
		{"fail-on-missing-field", &f.failOnMissing, false},
		{"ignore-parse-errors", &f.ignoreErrors, false},
		{"decode.json-parser.enabled", &parser, true},
		{"schema-include", &f.schemaInclude, false},
	} {
		v, err := BoolOption(table, name+"."+b.key, b.init)
		if err != nil {
			return nil, err
		}
		*b.dst = v
	}
	f.tree = f.tree || !parser
	if f.failOnMissing && f.ignoreErrors {
		return nil, flinkerr.Validation("fail-on-missing-field and ignore-parse-errors shouldn't both be true.")
	}
	switch v, _ := table.Option(name + ".timestamp-format.standard"); v {
	case "", "SQL":
	case "ISO-8601":
		f.time.ISO = true
	default:
		return nil, flinkerr.Validation("Unsupported value '%s' for timestamp-format.standard. Supported values are [SQL, ISO-8601].", v)
	}
	for _, k := range []string{"database.include", "table.include"} {
		if _, ok := table.Option(name + "." + k); ok {
			return nil, unsupported.New("the option %s.%s", name, k)
		}
	}
	return f, nil
}

// jsonReader reads one file, a JSON text a line.
type jsonReader struct {
	f       *jsonFormat
	in      *textInput
	lineNo  int
	places  []int // where the physical columns of a row go
	from    []int // and where they stand among the fields of a line
	convert lineConverter
	queue   []jsonRow
}

type jsonRow struct {
	kind   changelog.RowKind
	fields []value.Value
}

// lineConverter makes the rows of a line; the rows hold nothing of it.
type lineConverter func(line []byte, out []jsonRow) ([]jsonRow, error)

func openJSON(f *jsonFormat, p *projection, d dataFile, fsys FS) (rowReader, error) {
	var fields []value.Field
	r := &jsonReader{f: f}
	for i, c := range p.columns {
		if c.field < 0 {
			continue
		}
		from := len(fields)
		if f.name == "ogg-json" {
			// This format always reads all columns.
			from = c.field
		} else {
			fields = append(fields, value.Field{Name: c.column.Name, Type: c.column.Type})
		}
		r.places = append(r.places, i)
		r.from = append(r.from, from)
	}
	if f.name == "ogg-json" {
		for _, c := range p.fields {
			fields = append(fields, value.Field{Name: c.Name, Type: c.Type})
		}
	}
	var err error
	switch {
	case f.name != "json":
		r.convert, err = newChangelogConverter(f, fields)
	case f.tree:
		r.convert, err = newTreeConverter(f, fields)
	default:
		r.convert, err = newStreamConverter(f, fields)
	}
	if err != nil {
		return nil, err
	}
	r.in, err = openText(d, fsys)
	if err != nil {
		return nil, err
	}
	r.in.raw = true
	return r, nil
}

func (r *jsonReader) line() int    { return r.lineNo }
func (r *jsonReader) close() error { return r.in.Close() }

func (r *jsonReader) next(row value.Row) (changelog.RowKind, bool, error) {
	for len(r.queue) == 0 {
		line, err := r.readLine()
		if err == io.EOF {
			return 0, false, nil
		}
		if err != nil {
			return 0, false, err
		}
		r.queue, err = r.convert(line, r.queue)
		if err != nil {
			if r.f.ignoreErrors && !unsupported.Is(err) {
				continue
			}
			return 0, false, jobError(err)
		}
	}
	x := r.queue[0]
	r.queue = r.queue[1:]
	for i, p := range r.places {
		row[p] = x.fields[r.from[i]]
	}
	return x.kind, true, nil
}

// jobError is the root cause that the client shows.
func jobError(err error) error {
	var u *unknownText
	if errors.As(err, &u) {
		return unsupported.New("the error text for %s", u.reason)
	}
	return runtimeError(err)
}

// readLine returns the next line without its end; \r before \n, and at the end of
// the file, belongs to the end.
func (r *jsonReader) readLine() ([]byte, error) {
	seen := 0
	for {
		b := r.in.window()
		i := bytes.IndexByte(b[seen:], '\n')
		if i >= 0 {
			i += seen
			r.in.consume(i + 1)
			r.lineNo++
			return trimCR(b[:i]), nil
		}
		seen = len(b)
		if seen > maxFieldBytes {
			return nil, fieldTooLong()
		}
		ok, err := r.in.more()
		if err != nil {
			return nil, err
		}
		if !ok {
			b = r.in.window()
			if len(b) == 0 {
				return nil, io.EOF
			}
			r.in.consume(len(b))
			r.lineNo++
			return trimCR(b), nil
		}
	}
}

func trimCR(b []byte) []byte {
	if len(b) > 0 && b[len(b)-1] == '\r' {
		return b[:len(b)-1]
	}
	return b
}

const classFlinkJSON = "org.apache.flink.formats.json.JsonParseException"

func flinkJSONError(format string, a ...any) error {
	return flinkerr.Runtime(classFlinkJSON, format, a...)
}
