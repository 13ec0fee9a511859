package checks

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/report"
	"github.com/labgrade/labgrade/sql"
)

// planCheck judges the plans of one step.
type planCheck struct {
	s    *submission
	step *labs.Step
	v    *verdict
	out  *savedOutput
	l    *learner
	want []*planShape
	got  []*planShape
	// mine are the plans that the learner's SQL gives, list its answers.
	mine []*planShape
	at   []int
	list []*answer
	// blamed are sinks whose declaration was already found wrong.
	blamed map[string]bool
	old    bool
}

// checkPlans judges EXPLAIN CHANGELOG_MODE outputs: for each plan of the lab one that
// has the same nodes with the same changelog modes.
func (s *submission) checkPlans(ctx context.Context, step *labs.Step, v *verdict) error {
	c := &planCheck{s: s, step: step, v: v, blamed: map[string]bool{}}
	var err error
	if c.want, err = s.labPlans(ctx, step); err != nil {
		return err
	}
	out, bad, err := s.readOutput(ctx, step.Out, nil, step)
	if err != nil {
		return err
	}
	if bad != nil {
		v.unreadable(step.Out, bad)
		return nil
	}
	c.out = out
	v.fileNotes(out)
	text, noSQL := s.readSQL(step.SQL)
	v.noteSQL(step.SQL, noSQL)
	c.l = &learner{s: s, step: step, text: text, out: out}
	if c.list, err = c.l.answers(ctx); err != nil {
		return err
	}
	for i, a := range c.list {
		if a.shape != nil {
			c.mine = append(c.mine, a.shape)
			c.at = append(c.at, i)
		}
	}
	for _, b := range out.plans() {
		if p := shapeOfPlan(b.Plan); p != nil {
			p.block = b
			c.got = append(c.got, p)
		}
	}
	for _, b := range out.blocks {
		for _, m := range b.Messages {
			c.old = c.old || strings.Contains(m, "succeed.") || strings.Contains(m, "Session property")
		}
	}
	if len(c.got) == 0 {
		return c.none(ctx)
	}
	c.tables()
	return c.judge(ctx)
}

// labPlans are the plans of the lab's queries.
func (s *submission) labPlans(ctx context.Context, step *labs.Step) ([]*planShape, error) {
	script := s.g.script(step)
	for _, p := range step.Plans {
		script += "EXPLAIN CHANGELOG_MODE " + ended(p.Query)
	}
	answers, err := s.g.execute(ctx, script, styleTable, forTruth, nil)
	if err != nil {
		return nil, err
	}
	if e := firstError(answers); e != nil {
		return nil, fmt.Errorf("the lab's own statement of step %s fails: %w", step.ID, e.err)
	}
	var out []*planShape
	for _, a := range answers {
		if a.plan == "" {
			continue
		}
		if a.shape == nil {
			return nil, errors.New("the reference plan cannot be read")
		}
		out = append(out, a.shape)
	}
	if len(out) != len(step.Plans) {
		return nil, fmt.Errorf("the lab's step %s has %d queries but %d plans", step.ID, len(step.Plans), len(out))
	}
	return out, nil
}

// readPlan reads the text of an EXPLAIN.
func readPlan(text string) *planShape {
	t, err := parse.Read(strings.NewReader(text), parse.Options{})
	if err != nil {
		return nil
	}
	for _, p := range t.Plans() {
		if s := shapeOfPlan(p.Plan); s != nil {
			s.block = p
			return s
		}
	}
	return nil
}

// none: the file has no plan at all.
func (c *planCheck) none(ctx context.Context) error {
	if len(c.out.errors()) > 0 {
		return c.s.runError(ctx, c.l, c.v)
	}
	if len(c.out.results) > 0 {
		c.v.add("LG-PLAN-005", report.Finding{File: c.out.name, Line: c.out.results[0].block.FirstLine, Message: "The file holds the rows of a query, not its plan."})
		return nil
	}
	if c.out.hasText {
		for _, b := range c.out.blocks {
			if b.What == parse.WhatSubmit || strings.Contains(strings.Join(b.Messages, " "), "Complete execution") {
				c.v.add("LG-PLAN-005", report.Finding{File: c.out.name, Line: b.FirstLine, Message: "The INSERT was run, not explained."})
				return nil
			}
		}
	}
	c.s.noResult(c.out, c.v, c.step)
	return nil
}

// tables compares what the lab cares about in the declarations of the sinks.
func (c *planCheck) tables() {
	for _, st := range statementsOf(setupOf(c.s.g.lab, c.step)) {
		ours, ok := st.stmt.(*sql.CreateTable)
		if !ok {
			continue
		}
		name := lastPart(ours.Name)
		theirs, line := tableDDL(c.list, name)
		if theirs == nil {
			continue
		}
		if slices.Contains(c.step.Same, "primary-key") {
			c.primaryKey(name, keyOf(ours), keyOf(theirs), line)
		}
		if slices.Contains(c.step.Same, "connector") {
			a, b := optionOf(ours, "connector"), optionOf(theirs, "connector")
			if a != b {
				c.blamed[name] = true
				c.v.add("LG-SQL-025", report.Finding{File: c.step.SQL, Line: line, Expected: "connector " + a, Actual: "connector " + b,
					Message: fmt.Sprintf("The table %s has the connector %s; the task asks for %s.", name, b, a)})
			}
		}
	}
}

func (c *planCheck) primaryKey(name string, ours, theirs []string, line int) {
	if slices.Equal(ours, theirs) {
		return
	}
	f := report.Finding{File: c.step.SQL, Line: line, Expected: keyText(ours), Actual: keyText(theirs)}
	c.blamed[name] = true
	switch {
	case len(theirs) == 0:
		f.Message = fmt.Sprintf("The table %s has no primary key.", name)
		c.v.add("LG-SQL-022", f)
	case len(ours) == 0:
		f.Message = fmt.Sprintf("The table %s has a primary key, though it stands for a sink without one.", name)
		c.v.add("LG-SQL-023", f)
	default:
		f.Message = fmt.Sprintf("The primary key of %s is (%s); the task asks for (%s).", name, strings.Join(theirs, ", "), strings.Join(ours, ", "))
		c.v.add("LG-SQL-024", f)
	}
}

func keyText(k []string) string {
	if len(k) == 0 {
		return "no primary key"
	}
	return "primary key (" + strings.Join(k, ", ") + ")"
}

// keyOf is the primary key of a table.
func keyOf(t *sql.CreateTable) []string {
	for _, k := range t.Constraints {
		if !k.Unique {
			var out []string
			for _, c := range k.Columns {
				out = append(out, c.Text)
			}
			return out
		}
	}
	for _, c := range t.Columns {
		if c.InlineKey != nil && !c.InlineKey.Unique {
			return []string{c.Name.Text}
		}
	}
	return nil
}

func optionOf(t *sql.CreateTable, key string) string {
	for _, o := range t.Options {
		if o.Key == key {
			return o.Value
		}
	}
	return ""
}

// judge pairs the saved plans with the expected ones and compares each pair.
func (c *planCheck) judge(ctx context.Context) error {
	used := map[int]bool{}
	pair := make([]int, len(c.want))
	for i := range pair {
		pair[i] = -1
	}
	// Exact fits first, then the likeliest.
	for _, exact := range []bool{true, false} {
		for i, w := range c.want {
			if pair[i] >= 0 {
				continue
			}
			best, score := -1, 0
			for j, g := range c.got {
				if used[j] {
					continue
				}
				n := likeness(w, g)
				if exact && c.difference(i, g) != nil {
					continue
				}
				if n > score {
					best, score = j, n
				}
			}
			if best >= 0 {
				pair[i], used[best] = best, true
			}
		}
	}
	// What is left over belongs together, even if it looks nothing alike.
	if len(c.got) >= len(c.want) {
		for i := range c.want {
			for j := range c.got {
				if pair[i] < 0 && !used[j] {
					pair[i], used[j] = j, true
				}
			}
		}
	}
	right := 0
	for i := range c.want {
		if pair[i] < 0 {
			if err := c.missing(ctx, i); err != nil {
				return err
			}
			continue
		}
		before := len(c.v.findings)
		if err := c.plan(ctx, i, pair[i]); err != nil {
			return err
		}
		if len(c.v.findings) == before {
			right++
		}
	}
	c.v.facts = fmt.Sprintf("%d of %d plans", right, len(c.want))
	return nil
}

// likeness says how likely a saved plan is meant for an expected one; 0 is not at all.
func likeness(w, g *planShape) int {
	n := 1
	if w.sink != "" && w.sink == g.sink {
		n += 8
	}
	a, b := w.core(false), g.core(false)
	if len(a) > 0 && len(b) > 0 && kindOf(a[0].name) == kindOf(b[0].name) {
		n += 4
	}
	if (w.find("Aggregate") != nil) == (g.find("Aggregate") != nil) {
		n += 4
	} else {
		n -= 4
	}
	if slices.Equal(names(a), names(b)) {
		n += 2
	}
	return max(n, 0)
}

// kindOf takes the variants of an aggregate for one kind.
func kindOf(name string) string {
	if strings.Contains(name, "Aggregate") {
		return "Aggregate"
	}
	return name
}

// missing: no saved plan can be the i-th one.
func (c *planCheck) missing(ctx context.Context, i int) error {
	if errs := c.out.errors(); len(errs) > 0 {
		return c.s.runError(ctx, c.l, c.v)
	}
	f := report.Finding{File: c.out.name, Line: lastLine(c.out), Key: c.step.Plans[i].Name,
		Message:  fmt.Sprintf("The plan %q is missing: the file has %s, the task asks for %d.", c.step.Plans[i].Name, plural(len(c.got), "plan"), len(c.want)),
		Expected: "EXPLAIN CHANGELOG_MODE " + strings.Join(strings.Fields(c.step.Plans[i].Query), " ")}
	for _, r := range c.out.results {
		if r.hasOp || r.block.What == parse.WhatQuery {
			f.Line = r.block.FirstLine
			f.Message = "The rows of a query stand where its plan should be."
			c.v.add("LG-PLAN-005", f)
			return nil
		}
	}
	c.v.add("LG-PLAN-003", f)
	return nil
}

// planDifference is the first thing in which a saved plan differs from the expected one.
type planDifference struct {
	code, says       string
	line             int
	expected, actual string
}

// plan judges one pair.
func (c *planCheck) plan(ctx context.Context, i, j int) error {
	w, g := c.want[i], c.got[j]
	d := c.difference(i, g)
	mine, n := c.minePlan(j)
	if d == nil {
		c.text(i, j, mine)
		return nil
	}
	f := report.Finding{File: c.out.name, Line: d.line, Key: c.step.Plans[i].Name, Message: d.says, Expected: d.expected, Actual: d.actual}
	if mine != nil && sameNodes(mine, g) {
		// The plan is what the learner's SQL gives: the fault is in the SQL.
		if c.blamed[w.sink] && d.code == "LG-PLAN-004" {
			return nil
		}
		faults := sqlFaults(c.s.g.lab, c.step, c.step.Plans[i].Query, c.list, n)
		if e, ok := c.list[n].stmt.(*sql.Explain); ok && !slices.Contains(e.Details, "CHANGELOG_MODE") {
			faults = append([]fault{{code: "LG-PLAN-001", line: c.list[n].line, says: "CHANGELOG_MODE is missing behind EXPLAIN"}}, faults...)
		}
		if len(faults) > 0 {
			x := faults[0]
			code := x.code
			if code == "LG-SQL-014" {
				code = "LG-PLAN-002"
			}
			if d.code == "LG-PLAN-008" {
				code = d.code
			}
			f.File, f.Line = c.step.SQL, x.line
			f.Message = fmt.Sprintf("The plan %q is what %s gives: %s.", c.step.Plans[i].Name, c.step.SQL, x.says)
			c.v.add(code, f)
			return nil
		}
		c.v.add(d.code, f)
		return nil
	}
	if mine != nil && sameCore(mine, w) && d.code != "LG-PLAN-001" && d.code != "LG-PLAN-002" {
		// The SQL is right, so the saved text was changed.
		if d.code != "LG-PLAN-004" {
			d.code = "LG-PLAN-006"
			f.Message = fmt.Sprintf("The plan %q is not the one that %s gives.", c.step.Plans[i].Name, c.step.SQL)
		}
	}
	c.v.add(d.code, f)
	return nil
}
