package client

import (
	"io"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/batch"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/source"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/value"
)

// openScan begins to read a scan's columns.
func (s *Session) openScan(scan *phys.TableSourceScan) (source.Reader, error) {
	return source.Open(scan.Table, scan.Columns, scan.Limit, s.opt.Files, source.Options{})
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
	if r, err := s.openPrefetched(scan); r != nil && err == nil {
		return r, nil
	}
	return s.openGeneral(scan)
}

func (s *Session) openGeneral(scan *phys.TableSourceScan) (stream.Reader, error) {
	r, err := s.openScan(scan)
	if err != nil {
		// the job ends before its result is asked for: mostly the header is not shown
		s.failedEarly = true
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
