package report

import (
	"bytes"
	"encoding/json"
)

// dodona writes the updates that a Dodona judge prints, one JSON object a line: a tab,
// and in it a context, a test case and a test for each step. Expected and found are the
// rows of the first finding that has any.
func dodona(r *Result) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	var err error
	put := func(members ...member) {
		if e := enc.Encode(object(members)); e != nil && err == nil {
			err = e
		}
	}
	plain := func(s string) object { return object{{"format", "plain"}, {"description", s}} }
	put(member{"command", "start-judgement"})
	put(member{"command", "start-tab"}, member{"title", "Steps"})
	for i := range r.Checks {
		c := &r.Checks[i]
		var expected, found string
		for _, f := range c.Findings {
			if f.Severity != Note && (f.Expected != "" || f.Actual != "") {
				expected, found = Plain(f.Expected), Plain(f.Actual)
				break
			}
		}
		put(member{"command", "start-context"})
		put(member{"command", "start-testcase"}, member{"description", plain(c.label())})
		put(member{"command", "start-test"}, member{"expected", expected})
		put(member{"command", "append-message"}, member{"message", plain(cut(c.body(), 1<<14))})
		put(member{"command", "close-test"}, member{"generated", found}, member{"status", dodonaStatus(c.Outcome)}, member{"accepted", c.Outcome == Pass})
		put(member{"command", "close-testcase"}, member{"accepted", c.Outcome == Pass})
		put(member{"command", "close-context"}, member{"accepted", c.Outcome == Pass})
	}
	put(member{"command", "close-tab"})
	put(member{"command", "append-message"}, member{"message", plain(r.Summary())})
	put(member{"command", "close-judgement"}, member{"accepted", r.Outcome == Pass}, member{"status", dodonaStatus(r.Outcome)})
	return b.Bytes(), err
}

func dodonaStatus(o Outcome) object {
	s := "wrong"
	switch o {
	case Pass:
		s = "correct"
	case Ungradable:
		s = "runtime error"
	case Errored:
		s = "internal error"
	}
	return object{{"enum", s}, {"human", o.word()}}
}
