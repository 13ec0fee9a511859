package parse

import "github.com/labgrade/labgrade/changelog"

// Kind says what a block of a transcript is.
type Kind uint8

// The kinds of block.
const (
	// KindOther is text that is no answer: banners, the end of the session, echoes
	// without an answer, warnings, prose around a paste. What says which.
	KindOther Kind = iota
	// KindTable is a result with rows, or one whose rows never came (no footer).
	KindTable
	// KindEmpty is a result without rows: "Empty set", or a header and "0 row".
	KindEmpty
	// KindPlan is the answer of EXPLAIN, in a table or raw.
	KindPlan
	// KindInfo is one or more adjacent [INFO] or [WARNING] lines.
	KindInfo
	// KindError is an [ERROR] or a Java exception.
	KindError
	// KindCancelled is a result that was stopped; it may hold rows.
	KindCancelled
)

// String is the name used in JSON.
func (k Kind) String() string {
	switch k {
	case KindTable:
		return "table"
	case KindEmpty:
		return "empty"
	case KindPlan:
		return "plan"
	case KindInfo:
		return "info"
	case KindError:
		return "error"
	case KindCancelled:
		return "cancelled"
	}
	return "other"
}

// What refines a Kind.
type What string

// The refinements.
const (
	WhatBanner  What = "banner"  // start of the client, "Executing SQL from file."
	WhatExit    What = "exit"    // "Shutting down the session...", "done.", QUIT
	WhatEcho    What = "echo"    // a statement with no answer in the file
	WhatWarning What = "warning" // warnings of the JVM or a logger, stack frames of no error
	WhatText    What = "text"    // anything else
	WhatQuery   What = "query"   // a table made by a query (it has an op column or a timed or counted footer)
	WhatPrint   What = "print"   // lines of a print sink
	WhatRows    What = "rows"    // rows whose header is not in the file
	WhatSubmit  What = "submit"  // an INSERT was submitted; JobID is set when visible
	WhatDone    What = "done"    // a statement succeeded, or an INSERT completed
	WhatView    What = "view"    // a page of the full-screen view of the modes table and changelog
)

// Style is the manner in which rows are printed.
type Style uint8

// The styles.
const (
	StyleNone     Style = iota
	StyleTable          // +----+ borders, 1.13 and later
	StyleOldTable       // the same with a +/- column, 1.11 and 1.12
	StyleMarkdown       // | a | with a |---| line
	StylePrint          // +I[a, 1]
)

// String names the style.
func (s Style) String() string {
	switch s {
	case StyleTable:
		return "table"
	case StyleOldTable:
		return "old-table"
	case StyleMarkdown:
		return "markdown"
	case StylePrint:
		return "print"
	}
	return ""
}

// Block is one answer, or the text between answers. Lines are 1-based.
type Block struct {
	Kind Kind
	What What
	// Run counts the runs in the file from 0.
	Run       int
	FirstLine int
	LastLine  int
	// Echo is the statement as far as the client repeated it, without prompts;
	// EchoLine is its first line, 0 when there is none. Never grade on it: the
	// client cuts it at the last closing bracket.
	Echo     string
	EchoLine int

	// Of tables, empty results and cancelled results.
	Style   Style
	Columns []Column // without the op column; nil when the header is not in the file
	// HeaderLine is the line of the header, 0 without one.
	HeaderLine int
	// HasOp: each row carries a row kind.
	HasOp bool
	// NRows counts the rows read; Counts the same by row kind (only with HasOp).
	NRows  int
	Counts [4]int
	Footer *Footer
	// Closed: the closing border is in the file.
	Closed bool
	// CutCells counts cells that end in the dots of the column width.
	CutCells int
	// Elided are the places where rows were replaced by dots.
	Elided []Elision
	// Rows is filled by Read and by a Scanner with KeepRows.
	Rows []Row

	// Plan of a KindPlan.
	Plan *Plan
	// Err of a KindError.
	Err *Err
	// Messages of a KindInfo, without "[INFO] ".
	Messages []string
	// JobID is the 32 hexadecimal digits of a submitted job.
	JobID string
	// Text is the block's text for KindInfo, KindError, KindPlan and KindOther (at
	// most Options.MaxText bytes), without colour codes and prefixes.
	Text string

	Notes []Note
	// Problems are unreadable rows and lines, at most Options.MaxProblems of them;
	// NProblems counts all.
	Problems  []Problem
	NProblems int
	// unreadable counts the problems that stand for one row each.
	unreadable int
	buf        []byte // of Text, while the block is read
}

// Column is a column as the header shows it.
type Column struct {
	// Name may be cut to end in "..." (Cut), as batch results do with long names.
	Name string
	// Width is the number of character cells between the bars, less the two blanks.
	Width int
	Cut   bool
}

// Elision is a place where rows were left out by hand.
type Elision struct {
	Line int
	Text string
	// Rows is the number of rows that the text itself claims, or 0.
	Rows int
}

// FooterKind says which closing line a result has.
type FooterKind uint8

// The closing lines.
const (
	FooterReceived   FooterKind = iota + 1 // Received a total of N rows
	FooterInSet                            // N rows in set
	FooterEmptySet                         // Empty set
	FooterTerminated                       // Query terminated, received a total of N rows
)

// String names the kind.
func (k FooterKind) String() string {
	switch k {
	case FooterReceived:
		return "received"
	case FooterInSet:
		return "in-set"
	case FooterEmptySet:
		return "empty-set"
	case FooterTerminated:
		return "terminated"
	}
	return ""
}

// Footer is the line that closes a result.
type Footer struct {
	Kind FooterKind
	Line int
	// Rows is the number it states.
	Rows int
	// Seconds is the time it states (1.19 and later); HasSeconds says whether it does.
	Seconds    float64
	HasSeconds bool
	Text       string
}

// IsResult reports whether the block is the result of a query or of SHOW, with or
// without rows.
func (b *Block) IsResult() bool {
	switch b.Kind {
	case KindTable, KindEmpty:
		return true
	case KindCancelled:
		return b.Style != StyleNone
	}
	return false
}

// IsAnswer reports whether the block answers a statement, so that the n-th answer of
// a run belongs to its n-th statement. An error behind the header of a result is an
// answer of the same statement; Transcript.Answers joins the two.
func (b *Block) IsAnswer() bool { return b.Kind != KindOther }

// Missing is the number of rows that the footer counts and the file does not hold;
// -1 when there is no footer to tell and rows are visibly left out.
func (b *Block) Missing() int {
	if b.Footer == nil {
		if len(b.Elided) > 0 || b.What == WhatRows && b.Style != StylePrint {
			return -1
		}
		return 0
	}
	if n := b.Footer.Rows - b.NRows - b.unreadable; n > 0 {
		return n
	}
	return 0
}

// Complete reports whether every row of the result is in the file and readable.
func (b *Block) Complete() bool {
	return b.IsResult() && b.Kind != KindCancelled && b.Missing() == 0 && b.unreadable == 0 &&
		(b.Footer != nil || b.Style == StylePrint)
}

// ColumnIndex finds a column by name, exactly; -1 when there is none.
func (b *Block) ColumnIndex(name string) int {
	for i, c := range b.Columns {
		if c.Name == name {
			return i
		}
	}
	return -1
}

// Mode is the set of row kinds that occur.
func (b *Block) Mode() changelog.Mode {
	var m changelog.Mode
	for k, n := range b.Counts {
		if n > 0 {
			m |= changelog.ModeOf(changelog.RowKind(k))
		}
	}
	return m
}
