package source

import (
	"io"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// csvReader reads one file. It follows the tokeniser that Flink uses (Jackson's
// csv module), including what that does after an error.
type csvReader struct {
	f  *csvFormat
	p  *projection
	in *textInput
	sc csvScanner
	// outputs are the read columns with their converters, in the order of the projection.
	outputs []csvOutput
	arity   int
	// recordLine is the first line of the last record.
	recordLine int
	done       bool
}

type csvOutput struct {
	place, field int
	convert      csvConverter
}

func openCSV(f *csvFormat, p *projection, d dataFile, fsys FS) (rowReader, error) {
	if len(p.fields) == 0 {
		return nil, unsupported.New("a csv table without a column in its lines")
	}
	for _, c := range []rune{f.delimiter, f.quote, f.escape} {
		if c >= 0x80 {
			return nil, unsupported.New("the csv control character '%c', which is not ASCII", c)
		}
	}
	r := &csvReader{f: f, p: p}
	for i, c := range p.columns {
		if c.field < 0 {
			continue
		}
		conv, err := newCSVConverter(f, c.column.Type)
		if err != nil {
			return nil, err
		}
		r.outputs = append(r.outputs, csvOutput{place: i, field: c.field, convert: conv})
		r.arity++
	}
	in, err := openText(d, fsys)
	if err != nil {
		return nil, err
	}
	r.in = in
	r.sc = newCSVScanner(f, len(p.fields), in)
	return r, nil
}

func (r *csvReader) line() int    { return r.recordLine }
func (r *csvReader) close() error { return r.in.Close() }

// next reads a record and converts the wanted fields.
func (r *csvReader) next(row value.Row) (changelog.RowKind, bool, error) {
	for !r.done {
		if err := r.sc.skipComments(); err != nil {
			return 0, false, err
		}
		r.recordLine = r.sc.line
		n, err := r.sc.record()
		if err == io.EOF {
			r.done = true
			break
		}
		if err == nil {
			err = r.convert(row, n)
			if err == nil {
				return changelog.Insert, true, nil
			}
			if r.f.ignoreErrors && !unsupported.Is(err) {
				continue
			}
			return 0, false, err
		}
		if !r.f.ignoreErrors || r.sc.fatal {
			return 0, false, err
		}
		// The rest of the line is read as further fields; a second error there is not caught.
		if err := r.sc.skipRecord(); err != nil {
			return 0, false, err
		}
	}
	return 0, false, nil
}

// convert fills row from the n fields of the record.
func (r *csvReader) convert(row value.Row, n int) error {
	if r.arity > n && !r.f.ignoreErrors {
		return flinkerr.Runtime("java.lang.RuntimeException", "Row length mismatch. %d fields expected but was %d.", r.arity, n)
	}
	for i := range r.outputs {
		o := &r.outputs[i]
		if o.field >= n {
			row[o.place] = value.Null
			continue
		}
		v, err := o.convert(r.sc.fields[o.field])
		if err != nil {
			if !r.f.ignoreErrors || unsupported.Is(err) {
				return runtimeError(err)
			}
			v = value.Null
		}
		row[o.place] = v
	}
	return nil
}
