package parse

import "io"

// Transcript is a whole file.
type Transcript struct {
	Blocks []*Block
	// Runs is the number of client sessions in the file: more than one when outputs
	// were appended. Never 0.
	Runs int
	// Lines is the number of lines.
	Lines int
	// Encoding is "UTF-8", "UTF-8 with BOM", "UTF-16LE", "UTF-16BE", ...
	Encoding string
	Notes    []Note
}

// Read reads a whole transcript and keeps every row. The error is the reader's own,
// or what OnRow returned; unreadable text is a Problem of its block.
func Read(r io.Reader, o Options) (*Transcript, error) {
	o.KeepRows = true
	return Collect(NewScanner(r, o))
}

// Collect reads a scanner to its end.
func Collect(s *Scanner) (*Transcript, error) {
	t := &Transcript{}
	for s.Scan() {
		t.Blocks = append(t.Blocks, s.Block())
	}
	t.Runs, t.Lines, t.Encoding, t.Notes = s.Runs(), s.Lines(), s.Encoding(), s.Notes()
	return t, s.Err()
}

// Last is the blocks of the last run: the ones that count.
func (t *Transcript) Last() []*Block {
	for i, b := range t.Blocks {
		if b.Run == t.Runs-1 {
			return t.Blocks[i:]
		}
	}
	return nil
}

// Answer is what a statement got: one block, or the header of a result (Result) and
// the error (Err) that came behind it.
type Answer struct {
	// Block is the answer; for a job that failed after its header, the error.
	Block *Block
	// Before is the result whose rows stopped at the error, or nil.
	Before *Block
}

// Answers pairs the answers of the last run with statements by order. A result that
// ends without footer and is followed by an error is one answer with it.
func (t *Transcript) Answers() []Answer {
	var out []Answer
	for _, b := range t.Last() {
		if !b.IsAnswer() {
			continue
		}
		if n := len(out); n > 0 && b.Kind == KindError && b.EchoLine == 0 {
			if p := out[n-1]; p.Block.IsResult() && p.Block.Footer == nil && !p.Block.Closed {
				out[n-1] = Answer{Block: b, Before: p.Block}
				continue
			}
		}
		out = append(out, Answer{Block: b})
	}
	return out
}

// Results lists the results (tables, empty and cancelled ones) of the last run.
func (t *Transcript) Results() []*Block {
	var out []*Block
	for _, b := range t.Last() {
		if b.IsResult() {
			out = append(out, b)
		}
	}
	return out
}

// Plans lists the plans of the last run.
func (t *Transcript) Plans() []*Block {
	var out []*Block
	for _, b := range t.Last() {
		if b.Kind == KindPlan {
			out = append(out, b)
		}
	}
	return out
}

// Errors lists the errors of the last run.
func (t *Transcript) Errors() []*Block {
	var out []*Block
	for _, b := range t.Last() {
		if b.Kind == KindError {
			out = append(out, b)
		}
	}
	return out
}
