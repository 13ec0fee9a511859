package source

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
	"sync"
	"unicode/utf8"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/value"
)

// ErrIrregular says that a block holds something that only the general reader knows how
// to read: a quote, a carriage return, an empty line, another number of fields, a value
// that does not convert. The caller begins anew with Open.
var ErrIrregular = errors.New("the file is not plain csv")

// Blocks cuts a plain csv file into blocks of whole lines, so that several decoders can
// work at the same time. It is safe for concurrent use.
type Blocks struct {
	mu      sync.Mutex
	in      io.ReadCloser
	rest    []byte // the begin of the next block, read already
	index   int
	line    int
	eof     bool
	size    int
	format  *csvFormat
	columns []blockColumn
	fields  int
	width   int
}

// Block is some lines of the file. Index counts blocks from 0, Line is the number of
// the first line, from 1.
type Block struct {
	Index, Line int
	Data        []byte
}

type blockColumn struct {
	field, place int
	kind         value.Kind
	typ          value.Type
}

const (
	blockSize = 1 << 20
	// smaller files are not worth several decoders.
	minBlocksSize = 4 << 20
)

// OpenBlocks is Open for a table that is one large csv file without options that change how
// lines are cut. It returns nil for any other table.
func OpenBlocks(table *catalog.Table, columns []int, limit int64, fsys FS, opt Options) (*Blocks, error) {
	if format, _ := table.Option("format"); format != "csv" || limit >= 0 {
		return nil, nil
	}
	f, err := newCSVFormat(table)
	if err != nil {
		return nil, err
	}
	if f.comments || f.ignoreErrors || f.trimSpaces || f.ignoreTrailing || f.escape >= 0 || f.delimiter >= utf8.RuneSelf || f.delimiter == '\n' || f.quote >= utf8.RuneSelf {
		return nil, nil
	}
	files, err := listFiles(table, fsys, opt)
	if err != nil || len(files) != 1 || files[0].info.Size < cmp.Or(opt.MinBlocksSize, minBlocksSize) || packed(files[0].info.Name) {
		return nil, err
	}
	p, err := newProjection(table, columns)
	if err != nil || p.fixed {
		return nil, err
	}
	b := &Blocks{size: cmp.Or(opt.BlockSize, blockSize), line: 1, format: f, fields: len(p.fields), width: len(columns)}
	for i, c := range p.columns {
		if _, err := newCSVConverter(f, c.column.Type); err != nil {
			return nil, err
		}
		b.columns = append(b.columns, blockColumn{field: c.field, place: i, kind: c.column.Type.Kind, typ: c.column.Type})
	}
	// In the order of the fields, so that a line is walked once.
	slices.SortFunc(b.columns, func(x, y blockColumn) int { return cmp.Compare(x.field, y.field) })
	if b.in, err = fsys.Open(files[0].path); err != nil {
		return nil, err
	}
	return b, nil
}

// packed reports whether the name's extension makes Flink unpack the file.
func packed(name string) bool {
	for _, x := range []string{".gz", ".gzip", ".deflate", ".bz2", ".xz", ".zst"} {
		if len(name) > len(x) && bytes.EqualFold([]byte(name[len(name)-len(x):]), []byte(x)) {
			return true
		}
	}
	return false
}

// Next reads the next block into buf, which it may replace by a larger one; io.EOF ends
// the file.
func (b *Blocks) Next(buf []byte) (Block, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.eof && len(b.rest) == 0 {
		return Block{}, io.EOF
	}
	if cap(buf) < b.size+len(b.rest) {
		buf = make([]byte, b.size+len(b.rest))
	}
	buf = buf[:cap(buf)]
	n := copy(buf, b.rest)
	b.rest = b.rest[:0]
	for !b.eof {
		m, err := io.ReadFull(b.in, buf[n:])
		n += m
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			b.eof = true
			break
		}
		if err != nil {
			return Block{}, err
		}
		if i := bytes.LastIndexByte(buf[:n], '\n'); i >= 0 {
			b.rest = append(b.rest, buf[i+1:n]...)
			n = i + 1
			break
		}
		if len(buf) > maxFieldChars {
			return Block{}, ErrIrregular
		}
		// A line longer than the block.
		buf = append(buf, make([]byte, len(buf))...)
	}
	if n == 0 {
		return Block{}, io.EOF
	}
	out := Block{Index: b.index, Line: b.line, Data: buf[:n]}
	b.index++
	b.line += bytes.Count(out.Data, []byte{'\n'})
	if out.Index == 0 && n >= 3 && out.Data[0] == 0xEF {
		return Block{}, ErrIrregular // a byte order mark
	}
	return out, nil
}

// Close closes the file.
func (b *Blocks) Close() error { return b.in.Close() }

// Decoder reads the rows of blocks. It is for one goroutine.
type Decoder struct {
	b          *Blocks
	converters []csvConverter
}

// Decoder makes a decoder.
func (b *Blocks) Decoder() *Decoder {
	d := &Decoder{b: b}
	for _, c := range b.columns {
		conv, err := newCSVConverter(b.format, c.typ)
		if err != nil { // OpenBlocks made one already
			conv = func([]byte) (value.Value, error) { return value.Null, ErrIrregular }
		}
		d.converters = append(d.converters, conv)
	}
	return d
}

// Decode fills row for each line of a block and calls each with the number of the line within the
// block, from 0. Texts in row are borrowed from the block. It returns ErrIrregular before
// or after some rows, or the error of each.
func (d *Decoder) Decode(data []byte, row value.Row, each func(line int) error) error {
	if !d.plain(data) {
		return ErrIrregular
	}
	delimiter := byte(d.b.format.delimiter)
	for n := 0; len(data) > 0; n++ {
		line := data
		if i := bytes.IndexByte(data, '\n'); i >= 0 {
			line, data = data[:i], data[i+1:]
		} else {
			data = nil
		}
		if len(line) == 0 {
			return ErrIrregular
		}
		next := 0 // the next wanted column
		last := d.b.fields - 1
		for f := 0; f <= last; f++ {
			field := line
			i := bytes.IndexByte(line, delimiter)
			switch {
			case f < last && i >= 0:
				field, line = line[:i], line[i+1:]
			case f < last || i >= 0:
				return ErrIrregular
			}
			for next < len(d.b.columns) && d.b.columns[next].field == f {
				if err := d.convert(next, field, row); err != nil {
					return err
				}
				next++
			}
		}
		if err := each(n); err != nil {
			return err
		}
	}
	return nil
}

// plain reports whether a block can be cut at delimiters and line ends alone.
func (d *Decoder) plain(data []byte) bool {
	q := d.b.format.quote
	return (q < 0 || bytes.IndexByte(data, byte(q)) < 0) && bytes.IndexByte(data, '\r') < 0 && utf8.Valid(data)
}

// convert reads a field into its place. Texts and plain integers, the frequent ones, need
// no converter.
func (d *Decoder) convert(k int, field []byte, row value.Row) error {
	c := &d.b.columns[k]
	f := d.b.format
	switch c.kind {
	case value.KindChar, value.KindVarchar:
		if !(f.hasNullLiteral && string(field) == f.nullLiteral) && !(f.emptyAsNull && len(field) == 0) && c.typ.Nullable {
			row[c.place] = value.String(borrow(field))
			return nil
		}
	case value.KindInt, value.KindBigInt:
		if n, ok := plainInteger(field, c.kind); ok && !f.hasNullLiteral {
			row[c.place] = value.Int(n)
			return nil
		}
	}
	v, err := d.converters[k](field)
	if err != nil {
		return ErrIrregular
	}
	row[c.place] = v
	return nil
}

// plainInteger reads at most nine (INT) or eighteen (BIGINT) digits with a sign.
func plainInteger(b []byte, k value.Kind) (int64, bool) {
	most := 9
	if k == value.KindBigInt {
		most = 18
	}
	minus := false
	if len(b) > 0 && b[0] == '-' {
		minus, b = true, b[1:]
	}
	if len(b) == 0 || len(b) > most {
		return 0, false
	}
	var n int64
	for _, c := range b {
		if c -= '0'; c > 9 {
			return 0, false
		}
		n = n*10 + int64(c)
	}
	if minus {
		n = -n
	}
	return n, true
}
