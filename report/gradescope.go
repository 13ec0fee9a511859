package report

// gradescopeResult is results.json of a Gradescope autograder. The score of the whole is
// given, so Gradescope does not add the tests up itself.
type gradescopeResult struct {
	Score            float64          `json:"score"`
	Output           string           `json:"output"`
	OutputFormat     string           `json:"output_format"`
	Visibility       string           `json:"visibility"`
	StdoutVisibility string           `json:"stdout_visibility"`
	Tests            []gradescopeTest `json:"tests"`
	ExtraData        map[string]any   `json:"extra_data"`
}

type gradescopeTest struct {
	Score        float64  `json:"score"`
	MaxScore     float64  `json:"max_score"`
	Status       string   `json:"status"`
	Name         string   `json:"name"`
	NameFormat   string   `json:"name_format"`
	Number       string   `json:"number"`
	Output       string   `json:"output"`
	OutputFormat string   `json:"output_format"`
	Tags         []string `json:"tags,omitempty"`
	Visibility   string   `json:"visibility"`
}

func gradescope(r *Result) ([]byte, error) {
	g := gradescopeResult{
		Score: r.Score.Points, Output: r.Summary(), OutputFormat: "text", Visibility: "visible", StdoutVisibility: "hidden",
		Tests:     []gradescopeTest{},
		ExtraData: map[string]any{"lab": r.Lab.ID, "lab_digest": r.Lab.Digest, "outcome": r.Outcome, "max_score": r.Score.Max},
	}
	for i := range r.Checks {
		c := &r.Checks[i]
		status := "failed"
		if c.Outcome == Pass {
			status = "passed"
		}
		g.Tests = append(g.Tests, gradescopeTest{
			Score: c.Points, MaxScore: c.Max, Status: status, Name: c.label(), NameFormat: "text", Number: decimal(i + 1),
			Output: cut(c.body(), 1<<16), OutputFormat: "text", Tags: c.codes(), Visibility: "visible",
		})
	}
	return indented(g)
}
