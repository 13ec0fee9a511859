package checks

import (
	"context"
	"errors"
	"strings"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

// learner is a learner's .sql file, run by the engine.
type learner struct {
	s     *submission
	step  *labs.Step
	text  string
	out   *savedOutput
	style cellStyle

	ran  bool
	list []*answer
	// unusable says why the statements say nothing; unusableLine where.
	unusable     string
	unusableLine int
	// otherPath is a source path that does not name the lab's file; it was taken for it.
	otherPath string
}

// answers runs the file as it is; where it leans on what is not in it (an init file, a
// path of the learner's machine), again with what the lab knows.
func (l *learner) answers(ctx context.Context) ([]*answer, error) {
	if l.ran || l.text == "" {
		return l.list, nil
	}
	l.ran = true
	list, err := l.run(ctx, l.s.before, nil)
	if err != nil {
		return nil, err
	}
	l.list = list
	failed := firstError(list)
	if failed == nil {
		return list, nil
	}
	tr := &transform{id: "any path", any: true}
	if isFlinkError(failed.err, "FileNotFound") {
		if again, err := l.run(ctx, l.s.before, tr); err == nil && firstError(again) == nil {
			l.list, l.otherPath = again, failed.err.Error()
			return again, nil
		}
	}
	if l.out == nil || len(l.out.errors()) == 0 {
		again, err := l.run(ctx, l.assumed(list)+l.s.before, tr)
		if err != nil {
			return nil, err
		}
		if firstError(again) == nil {
			l.list = again
			return again, nil
		}
	}
	l.unusableLine = failed.line
	if unsupported.Is(failed.err) {
		l.unusable = "labgrade does not reproduce it: " + failed.err.Error()
	} else {
		l.unusable = "Flink would refuse it: " + firstLine(failed.err.Error())
	}
	return l.list, nil
}

// run executes the file behind other statements; the answers are the file's own.
func (l *learner) run(ctx context.Context, before string, tr *transform) ([]*answer, error) {
	all, err := l.s.g.execute(ctx, before+withoutComments(l.text), l.style, forLearner, tr)
	if err != nil || before == "" {
		return all, err
	}
	n := strings.Count(before, "\n")
	var own []*answer
	for _, a := range all {
		if a.line > n {
			c := *a
			c.line -= n
			own = append(own, &c)
		} else if a.err != nil {
			return []*answer{a}, nil
		}
	}
	return own, nil
}

// assumed are the settings and tables that the file uses without making them: an init
// file (-i) made them.
func (l *learner) assumed(list []*answer) string {
	made := map[string]bool{}
	for _, a := range list {
		if n := created(a.stmt); n != "" {
			made[n] = true
		}
	}
	// The client stops at the first error, so later statements are not among the answers.
	if all, err := sql.ParseList(l.text); err == nil {
		for _, st := range all {
			if n := created(st); n != "" {
				made[n] = true
			}
		}
	}
	var b strings.Builder
	b.WriteString(settingsText(l.s.g.lab, l.step))
	for i := range l.s.g.lab.Tables {
		t := &l.s.g.lab.Tables[i]
		if !made[t.Name] {
			b.WriteString(t.Statement())
		}
	}
	for _, st := range statementsOf(setupOf(l.s.g.lab, l.step)) {
		if n := created(st.stmt); n != "" && !made[n] {
			b.WriteString(ended(st.text))
		}
	}
	return b.String()
}

func orStreaming(mode string) string {
	if mode == "" {
		return "streaming"
	}
	return mode
}

// created is the name of the table or view that a statement makes, or "".
func created(st sql.Statement) string {
	switch x := st.(type) {
	case *sql.CreateTable:
		return lastPart(x.Name)
	case *sql.CreateView:
		return lastPart(x.Name)
	}
	return ""
}

func lastPart(n sql.Name) string {
	if len(n.Parts) == 0 {
		return ""
	}
	return n.Parts[len(n.Parts)-1].Text
}

// statement is a statement with its text.
type statement struct {
	stmt sql.Statement
	text string
}

// statementsOf parses a text of several statements; nil when it does not parse.
func statementsOf(text string) []statement {
	list, err := sql.ParseList(text)
	if err != nil {
		return nil
	}
	out := make([]statement, len(list))
	for i, st := range list {
		sp := st.At()
		out[i] = statement{st, textOf(text, sp)}
	}
	return out
}

// textOf is the text of a span, whose end is inclusive.
func textOf(text string, sp sql.Span) string {
	from, to := sp.Start.Offset, sp.End.Offset+1
	if from < 0 || to > len(text) || from > to {
		return ""
	}
	return text[from:to]
}

func firstError(list []*answer) *answer {
	for _, a := range list {
		if a.err != nil {
			return a
		}
	}
	return nil
}

// isFlinkError reports an error of Flink whose class or message holds the text.
func isFlinkError(err error, text string) bool {
	var fe *flinkerr.Error
	return errors.As(err, &fe) && (strings.Contains(fe.Class, text) || strings.Contains(fe.Message, text))
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
