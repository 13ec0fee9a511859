package client

import (
	"errors"
	"io"
	"slices"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/value"
)

// offerAgain lets Events.Again run a streaming plan in other orders of its inputs. check
// may drop a row of the result (false) or refuse it.
func (s *Session) offerAgain(r *Result, root phys.Node, check func(value.Row) (bool, error)) error {
	if s.opt.Events.Again == nil || inputs(root) < 2 {
		return nil
	}
	base, err := s.streamRuntime(r)
	if err != nil {
		return err
	}
	tape := &recorder{open: base.Open, scans: map[*phys.TableSourceScan]*recorded{}}
	base.Open, base.Facts = tape.Open, &stream.OrderFacts{}
	run := func(order stream.Order, out stream.Out) error {
		rt := *base
		rt.Order = order
		return stream.Run(root, &rt, func(k changelog.RowKind, row value.Row, c stream.Cause) error {
			if keep, err := check(row); err != nil || !keep {
				return err
			}
			return out(k, row, c)
		})
	}
	inTurn := func(m *stream.Merge) (int, error) { return slices.Index(m.Open, true), nil }
	if err := run(inTurn, func(changelog.RowKind, value.Row, stream.Cause) error { return nil }); err != nil {
		return nil // it fails in another order; what is known of the run that succeeded stays
	}
	base.Facts.Complete = true
	return s.opt.Events.Again(r, run)
}

// inputs counts the leaves of a plan.
func inputs(n phys.Node) int {
	if len(n.Inputs()) == 0 {
		return 1
	}
	sum := 0
	for _, in := range n.Inputs() {
		sum += inputs(in)
	}
	return sum
}

// recorder keeps the rows of scans, so that a source is read and decoded once for all runs.
type recorder struct {
	open  func(*phys.TableSourceScan) (stream.Reader, error)
	scans map[*phys.TableSourceScan]*recorded
}

// maxRecorded is the number of rows of a scan that are kept; a longer scan is read again.
const maxRecorded = 100_000

type recorded struct {
	rows []recordedRow
	err  error // what came behind the last row
	long bool
}

type recordedRow struct {
	kind changelog.RowKind
	pos  stream.Position
	row  value.Row
}

func (t *recorder) Open(scan *phys.TableSourceScan) (stream.Reader, error) {
	rec := t.scans[scan]
	if rec == nil {
		r, err := t.open(scan)
		if err != nil {
			return nil, err
		}
		rec = record(r, len(scan.Fields))
		t.scans[scan] = rec
	}
	if rec.long {
		return t.open(scan)
	}
	return &player{rec: rec}, nil
}

func record(r stream.Reader, width int) *recorded {
	rec := &recorded{}
	buf := make(value.Row, width)
	for rec.err == nil {
		kind, pos, err := r.Next(buf)
		if err != nil {
			rec.err = err
			break
		}
		if len(rec.rows) == maxRecorded {
			rec.long, rec.rows = true, nil
			break
		}
		rec.rows = append(rec.rows, recordedRow{kind, pos, keepRow(buf)})
	}
	if err := r.Close(); err != nil && errors.Is(rec.err, io.EOF) {
		rec.err = err
	}
	return rec
}

// player gives recorded rows.
type player struct {
	rec *recorded
	i   int
}

func (p *player) Next(row value.Row) (changelog.RowKind, stream.Position, error) {
	if p.i == len(p.rec.rows) {
		return 0, stream.Position{}, p.rec.err
	}
	r := &p.rec.rows[p.i]
	p.i++
	copy(row, r.row)
	return r.kind, r.pos, nil
}

func (p *player) Close() error { return nil }
