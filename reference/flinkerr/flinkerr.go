// Package flinkerr has the errors that Flink itself reports: a Java class name and
// a message, as sql-client prints them after "[ERROR] Could not execute SQL statement. Reason:".
package flinkerr

import "fmt"

// Error is an exception as the client shows its root cause.
type Error struct {
	Class   string
	Message string
	// AtRuntime: the job failed (in streaming the table header is already printed).
	AtRuntime bool
}

// Error is "class: message", or the class alone when there is no message, as Java prints it.
func (e *Error) Error() string {
	if e.Message == "" {
		return e.Class
	}
	return e.Class + ": " + e.Message
}

// The classes that learners meet most.
const (
	ClassValidator    = "org.apache.calcite.sql.validate.SqlValidatorException"
	ClassValidation   = "org.apache.flink.table.api.ValidationException"
	ClassTable        = "org.apache.flink.table.api.TableException"
	ClassParse        = "org.apache.flink.sql.parser.impl.ParseException"
	ClassCalcite      = "org.apache.calcite.runtime.CalciteException"
	ClassTokenMgr     = "org.apache.flink.sql.parser.impl.TokenMgrError"
	ClassSqlValidate  = "org.apache.flink.sql.parser.error.SqlValidateException"
	ClassTableRuntime = "org.apache.flink.table.api.TableRuntimeException"
)

// Validator, Validation, Table and Calcite make errors of these classes.
func Validator(format string, a ...any) error { return New(ClassValidator, format, a...) }

// Validation makes a ValidationException.
func Validation(format string, a ...any) error { return New(ClassValidation, format, a...) }

// Table makes a TableException.
func Table(format string, a ...any) error { return New(ClassTable, format, a...) }

// New makes a planning-time error.
func New(class, format string, a ...any) error {
	return &Error{Class: class, Message: fmt.Sprintf(format, a...)}
}

// Runtime makes an error of a running job.
func Runtime(class, format string, a ...any) error {
	return &Error{Class: class, Message: fmt.Sprintf(format, a...), AtRuntime: true}
}
