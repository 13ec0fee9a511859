package stream

import (
	"hash/fnv"
	"io"
	"strconv"
	"testing"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// inBlocks gives the rows of clicks in blocks, and the last ones by Next.
type inBlocks struct {
	clicks
	size, blocks int
	rows         value.Row
}

func (b *inBlocks) Block() (value.Row, int, Position, error) {
	if b.blocks == 0 {
		return nil, 0, Position{}, nil
	}
	b.blocks--
	b.rows = b.rows[:0]
	for range b.size {
		row := make(value.Row, 2)
		if _, _, err := b.Next(row); err != nil {
			break
		}
		b.rows = append(b.rows, row...)
	}
	n := len(b.rows) / 2
	if n == 0 {
		return nil, 0, Position{}, io.EOF
	}
	return b.rows, n, Position{File: 1, Line: b.i - n + 1}, nil
}

// Rows that come in blocks give the log, and the causes, that rows give which come alone.
func TestRowsAheadGiveTheSameLog(t *testing.T) {
	for _, c := range []struct {
		name   string
		keys   []int
		blocks int
	}{
		{"all in blocks", []int{0}, 1 << 20},
		{"some in blocks", []int{0}, 3},
		{"one group", []int{}, 1 << 20},
		{"two keys", []int{0, 1}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			n := &phys.GroupAggregate{Keys: c.keys, Calls: []phys.AggCall{denseCall("COUNT", value.TBigInt), denseCall("SUM", value.TInt, 1), denseCall("MAX", value.TInt, 1)}}
			n.In = []phys.Node{&phys.TableSourceScan{Base: phys.Base{Fields: denseInput[:2], Produce: changelog.InsertOnly}, Limit: -1}}
			n.Produce = changelog.Retract
			log := func(r Reader) uint64 {
				h := fnv.New64a()
				var line []byte
				err := Run(n, &Runtime{Open: func(*phys.TableSourceScan) (Reader, error) { return r, nil }}, func(k changelog.RowKind, row value.Row, cause Cause) error {
					line = strconv.AppendInt(append(line[:0], byte(k)), int64(cause.Position.Line), 10)
					for _, v := range row {
						line = strconv.AppendInt(append(line, v.Str()...), v.Int(), 10)
						line = strconv.AppendBool(line, v.IsNull())
					}
					h.Write(line)
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				return h.Sum64()
			}
			const rows = 60_000
			if log(&clicks{n: rows}) != log(&inBlocks{clicks: clicks{n: rows}, size: 700, blocks: c.blocks}) {
				t.Error("the logs differ")
			}
		})
	}
}
