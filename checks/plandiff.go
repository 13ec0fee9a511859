package checks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/report"
)

// minePlan is the plan that the learner's SQL gives for the j-th saved plan.
func (c *planCheck) minePlan(j int) (*planShape, int) {
	if len(c.mine) == len(c.got) || j < len(c.mine) {
		return c.mine[j], c.at[j]
	}
	return nil, 0
}

// sameNodes compares two physical plans node by node, as printed.
func sameNodes(a, b *planShape) bool {
	if len(a.nodes) != len(b.nodes) {
		return false
	}
	for i := range a.nodes {
		if a.nodes[i].text != b.nodes[i].text {
			return false
		}
	}
	return true
}

// sameCore compares what two plans mean, without modes.
func sameCore(a, b *planShape) bool {
	x, y := a.core(false), b.core(false)
	if len(x) != len(y) || a.sink != b.sink {
		return false
	}
	for i := range x {
		if x[i].name != y[i].name {
			return false
		}
		for k, v := range x[i].attrs {
			if y[i].attrs[k] != v && k != "fields" {
				return false
			}
		}
	}
	return true
}

// text compares the parts of a right plan that are not judged by themselves with what
// the learner's SQL gives. Older versions print other syntax trees.
func (c *planCheck) text(i, j int, mine *planShape) {
	if mine == nil || c.old {
		return
	}
	g := c.got[j]
	if !sameCore(mine, g) {
		return // another statement's plan
	}
	for _, kind := range []parse.SectionKind{parse.SectionPhysical, parse.SectionAST, parse.SectionExecution} {
		a, b := mine.plan.Section(kind), g.plan.Section(kind)
		if a == nil || b == nil {
			if (a == nil) != (b == nil) && kind != parse.SectionPhysical {
				c.v.add("LG-PLAN-007", report.Finding{File: c.out.name, Line: g.block.FirstLine, Key: c.step.Plans[i].Name, Message: "A part of the plan is missing."})
				return
			}
			continue
		}
		x, y := a.Nodes(), b.Nodes()
		for k := range max(len(x), len(y)) {
			f := report.Finding{File: c.out.name, Line: b.Line, Key: c.step.Plans[i].Name, Expected: "no further node", Actual: "no further node"}
			if k < len(x) {
				f.Expected = x[k].Text
			}
			if k < len(y) {
				f.Actual, f.Line = y[k].Text, y[k].Line
			}
			if f.Expected == f.Actual && (k >= len(x) || k >= len(y) || x[k].Depth == y[k].Depth) {
				continue
			}
			code := "LG-PLAN-007"
			if kind == parse.SectionPhysical {
				code = "LG-PLAN-006"
			}
			f.Message = fmt.Sprintf("A line of the plan %q is not what %s gives.", c.step.Plans[i].Name, c.step.SQL)
			c.v.add(code, f)
			return
		}
	}
}

// difference compares a saved plan with the i-th expected one; nil when it is right.
func (c *planCheck) difference(i int, g *planShape) *planDifference {
	w := c.want[i]
	accept := c.step.Plans[i].Accept
	line := g.block.FirstLine
	if !g.hasModes() {
		if c.batch() {
			return &planDifference{"LG-PLAN-002", fmt.Sprintf("The plan %q is a batch plan.", c.step.Plans[i].Name), line, "a streaming plan", "a batch plan"}
		}
		return &planDifference{"LG-PLAN-001", fmt.Sprintf("The plan %q shows no changelog modes.", c.step.Plans[i].Name), line, "changelogMode in each node", "no changelogMode"}
	}
	if w.sink != "" && w.sink != g.sink {
		got := "no sink"
		if g.sink != "" {
			got = "the sink " + g.sink
		}
		return &planDifference{"LG-PLAN-008", fmt.Sprintf("The plan %q should write into %s.", c.step.Plans[i].Name, w.sink), line, "the sink " + w.sink, got}
	}
	if n := g.find("MiniBatch"); n != nil && w.find("MiniBatch") == nil {
		return &planDifference{"LG-SQL-015", "The plan is one with mini-batch.", n.line, "GroupAggregate", n.name}
	}
	x, y := w.core(false), g.core(false)
	if !slices.Equal(names(x), names(y)) {
		return c.otherNodes(i, w, g)
	}
	for k := range x {
		if d := c.otherAttrs(i, x[k], y[k], g); d != nil {
			return d
		}
	}
	for k := range x {
		if !modeAccepted(x[k], y[k], accept) {
			return &planDifference{"LG-PLAN-004", fmt.Sprintf("The node %s of the plan %q has another changelog mode.", y[k].name, c.step.Plans[i].Name),
				y[k].line, x[k].name + " [" + x[k].mode.String() + "]", y[k].name + " [" + modeText(y[k]) + "]"}
		}
	}
	return nil
}

// batch reports whether the file holds a batch plan: then plans without modes are, too,
// even those whose nodes both kinds have.
func (c *planCheck) batch() bool {
	return slices.ContainsFunc(c.got, (*planShape).batch)
}

func modeText(n planNode) string {
	if !n.hasMode {
		return "no changelogMode"
	}
	return n.mode.String()
}

// modeAccepted compares modes; the lab may accept further ones for a node.
func modeAccepted(w, g planNode, accept map[string][]string) bool {
	if !g.hasMode {
		return false
	}
	if w.mode == g.mode {
		return true
	}
	for _, a := range accept[w.name] {
		if m, ok := changelog.ParseMode(a); ok && m == g.mode {
			return true
		}
	}
	return false
}

// otherNodes names why a plan has other nodes than the expected one.
func (c *planCheck) otherNodes(i int, w, g *planShape) *planDifference {
	name := c.step.Plans[i].Name
	d := &planDifference{line: g.block.FirstLine, expected: strings.Join(names(w.core(false)), ", "), actual: strings.Join(names(g.core(false)), ", ")}
	wa, ga := count(w, "Aggregate"), count(g, "Aggregate")
	wc, gc := where(w), where(g)
	switch {
	case g.find("Join") != nil || g.find("Union") != nil:
		d.code, d.says = "LG-SQL-032", fmt.Sprintf("The plan %q joins or unions.", name)
	case g.find("Limit") != nil || g.find("Rank") != nil || g.find("Sort") != nil:
		d.code, d.says = "LG-SQL-011", fmt.Sprintf("The plan %q sorts or limits.", name)
	case wa > 0 && ga == 0 && gc == wc:
		d.code, d.says = "LG-SQL-006", fmt.Sprintf("The plan %q has no aggregate.", name)
	case ga > wa && wa == 0:
		d.code, d.says = "LG-SQL-021", fmt.Sprintf("The plan %q aggregates, the task does not.", name)
	case ga > wa:
		d.code, d.says = "LG-SQL-021", fmt.Sprintf("The plan %q aggregates %d times, the task %d times.", name, ga, wa)
	case wc != "" && gc == "" && wa == ga:
		d.code, d.says = "LG-SQL-002", fmt.Sprintf("The plan %q has no filter.", name)
	case wc == "" && gc != "" && wa == ga:
		d.code, d.says = "LG-SQL-001", fmt.Sprintf("The plan %q filters, the task does not.", name)
	default:
		d.code, d.says = "LG-PLAN-006", fmt.Sprintf("The nodes of the plan %q are not those of the query.", name)
	}
	return d
}

func count(p *planShape, text string) int {
	n := 0
	for _, x := range p.nodes {
		if strings.Contains(x.name, text) && !strings.HasPrefix(x.name, "Local") {
			n++
		}
	}
	return n
}

func where(p *planShape) string {
	for _, n := range p.nodes {
		if n.attrs["where"] != "" {
			return n.attrs["where"]
		}
	}
	return ""
}

// otherAttrs compares the attributes of two nodes of the same name.
func (c *planCheck) otherAttrs(i int, w, g planNode, whole *planShape) *planDifference {
	name := c.step.Plans[i].Name
	mk := func(code, key, says string) *planDifference {
		return &planDifference{code, fmt.Sprintf("The plan %q %s.", name, says), g.line, key + " " + w.attrs[key], key + " " + g.attrs[key]}
	}
	if w.attrs["where"] != g.attrs["where"] {
		switch {
		case w.attrs["where"] == "":
			return mk("LG-SQL-001", "where", "filters, the task does not")
		case g.attrs["where"] == "":
			return mk("LG-SQL-002", "where", "has no filter")
		}
		return mk("LG-SQL-003", "where", "has another condition")
	}
	if a, b := w.attrs["groupBy"], g.attrs["groupBy"]; a != b {
		switch {
		case b == "":
			return mk("LG-SQL-006", "groupBy", "does not group")
		case containsAll(splitTop(strings.ReplaceAll(b, ", ", ",")), splitTop(strings.ReplaceAll(a, ", ", ","))):
			return mk("LG-SQL-005", "groupBy", "groups by a column too many")
		}
		return mk("LG-SQL-004", "groupBy", "groups by another column")
	}
	if a, b := w.attrs["select"], g.attrs["select"]; a != b {
		x, y := splitTop(strings.ReplaceAll(a, ", ", ",")), splitTop(strings.ReplaceAll(b, ", ", ","))
		if containsAll(y, x) {
			return nil // further columns cost nothing
		}
		if strings.Contains(w.name, "Aggregate") {
			if strings.Contains(b, "DISTINCT") && !strings.Contains(a, "DISTINCT") {
				return mk("LG-SQL-009", "select", "counts distinct values")
			}
			return mk("LG-SQL-007", "select", "has another aggregate")
		}
		if containsAll(x, y) {
			return mk("LG-SQL-013", "select", "leaves a column out")
		}
		return mk("LG-SQL-031", "select", "selects other columns")
	}
	for k, v := range w.attrs {
		switch k {
		case "where", "groupBy", "select":
			continue
		case "fields":
			if !containsAll(splitTop(strings.ReplaceAll(g.attrs[k], ", ", ",")), splitTop(strings.ReplaceAll(v, ", ", ","))) {
				return mk("LG-PLAN-006", k, "reads other columns")
			}
		default:
			if g.attrs[k] != v {
				return mk("LG-PLAN-006", k, "differs in "+k)
			}
		}
	}
	return nil
}
