package checks

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/report"
)

// checkRefusal judges a statement that Flink refuses: the error must be the one that
// the lab's statement gets, whatever the catalog and the aliases are called.
func (s *submission) checkRefusal(ctx context.Context, step *labs.Step, v *verdict) error {
	want, err := s.labAnswer(ctx, s.g.script(step)+ended(step.Query), styleSink)
	if err != nil {
		return err
	}
	var expected *flinkerr.Error
	if !errors.As(want.err, &expected) {
		return fmt.Errorf("the lab's statement of step %s is not refused", step.ID)
	}
	out, bad, err := s.readOutput(ctx, step.Out, nil, step)
	if err != nil {
		return err
	}
	if bad != nil {
		v.unreadable(step.Out, bad)
		return nil
	}
	v.fileNotes(out)
	text, noSQL := s.readSQL(step.SQL)
	v.noteSQL(step.SQL, noSQL)
	l := &learner{s: s, step: step, text: text, out: out, style: styleSink}
	errs := out.errors()
	for _, b := range errs {
		if b.Err != nil && sameRefusal(expected, b.Err) {
			v.facts = "refused: " + b.Err.SimpleClass()
			return nil
		}
	}
	if notRun(out, v) {
		return nil
	}
	if len(errs) == 0 {
		return s.notRefused(ctx, l, expected, v)
	}
	b := errs[len(errs)-1]
	f := errorFinding(out.name, b)
	f.Expected = expected.Class[strings.LastIndexByte(expected.Class, '.')+1:] + ": " + firstLine(expected.Message)
	want2, got := refusalParts(expected.Message), refusalParts(b.Err.Message)
	switch {
	case got.sink == "" && !strings.Contains(b.Err.Message, "doesn't support consuming"):
		code := errorCode(b.Err.Class, b.Err.Message)
		if code == "LG-RUN-013" || code == "LG-RUN-020" {
			code = "LG-REFUSE-002"
		}
		f.Message = "The statement was refused, but for another reason: " + f.Actual
		v.add(code, f)
	case got.node == "" || got.rest != "" || unbalanced(got.node):
		f.Message = "The error text is incomplete or changed."
		v.add("LG-REFUSE-005", f)
	case want2.sink != got.sink:
		f.Message = fmt.Sprintf("The error names the table %s; the task is about %s.", got.sink, want2.sink)
		v.add("LG-REFUSE-003", f)
	default:
		return s.otherNode(ctx, l, want2, got, f, v)
	}
	return nil
}

// refusal are the parts of "Table sink 'c.d.t' doesn't support consuming update
// changes which is produced by node N(...)".
type refusal struct{ sink, changes, node, rest string }

var refusalText = regexp.MustCompile(`(?s)^Table sink '([^']*)' doesn't support consuming ([a-z ]+?) changes which is produced by node (.*)$`)

func refusalParts(message string) refusal {
	m := refusalText.FindStringSubmatch(strings.TrimSpace(message))
	if m == nil {
		return refusal{rest: message}
	}
	sink := m[1][strings.LastIndexByte(m[1], '.')+1:]
	return refusal{sink: sink, changes: m[2], node: strings.TrimSpace(m[3])}
}

// aliasText is " AS name" in a node.
var aliasText = regexp.MustCompile(` AS [^,\]()]+`)

// sameRefusal compares two errors. The alias of a computed column and the names of
// catalog and database are the learner's own business.
func sameRefusal(want *flinkerr.Error, got *parse.Err) bool {
	if !strings.HasSuffix(got.Class, want.Class[strings.LastIndexByte(want.Class, '.')+1:]) {
		return false
	}
	a, b := refusalParts(want.Message), refusalParts(got.Message)
	if a.sink == "" {
		return firstLine(want.Message) == got.FirstLine()
	}
	return a.sink == b.sink && a.changes == b.changes && withoutAlias(a.node) == withoutAlias(b.node)
}

func withoutAlias(node string) string { return aliasText.ReplaceAllString(node, "") }

func unbalanced(s string) bool {
	depth := 0
	for _, c := range s {
		switch c {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		}
	}
	return depth != 0
}

// otherNode: the refusal is about another query than the lab's.
func (s *submission) otherNode(ctx context.Context, l *learner, want, got refusal, f report.Finding, v *verdict) error {
	list, err := l.answers(ctx)
	if err != nil {
		return err
	}
	// A text that the learner's own SQL gives comes from another query; one that it does
	// not give was changed.
	for n, a := range list {
		var fe *flinkerr.Error
		if !errors.As(a.err, &fe) {
			continue
		}
		mine := refusalParts(fe.Message)
		switch {
		case mine == got || mine.sink == got.sink && withoutAlias(mine.node) == withoutAlias(got.node):
			for _, x := range sqlFaults(s.g.lab, l.step, l.step.Query, list, n) {
				f.File, f.Line = l.step.SQL, x.line
				f.Message = "The refused query is not the one of the task: " + x.says + "."
				v.add(x.code, f)
				return nil
			}
		case withoutAlias(mine.node) == withoutAlias(want.node) && mine.sink == want.sink:
			f.Message = "The error text was changed: the saved statement gets another one."
			v.add("LG-REFUSE-005", f)
			return nil
		}
	}
	f.Message = "The error names another node than the query of the task has."
	v.add("LG-REFUSE-004", f)
	return nil
}

// notRefused: no error stands in the file.
func (s *submission) notRefused(ctx context.Context, l *learner, want *flinkerr.Error, v *verdict) error {
	out := l.out
	if !out.hasText {
		v.ungradable = true
		v.add("LG-FILE-005", report.Finding{File: out.name, Message: out.name + " holds no output of the SQL client."})
		return nil
	}
	f := report.Finding{File: out.name, Line: lastLine(out),
		Expected: want.Class[strings.LastIndexByte(want.Class, '.')+1:] + ": " + firstLine(want.Message)}
	for _, b := range out.blocks {
		if b.What == parse.WhatSubmit || b.Kind == parse.KindInfo && strings.Contains(strings.Join(b.Messages, " "), "Complete execution") {
			f.Line = b.FirstLine
			f.Actual = "the job was submitted"
			f.Message = "The statement was accepted, though Flink refuses the one of the task."
			list, err := l.answers(ctx)
			if err != nil {
				return err
			}
			for _, x := range s.acceptedBecause(l, list) {
				f.Message = "The statement was accepted: " + x.says + "."
				f.File, f.Line = l.step.SQL, x.line
			}
			v.add("LG-REFUSE-001", f)
			return nil
		}
	}
	if len(out.results) > 0 || len(out.plans()) > 0 {
		f.Message = "The file holds a result or a plan, not a refusal."
		v.add("LG-FILE-004", f)
		return nil
	}
	f.Message = out.name + " ends without the error."
	v.add("LG-FILE-004", f)
	return nil
}

// acceptedBecause looks for what in the learner's SQL made Flink accept the INSERT.
func (s *submission) acceptedBecause(l *learner, list []*answer) []fault {
	for n, a := range list {
		if queryOf(a.stmt) == nil {
			continue
		}
		f := &faultFinder{lab: s.g.lab}
		f.settings(l.step, list[:n])
		if len(f.list) > 0 {
			return f.list[:1]
		}
		if ddl, line := tableDDL(list[:n], a.sink); ddl != nil {
			for _, o := range ddl.Options {
				if o.Key == "connector" && o.Value != "filesystem" {
					return []fault{{code: "LG-SQL-025", line: line, says: fmt.Sprintf("the table %s has the connector %s", a.sink, o.Value)}}
				}
			}
		}
	}
	return nil
}
