// Package source reads the files of filesystem tables as Flink's filesystem connector
// does: csv, json and the changelog formats on json. It opens files only through the
// FS that its caller gives. A format that reads otherwise than Flink would is
// refused with an unsupported.Error; errors that Flink itself reports are
// flinkerr.Errors of a running job.
package source

import (
	"io/fs"
	"time"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// FS is what this package needs of a file system. Names are those of the table's path
// option without its scheme: absolute or relative, with slashes.
type FS interface {
	Open(name string) (fs.File, error)
	// ReadDir lists a folder; the order does not matter.
	ReadDir(name string) ([]fs.DirEntry, error)
}

// Info describes a file.
type Info struct {
	Name    string // the last part of the path
	Size    int64  // in bytes
	ModTime time.Time
}

// Options of a reader that do not come from the table.
type Options struct {
	// User is the name in the text about a missing file; "" means root.
	User string
	// Borrow lets strings share the buffer of the reader: they are valid until the next
	// call of Next only. It saves an allocation for texts that do not repeat.
	Borrow bool
	// BlockSize is the size of the blocks of OpenBlocks in bytes, MinBlocksSize that of the
	// smallest file that it cuts; 0 stands for 1 and 4 MiB.
	BlockSize     int
	MinBlocksSize int64
}

// Reader gives the rows of a table one after another.
type Reader interface {
	// Next fills row, which must have one place for each read column. Values stay valid
	// for good, unless Options.Borrow is set. ok is false at the end.
	Next(row value.Row) (kind changelog.RowKind, ok bool, err error)
	// Line is the number of the first line of the row that Next gave last, from 1.
	Line() int
	// File is the name of the file of that row.
	File() string
	Close() error
}

// Open begins to read the given columns of a table (indexes into table.Columns, in the
// order in which they are wanted; computed columns are not allowed). A limit of at
// least 0 ends the rows after that many.
func Open(table *catalog.Table, columns []int, limit int64, fsys FS, opt Options) (Reader, error) {
	files, err := listFiles(table, fsys, opt)
	if err != nil {
		return nil, err
	}
	p, err := newProjection(table, columns)
	if err != nil {
		return nil, err
	}
	var open func(dataFile) (rowReader, error)
	borrows := false
	switch format, _ := table.Option("format"); format {
	case "csv":
		f, err := newCSVFormat(table)
		if err != nil {
			return nil, err
		}
		open = func(d dataFile) (rowReader, error) { return openCSV(f, p, d, fsys) }
		borrows = opt.Borrow
	case "json", "debezium-json", "canal-json", "maxwell-json", "ogg-json":
		f, err := newJSONFormat(table, format)
		if err != nil {
			return nil, err
		}
		open = func(d dataFile) (rowReader, error) { return openJSON(f, p, d, fsys) }
	case "raw":
		convert, err := newRawConverter(table, p)
		if err != nil {
			return nil, err
		}
		open = func(d dataFile) (rowReader, error) { return openRaw(convert, p, d, fsys) }
	default:
		return nil, unsupported.New("reading the format '%s'", format)
	}
	r := &tableReader{open: open, files: files, projection: p, limit: limit, borrow: borrows}
	return r, nil
}

// rowReader reads one file.
type rowReader interface {
	// next fills the physical columns of row.
	next(row value.Row) (changelog.RowKind, bool, error)
	line() int
	close() error
}

// firstBatch is how many bytes Flink reads before it hands on the first rows: an
// error within them leaves no row, and LIMIT does not hide it.
const firstBatch = 131 * 8000

// tableReader reads file after file.
type tableReader struct {
	open       func(dataFile) (rowReader, error)
	files      []dataFile
	projection *projection
	limit      int64
	// borrow: csv readers may lend their buffer, once the first batch is read.
	borrow bool

	at      int // index of the next file
	current rowReader
	fixed   value.Row // partition and metadata columns of the current file
	// held are the rows of the first batch.
	held     []heldRow
	heldAt   int
	given    int64
	lineNo   int
	fileName string
}

type heldRow struct {
	kind changelog.RowKind
	row  value.Row
	line int
}

func (r *tableReader) Next(row value.Row) (changelog.RowKind, bool, error) {
	if r.limit >= 0 && r.given >= r.limit {
		return 0, false, nil
	}
	for {
		if r.heldAt < len(r.held) {
			h := &r.held[r.heldAt]
			r.heldAt++
			r.given++
			r.lineNo = h.line
			copy(row, h.row)
			return h.kind, true, nil
		}
		if r.current == nil {
			if r.at == len(r.files) {
				return 0, false, nil
			}
			if err := r.nextFile(); err != nil {
				return 0, false, err
			}
			continue
		}
		kind, ok, err := r.current.next(row)
		if err != nil {
			return 0, false, err
		}
		if ok {
			r.projection.fill(row, r.fixed)
			r.given++
			r.lineNo = r.current.line()
			return kind, true, nil
		}
		if err := r.current.close(); err != nil {
			return 0, false, err
		}
		r.current = nil
	}
}

// nextFile opens a file and reads its first batch.
func (r *tableReader) nextFile() error {
	f := r.files[r.at]
	r.at++
	cur, err := r.open(f)
	if err != nil {
		return err
	}
	r.current, r.fileName = cur, f.path
	if r.fixed, err = r.projection.fixedValues(f); err != nil {
		return err
	}
	r.held, r.heldAt = r.held[:0], 0
	n := len(r.projection.columns)
	var slab []value.Value
	small := f.info.Size <= firstBatch
	defer func() {
		if c, ok := cur.(*csvReader); ok && r.borrow {
			c.keep = false
		}
	}()
	for {
		if len(slab) < n {
			slab = make([]value.Value, max(n*64, 1))
		}
		row := slab[:n:n]
		kind, ok, err := cur.next(row)
		if err != nil {
			return err
		}
		if !ok {
			return nil
		}
		slab = slab[n:]
		r.projection.fill(row, r.fixed)
		r.held = append(r.held, heldRow{kind, row, cur.line()})
		if !small && len(r.held) >= 1024 {
			// A large file: rows of its first megabyte are not held back in full. Flink too
			// shows some of them, depending on the time.
			return nil
		}
	}
}

func (r *tableReader) Line() int    { return r.lineNo }
func (r *tableReader) File() string { return r.fileName }

func (r *tableReader) Close() error {
	if r.current != nil {
		err := r.current.close()
		r.current = nil
		r.files = nil
		return err
	}
	return nil
}
