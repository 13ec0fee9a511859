package stream

import (
	"errors"
	"io"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// scanDriver reads a source row by row. At the end of every bounded source Flink sends
// the highest watermark, with or without a WATERMARK clause.
type scanDriver struct {
	job    *job
	reader Reader
	buf    value.Row
	table  string
	left   int64 // rows before the pushed limit is reached; negative without a limit
	next   operator
	done   bool
	// Rows that a BlockReader has given and that are still to be pushed.
	blocks BlockReader
	coming value.Row
	pos    Position
	count  int
	look   lookahead
}

func (j *job) newScan(n *phys.TableSourceScan, next operator) (driver, error) {
	r, err := j.rt.Open(n)
	if err != nil {
		return nil, err
	}
	j.readers = append(j.readers, r)
	d := &scanDriver{job: j, reader: r, buf: make(value.Row, len(n.Fields)), left: n.Limit, next: next}
	if n.Table != nil {
		d.table = n.Table.Path.String()
	}
	if b, ok := r.(BlockReader); ok && d.left < 0 && len(d.buf) > 0 && j.rt.Lineage == nil {
		d.blocks = b
		d.look, _ = next.(lookahead)
	}
	return d, nil
}

func (d *scanDriver) step() (bool, error) {
	if d.done {
		return false, nil
	}
	if d.left == 0 {
		return d.finish()
	}
	if d.blocks != nil {
		if d.count == 0 {
			if more, err := d.block(); err != nil || !more {
				return false, err
			}
		}
		if d.count > 0 {
			row := d.coming[:len(d.buf)]
			d.coming = d.coming[len(d.buf):]
			d.count--
			d.job.cause = Cause{Table: d.table, Position: d.pos}
			d.pos.Line++
			return true, d.next.row(changelog.Insert, row)
		}
	}
	kind, pos, err := d.reader.Next(d.buf)
	if errors.Is(err, io.EOF) {
		return d.finish()
	}
	if err != nil {
		return false, err
	}
	if d.left > 0 {
		d.left--
	}
	d.job.cause = Cause{Table: d.table, Position: pos}
	if l := d.job.rt.Lineage; l != nil {
		return true, l.give(d.next, kind, d.buf, []Origin{{d.table, pos}})
	}
	return true, d.next.row(kind, d.buf)
}

// block gets the next rows of a BlockReader; false tells that the scan has ended.
func (d *scanDriver) block() (bool, error) {
	rows, n, pos, err := d.blocks.Block()
	if errors.Is(err, io.EOF) {
		return d.finish()
	}
	if err != nil {
		return false, err
	}
	if n == 0 {
		d.blocks = nil
		return true, nil
	}
	d.coming, d.count, d.pos = rows, n, pos
	if d.look != nil {
		d.look.ahead(rows, len(d.buf), n)
	}
	return true, nil
}

func (d *scanDriver) finish() (bool, error) {
	d.done = true
	return false, d.job.finish(d.next)
}

// finish ends a source.
func (j *job) finish(next operator) error {
	j.cause.ByWatermark, j.cause.Watermark = true, MaxWatermark
	if err := next.watermark(MaxWatermark); err != nil {
		return err
	}
	return next.end()
}

// valuesDriver is an inline table.
type valuesDriver struct {
	job  *job
	rows []value.Row
	i    int
	next operator
	done bool
}

func (d *valuesDriver) step() (bool, error) {
	if d.i < len(d.rows) {
		r := d.rows[d.i]
		d.i++
		d.job.cause = Cause{}
		return true, d.next.row(changelog.Insert, r)
	}
	if d.done {
		return false, nil
	}
	d.done = true
	return false, d.job.finish(d.next)
}
