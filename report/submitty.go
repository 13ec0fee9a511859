package report

// submittyResult is validation_results.json of a Submitty custom validator. "failure"
// means that the validator itself failed and is shown to instructors only.
type submittyResult struct {
	Status  string        `json:"status"`
	Data    *submittyData `json:"data,omitempty"`
	Message string        `json:"message,omitempty"`
}

type submittyData struct {
	// Score is a fraction of the points of the test case.
	Score   float64           `json:"score"`
	Message []submittyMessage `json:"message"`
}

type submittyMessage struct {
	Message string `json:"message"`
	Status  string `json:"status"`
}

func submitty(r *Result) ([]byte, error) {
	d := &submittyData{Score: r.Score.fraction(), Message: []submittyMessage{}}
	for i := range r.Checks {
		c := &r.Checks[i]
		status := "failure"
		switch c.Outcome {
		case Pass:
			status = "success"
		case Skip:
			status = "information"
		case Ungradable, Errored:
			status = "warning"
		}
		d.Message = append(d.Message, submittyMessage{Message: cut(c.label()+"\n"+c.body(), 1<<14), Status: status})
	}
	d.Message = append(d.Message, submittyMessage{Message: r.Summary(), Status: "information"})
	if r.Outcome == Errored {
		s := ""
		for _, m := range d.Message {
			s += m.Message + "\n"
		}
		return indented(submittyResult{Status: "failure", Message: s})
	}
	return indented(submittyResult{Status: "success", Data: d})
}
