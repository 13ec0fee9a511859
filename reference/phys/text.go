package phys

import (
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// TextOptions choose between the sections of EXPLAIN.
type TextOptions struct {
	// Execution is the Optimized Execution Plan: infix expressions, short literals,
	// no changelog modes, reuse marks.
	Execution bool
	// Batch prints short literals.
	Batch bool
	// Description is how error texts show a node: infix expressions.
	Description bool
	// Graph marks nodes as reused that are the same node, not those of the same text.
	Graph bool
	// ChangelogMode adds changelogMode=[..].
	ChangelogMode bool
	// Full is the level of detail of ESTIMATED_COST: literals with their types, no types of Values.
	Full bool
	// Suffix is written behind a node (": rowcount = .."); nil for none.
	Suffix func(Node) string
	// Advice gives the numbers of advice=[..]; nil for none.
	Advice func(Node) string
}

// attrs collects name=[value] pairs in order.
type attrs struct {
	name  string
	items []string
}

func (a *attrs) add(name, val string) { a.items = append(a.items, name+"=["+val+"]") }
func (a *attrs) addIf(ok bool, name, val string) {
	if ok {
		a.add(name, val)
	}
}

// Line is the text of one node.
func Line(n Node, o TextOptions) string {
	a := &attrs{}
	if o.Advice != nil {
		if s := o.Advice(n); s != "" {
			a.add("advice", s)
		}
	}
	w := &writer{o: o, a: a}
	w.node(n)
	if o.ChangelogMode && !o.Execution && !o.Batch {
		a.add("changelogMode", n.Mode().String())
	}
	if j, ok := n.(*Join); ok && !o.Execution && !o.Batch {
		a.addIf(j.Hints != "", "joinHints", j.Hints)
		a.addIf(j.TTL != "", "stateTtlHints", j.TTL)
	}
	s := a.name
	if len(a.items) > 0 || strings.HasSuffix(a.name, "Table") {
		s += "(" + strings.Join(a.items, ", ") + ")"
	}
	if o.Suffix != nil {
		s += o.Suffix(n)
	}
	return s
}

type writer struct {
	o TextOptions
	a *attrs
}

func fieldNames(fields []value.Field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.Name
	}
	return out
}

func pick(names []string, cols []int) string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = names[c]
	}
	return strings.Join(out, ", ")
}

func (w *writer) printer(names []string) *rex.Printer {
	return &rex.Printer{Names: names, Infix: w.o.Execution || w.o.Description, Short: w.o.Execution || w.o.Batch && !w.o.Full}
}

func (w *writer) input(n Node, i int) []string { return fieldNames(n.Inputs()[i].Schema()) }

func (w *writer) node(n Node) {
	a := w.a
	switch n := n.(type) {
	case *TableSourceScan:
		a.name = "TableSourceScan"
		a.add("table", "["+scanTable(n)+"]")
		a.add("fields", strings.Join(fieldNames(n.Fields), ", "))
		a.addIf(n.Hints != "", "hints", n.Hints)
	case *Values:
		w.values(n)
	case *Calc:
		a.name = "Calc"
		w.calc(n)
	case *Exchange:
		a.name = "Exchange"
		d := n.Distribution
		switch d {
		case "hash":
			d = "hash[" + pick(w.input(n, 0), n.Keys) + "]"
		case "keep_input_as_is":
			d = "keep_input_as_is[hash[" + pick(w.input(n, 0), n.Keys) + "]]"
		}
		a.add("distribution", d)
		a.addIf(n.ShuffleMode != "", "shuffle_mode", n.ShuffleMode)
	case *Expand:
		w.expand(n)
	case *GroupAggregate:
		a.name = "GroupAggregate"
		in := w.input(n, 0)
		a.addIf(len(n.Keys) > 0, "groupBy", pick(in, n.Keys))
		a.addIf(n.PartialFinal != "", "partialFinalType", n.PartialFinal)
		a.add("select", aggSelect(in, fieldNames(n.Fields), n.Keys, n.Calls))
	case *LocalGroupAggregate, *GlobalGroupAggregate:
		w.twoPhase(n)
	case *MiniBatchAssigner:
		a.name = "MiniBatchAssigner"
		a.add("interval", strconv.FormatInt(n.IntervalMillis, 10)+"ms")
		a.add("mode", n.TimeMode)
	case *BatchAggregate:
		w.batchAggregate(n)
	case *Union:
		a.name = "Union"
		a.add("all", "true")
		a.add("union", strings.Join(fieldNames(n.Fields), ", "))
	case *Sort:
		a.name = "Sort"
		if n.Temporal {
			a.name = "TemporalSort"
		}
		a.add("orderBy", orderBy(w.input(n, 0), n.Keys))
	case *SortLimit:
		a.name = "SortLimit"
		a.add("orderBy", orderBy(w.input(n, 0), n.Keys))
		a.add("offset", strconv.FormatInt(n.Offset, 10))
		a.add("fetch", fetch(n.Fetch))
		if n.Batch {
			a.add("global", strconv.FormatBool(n.Global))
		} else {
			a.add("strategy", strategy(n.Strategy, n.PrimaryKeys, w.o))
		}
	case *Limit:
		a.name = "Limit"
		a.add("offset", strconv.FormatInt(n.Offset, 10))
		a.add("fetch", fetch(n.Fetch))
		a.addIf(n.Batch, "global", strconv.FormatBool(n.Global))
	case *Join:
		w.join(n)
	case *MultipleInput:
		a.name = n.Text
	case *IntervalJoin:
		w.intervalJoin(n)
	case *Correlate:
		w.correlate(n)
	case *TemporalJoin:
		w.a.name = "TemporalJoin"
		w.a.add("joinType", n.JoinType)
		w.a.add("where", w.where(joinNames(w.input(n, 0), w.input(n, 1)), n.Cond))
		w.a.add("select", strings.Join(fieldNames(n.Fields), ", "))
	case *WatermarkAssigner:
		a.name = "WatermarkAssigner"
		a.add("rowtime", n.Fields[n.Column].Name)
		a.add("watermark", w.printer(w.input(n, 0)).Text(n.Expr))
	case *ChangelogNormalize:
		a.name = "ChangelogNormalize"
		a.add("key", pick(w.input(n, 0), n.Keys))
		if n.Cond != nil {
			a.add("condition", w.printer(w.input(n, 0)).Text(n.Cond))
		}
	case *DropUpdateBefore:
		a.name = "DropUpdateBefore"
	case *ProcessTableFunction:
		a.name = "ProcessTableFunction"
		a.add("invocation", Invocation(n))
		uid := n.UID
		if uid == "" {
			uid = "null"
		}
		a.add("uid", uid)
		a.add("select", strings.Join(fieldNames(n.Fields), ","))
		a.add("rowType", rex.RecordText(n.Fields, false))
	case *Sink:
		a.name = "Sink"
		a.add("table", n.Table.Path.String())
		targets := make([]string, len(n.TargetColumns))
		for i, c := range n.TargetColumns {
			targets[i] = "[" + itoa(c) + "]"
		}
		a.addIf(len(targets) > 0, "targetColumns", strings.Join(targets, ","))
		a.add("fields", strings.Join(w.input(n, 0), ", "))
		a.addIf(n.Hints != "", "hints", n.Hints)
		a.addIf(n.Materialize, "upsertMaterialize", "true")
		a.addIf(n.Conflict != "", "conflictStrategy", n.Conflict)
	default:
		w.windowNode(n)
	}
}

// Invocation prints the call with its name as written.
func Invocation(n *ProcessTableFunction) string {
	s := rex.Digest(n.Call)
	if n.Name != "" && strings.HasPrefix(s, n.Call.Op.Name) {
		return n.Name + s[len(n.Call.Op.Name):]
	}
	return s
}

func scanTable(n *TableSourceScan) string {
	p := []string{n.Table.Path.Catalog, n.Table.Path.Database, n.Table.Path.Object}
	if n.FilterText != "" {
		p = append(p, "filter=["+n.FilterText+"]")
	}
	if n.Projected {
		var cols []string
		for i, c := range n.Columns {
			if n.Table.Columns[c].Kind == 0 {
				cols = append(cols, n.Fields[i].Name)
			}
		}
		p = append(p, "project=["+strings.Join(cols, ", ")+"]")
	}
	if n.Projected || n.Metadata != nil {
		p = append(p, "metadata=["+strings.Join(n.Metadata, ", ")+"]")
	}
	if n.Limit >= 0 {
		p = append(p, "limit=["+strconv.FormatInt(n.Limit, 10)+"]")
	}
	if n.Watermark != nil {
		p = append(p, "watermark=["+rex.Digest(n.Watermark)+"]")
	}
	return strings.Join(p, ", ")
}

func (w *writer) values(n *Values) {
	w.a.name = "Values"
	rows := make([]string, len(n.Literals))
	for i, r := range n.Literals {
		cells := make([]string, len(r))
		for j, l := range r {
			cells[j] = rex.UntypedText(l)
		}
		rows[i] = "{ " + strings.Join(cells, ", ") + " }"
	}
	tuples := "[" + strings.Join(rows, ", ") + "]"
	switch {
	case w.o.Batch && !w.o.Execution:
		w.a.add("tuples", tuples)
		w.a.add("values", strings.Join(fieldNames(n.Fields), ", "))
	case w.o.Batch:
		w.a.add("tuples", tuples)
		w.a.add("values", strings.Join(fieldNames(n.Fields), ", "))
	case w.o.Execution || w.o.Full:
		w.a.add("tuples", tuples)
	default:
		w.a.add("type", rex.RecordText(n.Fields, false))
		w.a.add("tuples", tuples)
	}
}

// selectList is expr AS name, and the name alone where they are equal.
func selectList(texts, names []string) string {
	out := make([]string, len(texts))
	for i, t := range texts {
		if t == names[i] {
			out[i] = t
		} else {
			out[i] = t + " AS " + names[i]
		}
	}
	return strings.Join(out, ", ")
}

func (w *writer) calc(n *Calc) {
	names := n.InputNames
	if names == nil {
		names = w.input(n, 0)
	}
	p := w.printer(names)
	texts := make([]string, len(n.Exprs))
	for i, e := range n.Exprs {
		texts[i] = p.Text(e)
	}
	w.a.add("select", selectList(texts, fieldNames(n.Fields)))
	if n.Cond != nil {
		w.a.add("where", p.Text(n.Cond))
	}
}

func (w *writer) expand(n *Expand) {
	w.a.name = "Expand"
	in := w.input(n, 0)
	out := fieldNames(n.Fields)
	sets := make([]string, len(n.Projects))
	for i, p := range n.Projects {
		texts := make([]string, len(p))
		for j, e := range p {
			switch e := e.(type) {
			case *rex.InputRef:
				texts[j] = in[e.Index]
			case *rex.Literal:
				if e.V.IsNull() {
					texts[j] = "null"
				} else {
					texts[j] = rex.ValueText(e.V, e.T)
				}
			}
		}
		sets[i] = "{" + selectList(texts, out) + "}"
	}
	w.a.add("projects", strings.Join(sets, ", "))
}

func orderBy(names []string, keys []SortKey) string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = names[k.Column] + " ASC"
		if k.Desc {
			out[i] = names[k.Column] + " DESC"
		}
	}
	return strings.Join(out, ", ")
}

func fetch(n int64) string {
	if n < 0 {
		return "unlimited"
	}
	return strconv.FormatInt(n, 10)
}

// callText is FN(DISTINCT a, b) FILTER f.
func callText(in []string, c AggCall, args string) string {
	var b strings.Builder
	b.WriteString(c.Fn.Name)
	if c.Retract {
		b.WriteString("_RETRACT")
	}
	b.WriteByte('(')
	if c.Distinct {
		b.WriteString("DISTINCT ")
	}
	b.WriteString(args)
	b.WriteByte(')')
	if c.Filter >= 0 {
		b.WriteString(" FILTER " + in[c.Filter])
	}
	return b.String()
}

func argText(in []string, c AggCall) string {
	if len(c.Args) == 0 {
		return "*"
	}
	return pick(in, c.Args)
}

func aggSelect(in, out []string, keys []int, calls []AggCall) string {
	texts := make([]string, 0, len(keys)+len(calls))
	for _, k := range keys {
		texts = append(texts, in[k])
	}
	for _, c := range calls {
		texts = append(texts, callText(in, c, argText(in, c)))
	}
	return selectList(texts, out[:len(texts)])
}

// strategy names a rank strategy; before it is chosen it is undefined.
func strategy(name string, keys []int, o TextOptions) string {
	switch name {
	case "":
		return "UndefinedStrategy"
	case "UpdateFastStrategy":
		k := make([]string, len(keys))
		for i, c := range keys {
			k[i] = strconv.Itoa(c)
		}
		return name + "[" + strings.Join(k, ",") + "]"
	}
	return name
}
