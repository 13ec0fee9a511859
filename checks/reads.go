package checks

import (
	"slices"

	"github.com/labgrade/labgrade/labs"
)

// reads lists the lab's tables that the step's statements read, through views, too.
func (g *Grader) reads(step *labs.Step) []string {
	setup := setupOf(g.lab, step)
	var views []statementAt
	for _, st := range statementsOf(setup) {
		views = append(views, statementAt{stmt: st.stmt, text: setup})
	}
	texts := []string{step.Query}
	for _, p := range step.Plans {
		texts = append(texts, p.Query)
	}
	var out []string
	for _, text := range texts {
		for _, st := range statementsOf(text) {
			for _, name := range clausesOf(queryOf(st.stmt), text, 0, views).tables {
				known := slices.ContainsFunc(g.lab.Tables, func(t labs.Table) bool { return t.Name == name })
				if known && !slices.Contains(out, name) {
					out = append(out, name)
				}
			}
		}
	}
	return out
}
