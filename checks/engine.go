package checks

import (
	"context"
	"io/fs"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/merge"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// Engine answers SQL as Flink would.
type Engine interface {
	// Execute runs the statements of a script one after another in a new session. Like
	// the client with -f it stops behind the first statement that fails. The error is
	// the handler's own, the context's, or a fault of the engine; what Flink reports, or
	// what the engine does not reproduce, is in Answer.Err.
	Execute(ctx context.Context, script string, files Files, h Handler) error
}

// Handler is told what a script gives. An error of a callback ends the run and is
// returned by Execute.
type Handler struct {
	// Row takes one row of a query, or one that an INSERT writes. The row is borrowed.
	// Answer.Columns and Streaming are set before the first row.
	Row func(a *Answer, kind changelog.RowKind, row value.Row, cause Cause) error
	// Sources, if set, is told before each row of a streaming query which source rows it comes
	// from, and whether a watermark (or the end of the input) fired it. It makes the run slower.
	Sources func(list []Cause, byWatermark bool)
	// Again is called before End for a streaming query or INSERT that reads several inputs.
	// run executes it once more, in another order of its inputs, any number of times until
	// Again returns.
	Again func(a *Answer, run merge.Run) error
	// End takes the finished answer. It is not called for one whose Row returned an error.
	End func(a *Answer) error
}

// Files opens what SQL names by path.
type Files interface {
	// Open opens a source file; fs.ErrNotExist when there is none. Its Stat tells the
	// size, by which Flink chooses batch plans.
	Open(path string) (fs.File, error)
}

// Answer is the answer to one statement.
type Answer struct {
	// Statement is nil when the text does not parse; its places count from the start of
	// Text. Line is where it begins in the script.
	Statement sql.Statement
	Text      string
	Line      int
	// Err is a flinkerr.Error, a sql.Error or an unsupported.Error.
	Err error
	// Streaming is the runtime mode.
	Streaming bool
	// IsRows marks the answer to a query or an INSERT. Columns are those of the result;
	// for an INSERT those of the sink, which SinkTable names.
	IsRows    bool
	Columns   []value.Field
	SinkTable string
	// Plan is the text of an EXPLAIN.
	Plan string
}

// Cause is the source row that was being read when a row was emitted: the table's name
// and the line of its file, from 1; zero when unknown.
type Cause struct {
	Table string
	Line  int
}
