package source

import (
	"encoding/binary"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// newRawConverter reads the format raw: every line is the one column, numbers as
// big-endian bytes.
func newRawConverter(table *catalog.Table, p *projection) (lineConverter, error) {
	for _, o := range table.Options {
		if strings.HasPrefix(o.Key, "raw.") {
			return nil, unsupported.New("the option %s", o.Key)
		}
	}
	if len(p.fields) != 1 {
		return nil, unsupported.New("the format raw with %d columns", len(p.fields))
	}
	c := p.fields[0]
	decode, err := rawDecoder(c.Type)
	if err != nil {
		return nil, err
	}
	return func(line []byte, out []jsonRow) ([]jsonRow, error) {
		v, err := decode(line)
		if err != nil {
			return out, err
		}
		return append(out, jsonRow{changelog.Insert, []value.Value{v}}), nil
	}, nil
}

func rawDecoder(t value.Type) (func([]byte) (value.Value, error), error) {
	sized := func(name string, n int, decode func(b []byte) value.Value) (func([]byte) (value.Value, error), error) {
		return func(b []byte) (value.Value, error) {
			if len(b) != n {
				return value.Null, flinkerr.Runtime("org.apache.flink.types.DeserializationException", "Size of data received for deserializing %s type is not %d.", name, n)
			}
			return decode(b), nil
		}, nil
	}
	switch t.Kind {
	case value.KindChar, value.KindVarchar:
		return func(b []byte) (value.Value, error) {
			if !utf8.Valid(b) {
				return value.Null, unsupported.New("text that is not UTF-8 in the format raw")
			}
			return value.String(string(b)), nil
		}, nil
	case value.KindBinary, value.KindVarbinary:
		return func(b []byte) (value.Value, error) { return value.Bytes(b), nil }, nil
	case value.KindBoolean:
		return sized("BOOLEAN", 1, func(b []byte) value.Value { return value.Bool(b[0] != 0) })
	case value.KindTinyInt:
		return sized("TINYINT", 1, func(b []byte) value.Value { return value.Int(int64(int8(b[0]))) })
	case value.KindSmallInt:
		return sized("SMALLINT", 2, func(b []byte) value.Value { return value.Int(int64(int16(binary.BigEndian.Uint16(b)))) })
	case value.KindInt:
		return sized("INT", 4, func(b []byte) value.Value { return value.Int(int64(int32(binary.BigEndian.Uint32(b)))) })
	case value.KindBigInt:
		return sized("BIGINT", 8, func(b []byte) value.Value { return value.Int(int64(binary.BigEndian.Uint64(b))) })
	case value.KindFloat:
		return sized("FLOAT", 4, func(b []byte) value.Value { return value.Float(math.Float32frombits(binary.BigEndian.Uint32(b))) })
	case value.KindDouble:
		return sized("DOUBLE", 8, func(b []byte) value.Value { return value.Double(math.Float64frombits(binary.BigEndian.Uint64(b))) })
	}
	return nil, unsupported.New("the format raw with a column of type %s", t)
}

func openRaw(convert lineConverter, p *projection, d dataFile, fsys FS) (rowReader, error) {
	r := &jsonReader{f: &jsonFormat{name: "raw"}, convert: convert}
	for i, c := range p.columns {
		if c.field >= 0 {
			r.places, r.from = append(r.places, i), append(r.from, 0)
		}
	}
	var err error
	if r.in, err = openText(d, fsys); err != nil {
		return nil, err
	}
	r.in.raw = true
	return r, nil
}
