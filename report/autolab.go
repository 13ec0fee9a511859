package report

import (
	"bytes"
	"encoding/json"
)

// autolab writes what an Autolab autograder prints: text for the learner, then a line
// that asks for formatted feedback, then the scores, on the last line, by problem. The
// problems of the assessment have the names of the steps.
func autolab(r *Result) ([]byte, error) {
	var b bytes.Buffer
	for i := range r.Checks {
		b.WriteString(r.Checks[i].label() + "\n" + r.Checks[i].body() + "\n\n")
	}
	b.WriteString(r.Summary() + "\n")

	const stage = "Steps"
	type test struct {
		Passed bool   `json:"passed"`
		Hint   string `json:"hint,omitempty"`
	}
	tests, scores := object{}, object{}
	for i := range r.Checks {
		c := &r.Checks[i]
		t := test{Passed: c.Outcome == Pass}
		if !t.Passed {
			t.Hint = c.headline()
		}
		tests = append(tests, member{c.label(), t})
		scores = append(scores, member{c.ID, c.Points})
	}
	feedback, err := json.Marshal(object{{"_presentation", "semantic"}, {"stages", []string{stage}}, {stage, tests}})
	if err != nil {
		return nil, err
	}
	last, err := json.Marshal(object{{"scores", scores}})
	if err != nil {
		return nil, err
	}
	for _, line := range [][]byte{feedback, last} {
		b.Write(line)
		b.WriteByte('\n')
	}
	return b.Bytes(), nil
}

// object is a JSON object whose members keep their order.
type object []member

type member struct {
	name  string
	value any
}

// MarshalJSON implements json.Marshaler.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := json.Marshal(m.name)
		if err != nil {
			return nil, err
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
