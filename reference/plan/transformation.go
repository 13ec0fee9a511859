package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// transformation is a step of the job as Flink's DataStream API sees it. Exchanges and unions
// are steps too, although no operator stands for them in the job.
type transformation struct {
	id    int
	kind  transformationKind
	in    []*transformation
	name  string
	about string
	// ship is how an exchange hands rows on: HASH, GLOBAL, ...
	ship string
}

type transformationKind int

const (
	operatorStep transformationKind = iota
	sourceStep
	exchangeStep
	unionStep
	// sinkStep is a sink of the old kind, which is an operator itself; writerStep is one of the
	// new kind, for which a writer is made when the job graph is drawn.
	sinkStep
	writerStep
)

// translator makes the transformations of an execution graph (ExecNode.translateToPlan),
// numbering them as they are made.
type translator struct {
	graph *executionGraph
	batch bool
	cfg   *Config
	// node and step are the numbers given last, of nodes and of transformations, in this process.
	node, step int
	done       map[phys.Node]*transformation
	err        error
}

func (t *translator) refuse(format string, args ...any) {
	if t.err == nil {
		t.err = unsupported.New(format, args...)
	}
}

func (t *translator) add(kind transformationKind, name, about string, in ...*transformation) *transformation {
	t.step++
	return &transformation{id: t.step, kind: kind, in: in, name: name, about: about}
}

// operator adds a step that belongs to a node but has a name and a text of its own.
func (t *translator) operator(n phys.Node, kind transformationKind, name, text string, in ...*transformation) *transformation {
	name, text = t.named(n, name, text)
	return t.add(kind, name, text, in...)
}

// named gives name and description of an operator, by table.exec.simplify-operator-name-enabled.
func (t *translator) named(n phys.Node, name, text string) (string, string) {
	if v, set := t.cfg.lookup("table.exec.simplify-operator-name-enabled"); set && strings.EqualFold(v, "false") {
		return text, text
	}
	id := t.node + t.graph.of[n]
	return fmt.Sprintf("%s[%d]", name, id), fmt.Sprintf("[%d]:%s", id, text)
}

func (t *translator) inputs(n phys.Node) []*transformation {
	var out []*transformation
	for _, in := range n.Inputs() {
		out = append(out, t.translate(in))
	}
	return out
}

// translate makes the steps of a node after those of its inputs, once.
func (t *translator) translate(n phys.Node) *transformation {
	if x, ok := t.done[n]; ok {
		return x
	}
	x := t.make(n)
	t.done[n] = x
	return x
}

func (t *translator) make(n phys.Node) *transformation {
	text := phys.Line(n, phys.TextOptions{Execution: true, Batch: t.batch})
	class, _, _ := strings.Cut(text, "(")
	switch n := n.(type) {
	case *phys.TableSourceScan:
		return t.operator(n, sourceStep, n.Table.Path.Object, text)
	case *phys.Values:
		return t.operator(n, sourceStep, class, text)
	case *phys.Exchange:
		in := t.inputs(n)
		x := t.add(exchangeStep, "", "", in...)
		x.ship = t.ship(n)
		return x
	case *phys.Union:
		in := t.inputs(n)
		return t.add(unionStep, "", "", in...)
	case *phys.MultipleInput:
		return t.multipleInput(n, text)
	case *phys.Sink:
		return t.sink(n, text)
	case *phys.Match:
		return t.match(n, text)
	case *phys.Sort:
		in := t.inputs(n)
		if k := n.Keys; n.Temporal && len(k) == 1 && n.In[0].Schema()[k[0].Column].Type.IsProctime() {
			return in[0] // rows come in this order
		}
		return t.operator(n, operatorStep, class, text, in...)
	case *phys.BatchAggregate, *phys.BatchWindowAggregate:
		return t.operator(n, operatorStep, strings.TrimPrefix(class, "Local"), text, t.inputs(n)...)
	case *phys.IntervalJoin:
		if n.Lower > n.Upper {
			t.refuse("EXPLAIN JSON_EXECUTION_PLAN of a time-windowed join without rows")
		}
	case *phys.Join:
		in := t.inputs(n)
		if n.Kind == "HashJoin" && !n.BuildLeft {
			slices.Reverse(in) // the build side comes first
		}
		return t.operator(n, operatorStep, class, text, in...)
	}
	return t.operator(n, operatorStep, class, text, t.inputs(n)...)
}

// ship is the text of an exchange's partitioner.
func (t *translator) ship(n *phys.Exchange) string {
	switch n.Distribution {
	case "hash":
		if !t.batch {
			return "HASH"
		}
		var names []string
		for _, k := range n.Keys {
			names = append(names, n.In[0].Schema()[k].Name)
		}
		return "HASH[" + strings.Join(names, ", ") + "]"
	case "single":
		return "GLOBAL"
	case "broadcast":
		return "BROADCAST"
	}
	return "FORWARD"
}

// match copies the row's time into the record first.
func (t *translator) match(n *phys.Match, text string) *transformation {
	in := t.inputs(n)[0]
	k := n.Keys[0].Column
	switch typ := n.In[0].Schema()[k].Type; {
	case t.batch:
		in = t.operator(n, operatorStep, "BatchRecordTimestampInserter", fmt.Sprintf("BatchRecordTimestampInserter(timestamp field: %d)", k), in)
	case typ.IsRowtime():
		in = t.operator(n, operatorStep, "StreamRecordTimestampInserter", fmt.Sprintf("StreamRecordTimestampInserter(rowtime field: %d)", k), in)
	}
	return t.operator(n, operatorStep, "Match", text, in)
}

// multipleInput translates the operators inside too, although the job does not show them. Its
// inputs come in the order in which those read them (TableOperatorWrapperGenerator).
func (t *translator) multipleInput(n *phys.MultipleInput, text string) *transformation {
	inputs := t.inputs(n)
	for i, b := range n.Borders {
		t.done[b] = inputs[i]
	}
	last := t.translate(n.Member)
	var order []*transformation
	seen := map[*transformation]bool{}
	border := func(x *transformation) bool { return slices.Contains(inputs, x) }
	var visit func(x *transformation)
	visit = func(x *transformation) {
		if seen[x] {
			return
		}
		seen[x] = true
		if x.kind == unionStep {
			for _, in := range x.in {
				if border(in) {
					order = append(order, in)
				} else {
					visit(in)
				}
			}
			return
		}
		for _, in := range x.in {
			if !border(in) {
				visit(in)
			}
		}
		for _, in := range x.in {
			if border(in) {
				order = append(order, in)
			}
		}
	}
	visit(last)
	return t.operator(n, operatorStep, "MultipleInput", text, order...)
}
