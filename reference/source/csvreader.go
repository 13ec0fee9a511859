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
	// keep makes strings that outlive the next row.
	keep bool
	// recordLine is the first line of the last record.
	recordLine int
	done       bool
}

// csvOutput is a read column. Texts and integers, which are most of most files, are converted
// in place where nothing can be NULL.
type csvOutput struct {
	place, field int
	text         bool
	integer      bool
	lo, hi       int64
	convert      csvConverter
}

func openCSV(f *csvFormat, p *projection, d dataFile, fsys FS) (*csvReader, error) {
	r, err := newCSVReader(f, p)
	if err != nil {
		return nil, err
	}
	in, err := openText(d, fsys)
	if err != nil {
		return nil, err
	}
	r.read(in)
	return r, nil
}

// newCSVReader makes a reader without its input.
func newCSVReader(f *csvFormat, p *projection) (*csvReader, error) {
	if len(p.fields) == 0 {
		return nil, unsupported.New("a csv table without a column in its lines")
	}
	for _, c := range []rune{f.delimiter, f.quote, f.escape} {
		if c >= 0x80 {
			return nil, unsupported.New("the csv control character '%c', which is not ASCII", c)
		}
	}
	r := &csvReader{f: f, p: p, keep: true}
	plain := !f.hasNullLiteral && !f.emptyAsNull
	for i, c := range p.columns {
		if c.field < 0 {
			continue
		}
		t := c.column.Type
		conv, err := newCSVConverter(f, t)
		if err != nil {
			return nil, err
		}
		o := csvOutput{place: i, field: c.field, convert: conv, text: plain && t.IsCharacter(), integer: t.IsInteger() && !digitsOnly(f)}
		if o.integer {
			o.lo, o.hi = integerRange(t.Kind)
		}
		r.outputs = append(r.outputs, o)
	}
	return r, nil
}

// digitsOnly tells that the null literal could be taken for a number.
func digitsOnly(f *csvFormat) bool {
	_, ok := plainNumber([]byte(f.nullLiteral))
	return f.hasNullLiteral && ok
}

// read begins with a file.
func (r *csvReader) read(in *textInput) {
	r.in, r.done, r.recordLine = in, false, 0
	r.sc = newCSVScanner(r.f, len(r.p.fields), in)
	for _, o := range r.outputs {
		r.sc.last = max(r.sc.last, o.field)
	}
}

func (r *csvReader) line() int    { return r.recordLine }
func (r *csvReader) close() error { return r.in.Close() }

// next reads a record and converts the wanted fields.
func (r *csvReader) next(row value.Row) (changelog.RowKind, bool, error) {
	for !r.done {
		if r.f.comments {
			if err := r.sc.skipComments(); err != nil {
				return 0, false, err
			}
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
	if len(r.outputs) > n && !r.f.ignoreErrors {
		return flinkerr.Runtime("java.lang.RuntimeException", "Row length mismatch. %d fields expected but was %d.", len(r.outputs), n)
	}
	for i := range r.outputs {
		o := &r.outputs[i]
		if o.field >= n {
			row[o.place] = value.Null
			continue
		}
		b := r.sc.fields[o.field]
		switch {
		case o.text && !r.keep:
			row[o.place] = value.String(borrow(b))
			continue
		case o.integer:
			if x, ok := plainNumber(b); ok && x >= o.lo && x <= o.hi {
				row[o.place] = value.Int(x)
				continue
			}
		}
		v, err := o.convert(b)
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
