package plan

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/reference/phys"
)

// Counters are the numbers that a Flink client has given to operators and transformations since
// it started: every statement that is planned goes on counting. The zero value is a new client.
type Counters struct{ nodes, transformations int }

// vertex is an operator of the job.
type vertex struct {
	id                   int
	name, pact, contents string
	in                   []edge
}

type edge struct {
	from int
	ship string
}

// StreamGraph is the section "Physical Execution Plan" of EXPLAIN JSON_EXECUTION_PLAN: the job
// as JSON. It advances the counters, as every statement does.
func (p *Plan) StreamGraph(c *Counters) (text string, err error) {
	err = refusing(func() error {
		t := &translator{graph: p.executionGraph(), batch: p.Batch, cfg: p.cfg, node: c.nodes, step: c.transformations, done: map[phys.Node]*transformation{}}
		for _, n := range t.graph.early {
			t.translate(n)
		}
		var roots []*transformation
		for _, r := range t.graph.roots {
			if p.cfg.Collect {
				t.graph.last++
				roots = append(roots, t.collect(r))
				continue
			}
			roots = append(roots, t.translate(r))
		}
		g := &jobGraph{step: &t.step, vertices: map[*transformation]*vertex{}}
		for _, r := range roots {
			g.visit(r)
		}
		c.nodes += t.graph.last
		c.transformations = t.step
		text = g.json()
		return t.err
	})
	return text, err
}

// jobGraph is Flink's StreamGraphGenerator and JSONGenerator.
type jobGraph struct {
	step     *int
	seen     []*transformation
	vertices map[*transformation]*vertex
}

// visit adds the operators of a step and of all below it. Exchanges take a number for each
// operator that they read.
func (g *jobGraph) visit(x *transformation) {
	if slices.Contains(g.seen, x) {
		return
	}
	g.seen = append(g.seen, x)
	for _, in := range x.in {
		g.visit(in)
	}
	v := &vertex{id: x.id, name: x.name, contents: x.about, pact: "Operator"}
	switch x.kind {
	case exchangeStep:
		*g.step += len(g.edges(x.in[0], ""))
		return
	case unionStep:
		return
	case sourceStep:
		v.name, v.pact = "Source: "+x.name, "Data Source"
	case sinkStep:
		v.name, v.pact = "Sink: "+x.name, "Data Sink"
	case writerStep:
		*g.step++
		v.id, v.name = *g.step, x.name+": Writer"
		v.contents = v.name
	}
	for _, in := range x.in {
		v.in = append(v.in, g.edges(in, "")...)
	}
	g.vertices[x] = v
}

// edges are the operators that a step's rows come from, through exchanges and unions.
func (g *jobGraph) edges(x *transformation, ship string) []edge {
	switch x.kind {
	case exchangeStep:
		if ship == "" {
			ship = x.ship
		}
		return g.edges(x.in[0], ship)
	case unionStep:
		var out []edge
		for _, in := range x.in {
			out = append(out, g.edges(in, ship)...)
		}
		return out
	}
	if ship == "" {
		ship = "FORWARD"
	}
	return []edge{{g.vertices[x].id, ship}}
}

// json prints the operators by their numbers, sinks last, in the style of Jackson's
// pretty printer.
func (g *jobGraph) json() string {
	var list []*vertex
	for _, v := range g.vertices {
		list = append(list, v)
	}
	slices.SortFunc(list, func(a, b *vertex) int {
		if a, b := a.pact == "Data Sink", b.pact == "Data Sink"; a != b {
			if a {
				return 1
			}
			return -1
		}
		return a.id - b.id
	})
	var nodes []string
	for _, v := range list {
		nodes = append(nodes, v.json())
	}
	return "{\n  \"nodes\" : [ " + strings.Join(nodes, ", ") + " ]\n}"
}

func (v *vertex) json() string {
	s := "{\n    \"id\" : " + fmtInt(int64(v.id)) +
		",\n    \"type\" : " + quoted(v.name) +
		",\n    \"pact\" : " + quoted(v.pact) +
		",\n    \"contents\" : " + quoted(v.contents) +
		",\n    \"parallelism\" : 1"
	if v.pact == "Data Source" {
		return s + "\n  }"
	}
	var in []string
	for _, e := range v.in {
		// Flink says "second" of every input, since it counts it before it asks.
		in = append(in, "{\n      \"id\" : "+fmtInt(int64(e.from))+",\n      \"ship_strategy\" : "+quoted(e.ship)+",\n      \"side\" : \"second\"\n    }")
	}
	return s + ",\n    \"predecessors\" : [ " + strings.Join(in, ", ") + " ]\n  }"
}

// quoted is a JSON text as Jackson writes it: <, > and & stay as they are.
func quoted(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		return `""`
	}
	out := strings.TrimSuffix(b.String(), "\n")
	// Go escapes these two, Jackson does not.
	out = strings.ReplaceAll(out, `\u2028`, "\u2028")
	return strings.ReplaceAll(out, `\u2029`, "\u2029")
}
