// Package fn gives names a meaning: it resolves calls of functions and operators
// to typed rex expressions (type inference, implicit casts, Flink's validation
// errors), and compiles rex expressions to closures.
package fn

import (
	"time"

	"github.com/labgrade/labgrade/value"
)

// Env is what evaluation may depend on besides its arguments.
type Env struct {
	// Zone is the session time zone (table.local-time-zone).
	Zone *time.Location
	// Database is the current database, for CURRENT_DATABASE.
	Database string
	// Now is the time of the query start, for CURRENT_TIMESTAMP and friends.
	Now time.Time
}

// Ctx collects the first failure of an evaluation (a flinkerr.Error): operators look
// at it after each row, so that closures need not return errors.
type Ctx struct {
	Err error
	// Watermark is the last one that has reached the operator, in milliseconds; math.MinInt64 before.
	Watermark int64
	// scratch holds arguments of the calls that are being computed.
	scratch []value.Value
}

// take gives room for n arguments until give is called with them.
func (c *Ctx) take(n int) []value.Value {
	start := len(c.scratch)
	if start+n > cap(c.scratch) {
		grown := make([]value.Value, start, 2*cap(c.scratch)+n+8)
		copy(grown, c.scratch)
		c.scratch = grown
	}
	c.scratch = c.scratch[:start+n]
	return c.scratch[start : start+n : start+n]
}

func (c *Ctx) give(n int) { c.scratch = c.scratch[:len(c.scratch)-n] }

// Fail keeps the first error.
func (c *Ctx) Fail(err error) value.Value {
	if c.Err == nil {
		c.Err = err
	}
	return value.Null
}

// Eval computes an expression over a row. The row is borrowed for the call.
type Eval func(c *Ctx, row value.Row) value.Value
