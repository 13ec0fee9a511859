package rel

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/rex"
)

// Text prints a tree as EXPLAIN's "Abstract Syntax Tree" section, without a final newline.
func Text(root Node) string {
	var b strings.Builder
	writeTree(&b, root, nil)
	return strings.TrimSuffix(b.String(), "\n")
}

// more says for each ancestor level whether a sibling follows.
func writeTree(b *strings.Builder, n Node, more []bool) {
	for i, m := range more {
		switch {
		case i < len(more)-1 && m:
			b.WriteString(":  ")
		case i < len(more)-1:
			b.WriteString("   ")
		case m:
			b.WriteString(":- ")
		default:
			b.WriteString("+- ")
		}
	}
	b.WriteString(Line(n))
	b.WriteByte('\n')
	in := n.Inputs()
	for i, c := range in {
		writeTree(b, c, append(more[:len(more):len(more)], i < len(in)-1))
	}
}

// PlainText prints a tree with two blanks a level, as a sub-query stands inside an
// expression; every line ends with a newline.
func PlainText(root Node) string {
	var b strings.Builder
	writePlain(&b, root, 0)
	return b.String()
}

func writePlain(b *strings.Builder, n Node, depth int) {
	b.WriteString(strings.Repeat("  ", depth))
	b.WriteString(Line(n))
	b.WriteByte('\n')
	for _, c := range n.Inputs() {
		writePlain(b, c, depth+1)
	}
}

// terms collects name=[value] pairs.
type terms struct {
	name  string
	items []string
}

func (t *terms) add(name, val string) { t.items = append(t.items, name+"=["+val+"]") }

func (t *terms) String() string {
	if len(t.items) == 0 {
		return t.name
	}
	return t.name + "(" + strings.Join(t.items, ", ") + ")"
}

// Line is one node without its inputs.
func Line(n Node) string {
	t := &terms{}
	switch n := n.(type) {
	case *Scan:
		scanTerms(t, n)
	case *WatermarkAssigner:
		t.name = "LogicalWatermarkAssigner"
		t.add("rowtime", n.Fields[n.Column].Name)
		t.add("watermark", rex.Digest(n.Expr))
	case *Project:
		t.name = "LogicalProject"
		addVariables(t, n.Variables)
		for i, e := range n.Exprs {
			t.add(n.Fields[i].Name, rex.Digest(e))
		}
	case *Filter:
		t.name = "LogicalFilter"
		t.add("condition", rex.Digest(n.Cond))
		addVariables(t, n.Variables)
	case *Aggregate:
		aggregateTerms(t, n)
	case *Sort:
		sortTerms(t, n)
	case *Union:
		t.name = "LogicalUnion"
		t.add("all", strconv.FormatBool(n.All))
	case *Intersect:
		t.name = "LogicalIntersect"
		t.add("all", strconv.FormatBool(n.All))
	case *Minus:
		t.name = "LogicalMinus"
		t.add("all", strconv.FormatBool(n.All))
	case *Values:
		t.name = "LogicalValues"
		rows := make([]string, len(n.Rows))
		for i, r := range n.Rows {
			cells := make([]string, len(r))
			for j, c := range r {
				cells[j] = rex.LiteralText(c)
			}
			rows[i] = "{ " + strings.Join(cells, ", ") + " }"
		}
		t.add("tuples", "["+strings.Join(rows, ", ")+"]")
	case *Join:
		t.name = "LogicalJoin"
		t.add("condition", rex.Digest(n.Cond))
		t.add("joinType", n.Type)
		if n.Hints != "" {
			t.add("joinHints", n.Hints)
		}
		if n.TTLHints != "" {
			t.add("stateTtlHints", n.TTLHints)
		}
	case *Correlate:
		t.name = "LogicalCorrelate"
		t.add("correlation", "$cor"+strconv.Itoa(n.ID))
		t.add("joinType", n.Type)
		t.add("requiredColumns", intSet(n.Required))
	case *Uncollect:
		t.name = "Uncollect"
		if n.Ordinality {
			t.add("withOrdinality", "true")
		}
	case *Snapshot:
		t.name = "LogicalSnapshot"
		t.add("period", rex.Digest(n.Period))
	case *TableFunction:
		t.name = "LogicalTableFunctionScan"
		t.add("invocation", rex.Digest(n.Call))
		t.add("rowType", rex.RecordText(n.Fields, false))
	case *Match:
		matchTerms(t, n)
	case *Sink:
		sinkTerms(t, n)
	default:
		t.name = fmt.Sprintf("%T", n)
	}
	return t.String()
}

func addVariables(t *terms, ids []int) {
	if len(ids) == 0 {
		return
	}
	s := make([]string, len(ids))
	for i, id := range ids {
		s[i] = "$cor" + strconv.Itoa(id)
	}
	t.add("variablesSet", "["+strings.Join(s, ", ")+"]")
}

func scanTerms(t *terms, n *Scan) {
	t.name = "LogicalTableScan"
	p := n.Table.Path
	s := p.Catalog + ", " + p.Database + ", " + p.Object
	if n.Metadata != nil {
		s += ", metadata=[" + strings.Join(n.Metadata, ", ") + "]"
	}
	t.add("table", "["+s+"]")
	if n.HintText != "" {
		t.add("hints", n.HintText)
	}
}

func aggregateTerms(t *terms, n *Aggregate) {
	t.name = "LogicalAggregate"
	t.add("group", intSet(n.Keys))
	if n.Sets != nil {
		sets := make([]string, len(n.Sets))
		for i, s := range n.Sets {
			sets[i] = intSet(s)
		}
		t.add("groups", "["+strings.Join(sets, ", ")+"]")
	}
	for i, c := range n.Calls {
		name := c.Name
		if name == "" {
			name = "agg#" + strconv.Itoa(i)
		}
		t.add(name, c.Digest())
	}
}

// Digest prints an aggregate call: COUNT(DISTINCT $1) FILTER $2.
func (c *AggCall) Digest() string {
	var b strings.Builder
	name, approximate, distinct := c.Fn.Name, c.Approximate, c.Distinct
	if name == "APPROX_COUNT_DISTINCT" {
		name, approximate, distinct = "COUNT", true, true
	}
	b.WriteString(name)
	b.WriteByte('(')
	if approximate {
		b.WriteString("APPROXIMATE ")
	}
	if distinct {
		b.WriteString("DISTINCT")
		if len(c.Args) > 0 {
			b.WriteByte(' ')
		}
	}
	for i, a := range c.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("$" + strconv.Itoa(a))
	}
	b.WriteByte(')')
	if len(c.Collation) > 0 {
		keys := make([]string, len(c.Collation))
		for i, k := range c.Collation {
			keys[i] = collationText(k)
		}
		b.WriteString(" WITHIN GROUP ([" + strings.Join(keys, ", ") + "])")
	}
	if c.Filter >= 0 {
		b.WriteString(" FILTER $" + strconv.Itoa(c.Filter))
	}
	return b.String()
}

// collationText is Calcite's RelFieldCollation: the column, then what is not the default.
func collationText(k SortKey) string {
	s := strconv.Itoa(k.Column)
	dir := direction(k)
	if dir == "ASC" {
		return s
	}
	return s + " " + dir
}

func sortTerms(t *terms, n *Sort) {
	t.name = "LogicalSort"
	for i, k := range n.Keys {
		t.add("sort"+strconv.Itoa(i), "$"+strconv.Itoa(k.Column))
	}
	for i, k := range n.Keys {
		t.add("dir"+strconv.Itoa(i), direction(k))
	}
	if n.Offset >= 0 {
		t.add("offset", strconv.FormatInt(n.Offset, 10))
	}
	if n.Fetch >= 0 {
		t.add("fetch", strconv.FormatInt(n.Fetch, 10))
	}
}

// direction tells the place of NULLs where it is not Calcite's own default (last
// when ascending, first when descending).
func direction(k SortKey) string {
	switch {
	case k.Desc && k.NullsLast:
		return "DESC-nulls-last"
	case k.Desc:
		return "DESC"
	case k.NullsLast:
		return "ASC"
	}
	return "ASC-nulls-first"
}

func intSet(ids []int) string {
	s := make([]string, len(ids))
	for i, id := range ids {
		s[i] = strconv.Itoa(id)
	}
	return "{" + strings.Join(s, ", ") + "}"
}

func sinkTerms(t *terms, n *Sink) {
	t.name = "LogicalSink"
	t.add("table", n.Table.Path.String())
	if n.TargetColumns != nil {
		cols := make([]string, len(n.TargetColumns))
		for i, c := range n.TargetColumns {
			cols[i] = "[" + strconv.Itoa(c) + "]"
		}
		t.add("targetColumns", strings.Join(cols, ","))
	}
	names := make([]string, len(n.In[0].Schema()))
	for i, f := range n.In[0].Schema() {
		names[i] = f.Name
	}
	t.add("fields", strings.Join(names, ", "))
	if n.HintText != "" {
		t.add("hints", n.HintText)
	}
}

func matchTerms(t *terms, n *Match) {
	t.name = "LogicalMatch"
	parts := make([]string, len(n.PartitionBy))
	for i, p := range n.PartitionBy {
		parts[i] = strconv.Itoa(p)
	}
	t.add("partition", "["+strings.Join(parts, ", ")+"]")
	keys := make([]string, len(n.OrderBy))
	for i, k := range n.OrderBy {
		keys[i] = collationText(k)
	}
	t.add("order", "["+strings.Join(keys, ", ")+"]")
	t.add("outputFields", "["+fieldNames(n)+"]")
	t.add("allRows", strconv.FormatBool(n.AllRows))
	t.add("after", n.AfterText)
	t.add("pattern", n.PatternText)
	t.add("isStrictStarts", strconv.FormatBool(n.StrictStart))
	t.add("isStrictEnds", strconv.FormatBool(n.StrictEnd))
	if n.Within != nil {
		t.add("interval", rex.Digest(n.Within))
	}
	t.add("subsets", "["+n.SubsetText+"]")
	defs := make([]string, len(n.Defines))
	for i, d := range n.Defines {
		defs[i] = rex.Digest(d.X)
	}
	t.add("patternDefinitions", "["+strings.Join(defs, ", ")+"]")
	in := make([]string, len(n.In[0].Schema()))
	for i, f := range n.In[0].Schema() {
		in[i] = f.Name
	}
	t.add("inputFields", "["+strings.Join(in, ", ")+"]")
}

func fieldNames(n Node) string {
	s := make([]string, len(n.Schema()))
	for i, f := range n.Schema() {
		s[i] = f.Name
	}
	return strings.Join(s, ", ")
}
