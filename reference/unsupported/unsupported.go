// Package unsupported has the error by which any stage of the engine says that it
// cannot give Flink's exact answer. It is never mixed up with an error of Flink's own.
package unsupported

import (
	"errors"
	"fmt"
)

// Error names what is not supported.
type Error struct{ Reason string }

// Error returns the reason.
func (e *Error) Error() string { return e.Reason }

// New makes an unsupported error.
func New(format string, args ...any) error { return &Error{Reason: fmt.Sprintf(format, args...)} }

// Is reports whether err, or an error that it wraps, is unsupported.
func Is(err error) bool {
	var u *Error
	return errors.As(err, &u)
}
