package checks

import (
	"context"
	"fmt"
	"strings"

	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/report"
)

// errorRule recognises an error of Flink by its class and the first line of its message.
type errorRule struct {
	code  string
	class string   // the simple class begins so; "" is any
	texts []string // one of these is in the message; none is any
}

// errorRules are tried in order; the first that fits names the mistake.
func errorRules() []errorRule {
	return []errorRule{
		{"LG-RUN-001", "", []string{"only supports to use TABLEAU"}},
		{"LG-RUN-019", "", []string{"Could not parse value for enum class", "Unrecognized option for boolean", "MiniBatch Latency must be greater"}},
		{"LG-RUN-015", "", []string{"Failed to read file"}},
		{"LG-RUN-002", "FileNotFoundException", nil},
		{"LG-SQL-024", "", []string{"has an upsert key that differs from the primary key"}},
		{"LG-RUN-002", "", []string{"does not exist or the user running Flink"}},
		{"LG-RUN-016", "", []string{"only single statement supported"}},
		{"LG-RUN-017", "TableAlreadyExistException", nil},
		{"LG-RUN-020", "", []string{"doesn't support consuming update"}},
		{"LG-SQL-014", "", []string{"Missing conversion is FlinkLogicalTableFunctionScan[convention: LOGICAL -> BATCH_PHYSICAL]", "convention=BATCH_PHYSICAL"}},
		{"LG-RUN-018", "", []string{"No match found for function signature"}},
		{"LG-RUN-018", "ParseException", []string{"Encountered \"=>\""}},
		{"LG-RUN-003", "", []string{"Object '", "Cannot find table '", "Tables or views with the identifier", "Table with identifier"}},
		{"LG-RUN-004", "SqlValidatorException", []string{"Column '", "Unknown target column"}},
		{"LG-RUN-004", "SqlValidatorException", []string{"Table '"}},
		{"LG-RUN-008", "", []string{"is not being grouped"}},
		{"LG-RUN-009", "", []string{"Sort on a non-time-attribute field is not supported"}},
		{"LG-RUN-011", "", []string{"Column types of query result and sink", "Number of columns must match number of query columns"}},
		{"LG-RUN-010", "", []string{"Could not find any factory for identifier", "Could not find any format factory", "One or more required options are missing", "do not contain an option key 'connector'", "Unsupported options found"}},
		{"LG-RUN-007", "", []string{"Row length mismatch", "Too many entries: expected at most"}},
		{"LG-RUN-006", "NumberFormatException", nil},
		{"LG-RUN-006", "DateTimeParseException", nil},
		{"LG-RUN-006", "", []string{"Failed to deserialize CSV row", "could not be parsed at index"}},
		{"LG-RUN-012", "ConnectException", nil},
		{"LG-RUN-012", "", []string{"Connection refused", "Failed to get response", "Could not connect to"}},
		{"LG-RUN-005", "ParseException", nil},
		{"LG-RUN-005", "TokenMgrError", nil},
		{"LG-RUN-005", "SqlParserException", nil},
		{"LG-RUN-005", "CalciteException", []string{"Non-query expression encountered", "Bang equal", "is not allowed under the current SQL conformance"}},
		{"LG-RUN-014", "", []string{"RestClient is already closed", "Unexpected exception. This is a bug"}},
	}
}

// errorCode names an error of Flink.
func errorCode(class, message string) string {
	for _, r := range errorRules() {
		if r.class != "" && !strings.Contains(class, r.class) {
			continue
		}
		ok := len(r.texts) == 0
		for _, t := range r.texts {
			ok = ok || strings.Contains(message, t)
		}
		if ok {
			return r.code
		}
	}
	return "LG-RUN-013"
}

// runError reports that Flink refused a statement instead of answering it.
func (s *submission) runError(ctx context.Context, l *learner, v *verdict) error {
	if notRun(l.out, v) {
		return nil
	}
	errs := l.out.errors()
	b := errs[0]
	for _, e := range errs {
		// The class of a stopped client says nothing when a real error stands before it.
		if e.Err != nil && errorCode(e.Err.Class, e.Err.Message) != "LG-RUN-014" {
			b = e
			break
		}
	}
	f := errorFinding(l.out.name, b)
	code := "LG-RUN-013"
	if b.Err != nil {
		code = errorCode(b.Err.Class, b.Err.Message)
		for _, c := range b.Err.Causes {
			// The client's own complaint stands above the exception that caused it.
			if strings.Contains(c.Message, "Failed to read file") {
				code = "LG-RUN-015"
			}
		}
	}
	if line := l.failedLine(ctx); line > 0 {
		f.More = append(f.More, fmt.Sprintf("the statement stands at %s:%d", l.step.SQL, line))
	}
	v.add(code, f)
	return nil
}

// notRun: the output was saved from "labgrade sql", which stops at a statement that it
// cannot run. That is no answer of Flink and no mistake of the learner.
func notRun(out *savedOutput, v *verdict) bool {
	for _, b := range out.errors() {
		if b.Err == nil || b.Err.Header != "[UNSUPPORTED]" {
			continue
		}
		v.ungradable = true
		v.add("LG-RUN-021", report.Finding{File: out.name, Line: b.Err.Line,
			Message: fmt.Sprintf("labgrade could not run this statement (%s). That says nothing about your work: run the file in Flink and save Flink's own output.", b.Err.FirstLine()),
			Hint:    "Run the file with Flink's sql-client.sh and save what it prints."})
		return true
	}
	return false
}

// errorFinding quotes an error of Flink.
func errorFinding(file string, b *parse.Block) report.Finding {
	f := report.Finding{File: file, Line: b.FirstLine, Message: "Flink refused the statement."}
	if b.Err == nil {
		return f
	}
	if b.Err.Line > 0 {
		f.Line = b.Err.Line
	}
	msg := b.Err.FirstLine()
	if c := b.Err.SimpleClass(); c != "" {
		msg = c + ": " + msg
	}
	f.Message = "Flink reported: " + strings.TrimSpace(msg)
	f.Actual = strings.TrimSpace(msg)
	return f
}

// failedLine is the line of the statement that the engine refuses, too; 0 when it
// does not.
func (l *learner) failedLine(ctx context.Context) int {
	list, err := l.answers(ctx)
	if err != nil {
		return 0
	}
	if a := firstError(list); a != nil {
		return a.line
	}
	return 0
}
