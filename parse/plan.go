package parse

import "github.com/labgrade/labgrade/changelog"

// Plan is the text of an EXPLAIN as trees.
type Plan struct {
	FirstLine int
	LastLine  int
	Sections  []Section
}

// SectionKind says which part of a plan a section is.
type SectionKind uint8

// The parts of a plan.
const (
	SectionOther     SectionKind = iota
	SectionAST                   // == Abstract Syntax Tree ==
	SectionPhysical              // == Optimized Physical Plan ==, also "... With Advice"
	SectionExecution             // == Optimized Execution Plan ==
	SectionJSON                  // == Physical Execution Plan == (JSON_EXECUTION_PLAN)
)

// String names the kind.
func (k SectionKind) String() string {
	switch k {
	case SectionAST:
		return "ast"
	case SectionPhysical:
		return "physical"
	case SectionExecution:
		return "execution"
	case SectionJSON:
		return "json"
	}
	return "other"
}

// Section is one "== Title ==" part.
type Section struct {
	Kind  SectionKind
	Title string
	Line  int
	// Roots are the trees in order; a statement set has one a sink.
	Roots []*Node
	// Advice are the lines of PLAN_ADVICE, as printed.
	Advice []string
	// JSON is the text of the JSON_EXECUTION_PLAN section.
	JSON string
}

// Node is one operator.
type Node struct {
	Line  int
	Depth int // 0 for a root
	// Name is the operator: "GroupAggregate", "LogicalProject".
	Name string
	// Attrs are the "key=[value]" attributes in order; Value is without its brackets.
	Attrs []Attr
	// Mode is the changelogMode attribute; HasMode says whether there is one.
	Mode    changelog.Mode
	HasMode bool
	// ReuseID is N of a "(reuse_id=[N])" behind the node or of "Reused(reference_id=[N])".
	ReuseID int
	// Cost is the text of ESTIMATED_COST behind the colon.
	Cost string
	// Text is the node as printed, without indentation.
	Text     string
	Children []*Node
}

// Attr is an attribute of a node. A value without "key=" has an empty key.
type Attr struct{ Key, Value string }

// Attr returns the value of an attribute, and whether the node has it.
func (n *Node) Attr(key string) (string, bool) {
	for _, a := range n.Attrs {
		if a.Key == key {
			return a.Value, true
		}
	}
	return "", false
}

// Walk calls f for the node and everything below it, parents first.
func (n *Node) Walk(f func(*Node)) {
	f(n)
	for _, c := range n.Children {
		c.Walk(f)
	}
}

// Nodes lists the section's nodes, parents first.
func (s *Section) Nodes() []*Node {
	var out []*Node
	for _, r := range s.Roots {
		r.Walk(func(n *Node) { out = append(out, n) })
	}
	return out
}

// Section returns the first section of the kind, or nil.
func (p *Plan) Section(k SectionKind) *Section {
	for i := range p.Sections {
		if p.Sections[i].Kind == k {
			return &p.Sections[i]
		}
	}
	return nil
}

// HasModes reports whether any node shows a changelogMode: CHANGELOG_MODE was asked
// for, in streaming mode.
func (p *Plan) HasModes() bool {
	for i := range p.Sections {
		for _, n := range p.Sections[i].Nodes() {
			if n.HasMode {
				return true
			}
		}
	}
	return false
}
