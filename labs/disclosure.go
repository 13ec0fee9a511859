package labs

import (
	"cmp"
	"fmt"
	"time"
)

// Disclosure is how much of a step's judgement a learner is shown.
type Disclosure string

// The levels of disclosure, from all to nothing.
const (
	DiscloseAll     Disclosure = "all"     // what was expected, what was found, where, and which source rows
	DiscloseMessage Disclosure = "message" // the message and where, without the rows; messages may name numbers
	DiscloseWhere   Disclosure = "where"   // the kind of mistake, where, and what was found; nothing of what was expected
	DiscloseVerdict Disclosure = "verdict" // right or wrong, and the kind of mistake
	DiscloseNothing Disclosure = "nothing" // the step is hidden: not judged, not named
)

// Disclosures lists the levels.
func Disclosures() []Disclosure {
	return []Disclosure{DiscloseAll, DiscloseMessage, DiscloseWhere, DiscloseVerdict, DiscloseNothing}
}

// Disclosed is what a learner is shown of a step at a time. From the step's (or else the
// lab's) until on, that is all. A step that says disclose without until keeps its level
// even if the lab has an until.
func (l *Lab) Disclosed(s *Step, now time.Time) Disclosure {
	d, until := cmp.Or(s.Disclose, l.Disclose, DiscloseAll), s.Until
	if until == "" && s.Disclose == "" {
		until = l.Until
	}
	if t, err := ParseUntil(until); err == nil && !now.Before(t) {
		return DiscloseAll
	}
	return d
}

// HiddenUntil is the text of the date until which a step is hidden, "" without one.
func (l *Lab) HiddenUntil(s *Step) string {
	if s.Until == "" && s.Disclose == "" {
		return l.Until
	}
	return s.Until
}

// ParseUntil reads a date with time and zone, as in 2026-12-24T00:00:00+09:00. A date
// without zone would end at another moment on every machine.
func ParseUntil(s string) (time.Time, error) {
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		return time.Time{}, fmt.Errorf("until must be a date with time and zone, as in 2026-12-24T00:00:00+09:00, not %q", s)
	}
	return t, nil
}

func (r *reader) until(at, until string, before Disclosure) {
	if until == "" {
		return
	}
	if _, err := ParseUntil(until); err != nil {
		r.at(at, "%v", err)
	}
	if before == "" || before == DiscloseAll {
		r.at(at, "until needs a disclose that holds before, as in disclose: nothing")
	}
}
