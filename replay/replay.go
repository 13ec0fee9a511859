// Package replay turns a changelog into the table that it describes, change by
// change, and tells every violation on the way: a retraction of a row that is not
// there, half a pair, a kind outside the mode, ...
//
// It does not know where the log came from or what is right. Rows are compared as
// printed text.
//
//	r := replay.New(replay.Options{})
//	r.Add(replay.Change{Line: 17, Kind: changelog.Insert, Cells: cells})
//	res := r.Finish()
//
// Memory grows with the table, not with the log.
package replay

import "github.com/labgrade/labgrade/changelog"

// Change is one row of a log. Cells are borrowed: Add copies what it keeps.
type Change struct {
	// Line is the line in the log's file; Row counts the log's rows from 1 (0: Add counts).
	Line  int
	Row   int
	Kind  changelog.RowKind
	Cells [][]byte
}

// Options say how a log is replayed.
type Options struct {
	// Key are the columns that identify a row. nil: the whole row does, and the table
	// is a bag.
	Key []int
	// Upsert: the log has no -U; +U and +I set the row of its key. Needs Key.
	Upsert bool
	// Mode is the set of allowed kinds; 0 allows all.
	Mode changelog.Mode
	// InferKey: a log with +U but without any -U is taken for an upsert log when a column
	// or two can be its key; Result.Key says which. Not together with Key.
	InferKey bool
	// LonePairs: -U and +U may come alone, as above a filter (HAVING).
	LonePairs bool
	// StopAfter ends the replay after that many rows; 0 is never.
	StopAfter int
	// MaxViolations is the number of violations kept; 0 is 1000. All are counted.
	MaxViolations int
}

// Code names a violation.
type Code uint8

// The violations.
const (
	// AbsentRow: -U or -D of a row that the table does not hold at that point.
	AbsentRow Code = iota
	// LoneUpdateAfter: +U without a -U before it.
	LoneUpdateAfter
	// LoneUpdateBefore: -U that no +U follows, up to the end of the log.
	LoneUpdateBefore
	// SplitPair: a +U whose -U is not the row just before it.
	SplitPair
	// DuplicateInsert: +I of a key that is in the table (with Key only).
	DuplicateInsert
	// MixedPair: -U and +U of one pair have different keys (with Key only).
	MixedPair
	// OutsideMode: a kind that the mode does not allow.
	OutsideMode
	// EndsInsidePair: the log's last row is a -U.
	EndsInsidePair
	// WrongWidth: another number of cells than the first row has.
	WrongWidth
	numCodes
)

// String is the code's name in JSON.
func (c Code) String() string {
	switch c {
	case AbsentRow:
		return "absent-row"
	case LoneUpdateAfter:
		return "update-after-without-before"
	case LoneUpdateBefore:
		return "update-before-without-after"
	case SplitPair:
		return "pair-not-adjacent"
	case DuplicateInsert:
		return "duplicate-insert"
	case MixedPair:
		return "pair-of-two-keys"
	case OutsideMode:
		return "kind-outside-mode"
	case EndsInsidePair:
		return "ends-inside-pair"
	case WrongWidth:
		return "wrong-number-of-cells"
	}
	return "unknown"
}

// Violation is one fault of a log.
type Violation struct {
	Code Code
	// Line and Row are the change at fault.
	Line int
	Row  int
	Kind changelog.RowKind
	// Cells is the change's row.
	Cells []string
	// OtherLine and OtherRow are the other change concerned, 0 when none: the -U of a
	// split pair, the first insert of a duplicate, the last change of the key.
	OtherLine int
	OtherRow  int
	// Held is the row that the table holds for that key, when Key is set and it differs.
	Held []string
	// Text says it in words.
	Text string
}

// Result is what a log comes to.
type Result struct {
	// Rows is the number of changes replayed; Counts the same by kind.
	Rows   int
	Counts [4]int
	// Table is the table after the last change.
	Table *Table
	// MaxTable is the largest number of rows that the table had.
	MaxTable int
	// Violations are in the log's order, at most Options.MaxViolations of them;
	// NViolations counts all, ByCode by code.
	Violations  []Violation
	NViolations int
	ByCode      [numCodes]int
	// Key are the columns that InferKey found; nil when it found none.
	Key []int
	// LastLine is the line of the last change.
	LastLine int
}

// OK reports a log without violations.
func (r *Result) OK() bool { return r.NViolations == 0 }
