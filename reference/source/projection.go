package source

import (
	"path"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// defaultPartition is the folder value of a NULL or empty partition column.
const defaultPartition = "__DEFAULT_PARTITION__"

// projection says where the values of the read columns come from.
type projection struct {
	columns []readColumn
	// fields are the columns that a line holds: the physical ones without those of
	// PARTITIONED BY.
	fields []catalog.Column
	// fixed tells that some columns come from the file rather than from its lines.
	fixed bool
	// defaultName is the partition name that stands for NULL.
	defaultName string
}

type readColumn struct {
	column catalog.Column
	// field is the index in fields, or -1.
	field int
	// partition is the name of a partition column, metadata a metadata key.
	partition, metadata string
}

func newProjection(table *catalog.Table, columns []int) (*projection, error) {
	p := &projection{defaultName: defaultPartition}
	if s, ok := table.Option("partition.default-name"); ok {
		p.defaultName = s
	}
	partitioned := map[string]bool{}
	for _, n := range table.PartitionedBy {
		partitioned[n] = true
	}
	index := map[int]int{}
	for i, c := range table.Columns {
		if c.Kind == catalog.Physical && !partitioned[c.Name] {
			index[i] = len(p.fields)
			p.fields = append(p.fields, c)
		}
	}
	for _, i := range columns {
		c := table.Columns[i]
		rc := readColumn{column: c, field: -1}
		switch {
		case c.Kind == catalog.Computed:
			return nil, unsupported.New("reading the computed column %s from a file", c.Name)
		case c.Kind == catalog.Metadata:
			rc.metadata = c.MetadataKey
			if rc.metadata == "" {
				rc.metadata = c.Name
			}
			p.fixed = true
		case partitioned[c.Name]:
			rc.partition = c.Name
			p.fixed = true
		default:
			rc.field = index[i]
		}
		p.columns = append(p.columns, rc)
	}
	return p, nil
}

// fixedValues are the values that every row of a file shares.
func (p *projection) fixedValues(f dataFile) (value.Row, error) {
	if !p.fixed {
		return nil, nil
	}
	row := make(value.Row, len(p.columns))
	for i, c := range p.columns {
		switch {
		case c.metadata != "":
			v, err := metadataValue(c.metadata, f)
			if err != nil {
				return nil, err
			}
			row[i] = v
		case c.partition != "":
			text, ok := f.spec[c.partition]
			if !ok {
				return nil, flinkerr.Runtime("java.lang.RuntimeException", "Cannot find the partition value from path for partition: %s", c.partition)
			}
			if text == p.defaultName {
				// Flink 2.3 fails while it lists such a folder: "Path should not be null or empty: null"
				return nil, unsupported.New("reading the folder of the partition %s=%s, which stands for NULL", c.partition, text)
			}
			v, err := partitionValue(c.column.Type, text)
			if err != nil {
				return nil, err
			}
			row[i] = v
		}
	}
	return row, nil
}

// fill sets the columns that come from the file.
func (p *projection) fill(row, fixed value.Row) {
	if fixed == nil {
		return
	}
	for i := range p.columns {
		if p.columns[i].field < 0 {
			row[i] = fixed[i]
		}
	}
}

func metadataValue(key string, f dataFile) (value.Value, error) {
	switch key {
	case "file.path":
		return value.String(f.path), nil
	case "file.name":
		return value.String(path.Base(f.path)), nil
	case "file.size":
		return value.Int(f.info.Size), nil
	case "file.modification-time":
		return value.Timestamp(f.info.ModTime.UnixMilli(), 0), nil
	}
	return value.Null, unsupported.New("the metadata column '%s' of files", key)
}

// partitionValue reads a partition column from its folder name, as CAST reads text.
func partitionValue(t value.Type, text string) (value.Value, error) {
	c, err := value.Caster(value.TString, t, value.CastOptions{})
	if err != nil {
		return value.Null, unsupported.New("a partition column of type %s", t)
	}
	v, err := c(value.String(text))
	if err != nil {
		return value.Null, runtimeError(err)
	}
	return v, nil
}

// runtimeError turns a failed conversion into the failure of the job.
func runtimeError(err error) error {
	if e, ok := err.(*value.CastError); ok {
		return &flinkerr.Error{Class: e.Class, Message: e.Message, AtRuntime: true}
	}
	return err
}
