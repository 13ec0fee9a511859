package checks

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/parse"
)

// maxSQLFile bounds a learner's .sql file in bytes: it is run, and the work of planning
// grows faster than the file.
const maxSQLFile = 128 << 10

// savedResult is one result table of a saved output.
type savedResult struct {
	block   *parse.Block
	columns []string
	hasOp   bool
	// rows are the first keepRows rows, cells in the file's own column order.
	rows     []row
	arena    rowArena
	overflow bool
	counts   kindCounts
	cutCells bool
	// unproved: whether a merge of the inputs gives the log could not be found out.
	unproved bool
	// cmp compares the rows with the expected ones while they are read.
	cmp *comparison
}

// savedOutput is a saved output of the client: its last run.
type savedOutput struct {
	name    string
	results []*savedResult
	// blocks are all blocks of the last run, in order.
	blocks  []*parse.Block
	runs    int
	notes   []parse.Note
	lines   int
	hasText bool
}

// unreadable says why a file cannot be graded.
type unreadable struct {
	missing bool
	reason  string
}

// opened turns an error of opening or reading a submission's file into its meaning.
func opened(err error) *unreadable {
	var r interface {
		Refused() (missing bool, reason string)
	}
	if errors.As(err, &r) {
		missing, reason := r.Refused()
		return &unreadable{missing, reason}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return &unreadable{missing: true}
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		return &unreadable{reason: p.Err.Error()}
	}
	return &unreadable{reason: err.Error()}
}

// readOutput reads a saved output. want, when not nil, is compared with every result on
// the way, so that a right file of any size is read once and never kept.
func (s *submission) readOutput(ctx context.Context, name string, want *answer, step *labs.Step) (*savedOutput, *unreadable, error) {
	f, err := s.files.Open(name)
	if err != nil {
		return nil, opened(err), nil
	}
	defer f.Close()
	out := &savedOutput{name: name}
	id := ""
	if step.Kind == labs.KindPrint {
		id = printIdentifier(s.g.lab, step)
	}
	var cur *savedResult
	var stop error
	begin := func(b *parse.Block, width int) {
		cur = &savedResult{block: b, hasOp: b.HasOp}
		for _, c := range b.Columns {
			cur.columns = append(cur.columns, c.Name)
		}
		if want != nil {
			if b.Style == parse.StylePrint || len(b.Columns) == 0 && width == len(want.columns) {
				// Rows without their header: the columns are taken to be the expected ones.
				cur.columns = want.columns
			}
			cur.cmp = newComparison(ctx, want, step, b, cur.columns)
		}
	}
	end := func() {
		if cur != nil && cur.cmp != nil {
			if err := cur.cmp.finish(); err != nil && stop == nil {
				stop = err
			}
		}
		cur = nil
	}
	var r row
	sc := parse.NewScanner(&ctxReader{ctx, f}, parse.Options{File: name, OnRow: func(b *parse.Block, pr *parse.Row) error {
		if id != "" && len(pr.Sink) > 0 && string(pr.Sink) != id {
			return nil // a line of another print sink
		}
		if cur == nil || cur.block != b {
			end()
			begin(b, len(pr.Cells))
		}
		r.kind, r.cells, r.line, r.cut = pr.Kind, pr.Cells, pr.Line, 0
		if b.Style == parse.StylePrint {
			r.cells = printedCells(pr.Cells, len(cur.columns))
		}
		if pr.AnyCut() {
			cur.cutCells = true
			for i := range pr.Cells {
				if pr.Cut(i) {
					r.cut |= 1 << i
				}
			}
		}
		cur.counts.add(r.kind)
		if len(cur.rows) < keepRows {
			cur.rows = append(cur.rows, cur.arena.clone(&r))
		} else {
			cur.overflow = true
		}
		if cur.cmp != nil {
			return cur.cmp.row(&r)
		}
		return nil
	}})
	var all []*savedResult
	var blocks []*parse.Block
	for sc.Scan() {
		b := sc.Block()
		blocks = append(blocks, b)
		if !b.IsResult() {
			continue
		}
		if cur == nil || cur.block != b {
			end()
			begin(b, 0)
		}
		all = append(all, cur)
		end()
	}
	end()
	if ctx.Err() != nil {
		return nil, nil, ctx.Err()
	}
	if stop != nil {
		return nil, nil, stop
	}
	if err := sc.Err(); err != nil {
		return nil, opened(err), nil
	}
	out.runs, out.notes, out.lines = sc.Runs(), sc.Notes(), sc.Lines()
	for _, b := range blocks {
		if b.Run == out.runs-1 {
			out.blocks = append(out.blocks, b)
			out.hasText = out.hasText || b.Kind != parse.KindOther || b.What == parse.WhatBanner || b.What == parse.WhatExit || b.What == parse.WhatRows
		}
	}
	for _, x := range all {
		if x.block.Run == out.runs-1 {
			out.results = append(out.results, x)
		}
	}
	return out, nil, nil
}

// ctxReader ends reading when the context does.
type ctxReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *ctxReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// errors lists the errors of the run.
func (o *savedOutput) errors() []*parse.Block {
	var out []*parse.Block
	for _, b := range o.blocks {
		if b.Kind == parse.KindError {
			out = append(out, b)
		}
	}
	return out
}

// plans lists the plans of the run.
func (o *savedOutput) plans() []*parse.Block {
	var out []*parse.Block
	for _, b := range o.blocks {
		if b.Kind == parse.KindPlan {
			out = append(out, b)
		}
	}
	return out
}

// readSQL reads a learner's .sql file; "" and the reason when there is none to use.
func (s *submission) readSQL(name string) (string, *unreadable) {
	if name == "" {
		return "", nil
	}
	f, err := s.files.Open(name)
	if err != nil {
		return "", opened(err)
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxSQLFile+1))
	if err != nil {
		return "", opened(err)
	}
	if len(b) > maxSQLFile {
		return "", &unreadable{reason: "it is larger than any file of statements"}
	}
	return decodeText(b), nil
}

// readRows reads n rows from row from on of the result that begins at a line.
func (s *submission) readRows(ctx context.Context, name string, firstLine, from, n int) ([]row, error) {
	f, err := s.files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []row
	i := 0
	sc := parse.NewScanner(&ctxReader{ctx, f}, parse.Options{File: name, OnRow: func(b *parse.Block, pr *parse.Row) error {
		if b.FirstLine != firstLine {
			return nil
		}
		if i++; i <= from {
			return nil
		}
		if len(out) >= n {
			return errStopped
		}
		r := row{kind: pr.Kind, cells: pr.Cells, line: pr.Line}
		for i := range pr.Cells {
			if pr.Cut(i) {
				r.cut |= 1 << i
			}
		}
		out = append(out, r.clone())
		return nil
	}})
	for sc.Scan() {
	}
	if err := sc.Err(); err != nil && !errors.Is(err, errStopped) {
		return nil, err
	}
	return out, nil
}

// stopped reports whether the run was stopped while the result was still coming.
func (o *savedOutput) stopped(r *savedResult) bool {
	if r.block.Kind == parse.KindCancelled {
		return true
	}
	if r.block.Footer != nil {
		return r.block.Footer.Kind == parse.FooterTerminated
	}
	for _, b := range o.blocks {
		if b.FirstLine > r.block.FirstLine && b.Kind == parse.KindError && b.Err != nil &&
			(strings.HasSuffix(b.Err.Class, "SqlClientException") || strings.Contains(b.Err.Message, "RestClient is already closed")) {
			return true
		}
	}
	return false
}
