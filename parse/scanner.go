package parse

import (
	"bytes"
	"fmt"
	"io"
	"unicode/utf8"
)

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
	r        io.Reader
	opts     Options
	lr       *lineReader
	encoding string
	layers   []prefix
	mem      []byte // of the line at hand
	pushed   []line // lines given back, last first
	started  bool
	err      error
	notes    []Note

	queue []*Block // complete blocks that Scan has not returned
	block *Block

	run     int
	content bool // the run has a prompt or an answer
	ended   bool // the run has shut down
	echo    echo
	other   *Block // text that is being gathered
	row     Row
	cellMem [][]byte // of row
	cutMem  []bool
	keep    arena
	badUTF8 bool
	wrap    wrap // while a table is read
}

// echo is a statement as the client repeats it, up to its answer.
type echo struct {
	open bool
	line int
	last int // the last line with text of it
	text []byte
	bell bool
}

// NewScanner reads from r.
func NewScanner(r io.Reader, o Options) *Scanner {
	if o.MaxLine <= 0 {
		o.MaxLine = 64 << 20
	}
	if o.MaxText <= 0 {
		o.MaxText = 16 << 20
	}
	if o.MaxProblems <= 0 {
		o.MaxProblems = 1000
	}
	return &Scanner{r: r, opts: o}
}

// Block is the block that Scan read. It stays valid.
func (s *Scanner) Block() *Block { return s.block }

// Err is the first error of the reader or of OnRow.
func (s *Scanner) Err() error { return s.err }

// Notes are remarks on the file as a whole; complete after the last Scan.
func (s *Scanner) Notes() []Note { return s.notes }

// Runs is the number of client sessions seen so far, at least 1.
func (s *Scanner) Runs() int { return s.run + 1 }

// Lines is the number of lines read.
func (s *Scanner) Lines() int {
	if s.lr == nil {
		return 0
	}
	return s.lr.n
}

// Encoding is the text's encoding.
func (s *Scanner) Encoding() string { return s.encoding }

// Scan reads the next block; false at the end or on an error.
func (s *Scanner) Scan() bool {
	if !s.started {
		s.start()
	}
	for len(s.queue) == 0 {
		if s.err != nil {
			return false
		}
		l, ok := s.next()
		if !ok {
			s.finish()
			if len(s.queue) == 0 {
				return false
			}
			break
		}
		s.top(l)
	}
	s.block = s.queue[0]
	s.queue = s.queue[1:]
	return true
}

func (s *Scanner) start() {
	s.started = true
	r, enc, err := decoded(s.r)
	s.encoding, s.err = enc, err
	s.lr = newLineReader(r, s.opts.MaxLine)
	if err != nil {
		return
	}
	sample := s.lr.sample()
	if !bytes.Contains(sample, []byte("\n")) && bytes.Count(sample, []byte("\r")) > 1 {
		s.lr.macBreaks = true
		s.note(0, NoteEncoding, "lines end with a carriage return alone")
	}
	if enc != "UTF-8" {
		s.note(0, NoteEncoding, "the file is "+enc)
	}
	s.layers = detectPrefixes(bytes.Clone(sample), s.lr.eof)
	for _, p := range s.layers {
		s.note(0, NotePrefix, "lines begin with a "+p.name)
	}
}

func (s *Scanner) note(n int, code, text string) {
	for _, x := range s.notes {
		if x.Code == code && x.Text == text {
			return
		}
	}
	s.notes = append(s.notes, Note{Line: n, Code: code, Text: text})
}

// next is the next line, cleaned; its bytes are valid until the next call.
func (s *Scanner) next() (line, bool) {
	if n := len(s.pushed); n > 0 {
		l := s.pushed[n-1]
		s.pushed = s.pushed[:n-1]
		return l, true
	}
	raw, ok := s.lr.next()
	if !ok {
		if s.lr.err != nil && s.err == nil {
			s.err = s.lr.err
		}
		return line{}, false
	}
	l := s.cleaned(raw)
	if s.wrap.width > 0 {
		l = s.join(l)
	}
	return l, true
}

func (s *Scanner) cleaned(raw []byte) line {
	l := line{b: raw}
	if hasControl(raw) {
		s.mem, l = clean(s.mem[:0], raw)
	}
	l.n, l.long, l.last = s.lr.n, s.lr.long, s.lr.noNewline
	if len(l.b) > 2 && l.b[0] == 0xef && l.b[1] == 0xbb && l.b[2] == 0xbf {
		l.b = l.b[3:] // a file appended to another
	}
	for _, p := range s.layers {
		l.b, _ = p.cut(l.b)
	}
	// In a row that begins with an ordinary blank they belong to a value.
	if !bytes.HasPrefix(l.b, []byte("| ")) && (bytes.Contains(l.b, []byte("\u00a0")) || bytes.HasPrefix(l.b, []byte("\u200b"))) {
		l.b = plainBlanks(l.b)
		s.note(l.n, NoteEncoding, "blanks were no-break spaces, as in text copied from a web page")
	}
	if !s.badUTF8 && !utf8.Valid(l.b) && !l.long {
		s.badUTF8 = true
		s.note(l.n, NoteEncoding, "some text is not UTF-8: an older encoding of the terminal, or damage")
	}
	return l
}

// unread gives a line back; next returns it again.
func (s *Scanner) unread(l line) {
	l.b = bytes.Clone(l.b)
	s.pushed = append(s.pushed, l)
}

// peek is the next line without taking it. The line at hand must have been copied.
func (s *Scanner) peek() (line, bool) {
	l, ok := s.next()
	if ok {
		s.unread(l)
		l = s.pushed[len(s.pushed)-1]
	}
	return l, ok
}

// newBlock begins a block at line n; gathered text before it is complete.
func (s *Scanner) newBlock(k Kind, n int) *Block {
	s.flushOther()
	return &Block{Kind: k, Run: s.run, FirstLine: n, LastLine: n}
}

// answer begins a block that answers the statement echoed last.
func (s *Scanner) answer(k Kind, n int) *Block {
	b := s.newBlock(k, n)
	if s.ended {
		// A prompt is missing, but something answers after the end of a session.
		s.nextRun(n)
		b.Run = s.run
	}
	s.content = true
	if s.echo.open {
		b.Echo = string(trimBlankLines(s.echo.text))
		if b.Echo != "" {
			b.EchoLine = s.echo.line
		}
		if s.echo.bell {
			b.Notes = append(b.Notes, Note{Line: s.echo.line, Code: NoteBell, Text: "the client's line editor took TABs out of the statement"})
		}
		s.echo = echo{text: s.echo.text[:0]}
	}
	return b
}

func (s *Scanner) done(b *Block) {
	if b.buf != nil {
		b.Text = string(trimBlankLines(b.buf))
		b.buf = nil
	}
	s.queue = append(s.queue, b)
}

// closeEcho ends a statement that got no answer.
func (s *Scanner) closeEcho() {
	if !s.echo.open {
		return
	}
	text := trimBlankLines(s.echo.text)
	if len(text) > 0 {
		if s.other != nil && s.other.FirstLine < s.echo.line {
			s.flushOther()
		}
		n := s.echo.line
		b := &Block{Kind: KindOther, What: WhatEcho, Run: s.run, FirstLine: n, LastLine: max(n, s.echo.last), Echo: string(text), EchoLine: n, Text: string(text)}
		s.done(b)
	}
	s.echo = echo{text: s.echo.text[:0]}
}

// gather adds a line to the text between answers.
func (s *Scanner) gather(w What, n int, text []byte) {
	if s.other != nil && s.other.What != w {
		s.flushOther()
	}
	if s.other == nil {
		s.other = &Block{Kind: KindOther, What: w, Run: s.run, FirstLine: n}
	}
	s.other.LastLine = n
	s.addText(s.other, text)
}

func (s *Scanner) flushOther() {
	if b := s.other; b != nil {
		s.other = nil
		s.done(b)
	}
}

func (s *Scanner) addText(b *Block, text []byte) {
	if len(b.buf)+len(text) >= s.opts.MaxText {
		return
	}
	if b.buf != nil {
		b.buf = append(b.buf, '\n')
	}
	b.buf = append(b.buf, text...)
}

func (s *Scanner) problem(b *Block, n int, code, reason string, text []byte) {
	b.NProblems++
	if len(b.Problems) >= s.opts.MaxProblems {
		return
	}
	if len(text) > 200 {
		text = text[:200]
	}
	b.Problems = append(b.Problems, Problem{File: s.opts.File, Line: n, Code: code, Reason: reason, Text: string(text)})
}

func (b *Block) note(n int, code, format string, args ...any) {
	b.Notes = append(b.Notes, Note{Line: n, Code: code, Text: fmt.Sprintf(format, args...)})
}

func (s *Scanner) nextRun(n int) {
	s.closeEcho()
	s.flushOther()
	s.run++
	s.content, s.ended = false, false
	text := fmt.Sprintf("run %d begins at line %d; the last run counts", s.run+1, n)
	for i := range s.notes {
		if x := &s.notes[i]; x.Code == NoteSeveralRuns {
			x.Line, x.Text = n, text
			return
		}
	}
	s.note(n, NoteSeveralRuns, text)
}

func (s *Scanner) finish() {
	s.closeEcho()
	s.flushOther()
}

func trimBlankLines(b []byte) []byte {
	return bytes.Trim(b, "\n\r\t ")
}
