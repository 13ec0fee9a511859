package class

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/report"
)

// Read reads the JSON of an earlier result.
func Read(data []byte) (*Result, error) {
	var r Result
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, fmt.Errorf("this is no result of a class: %w", err)
	}
	if r.SchemaVersion == 0 || r.Lab.ID == "" || r.Steps == nil {
		return nil, fmt.Errorf("this is no result of a class: write one with --report json=FILE")
	}
	if r.SchemaVersion > SchemaVersion {
		return nil, fmt.Errorf("the result has the version %d of the format; this labgrade knows %d", r.SchemaVersion, SchemaVersion)
	}
	return &r, nil
}

// Compare says what changed since an earlier result of the same lab. Submissions are
// matched by ID; several of one person by their order of paths.
func Compare(now, before *Result) *Against {
	a := &Against{Lab: now.Lab.Digest != before.Lab.Digest, Tool: now.Tool != before.Tool, Changes: []Change{}}
	old := map[string][]*Submission{}
	for i := range before.Submissions {
		s := &before.Submissions[i]
		old[s.ID] = append(old[s.ID], s)
	}
	for i := range now.Submissions {
		s := &now.Submissions[i]
		list := old[s.ID]
		if len(list) == 0 {
			if s.Outcome != Missing {
				a.Changes = append(a.Changes, Change{ID: s.ID, Path: s.Path, What: "new", After: s.Outcome, PointsAfter: s.Score.Points})
			}
			continue
		}
		old[s.ID] = list[1:]
		if c, same := compare(s, list[0]); !same {
			a.Changes = append(a.Changes, c)
		} else {
			a.Same++
		}
	}
	for _, list := range old {
		for _, s := range list {
			if s.Outcome != Missing {
				a.Changes = append(a.Changes, Change{ID: s.ID, Path: s.Path, What: "gone", Before: s.Outcome, PointsBefore: s.Score.Points})
			}
		}
	}
	slices.SortStableFunc(a.Changes, func(x, y Change) int {
		if c := strings.Compare(x.ID, y.ID); c != 0 {
			return c
		}
		return strings.Compare(x.Path, y.Path)
	})
	return a
}

func compare(s, b *Submission) (Change, bool) {
	c := Change{ID: s.ID, Path: s.Path, Before: b.Outcome, After: s.Outcome, PointsBefore: b.Score.Points, PointsAfter: s.Score.Points}
	c.Files = s.Digest != b.Digest
	was := map[string]report.Outcome{}
	for _, k := range b.Checks {
		was[k.ID] = k.Outcome
	}
	for _, k := range s.Checks {
		before, ok := was[k.ID]
		switch {
		case !ok:
		case k.Outcome == report.Pass && before != report.Pass:
			c.Fixed = append(c.Fixed, k.ID)
		case k.Outcome != report.Pass && before == report.Pass:
			c.Broken = append(c.Broken, k.ID)
		}
	}
	switch {
	case s.Outcome != b.Outcome:
		c.What = "outcome"
	case s.Score != b.Score || len(c.Fixed)+len(c.Broken) > 0:
		c.What = "score"
	case !slices.Equal(s.Codes, b.Codes):
		c.What = "codes"
	case c.Files:
		c.What = "files"
	default:
		return c, true
	}
	return c, false
}

// Words says the change in one line.
func (c *Change) Words() string {
	switch c.What {
	case "new":
		return fmt.Sprintf("%s: new, %s, %s points", c.ID, outcomeWord(c.After), round(c.PointsAfter))
	case "gone":
		return fmt.Sprintf("%s: gone; it was %s, %s points", c.ID, outcomeWord(c.Before), round(c.PointsBefore))
	}
	s := c.ID + ": "
	if c.Before != c.After {
		s += fmt.Sprintf("%s, was %s; ", outcomeWord(c.After), outcomeWord(c.Before))
	}
	if c.PointsBefore != c.PointsAfter {
		s += fmt.Sprintf("%s points, had %s; ", round(c.PointsAfter), round(c.PointsBefore))
	}
	if len(c.Fixed) > 0 {
		s += "right now: " + strings.Join(c.Fixed, ", ") + "; "
	}
	if len(c.Broken) > 0 {
		s += "no longer right: " + strings.Join(c.Broken, ", ") + "; "
	}
	if c.What == "codes" {
		s += "other mistakes; "
	}
	if !c.Files {
		return s + "the same files"
	}
	return s + "other files"
}
