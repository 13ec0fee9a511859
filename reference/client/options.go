// Package client is the stand-in for Flink's sql-client: statements in, text out. A Session
// splits text into statements as the client does, runs them against catalogs, settings and
// the engine, and prints what the client prints, byte for byte except the seconds. The same
// run is also told as typed events, for those who judge results and do not read text.
package client

import (
	"context"
	"io"
	"time"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// Echo says how much of a statement is repeated behind the prompt.
type Echo uint8

// The kinds of echo. The client's own repeats a statement up to its last closing bracket
// and nothing of one without brackets.
const (
	EchoFull Echo = iota
	EchoNone
	EchoClient
)

// Options configure a session. The zero value runs silently.
type Options struct {
	// Out takes the text that the client would print; nil for none.
	Out io.Writer
	// Hints takes our own advice on errors, one line each; nil for none.
	Hints io.Writer
	// Echo and Color follow the client with EchoClient and true.
	Echo  Echo
	Color bool
	// NoTimeCost leaves the seconds out of footers.
	NoTimeCost bool
	// Now is the clock, for CURRENT_TIMESTAMP and the seconds; nil stands still at the Unix epoch.
	Now func() time.Time
	// Home is the folder of the history file that the client names; "" leaves the line out.
	Home string
	// Files is where tables are read and written; nil has no files.
	Files Files
	// Print takes the lines of print sinks, which Flink writes to its worker's own output; nil for none.
	Print func(line string)
	// Settings are the initial settings (-D).
	Settings map[string]string
	// Events, where set, is told what happens.
	Events Events
	// Trace prints below each row of a streaming result what caused it.
	Trace bool
	// Lineage lets Events.Row ask which source rows a row comes from: Result.Lineage.
	Lineage bool
	// Context, where set, ends the run when it is done.
	Context context.Context
	// KeepUnsupported goes on behind a statement that is refused as unsupported, as statements on
	// standard input do; otherwise the run ends there. Later statements that may depend on
	// the refused one are refused, too.
	KeepUnsupported bool
}

// Kind is what a statement does.
type Kind string

// The kinds of statement.
const (
	KindQuery   Kind = "query"
	KindInsert  Kind = "insert"
	KindExplain Kind = "explain"
	KindDDL     Kind = "ddl"
	KindSetting Kind = "setting"
	KindShow    Kind = "show"
	KindClient  Kind = "client"
	KindUnknown Kind = "unknown" // it does not parse
)

// Result is what became of one statement.
type Result struct {
	// Text is the statement as the client sends it; Line the line of the script on which it begins.
	Text string
	Line int
	// Statement is the syntax tree, nil when it does not parse.
	Statement sql.Statement
	Kind      Kind
	// Streaming is the runtime mode; the rows of a streaming query have kinds.
	Streaming bool
	// Columns and Rows describe a table that was printed.
	Columns []value.Field
	Rows    int64
	// Lineage follows the source rows of a streaming query, if Options ask for it.
	Lineage *stream.Lineage
	// Plan has the roots of the physical plan of a query, INSERT or EXPLAIN.
	Plan []phys.Node
	// PlanText is what EXPLAIN prints.
	PlanText string
	// Err is a *flinkerr.Error or *sql.Error where Flink refuses or fails, an
	// *unsupported.Error where the engine cannot tell, nil on success.
	Err error
	// skipped are the blank lines that positions of a lexical error do not count.
	skipped int
}

// Events are callbacks; nil ones are left out. Rows are borrowed for the call. An error
// that a callback returns ends the run at once and is returned by it as it is: who
// compares a million rows stops at the first difference.
type Events struct {
	Begin func(*Result)
	// Row is a row of a query's result. Result.Columns is set before the first one.
	Row func(r *Result, kind changelog.RowKind, row value.Row, cause stream.Cause) error
	// SinkRow is a row that an INSERT writes.
	SinkRow func(r *Result, sink *catalog.Table, kind changelog.RowKind, row value.Row, cause stream.Cause) error
	// Again is called before End for a streaming query or INSERT that succeeded and whose
	// plan reads several inputs. run executes it once more, with its inputs taken as order
	// says; it may be called any number of times, until Again returns.
	Again func(r *Result, run func(order stream.Order, out stream.Out) error) error
	End   func(*Result)
}
