package client

import (
	"errors"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/source"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/value"
)

// prefetched is the reader of a large plain csv file: a goroutine decodes the next blocks
// while the rows of one are worked on. When a block turns out not to be plain, the
// general reader goes on after the rows that were given already.
type prefetched struct {
	s      *Session
	scan   *phys.TableSourceScan
	blocks *source.Blocks
	width  int
	given  int // rows of earlier blocks
	cur    *rowBlock
	i      int
	ready  chan *rowBlock
	free   chan *rowBlock
	stop   chan struct{}
	rest   stream.Reader
}

// rowBlock is the decoded rows of one block of the file.
type rowBlock struct {
	data   []byte
	values []value.Value
	rows   int
	line   int
	err    error
}

const (
	prefetchBytes  = 128 << 10
	prefetchBlocks = 4
)

// openPrefetched returns nil for a scan that is not of one large plain file.
func (s *Session) openPrefetched(scan *phys.TableSourceScan) (stream.Reader, error) {
	b, err := source.OpenBlocks(scan.Table, scan.Columns, scan.Limit, s.opt.Files, source.Options{BlockSize: prefetchBytes})
	if b == nil || err != nil {
		return nil, err
	}
	p := &prefetched{s: s, scan: scan, blocks: b, width: len(scan.Columns),
		ready: make(chan *rowBlock, prefetchBlocks), free: make(chan *rowBlock, prefetchBlocks), stop: make(chan struct{})}
	for range prefetchBlocks {
		p.free <- &rowBlock{}
	}
	go p.decode()
	return p, nil
}

func (p *prefetched) decode() {
	defer close(p.ready)
	d := p.blocks.Decoder()
	row := make(value.Row, p.width)
	for {
		var b *rowBlock
		select {
		case b = <-p.free:
		case <-p.stop:
			return
		}
		b.values, b.rows = b.values[:0], 0
		block, err := p.blocks.Next(b.data)
		if err == nil {
			b.data, b.line = block.Data, block.Line
			err = d.Decode(block.Data, row, func(int) error {
				b.values = append(b.values, row...)
				b.rows++
				return nil
			})
		}
		b.err = err
		select {
		case p.ready <- b:
		case <-p.stop:
			return
		}
		if err != nil {
			return
		}
	}
}

func (p *prefetched) Next(row value.Row) (changelog.RowKind, stream.Position, error) {
	if p.rest != nil {
		return p.rest.Next(row)
	}
	if p.cur == nil || p.i == p.cur.rows {
		if err := p.advance(); err != nil {
			return 0, stream.Position{}, err
		}
		if p.rest != nil {
			return p.rest.Next(row)
		}
	}
	copy(row, p.cur.values[p.i*p.width:])
	p.i++
	return changelog.Insert, stream.Position{File: 1, Line: p.cur.line + p.i - 1}, nil
}

// Block gives the rows of a block of the file, without copying them.
func (p *prefetched) Block() (value.Row, int, stream.Position, error) {
	if p.rest == nil {
		if err := p.advance(); err != nil {
			return nil, 0, stream.Position{}, err
		}
	}
	if p.rest != nil {
		return nil, 0, stream.Position{}, nil
	}
	p.i = p.cur.rows
	return p.cur.values, p.cur.rows, stream.Position{File: 1, Line: p.cur.line}, nil
}

// advance goes on to the next block that has rows, or to the general reader.
func (p *prefetched) advance() error {
	for p.cur == nil || p.i == p.cur.rows {
		if p.cur != nil {
			p.given += p.cur.rows
			p.free <- p.cur
		}
		if err := p.s.interrupted(); err != nil {
			return err
		}
		p.cur, p.i = <-p.ready, 0
		switch err := p.cur.err; {
		case errors.Is(err, source.ErrIrregular):
			return p.fallBack()
		case err != nil:
			return err
		}
	}
	return nil
}

// fallBack opens the general reader and skips the rows that were given.
func (p *prefetched) fallBack() error {
	r, err := p.s.openGeneral(p.scan)
	if err != nil {
		return err
	}
	p.rest = r
	row := make(value.Row, p.width)
	for range p.given {
		if _, _, err := r.Next(row); err != nil {
			return err
		}
	}
	return nil
}

func (p *prefetched) Close() error {
	close(p.stop)
	for range p.ready { // until the decoder has let go of the file
	}
	err := p.blocks.Close()
	if p.rest != nil {
		err = errors.Join(err, p.rest.Close())
	}
	return err
}
