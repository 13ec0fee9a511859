package plan

import (
	"slices"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
)

func (p *physical) sink(n *sinkNode) phys.Node {
	in := p.materialize(p.calc(n.in), proctimeOnly)
	if p.err != nil {
		return in
	}
	s := &phys.Sink{Base: base(nil, in), Hints: n.sink.HintText, Table: n.sink.Table, Overwrite: n.sink.Overwrite, Partition: n.sink.Partition,
		Conflict: strings.ToUpper(n.sink.OnConflict), TargetColumns: n.sink.TargetColumns}
	if kind, _ := s.Table.Option("connector"); s.Overwrite && kind != "filesystem" {
		return p.fail(flinkerr.Validation("INSERT OVERWRITE requires that the underlying DynamicTableSink of table '%s' implements the SupportsOverwrite interface.", s.Table.Path))
	}
	if s.Overwrite && !p.cfg.Batch {
		return p.fail(flinkerr.New("java.lang.IllegalStateException", "Streaming mode not support overwrite."))
	}
	for _, k := range n.sink.Table.PrimaryKey {
		s.PrimaryKey = append(s.PrimaryKey, persistedIndex(n.sink.Table, k))
	}
	return s
}

// persistedIndex is a column's place among the columns that a sink writes.
func persistedIndex(t *catalog.Table, name string) int {
	i := 0
	for _, c := range t.Columns {
		if c.Kind == catalog.Computed || c.Virtual {
			continue
		}
		if c.Name == name {
			return i
		}
		i++
	}
	return -1
}

// updateSink chooses between updates with and without the old row, and decides about
// the materializer: facts/sink.md B16-B20.
func (m *modes) updateSink(n *phys.Sink) (phys.Node, bool) {
	in := n.In[0]
	k := m.kinds[in]
	_, sinkUpd, err := sinkMode(n.Table, k)
	if err != nil {
		m.err = err
		return nil, false
	}
	both, after := updNone, updNone
	if k&kUpdate != 0 {
		both, after = updBoth, updAfter
	}
	insertOnlyQuery := k == kInsert
	insertOnlySink := false
	if acc, _, _ := sinkMode(n.Table, k); acc == kInsert {
		insertOnlySink = true
	}
	keys := upsertKeys(in)
	var want []updateKind
	switch {
	case sinkUpd == updAfter && len(n.PrimaryKey) > 0:
		if hasKey(keys, n.PrimaryKey) {
			want = []updateKind{after, both}
		} else {
			want = []updateKind{both}
		}
	case sinkUpd == updAfter:
		want = []updateKind{after, both}
	default:
		want = []updateKind{both}
	}
	if !m.conflict(n, keys, insertOnlySink, insertOnlyQuery) {
		return nil, false
	}
	if n.Materialize {
		want = []updateKind{both}
	}
	for _, w := range want {
		c, ok := m.update(in, w)
		if !ok || m.upd[c] != w {
			continue
		}
		n.In[0] = c
		m.upd[n] = updNone
		return n, true
	}
	return nil, false
}

func hasKey(keys keySet, pk []int) bool {
	want := ascending(pk)
	for _, k := range keys {
		if slices.Equal(k, want) {
			return true
		}
	}
	return false
}

// conflict checks ON CONFLICT and sets the materializer.
func (m *modes) conflict(n *phys.Sink, keys keySet, insertOnlySink, insertOnlyQuery bool) bool {
	id := n.Table.Path.String()
	if n.Conflict != "" && (insertOnlySink || insertOnlyQuery) {
		m.err = flinkerr.Validation("ON CONFLICT clause is only allowed for upsert sinks. The sink '%s' is not an upsert sink because it only accepts INSERT (append-only) changes.", id)
		return false
	}
	if insertOnlySink || insertOnlyQuery || len(n.PrimaryKey) == 0 {
		return true
	}
	fits := keys == nil
	for _, k := range keys {
		fits = fits || subset(k, n.PrimaryKey)
	}
	if (n.Conflict == "ERROR" || n.Conflict == "NOTHING") && !m.watermarked(n) {
		return false
	}
	materialize := strings.ToUpper(m.cfg.option("table.exec.sink.upsert-materialize"))
	if materialize == "NONE" {
		n.Conflict = ""
		return true
	}
	if materialize == "FORCE" {
		n.Materialize = true
	}
	if fits {
		return true
	}
	if n.Conflict == "" && !strings.EqualFold(m.cfg.option("table.exec.sink.require-on-conflict"), "false") {
		names := sinkNames(n.Table)
		var pk []string
		for _, c := range n.PrimaryKey {
			pk = append(pk, n.Table.Columns[c].Name)
		}
		upsert := ""
		if len(keys) > 0 {
			var u []string
			for _, c := range keys[0] {
				u = append(u, names[c])
			}
			upsert = "[" + strings.Join(u, ", ") + "]"
		}
		if len(keys) > 1 {
			m.err = unsupported.New("a query with several upsert keys that do not fit the sink's primary key")
			return false
		}
		m.err = flinkerr.Validation("The query has an upsert key that differs from the primary key of the sink table '%s'. Primary key: [%s], upsert key: %s. This can lead to non-deterministic results when multiple records with different upsert keys map to the same primary key. Please specify an ON CONFLICT clause to define how conflicts should be handled: ON CONFLICT DO DEDUPLICATE (update to the latest record, state intensive, since we need to keep the entire history), or ON CONFLICT DO ERROR (fail on conflict), or ON CONFLICT DO NOTHING (keep first record).",
			id, strings.Join(pk, ", "), upsert)
		return false
	}
	n.Materialize = true
	return true
}

// sinkNames are the columns that are written: the message calls those of the query by them.
func sinkNames(t *catalog.Table) []string {
	var out []string
	for _, c := range t.Columns {
		if c.Kind != catalog.Computed && !(c.Kind == catalog.Metadata && c.Virtual) {
			out = append(out, c.Name)
		}
	}
	return out
}

// watermarked: ON CONFLICT DO ERROR and NOTHING need a watermark on every source.
func (m *modes) watermarked(n *phys.Sink) bool {
	var missing []string
	seen := map[string]bool{}
	var walk func(phys.Node)
	walk = func(x phys.Node) {
		if s, ok := x.(*phys.TableSourceScan); ok && s.Table.Watermark == nil {
			if id := s.Table.Path.String(); !seen[id] {
				seen[id] = true
				missing = append(missing, id)
			}
		}
		for _, in := range x.Inputs() {
			walk(in)
		}
	}
	walk(n)
	if len(missing) == 0 {
		return true
	}
	if len(missing) > 1 {
		m.err = unsupported.New("ON CONFLICT DO %s over several sources without watermark", n.Conflict)
		return false
	}
	m.err = flinkerr.Validation("ON CONFLICT DO %s requires all source tables to define watermarks, but the following source(s) do not: %s. Please add a WATERMARK declaration to these tables.",
		n.Conflict, strings.Join(missing, ", "))
	return false
}

// changelogFunction makes TO_CHANGELOG and FROM_CHANGELOG.
func (p *physical) changelogFunction(n *ptfNode) phys.Node {
	if p.cfg.Batch {
		return p.fail(unsupported.New("%s in batch mode, which Flink cannot plan", n.fn.Call.Op.Name))
	}
	in := p.calc(n.in)
	if p.err != nil {
		return in
	}
	f := &phys.ProcessTableFunction{Base: base(n.fields, in), Function: strings.ToUpper(n.fn.Call.Op.Name), Call: n.fn.Call, Name: n.fn.Name, OnTime: -1}
	args := n.fn.Call.Args
	op, mapping := argument(args, 1), argument(args, 2)
	f.OpColumn = "op"
	if s, ok := descriptor(op); ok {
		f.OpColumn = s
	}
	if l, ok := argument(args, 4).(*rex.Literal); ok && !l.V.IsNull() {
		f.UID = l.V.Str()
	}
	if argument(args, 3) != nil {
		if s, ok := descriptor(argument(args, 3)); ok {
			for i, c := range in.Schema() {
				if c.Name == s {
					f.OnTime = i
				}
			}
		}
	}
	pairs, ok := mapLiteral(mapping)
	if !ok {
		return p.fail(unsupported.New("op_mapping that is no constant MAP"))
	}
	if f.Function == "TO_CHANGELOG" {
		f.To = toMapping(pairs)
	} else {
		f.From = fromMapping(pairs)
	}
	return f
}

func argument(args []rex.Expr, i int) rex.Expr {
	if i >= len(args) {
		return nil
	}
	if c, ok := args[i].(*rex.Call); ok && c.Op.Name == "DEFAULT" {
		return nil
	}
	return args[i]
}

func descriptor(e rex.Expr) (string, bool) {
	c, ok := e.(*rex.Call)
	if !ok || c.Op.Name != "DESCRIPTOR" || len(c.Args) != 1 {
		return "", false
	}
	if l, ok := c.Args[0].(*rex.Literal); ok {
		return l.V.Str(), true
	}
	return "", false
}

// mapLiteral reads MAP['k', 'v', ...] as pairs; nil stands for the default.
func mapLiteral(e rex.Expr) ([][2]string, bool) {
	if e == nil {
		return nil, true
	}
	for {
		c, ok := e.(*rex.Call)
		if !ok {
			return nil, false
		}
		if c.Op.Name == "CAST" {
			e = c.Args[0]
			continue
		}
		if c.Op.Name != "MAP" {
			return nil, false
		}
		var out [][2]string
		for i := 0; i+1 < len(c.Args); i += 2 {
			k, ok1 := c.Args[i].(*rex.Literal)
			v, ok2 := c.Args[i+1].(*rex.Literal)
			if !ok1 || !ok2 {
				return nil, false
			}
			out = append(out, [2]string{k.V.Str(), v.V.Str()})
		}
		return out, true
	}
}

func toMapping(pairs [][2]string) map[changelog.RowKind]string {
	out := map[changelog.RowKind]string{}
	if pairs == nil {
		for _, k := range []changelog.RowKind{changelog.Insert, changelog.UpdateBefore, changelog.UpdateAfter, changelog.Delete} {
			out[k] = k.Name()
		}
		return out
	}
	for _, p := range pairs {
		for _, k := range strings.Split(p[0], ",") {
			if kind, ok := changelog.ParseRowKindName(strings.TrimSpace(k)); ok {
				out[kind] = p[1]
			}
		}
	}
	return out
}

func fromMapping(pairs [][2]string) map[string]changelog.RowKind {
	out := map[string]changelog.RowKind{}
	if pairs == nil {
		for _, k := range []changelog.RowKind{changelog.Insert, changelog.UpdateBefore, changelog.UpdateAfter, changelog.Delete} {
			out[k.Name()] = k
		}
		return out
	}
	for _, p := range pairs {
		kind, ok := changelog.ParseRowKindName(strings.TrimSpace(p[1]))
		if !ok {
			continue
		}
		for _, c := range strings.Split(p[0], ",") {
			out[strings.TrimSpace(c)] = kind
		}
	}
	return out
}

var _ = strconv.Itoa
