package class

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strconv"

	"github.com/labgrade/labgrade/report"
)

//go:embed page.html
var pageText string

// page writes the class report: one HTML file for instructors, which needs no script, no
// font and no other file.
func page(r *Result) ([]byte, error) {
	funcs := report.PageFuncs()
	funcs["word"] = outcomeWord
	funcs["number"] = round
	funcs["share"] = func(f float64) string { return fmt.Sprintf("%.0f %%", f*100) }
	t, err := template.New("class").Funcs(funcs).Parse(pageText)
	if err != nil {
		return nil, err
	}
	v := pageView{Result: r, Style: report.PageStyle(), Distribution: r.distribution(), Steps: r.stepRows(), Mistakes: r.mistakes(), Rows: r.submissionRows()}
	for i := range v.Steps {
		if s := &v.Steps[i]; s.Graded > 0 && s.Right < s.Graded && (v.Hardest == nil || s.Right*v.Hardest.Graded < v.Hardest.Right*s.Graded) {
			v.Hardest = s
		}
	}
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

type pageView struct {
	*Result
	Style        template.CSS
	Distribution []bucket
	Steps        []stepRow
	Hardest      *stepRow
	Mistakes     []mistake
	Rows         []submissionRow
}

// bucket is a bar of the distribution; Width is in percent of the longest.
type bucket struct {
	Label        string
	Count, Width int
}

// maxBuckets is the most bars that are still read at a glance.
const maxBuckets = 13

// distribution counts the submissions that have checks by their points: a bar for each
// whole point where the lab has few, ten equal parts otherwise.
func (r *Result) distribution() []bucket {
	top := r.Summary.Max
	if top <= 0 {
		return nil
	}
	whole := top == math.Trunc(top) && int(top) < maxBuckets
	n := 10
	if whole {
		n = int(top) + 1
	}
	counts := make([]int, n)
	for i := range r.Submissions {
		s := &r.Submissions[i]
		if !s.Graded() {
			continue
		}
		at := int(s.Score.Points)
		if !whole {
			at = int(s.Score.Points / top * float64(n))
		}
		counts[min(max(at, 0), n-1)]++
	}
	most := max(1, slices.Max(counts))
	out := make([]bucket, n)
	for i, c := range counts {
		b := bucket{Label: strconv.Itoa(i), Count: c, Width: c * 100 / most}
		if !whole {
			b.Label = round(top*float64(i)/float64(n)) + " to " + round(top*float64(i+1)/float64(n))
		}
		out[i] = b
	}
	return out
}

type stepRow struct {
	Step   Step
	Counts StepSummary
	// Other counts what was neither right nor wrong.
	Right, Graded, Other, Width int
}

func (r *Result) stepRows() []stepRow {
	var out []stepRow
	for i, s := range r.Steps {
		row := stepRow{Step: s}
		if i < len(r.Summary.Steps) {
			row.Counts = r.Summary.Steps[i]
		}
		n := row.Counts
		row.Right, row.Graded = n.Pass, n.Pass+n.Fail+n.Skip+n.Ungradable+n.Errored
		row.Other = row.Graded - n.Pass - n.Fail
		if row.Graded > 0 {
			row.Width = row.Right * 100 / row.Graded
		}
		out = append(out, row)
	}
	return out
}

// mistake is a code with an example of what it looked like.
type mistake struct {
	CodeSummary
	Title   string
	Width   int
	Example *report.Finding
	Of      *Submission
	In      string
}

// maxMistakes bounds the list of the most frequent mistakes.
const maxMistakes = 20

func (r *Result) mistakes() []mistake {
	var out []mistake
	for _, c := range r.Summary.Codes {
		if len(out) == maxMistakes {
			break
		}
		m := mistake{CodeSummary: c}
		if r.Title != nil {
			m.Title = r.Title(c.Code)
		}
		if r.Summary.Submissions > 0 {
			m.Width = c.Submissions * 100 / r.Summary.Submissions
		}
		m.Of, m.In, m.Example = r.example(c.Code)
		out = append(out, m)
	}
	return out
}

// example finds the first finding of a code.
func (r *Result) example(code string) (*Submission, string, *report.Finding) {
	for i := range r.Submissions {
		s := &r.Submissions[i]
		for j := range s.Checks {
			for k := range s.Checks[j].Findings {
				if f := &s.Checks[j].Findings[k]; f.Code == code && f.Severity != report.Note {
					return s, s.Checks[j].ID, f
				}
			}
		}
	}
	return nil, "", nil
}

type submissionRow struct {
	*Submission
	// Open are the steps that are not right, each with its codes.
	Open []openStep
}

type openStep struct {
	ID      string
	Outcome report.Outcome
	Codes   []string
}

func (r *Result) submissionRows() []submissionRow {
	out := make([]submissionRow, len(r.Submissions))
	for i := range r.Submissions {
		s := &r.Submissions[i]
		out[i].Submission = s
		for _, c := range s.Checks {
			if c.Outcome != report.Pass {
				one := report.Result{Checks: []report.Check{c}}
				out[i].Open = append(out[i].Open, openStep{c.ID, c.Outcome, one.Codes()})
			}
		}
	}
	return out
}
