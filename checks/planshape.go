package checks

import (
	"slices"
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/parse"
)

// planNode is a node of a physical plan, reduced to what a query means: aliases, the
// name of the source table and the order of columns do not count.
type planNode struct {
	name    string
	mode    changelog.Mode
	hasMode bool
	// attrs are the attributes that count, in one form: sets are sorted.
	attrs map[string]string
	line  int
	text  string
}

// planShape is a physical plan as a list of nodes, parents first.
type planShape struct {
	sink  string // the table of the Sink node, "" without one
	nodes []planNode
	block *parse.Block
	plan  *parse.Plan
}

// shapeOfPlan reduces a plan; nil when it has no physical section.
func shapeOfPlan(p *parse.Plan) *planShape {
	if p == nil {
		return nil
	}
	sec := p.Section(parse.SectionPhysical)
	if sec == nil {
		return nil
	}
	out := &planShape{plan: p}
	for _, n := range sec.Nodes() {
		x := planNode{name: n.Name, mode: n.Mode, hasMode: n.HasMode, line: n.Line, text: n.Text, attrs: map[string]string{}}
		switch n.Name {
		case "Sink":
			out.sink = sinkName(n)
		case "TableSourceScan":
			if f, ok := n.Attr("fields"); ok {
				x.attrs["fields"] = set(f)
			}
			if t, ok := n.Attr("table"); ok && strings.Contains(t, "limit=[") {
				x.attrs["limit"] = "yes"
			}
		case "Calc":
			where, _ := n.Attr("where")
			x.attrs["where"] = canonPlanExpr(where)
			if s, ok := n.Attr("select"); ok {
				x.attrs["select"] = set(s)
			}
		case "WatermarkAssigner", "DropUpdateBefore":
		case "Exchange":
			d, _ := n.Attr("distribution")
			x.attrs["distribution"] = d
		default:
			for _, a := range n.Attrs {
				switch a.Key {
				case "changelogMode", "advice":
				case "select", "groupBy":
					x.attrs[a.Key] = set(a.Value)
				default:
					x.attrs[a.Key] = a.Value
				}
			}
		}
		out.nodes = append(out.nodes, x)
	}
	return out
}

// sinkName is the last part of the Sink's table name.
func sinkName(n *parse.Node) string {
	t, _ := n.Attr("table")
	t = strings.Trim(t, "[]")
	if i := strings.LastIndexAny(t, "., "); i >= 0 {
		t = t[i+1:]
	}
	return t
}

// set writes a comma list as a sorted set of expressions without aliases.
func set(list string) string {
	parts := splitTop(list)
	for i, p := range parts {
		p = strings.TrimSpace(p)
		if j := strings.LastIndex(p, " AS "); j >= 0 && !strings.ContainsAny(p[j:], ")]") {
			p = p[:j]
		}
		parts[i] = p
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

// splitTop splits at commas outside brackets and quotes.
func splitTop(s string) []string {
	var out []string
	depth, from := 0, 0
	quoted := false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == ',' && depth == 0:
			out = append(out, s[from:i])
			from = i + 1
		}
	}
	if from < len(s) || len(out) > 0 {
		out = append(out, s[from:])
	}
	return out
}

// core is the plan without what does not belong to the query: the sink, watermarks,
// and projections that only pass columns on.
func (p *planShape) core(keepCalc bool) []planNode {
	var out []planNode
	for _, n := range p.nodes {
		switch n.name {
		case "Sink", "WatermarkAssigner", "DropUpdateBefore":
			continue
		case "Calc":
			if n.attrs["where"] == "" && !keepCalc {
				continue
			}
		}
		out = append(out, n)
	}
	return out
}

// hasModes reports whether any node shows a changelog mode.
func (p *planShape) hasModes() bool {
	for _, n := range p.nodes {
		if n.hasMode {
			return true
		}
	}
	return false
}

// batch reports nodes that only batch plans have.
func (p *planShape) batch() bool {
	for _, n := range p.nodes {
		if strings.Contains(n.name, "HashAggregate") || strings.Contains(n.name, "SortAggregate") || n.name == "Sort" {
			return true
		}
	}
	return false
}

// find is the first node whose name holds the text, or nil.
func (p *planShape) find(text string) *planNode {
	for i := range p.nodes {
		if strings.Contains(p.nodes[i].name, text) {
			return &p.nodes[i]
		}
	}
	return nil
}

// names are the names of nodes.
func names(nodes []planNode) []string {
	var out []string
	for _, n := range nodes {
		out = append(out, n.name)
	}
	return out
}
