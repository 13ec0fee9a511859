package sink

import (
	"errors"
	"fmt"
	"io"
	"path"
	"sort"
	"strings"
	"syscall"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/source"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// filesystem writes the files of a table. In streaming a file is
// part-<uuid>-0-<n>, in batch part-<uuid>-task-0-file-<n>; n counts the files of the
// INSERT over all its partitions, in the order in which they begin.
type filesystem struct {
	root   string
	opt    Options
	encode encoder
	// partitions are the indexes of the partition columns, fields those of the others.
	partitions, fields []int
	names              []string
	types              []value.Type
	defaultName        string
	success            string // name of the file that marks a finished partition, or ""

	open  map[string]*part
	order []*part
	row   value.Row
	dir   []byte
	// held are the rows of a batch INSERT into partitions, which Flink sorts by them.
	held []heldRow
}

type heldRow struct {
	kind changelog.RowKind
	row  value.Row
}

type part struct {
	dir string
	w   io.WriteCloser
	buf []byte
}

const flushAt = 1 << 16

func newFilesystem(table *catalog.Table, cols []value.Field, opt Options) (Sink, error) {
	if opt.Overwrite && !opt.Batch {
		return nil, flinkerr.New("java.lang.IllegalStateException", "Streaming mode not support overwrite.")
	}
	if n, ok := table.Option("sink.parallelism"); ok && n != "1" {
		return nil, unsupported.New("sink.parallelism %s: rows are spread over tasks", n)
	}
	root, err := source.TablePath(table)
	if err != nil {
		return nil, err
	}
	f := &filesystem{root: root, opt: opt, open: map[string]*part{}, defaultName: "__DEFAULT_PARTITION__"}
	if s, ok := table.Option("partition.default-name"); ok {
		f.defaultName = s
	}
	if compact, err := source.BoolOption(table, "auto-compaction", false); err != nil || compact {
		if err == nil {
			err = unsupported.New("auto-compaction of files")
		}
		return nil, err
	}
	if f.success, err = successFile(table); err != nil {
		return nil, err
	}
	var fields []value.Field
	for _, p := range table.PartitionedBy {
		for i, c := range cols {
			if c.Name == p {
				f.partitions = append(f.partitions, i)
				f.names = append(f.names, p)
				f.types = append(f.types, c.Type)
			}
		}
	}
	for i, c := range cols {
		partition := false
		for _, p := range f.partitions {
			partition = partition || p == i
		}
		if !partition {
			f.fields = append(f.fields, i)
			fields = append(fields, c)
		}
	}
	f.row = make(value.Row, len(f.fields))
	f.encode, err = newEncoder(table, fields)
	return f, err
}

// successFile is the name of the file that marks finished partitions.
func successFile(table *catalog.Table) (string, error) {
	kinds, ok := table.Option("sink.partition-commit.policy.kind")
	if !ok || len(table.PartitionedBy) == 0 {
		return "", nil
	}
	name := ""
	for _, k := range strings.Split(kinds, ",") {
		switch strings.ToLower(strings.TrimSpace(k)) {
		case "success-file":
			name = "_SUCCESS"
			if s, ok := table.Option("sink.partition-commit.success-file.name"); ok {
				name = s
			}
		case "metastore":
		default:
			return "", unsupported.New("the partition commit policy '%s'", k)
		}
	}
	return name, nil
}

func (f *filesystem) Write(kind changelog.RowKind, row value.Row) error {
	if f.opt.Batch && len(f.partitions) > 0 {
		f.held = append(f.held, heldRow{kind, append(value.Row(nil), row...)})
		return nil
	}
	return f.write(kind, row)
}

func (f *filesystem) write(kind changelog.RowKind, row value.Row) error {
	f.dir = f.appendPartitionPath(f.dir[:0], row)
	p := f.open[string(f.dir)]
	if p == nil {
		var err error
		if p, err = f.begin(); err != nil {
			return err
		}
	}
	for i, c := range f.fields {
		f.row[i] = row[c]
	}
	var err error
	if p.buf, err = f.encode(p.buf, kind, f.row); err != nil {
		return err
	}
	if len(p.buf) >= flushAt {
		return p.flush()
	}
	return nil
}

func (p *part) flush() error {
	_, err := p.w.Write(p.buf)
	p.buf = p.buf[:0]
	return err
}

// fileName is the name of the n-th file of the INSERT.
func (f *filesystem) fileName(n int) string {
	if f.opt.Batch {
		return fmt.Sprintf("part-%s-task-0-file-%d", f.opt.UUID, n)
	}
	return fmt.Sprintf("part-%s-0-%d", f.opt.UUID, n)
}

// begin opens the file of a partition.
func (f *filesystem) begin() (*part, error) {
	dir := string(f.dir)
	if f.opt.Overwrite && (len(f.order) == 0 || dir != "") {
		// What is replaced: the table, or the partitions that are written.
		if err := f.opt.FS.RemoveAll(path.Join(f.root, dir)); err != nil {
			return nil, err
		}
	}
	name := f.fileName(len(f.order))
	w, err := f.opt.FS.Create(path.Join(f.root, dir, name))
	switch {
	case err == nil:
	case errors.Is(err, syscall.ENOTDIR) && !f.opt.Batch:
		return nil, flinkerr.Runtime("java.nio.file.FileSystemException", "%s: Not a directory", path.Join(f.root, dir, "."+name+".inprogress."+f.opt.UUID))
	default:
		return nil, unsupported.New("a sink whose files cannot be written: %s", err)
	}
	p := &part{dir: path.Join(f.root, dir), w: w}
	f.open[dir] = p
	f.order = append(f.order, p)
	return p, nil
}

// appendPartitionPath appends day=2026-05-01/shop=a of a row, nothing without partitions.
func (f *filesystem) appendPartitionPath(b []byte, row value.Row) []byte {
	for i, p := range f.partitions {
		if i > 0 {
			b = append(b, '/')
		}
		b = append(appendEscaped(b, f.names[i]), '=')
		text := partitionText(f.types[i], row[p])
		if text == "" {
			text = f.defaultName
		}
		b = appendEscaped(b, text)
	}
	return b
}

// partitionText is the text of the internal value: a DATE is its number of days.
func partitionText(t value.Type, v value.Value) string {
	if v.IsNull() {
		return ""
	}
	switch t.Kind {
	case value.KindDate, value.KindTime:
		return string(value.AppendInt(nil, v.Int()))
	case value.KindDecimal:
		return string(value.AppendDecimal(nil, v.Dec(), t.Scale))
	case value.KindTimestampLTZ:
		t.Kind = value.KindTimestamp
	}
	return string(value.AppendExternal(nil, &t, v))
}

// appendEscaped escapes what file systems and Flink's own paths cannot hold.
func appendEscaped(dst []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < ' ' || c == 0x7f || strings.IndexByte("\"#%'*/:=?\\{[]^", c) >= 0 {
			dst = append(dst, '%', hex[c>>4], hex[c&15])
		} else {
			dst = append(dst, c)
		}
	}
	return dst
}

func (f *filesystem) Close() error {
	if err := f.writeHeld(); err != nil {
		return err
	}
	for _, p := range f.order {
		if err := p.flush(); err != nil {
			return err
		}
		if err := p.w.Close(); err != nil {
			return err
		}
		if f.success != "" {
			w, err := f.opt.FS.Create(path.Join(p.dir, f.success))
			if err == nil {
				err = w.Close()
			}
			if err != nil {
				return err
			}
		}
	}
	if !f.opt.Batch || len(f.order) > 0 {
		return nil
	}
	return f.closeEmpty()
}

// closeEmpty ends a batch INSERT without rows: the folder of the table is there, and empty
// after an OVERWRITE.
func (f *filesystem) closeEmpty() error {
	dir := f.root
	if f.opt.Overwrite {
		switch {
		case len(f.partitions) == 0:
		case len(f.opt.Partition) == len(f.partitions):
			var b []byte
			for i, n := range f.names {
				if i > 0 {
					b = append(b, '/')
				}
				b = appendEscaped(append(appendEscaped(b, n), '='), f.opt.Partition[n])
			}
			dir = path.Join(f.root, string(b))
		default:
			return f.opt.FS.MkdirAll(f.root)
		}
		if err := f.opt.FS.RemoveAll(dir); err != nil {
			return err
		}
	}
	return f.opt.FS.MkdirAll(f.root)
}

// writeHeld writes the rows of a batch INSERT sorted by partition: NULL first, rows of one
// partition in their order.
func (f *filesystem) writeHeld() error {
	sort.SliceStable(f.held, func(i, j int) bool {
		for k, p := range f.partitions {
			if c := value.Compare(f.types[k], f.held[i].row[p], f.held[j].row[p]); c != 0 {
				return c < 0
			}
		}
		return false
	})
	for _, h := range f.held {
		if err := f.write(h.kind, h.row); err != nil {
			return err
		}
	}
	f.held = nil
	return nil
}

// Abort closes what is open; a failed job leaves no file that counts.
// Abort takes back what was written. A streaming job leaves a hidden file in progress, which
// is empty where the rows were few (seen in fs-not-null-constraint-runtime).
func (f *filesystem) Abort() error {
	for n, p := range f.order {
		if err := p.w.Close(); err != nil {
			return err
		}
		if err := f.opt.FS.RemoveAll(path.Join(p.dir, f.fileName(n))); err != nil {
			return err
		}
		if f.opt.Batch {
			continue
		}
		w, err := f.opt.FS.Create(path.Join(p.dir, "."+f.fileName(n)+".inprogress."+f.opt.UUID))
		if err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	return nil
}
