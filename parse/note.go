package parse

// Note is something that a reader of the facts should know, though the text could be read.
type Note struct {
	// Line is the line it is about, 1-based; 0 is the whole file.
	Line int
	// Code is one of the Note constants.
	Code string
	Text string
}

// Codes of notes.
const (
	NoteSeveralRuns   = "several-runs"   // the file holds more than one run
	NoteEncoding      = "encoding"       // the text was not plain UTF-8 with \n
	NotePrefix        = "prefix"         // lines began with a log prefix, quotation or comment sign
	NoteElided        = "elided"         // rows were replaced by dots
	NoteCutCells      = "cut-cells"      // cells end in the "..." of the column width
	NoteFooterCount   = "footer-count"   // the footer counts other rows than the file holds
	NoteNoFooter      = "no-footer"      // a result without closing line
	NoteNoHeader      = "no-header"      // rows whose header is not in the file
	NoteForeignText   = "foreign-text"   // other text between rows
	NoteTrailingText  = "trailing-text"  // text behind the last bar of a row
	NoteMultiline     = "multiline-cell" // a cell with line breaks
	NoteRealigned     = "realigned"      // cells do not stand at the columns of the border
	NoteQuestionMarks = "question-marks" // characters lost to a POSIX locale
	NoteOpIsData      = "op-is-data"     // a data column looks like the op column
	NoteHidden        = "hidden-file"    // a file that is no part of a sink
	NoteWrapped       = "wrapped"        // lines were broken at the width of a terminal
	NoteBell          = "tab-eaten"      // the client's line editor ate a TAB of the statement
	NoteAmbiguous     = "ambiguous"      // more than one reading; the text says which was taken
)

// Problem is text that could not be read as what it stands for.
type Problem struct {
	// File is the name given in Options, or the name inside a sink folder.
	File string
	// Line is 1-based; 0 is the whole file.
	Line int
	// Code is one of the Problem constants.
	Code string
	// Reason says in words what is wrong.
	Reason string
	// Text is the line, shortened to 200 bytes. It is what the file holds: make it
	// safe before showing it on a terminal.
	Text string
}

// Codes of problems.
const (
	ProblemRow          = "row"           // a row that does not fit its table
	ProblemRowKind      = "row-kind"      // the op column holds no row kind
	ProblemLongLine     = "long-line"     // a line over Options.MaxLine
	ProblemHeader       = "header"        // a border without a header
	ProblemPlanNode     = "plan-node"     // a plan line that is no node
	ProblemCSV          = "csv"           // a CSV record that cannot be read
	ProblemJSON         = "json"          // JSON that cannot be read
	ProblemDuplicateKey = "duplicate-key" // a JSON object names a member twice
	ProblemUnclosed     = "unclosed"      // the file ends inside a row or record
)

// Error is "file:line: reason".
func (p Problem) Error() string {
	s := p.Reason
	if p.Line > 0 {
		s = itoa(p.Line) + ": " + s
	}
	if p.File != "" {
		s = p.File + ":" + s
	}
	return s
}
