package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/internal/term"
	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/replay"
)

// logOptions say how the logs of a file are replayed.
type logOptions struct {
	key    []string // column names, or numbers from 1
	at     int      // also keep the table after this row; 0 is none
	batch  bool     // results without op column are taken as tables, too
	lone   bool     // -U and +U may stand alone
	source io.Reader
	file   string
}

// replayedLog is a result of a file and what it comes to.
type replayedLog struct {
	block *parse.Block
	// sink is the identifier of a print sink whose lines were taken together.
	sink    string
	hasSink bool
	columns []string
	key     []int
	// rows is the number of rows read.
	rows int
	// gap is the number of rows before the first place where rows are visibly left out,
	// -1 without such a place; gapLine is its line.
	gap     int
	gapLine int
	res     *replay.Result
	at      *atRow

	cells *replay.Replayer
	body  *replay.Replayer // of print lines: the text between the brackets is the row
	width int              // of the first print line
	atRep *replay.Replayer
}

// atRow is the table after a row, and the row.
type atRow struct {
	n     int
	line  int
	kind  string
	cells []string
	res   *replay.Result
}

// readLogs replays every changelog of a file as it is read; only the tables are kept.
func readLogs(ctx context.Context, o logOptions) ([]*replayedLog, *parse.Scanner, error) {
	var logs []*replayedLog
	byBlock := map[*parse.Block][]*replayedLog{}
	rows := 0
	sc := parse.NewScanner(o.source, parse.Options{File: o.file, OnRow: func(b *parse.Block, r *parse.Row) error {
		if rows++; rows%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !b.HasOp && !o.batch {
			return nil
		}
		l, err := logOf(b, r, byBlock, o)
		if err != nil {
			return err
		}
		l.add(b, r, o)
		return nil
	}})
	for sc.Scan() {
		if ctx.Err() != nil {
			return nil, sc, ctx.Err()
		}
		b := sc.Block()
		if !b.IsResult() || !b.HasOp && !o.batch {
			continue
		}
		of := byBlock[b]
		delete(byBlock, b)
		if len(of) == 0 {
			l, err := newLog(b, o)
			if err != nil {
				return nil, sc, err
			}
			of = []*replayedLog{l}
		}
		for _, l := range of {
			l.finish()
			logs = append(logs, l)
		}
	}
	return logs, sc, sc.Err()
}

// logOf finds the log that a row belongs to: a print sink's lines make one log for
// each identifier.
func logOf(b *parse.Block, r *parse.Row, byBlock map[*parse.Block][]*replayedLog, o logOptions) (*replayedLog, error) {
	for _, l := range byBlock[b] {
		if b.Style != parse.StylePrint || l.sink == string(r.Sink) {
			return l, nil
		}
	}
	l, err := newLog(b, o)
	if err != nil {
		return nil, err
	}
	l.sink, l.hasSink = string(r.Sink), len(r.Sink) > 0
	byBlock[b] = append(byBlock[b], l)
	return l, nil
}

func newLog(b *parse.Block, o logOptions) (*replayedLog, error) {
	l := &replayedLog{block: b, gap: -1}
	for _, c := range b.Columns {
		l.columns = append(l.columns, c.Name)
	}
	for _, k := range o.key {
		i, err := keyColumn(b, k)
		if err != nil {
			return nil, err
		}
		l.key = append(l.key, i)
	}
	ro := replay.Options{Key: l.key, InferKey: len(l.key) == 0, LonePairs: o.lone}
	l.cells = replay.New(ro)
	if b.Style == parse.StylePrint && len(l.key) == 0 {
		l.body = replay.New(replay.Options{LonePairs: o.lone})
	}
	if o.at > 0 {
		ro.StopAfter, ro.InferKey = o.at, false
		l.atRep = replay.New(ro)
	}
	return l, nil
}

// keyColumn finds a column of --key by name, or by its number from 1.
func keyColumn(b *parse.Block, name string) (int, error) {
	name = strings.TrimSpace(name)
	if i := b.ColumnIndex(name); i >= 0 {
		return i, nil
	}
	if n, err := strconv.Atoi(name); err == nil && n >= 1 && (n <= len(b.Columns) || len(b.Columns) == 0) {
		return n - 1, nil
	}
	names := make([]string, len(b.Columns))
	for i, c := range b.Columns {
		names[i] = c.Name
	}
	if len(names) == 0 {
		return 0, Usagef("--key %s: these rows have no header; give columns by their number, from 1", term.Safe(name))
	}
	if s := closest(name, names); s != "" {
		return 0, Usagef("--key: there is no column %q; did you mean %q?", term.Safe(name), term.Safe(s))
	}
	return 0, Usagef("--key: there is no column %q; the columns are %s", term.Safe(name), term.Safe(strings.Join(names, ", ")))
}

func (l *replayedLog) add(b *parse.Block, r *parse.Row, o logOptions) {
	l.rows++
	if l.gap < 0 && (len(b.Elided) > 0 || b.NProblems > 0) {
		// Behind a gap nothing can be told: which rows the table lost is not known.
		l.gap = l.rows - 1
		switch {
		case len(b.Elided) > 0:
			l.gapLine = b.Elided[0].Line
		case len(b.Problems) > 0:
			l.gapLine = b.Problems[0].Line
		}
	}
	if l.gap >= 0 {
		return
	}
	c := replay.Change{Line: r.Line, Row: l.rows, Kind: r.Kind, Cells: r.Cells}
	if l.rows == o.at {
		l.at = &atRow{n: o.at, line: r.Line}
		if r.HasKind {
			l.at.kind = r.Kind.String()
		}
		for i := range r.Cells {
			l.at.cells = append(l.at.cells, r.Text(i))
		}
	}
	if l.atRep != nil {
		l.atRep.Add(c)
	}
	if l.body != nil {
		if l.rows == 1 {
			l.width = len(r.Cells)
		}
		// A string with ", " in it cannot be told from two fields; then the text between the
		// brackets is the row.
		if len(r.Cells) != l.width {
			l.cells, l.atRep = nil, nil
		}
		body := c
		body.Cells = [][]byte{r.Body}
		l.body.Add(body)
	}
	if l.cells != nil {
		l.cells.Add(c)
	}
}

func (l *replayedLog) finish() {
	if l.gap < 0 && (len(l.block.Elided) > 0 || l.block.Style == parse.StyleTable && l.block.NProblems > 0) {
		l.gap = l.rows
		if len(l.block.Elided) > 0 {
			l.gapLine = l.block.Elided[0].Line
		} else if len(l.block.Problems) > 0 {
			l.gapLine = l.block.Problems[0].Line
		}
	}
	if l.cells != nil {
		l.res = l.cells.Finish()
		if len(l.res.Key) > 0 {
			l.key = l.res.Key
		}
	} else {
		l.res = l.body.Finish()
	}
	if l.at != nil && l.atRep != nil {
		l.at.res = l.atRep.Finish()
	}
	l.cells, l.body, l.atRep = nil, nil, nil
}

// noTable is the reason why no final table can be given; empty when it can.
func (l *replayedLog) noTable() string {
	b := l.block
	total := ""
	if b.Footer != nil {
		total = fmt.Sprintf(" of %d", b.Footer.Rows)
	}
	switch n := b.Missing(); {
	case n > 0:
		if n == 1 && total == "" {
			return "1 row is not in the file"
		}
		return fmt.Sprintf("%d%s rows %s not in the file", n, total, map[bool]string{true: "is", false: "are"}[n == 1])
	case n < 0 && len(b.Elided) > 0:
		return fmt.Sprintf("rows were left out at line %d, and no footer says how many", b.Elided[0].Line)
	case n < 0:
		return "the beginning of the log is not in the file"
	case b.NProblems > 0 && l.gap >= 0:
		return fmt.Sprintf("%s cannot be read, the first at line %d", plural(b.NProblems, "row"), l.gapLine)
	}
	return ""
}

// title names a log in messages.
func (l *replayedLog) title() string {
	s := "lines " + lines(l.block.FirstLine, l.block.LastLine)
	if l.hasSink {
		s += ", sink " + term.Safe(l.sink)
	}
	return s
}
