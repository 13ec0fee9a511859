// Package sink writes tables as Flink's connectors do: filesystem with csv, json and the
// changelog formats on json, print and blackhole. Files are made only through the FS that
// the caller gives.
package sink

import (
	"io"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// FS is what this package needs of a file system. Names are those of the table's path
// option without its scheme, with slashes.
type FS interface {
	// Create makes a file, and the folders above it.
	Create(path string) (io.WriteCloser, error)
	// MkdirAll makes a folder and those above it.
	MkdirAll(path string) error
	// RemoveAll removes a file or a folder with all in it.
	RemoveAll(path string) error
}

// Options of one INSERT into a table.
type Options struct {
	FS FS
	// Out takes the lines of a print sink.
	Out io.Writer
	// Batch is the runtime mode: it decides the names of files and when they appear.
	Batch bool
	// Overwrite is INSERT OVERWRITE.
	Overwrite bool
	// Partition is the static partition of INSERT ... PARTITION (k = 'v').
	Partition map[string]string
	// UUID names the files of this INSERT: 8-4-4-4-12 hexadecimal digits.
	UUID string
	// DropNulls is table.exec.sink.not-null-enforcer = DROP.
	DropNulls bool
}

// Sink takes the changes of a table in order.
type Sink interface {
	// Write writes a row; it is borrowed for the call. The columns are those that can be
	// written: physical ones and metadata that is not virtual, in table order.
	Write(kind changelog.RowKind, row value.Row) error
	// Close ends a job that succeeded; files appear now. Abort ends one that failed.
	Close() error
	Abort() error
}

// Columns are the columns that an INSERT writes.
func Columns(table *catalog.Table) []value.Field {
	var out []value.Field
	for _, c := range table.Columns {
		if c.Kind != catalog.Computed && !c.Virtual {
			out = append(out, value.Field{Name: c.Name, Type: c.Type})
		}
	}
	return out
}

// Open makes the sink of a table.
func Open(table *catalog.Table, opt Options) (Sink, error) {
	cols := Columns(table)
	var s Sink
	var err error
	switch connector, _ := table.Option("connector"); connector {
	case "print":
		s, err = newPrint(table, cols, opt)
	case "blackhole":
		s = blackhole{}
	case "filesystem":
		s, err = newFilesystem(table, cols, opt)
	default:
		err = unsupported.New("writing to the connector '%s'", connector)
	}
	if err != nil {
		return nil, err
	}
	return enforceNotNull(s, cols, opt.DropNulls), nil
}

// blackhole swallows everything.
type blackhole struct{}

func (blackhole) Write(changelog.RowKind, value.Row) error { return nil }
func (blackhole) Close() error                             { return nil }
func (blackhole) Abort() error                             { return nil }

// notNull guards the NOT NULL columns of a table.
type notNull struct {
	Sink
	check *NotNull
	drop  bool
}

func enforceNotNull(s Sink, cols []value.Field, drop bool) Sink {
	if c := NewNotNull(cols); c != nil {
		return &notNull{s, c, drop}
	}
	return s
}

func (n *notNull) Write(kind changelog.RowKind, row value.Row) error {
	if err := n.check.Check(row); err != nil {
		if n.drop {
			return nil
		}
		return err
	}
	return n.Sink.Write(kind, row)
}

const classEnforcer = "org.apache.flink.table.runtime.operators.sink.constraint.EnforcerException"

// NotNull checks that the NOT NULL columns of rows hold values. The results of queries are
// checked like the rows of tables.
type NotNull struct {
	cols []value.Field
	at   []int
}

// NewNotNull gives the check of columns, or nil if all may hold NULL.
func NewNotNull(cols []value.Field) *NotNull {
	n := &NotNull{cols: cols}
	for i, c := range cols {
		if !c.Type.Nullable {
			n.at = append(n.at, i)
		}
	}
	if n.at == nil {
		return nil
	}
	return n
}

// Check gives Flink's error if a NOT NULL column of row is NULL.
func (n *NotNull) Check(row value.Row) error {
	if n == nil {
		return nil
	}
	for _, i := range n.at {
		if row[i].IsNull() {
			return flinkerr.Runtime(classEnforcer, "Column '%s' is NOT NULL, however, a null value is being written into it. You can set job configuration 'table.exec.sink.not-null-enforcer'='DROP' to suppress this exception and drop such records silently.", n.cols[i].Name)
		}
	}
	return nil
}
