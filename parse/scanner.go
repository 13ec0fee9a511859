package parse

import "io"

// Options say how text is read. The zero value reads everything.
type Options struct {
	// File is the name used in problems.
	File string
	// OnRow, when not nil, gets every row as it is read, with its block so far
	// (columns, op column, echo). Row and cells are borrowed. An error stops reading.
	OnRow func(*Block, *Row) error
	// KeepRows fills Block.Rows.
	KeepRows bool
	// MaxLine is the longest line in bytes; 0 is 64 MiB. Longer lines are problems.
	MaxLine int
	// MaxText is the longest Block.Text in bytes; 0 is 16 MiB.
	MaxText int
	// MaxProblems is the number of problems kept a block; 0 is 1000.
	MaxProblems int
}

// Scanner reads a transcript block by block, in constant memory unless KeepRows is set.
type Scanner struct {
	r     io.Reader
	opts  Options
	block *Block
	err   error
	notes []Note
}

// NewScanner reads from r.
func NewScanner(r io.Reader, o Options) *Scanner { return &Scanner{r: r, opts: o} }

// Scan reads the next block; false at the end or on an error.
func (s *Scanner) Scan() bool { return false }

// Block is the block that Scan read. It stays valid.
func (s *Scanner) Block() *Block { return s.block }

// Err is the first error of the reader or of OnRow.
func (s *Scanner) Err() error { return s.err }

// Notes are remarks on the file as a whole; complete after the last Scan.
func (s *Scanner) Notes() []Note { return s.notes }

// Runs is the number of client sessions seen so far, at least 1.
func (s *Scanner) Runs() int { return 1 }

// Lines is the number of lines read.
func (s *Scanner) Lines() int { return 0 }

// Encoding is the text's encoding.
func (s *Scanner) Encoding() string { return "UTF-8" }
