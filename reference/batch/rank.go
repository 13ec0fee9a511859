package batch

import (
	"bytes"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// partitions cuts a sorted input into runs with equal partition columns and hands each
// to take, whose rows are its own.
func partitions(in producer, by []int, schema []value.Field, take func(rows []value.Row) error) error {
	var part []value.Row
	var last, buf []byte
	err := in(func(row value.Row) error {
		buf = buf[:0]
		for _, c := range by {
			buf = value.AppendKey(buf, schema[c].Type, row[c])
		}
		if len(part) > 0 && !bytes.Equal(last, buf) {
			if err := take(part); err != nil {
				return err
			}
			part = nil
		}
		last = append(last[:0], buf...)
		part = append(part, own(row))
		return nil
	})
	if err != nil || len(part) == 0 {
		return err
	}
	return take(part)
}

// rank is Top-N over an input that is sorted by partition and order keys. RANK lets peers
// share a rank, so that there may be more rows than ranks.
func rank(n *phys.Rank, in producer) (producer, error) {
	if n.RankEnd < 0 {
		return nil, unsupported.New("a Top-N with a variable number of rows")
	}
	schema := n.In[0].Schema()
	o := newOrder(n.Keys, schema)
	return func(emit func(value.Row) error) error {
		out := make(value.Row, len(schema)+1)
		return partitions(in, n.PartitionBy, schema, func(rows []value.Row) error {
			r, dense := int64(0), int64(0)
			for i, row := range rows {
				peer := i > 0 && o.compare(rows[i-1], row) == 0
				if !peer {
					dense++
				}
				switch {
				case n.RankType == "ROW_NUMBER" || !peer && n.RankType == "RANK":
					r = int64(i + 1)
				case n.RankType == "DENSE_RANK":
					r = dense
				}
				if r > n.RankEnd {
					return nil
				}
				if r < n.RankStart {
					continue
				}
				if !n.OutputRank {
					if err := emit(row); err != nil {
						return err
					}
					continue
				}
				copy(out, row)
				out[len(schema)] = value.Int(r)
				if err := emit(out); err != nil {
					return err
				}
			}
			return nil
		})
	}, nil
}
