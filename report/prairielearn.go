package report

// prairieResult is results.json of a PrairieLearn external grader; score is a fraction.
type prairieResult struct {
	Gradable     bool          `json:"gradable"`
	Score        float64       `json:"score"`
	Message      string        `json:"message"`
	FormatErrors []string      `json:"format_errors,omitempty"`
	Tests        []prairieTest `json:"tests"`
}

type prairieTest struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Points      float64 `json:"points"`
	MaxPoints   float64 `json:"max_points"`
	Message     string  `json:"message"`
	Output      string  `json:"output"`
}

// prairieText bounds the text of a test in bytes: the file may have 1 MB.
const prairieText = 16 << 10

// prairieLearn says "not gradable", which costs the learner no attempt, where no step
// could be graded or the fault is ours.
func prairieLearn(r *Result) ([]byte, error) {
	p := prairieResult{Score: r.Score.fraction(), Message: r.Summary(), Tests: []prairieTest{}}
	for i := range r.Checks {
		c := &r.Checks[i]
		if c.Outcome == Pass || c.Outcome == Fail {
			p.Gradable = true
		}
		t := prairieTest{Name: c.label(), Points: c.Points, MaxPoints: c.Max, Description: Plain(c.Facts), Message: cut(c.body(), prairieText)}
		p.Tests = append(p.Tests, t)
	}
	if r.Outcome == Errored {
		p.Gradable = false
	}
	if !p.Gradable {
		for i := range r.Checks {
			p.FormatErrors = append(p.FormatErrors, r.Checks[i].label()+" - "+cut(r.Checks[i].headline(), 1000))
		}
	}
	return indented(p)
}
