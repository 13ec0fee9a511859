package replay

// Replayer replays a log.
type Replayer struct{ opts Options }

// New makes a replayer with an empty table.
func New(o Options) *Replayer { return &Replayer{opts: o} }

// Add replays one change. It returns false when Options.StopAfter is reached and the
// change was not taken.
func (r *Replayer) Add(c Change) bool { return true }

// Table is the table so far.
func (r *Replayer) Table() *Table { return &Table{} }

// Finish ends the log: what is only seen at its end (a pair without its second half)
// becomes a violation, except when StopAfter ended it.
func (r *Replayer) Finish() *Result { return &Result{Table: &Table{}} }
