package sql

import "strings"

// The classes of the errors that Flink's parser reports.
const (
	ClassParse       = "org.apache.flink.sql.parser.impl.ParseException"
	ClassTokenMgr    = "org.apache.flink.sql.parser.impl.TokenMgrError"
	ClassCalcite     = "org.apache.calcite.runtime.CalciteException"
	ClassValidator   = "org.apache.calcite.sql.validate.SqlValidatorException"
	ClassValidation  = "org.apache.flink.table.api.ValidationException"
	ClassSqlValidate = "org.apache.flink.sql.parser.error.SqlValidateException"
	ClassIllegalArg  = "java.lang.IllegalArgumentException"
)

// Error is a text that Flink's parser refuses. Message is the first line that Flink
// prints after the class (the list of expected tokens that follows there is left out);
// Hint is our own advice and never part of Flink's text.
type Error struct {
	Class   string
	Message string
	Pos     Pos
	Hint    string
}

// Error is "class: message".
func (e *Error) Error() string { return e.Class + ": " + e.Message }

// hintForChar explains characters that editors and chat programs put in place of SQL's own.
func hintForChar(r rune) string {
	switch r {
	case '\u2018', '\u2019', '\u201a', '\u201b', '\uff07':
		return "this is a typographic quote; SQL needs the plain quote '"
	case '\u201c', '\u201d', '\u201e', '\uff02':
		return "this is a typographic quote; SQL puts texts in plain single quotes ' and names in backquotes `"
	case '\uff0c':
		return "this is a full-width comma; SQL needs the plain comma ,"
	case '\uff1b':
		return "this is a full-width semicolon; SQL needs the plain semicolon ;"
	case '\uff08', '\uff09':
		return "this is a full-width bracket; SQL needs the plain brackets ( and )"
	case '\u2013', '\u2014', '\u2212':
		return "this is a typographic dash; SQL needs the plain minus sign -"
	case '\u00a0', '\u3000', '\u2003', '\u200b':
		return "this is not a plain blank although it looks like one; replace it by a blank"
	case '\ufeff':
		return "this is a byte order mark; save the file as UTF-8 without it"
	case '&':
		return "SQL writes AND"
	case '!':
		return "SQL writes NOT, or <> for not equal"
	case '`':
		return "the name that begins with this backquote is never closed"
	case '#', '@', '~', '\\':
		return ""
	}
	if r >= 0x80 {
		return "names with such characters must stand in backquotes"
	}
	return ""
}

// AtEOF tells that the text ended too early in the parser's eyes: the client then waits
// for more text instead of reporting the error.
func (e *Error) AtEOF() bool {
	return e.Class == ClassParse && strings.HasPrefix(e.Message, "Encountered \"<EOF>\"")
}
