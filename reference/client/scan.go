package client

import (
	"io"
	"io/fs"
	"path"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/batch"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/source"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/value"
)

// sourceFiles shows a session's files to the readers of tables.
type sourceFiles struct{ files Files }

func (f sourceFiles) Open(name string) (io.ReadCloser, error) { return f.files.Open(name) }

func (f sourceFiles) Stat(name string) (source.Info, error) {
	file, err := f.files.Open(name)
	if err != nil {
		return source.Info{}, err
	}
	defer file.Close()
	st, err := file.Stat()
	if err != nil {
		return source.Info{}, err
	}
	return infoOf(path.Base(name), st), nil
}

func infoOf(name string, st fs.FileInfo) source.Info {
	return source.Info{Name: name, Size: st.Size(), Dir: st.IsDir(), ModTime: st.ModTime()}
}

func (f sourceFiles) ReadDir(name string) ([]source.Info, error) {
	entries, err := f.files.ReadDir(name)
	if err != nil {
		return nil, err
	}
	out := make([]source.Info, 0, len(entries))
	for _, e := range entries {
		st, err := e.Info()
		if err != nil {
			return nil, err
		}
		out = append(out, infoOf(e.Name(), st))
	}
	return out, nil
}

// openScan begins to read a scan's columns.
func (s *Session) openScan(scan *phys.TableSourceScan) (source.Reader, error) {
	return source.Open(scan.Table, scan.Columns, scan.Limit, sourceFiles{s.opt.Files}, source.Options{})
}

// streamReader and batchReader are a source.Reader in the evaluators' shapes.
type streamReader struct {
	s    *Session
	r    source.Reader
	rows int
	// file counts the files of the scan; last is the name of the one being read.
	file int
	last string
}

func (s *Session) openStream(scan *phys.TableSourceScan) (stream.Reader, error) {
	r, err := s.openScan(scan)
	if err != nil {
		return nil, err
	}
	return &streamReader{s: s, r: r}, nil
}

func (r *streamReader) Next(row value.Row) (changelog.RowKind, stream.Position, error) {
	if r.rows++; r.rows%4096 == 0 {
		if err := r.s.interrupted(); err != nil {
			return 0, stream.Position{}, err
		}
	}
	kind, ok, err := r.r.Next(row)
	if err != nil {
		return 0, stream.Position{}, err
	}
	if !ok {
		return 0, stream.Position{}, io.EOF
	}
	if f := r.r.File(); f != r.last || r.file == 0 {
		r.file++
		r.last = f
	}
	return kind, stream.Position{File: r.file, Line: r.r.Line()}, nil
}

func (r *streamReader) Close() error { return r.r.Close() }

type batchReader struct {
	s    *Session
	r    source.Reader
	rows int
}

func (s *Session) openBatch(scan *phys.TableSourceScan) (batch.Reader, error) {
	r, err := s.openScan(scan)
	if err != nil {
		return nil, err
	}
	return &batchReader{s: s, r: r}, nil
}

func (r *batchReader) Next(row value.Row) error {
	if r.rows++; r.rows%4096 == 0 {
		if err := r.s.interrupted(); err != nil {
			return err
		}
	}
	_, ok, err := r.r.Next(row)
	if err == nil && !ok {
		return io.EOF
	}
	return err
}

func (r *batchReader) Close() error { return r.r.Close() }
