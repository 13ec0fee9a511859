package cli

import (
	"context"
	"hash/maphash"
	"io"
	"slices"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/internal/intake"
	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/replay"
)

// side is one of the two files.
type side struct {
	name    string
	open    func() (io.ReadCloser, error) // nil for standard input
	answers []*sideAnswer
}

// sideAnswer is a result, a plan or an error of the last run.
type sideAnswer struct {
	block *parse.Block
	rep   *replay.Replayer
	res   *replay.Result
	hash  uint64 // of the rows in order
	// perm says which column of this file stands at the other file's places; nil is the
	// same order.
	perm    []int
	columns []string
}

// readSide reads a file; other, when not nil, is the file that it is compared with.
func readSide(ctx context.Context, name string, other *side, seed maphash.Seed, l intake.Limits, s Streams) (*side, error) {
	in, shown, err := openInput(name, l, s)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	sd := &side{name: shown}
	if name != "-" {
		sd.open = func() (io.ReadCloser, error) {
			in, _, err := openInput(name, l, s)
			return in, err
		}
	}
	var cur *sideAnswer
	var results, rows int
	var h maphash.Hash
	h.SetSeed(seed)
	begin := func(b *parse.Block) {
		cur = &sideAnswer{block: b, rep: replay.New(replay.Options{MaxViolations: 1, InferKey: b.HasOp})}
		for _, c := range b.Columns {
			cur.columns = append(cur.columns, c.Name)
		}
		if other != nil {
			if o := other.result(results); o != nil {
				cur.perm = permutation(o.columns, cur.columns)
			}
		}
		results++
		h.Reset()
	}
	var cells [][]byte
	sc := parse.NewScanner(in, parse.Options{File: shown, OnRow: func(b *parse.Block, r *parse.Row) error {
		if rows++; rows%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if cur == nil || cur.block != b {
			begin(b)
		}
		cells = permute(cells[:0], r.Cells, cur.perm)
		kind := changelog.Insert
		if r.HasKind {
			kind = r.Kind
		}
		hashRow(&h, kind, cells)
		cur.hash = h.Sum64()
		cur.rep.Add(replay.Change{Line: r.Line, Kind: kind, Cells: cells})
		return nil
	}})
	run := 0
	for sc.Scan() {
		b := sc.Block()
		if b.Run != run {
			// Only the last run counts.
			run, results, sd.answers = b.Run, 0, nil
		}
		switch {
		case b.IsResult():
			if cur == nil || cur.block != b {
				begin(b)
			}
			cur.res = cur.rep.Finish()
			sd.answers = append(sd.answers, cur)
			cur = nil
		case b.Kind == parse.KindPlan, b.Kind == parse.KindError:
			sd.answers = append(sd.answers, &sideAnswer{block: b})
		}
	}
	if err := sc.Err(); err != nil {
		return nil, ungradable(err)
	}
	return sd, nil
}

// result is the n-th result of the file, from 0.
func (s *side) result(n int) *sideAnswer {
	for _, a := range s.answers {
		if a.res == nil {
			continue
		}
		if n == 0 {
			return a
		}
		n--
	}
	return nil
}

func hashRow(h *maphash.Hash, kind changelog.RowKind, cells [][]byte) {
	h.WriteByte(byte(kind))
	for _, c := range cells {
		h.Write(c)
		h.WriteByte(0xff)
	}
	h.WriteByte(0xfe)
}

// permutation finds, for each column of want, its place in have; nil when they stand
// in the same order or are not the same names.
func permutation(want, have []string) []int {
	if len(want) != len(have) || slices.Equal(want, have) {
		return nil
	}
	used := make([]bool, len(have))
	perm := make([]int, len(want))
	for i, w := range want {
		perm[i] = -1
		for j, n := range have {
			if n == w && !used[j] {
				perm[i], used[j] = j, true
				break
			}
		}
		if perm[i] < 0 {
			return nil
		}
	}
	return perm
}

func permute(dst, cells [][]byte, perm []int) [][]byte {
	if len(perm) != len(cells) {
		return append(dst, cells...)
	}
	for _, p := range perm {
		dst = append(dst, cells[p])
	}
	return dst
}
