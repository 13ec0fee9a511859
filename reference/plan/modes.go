package plan

import (
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// kinds is Flink's ModifyKindSet.
type kinds uint8

const (
	kInsert kinds = 1 << iota
	kUpdate
	kDelete
	kAll = kInsert | kUpdate | kDelete
)

// updateKind is Flink's UpdateKind: which rows carry an update.
type updateKind uint8

const (
	updNone updateKind = iota
	updAfter
	updBoth
)

// modes is FlinkChangelogModeInferenceProgram: first which kinds of change every
// node gives, then whether updates carry the old row.
type modes struct {
	cfg   *Config
	kinds map[phys.Node]kinds
	upd   map[phys.Node]updateKind
	err   error
}

func inferModes(root phys.Node, cfg *Config) (phys.Node, error) {
	m := &modes{cfg: cfg, kinds: map[phys.Node]kinds{}, upd: map[phys.Node]updateKind{}}
	m.modify(root, kAll, "ROOT")
	if m.err != nil {
		return nil, m.err
	}
	var want []updateKind
	switch {
	case m.kinds[root]&kUpdate == 0:
		want = []updateKind{updNone}
	case cfg.Collect:
		want = []updateKind{updBoth}
	default:
		want = []updateKind{updAfter, updBoth}
	}
	if _, sink := root.(*phys.Sink); sink {
		want = []updateKind{updNone}
	}
	for _, w := range want {
		m.upd = map[phys.Node]updateKind{}
		if n, ok := m.update(root, w); ok {
			if m.err == nil {
				m.commit(n)
			}
			return n, m.err
		}
		if m.err != nil {
			return nil, m.err
		}
	}
	return nil, unsupported.New("no changelog mode fits the plan")
}

// commit writes the inferred modes into the nodes.
func (m *modes) commit(n phys.Node) {
	for _, in := range n.Inputs() {
		m.commit(in)
	}
	if _, sink := n.(*phys.Sink); sink {
		return
	}
	k := m.kinds[n]
	var mode changelog.Mode
	if k&kInsert != 0 {
		mode |= changelog.ModeI
	}
	if k&kUpdate != 0 {
		mode |= changelog.ModeUA
		if m.upd[n] == updBoth {
			mode |= changelog.ModeUB
		}
	}
	if k&kDelete != 0 {
		mode |= changelog.ModeD
	}
	phys.SetMode(n, mode)
}

// sinkMode is what a sink's getChangelogMode answers to the kinds of its query.
func sinkMode(t *catalog.Table, query kinds) (accepts kinds, upd updateKind, err error) {
	conn, _ := t.Option("connector")
	format, _ := t.Option("format")
	switch conn {
	case "print":
		return query, updBoth, nil
	case "blackhole":
		return query, updAfter, nil
	case "filesystem":
		switch format {
		case "debezium-json", "canal-json", "maxwell-json", "ogg-json":
			return kAll, updBoth, nil
		}
		return kInsert, updNone, nil
	}
	return 0, 0, unsupported.New("sink connector %q", conn)
}

// sourceKinds is the changelog mode of a scanned table.
func sourceKinds(t *catalog.Table) kinds {
	format, _ := t.Option("format")
	switch format {
	case "debezium-json", "canal-json", "maxwell-json", "ogg-json":
		return kAll
	}
	return kInsert
}

func (m *modes) in(n phys.Node, i int) kinds { return m.kinds[n.Inputs()[i]] }

// modify gives the kinds of change that n produces; required is what its consumer
// takes, requester how an error names the consumer.
func (m *modes) modify(n phys.Node, required kinds, requester string) {
	if m.err != nil {
		return
	}
	visit := func(req kinds, who string) {
		for _, in := range n.Inputs() {
			m.modify(in, req, who)
		}
	}
	var give kinds
	switch n := n.(type) {
	case *phys.Sink:
		m.modifySink(n)
		return
	case *phys.TableSourceScan:
		give = sourceKinds(n.Table)
	case *phys.Values:
		give = kInsert
	case *phys.GroupAggregate, *phys.GlobalGroupAggregate:
		visit(kAll, "")
		give = kInsert | kUpdate
		if m.err == nil && m.in(n, 0)&(kUpdate|kDelete) != 0 {
			give |= kDelete
		}
		m.markRetractions(n)
	case *phys.Limit:
		visit(kAll, "")
		give = kAll
		if m.err == nil && m.in(n, 0) == kInsert {
			give = kInsert
		}
	case *phys.Rank:
		visit(kAll, "")
		give = m.rankKinds(n)
	case *phys.SortLimit:
		visit(kAll, "")
		give = kAll
	case *phys.Sort:
		if n.Temporal {
			visit(kInsert, "StreamPhysicalTemporalSort")
		} else {
			visit(kAll, "")
		}
		give = kInsert
	case *phys.OverAggregate:
		visit(kAll, "")
		give = kInsert
		if m.err == nil && n.Inputs()[0].Schema()[n.Keys[0].Column].Type.Time == 0 {
			give = kAll
		}
	case *phys.WindowAggregate, *phys.GroupWindowAggregate:
		visit(kAll, "")
		give = kInsert
		if g, ok := n.(*phys.GroupWindowAggregate); ok && (g.EarlyFire >= 0 || g.LateFire >= 0) {
			give |= kUpdate
		}
		m.markRetractions(n)
	case *phys.WindowRank:
		visit(kInsert, "WindowRank")
		give = kInsert
	case *phys.WindowDeduplicate:
		visit(kInsert, "WindowDeduplicate")
		give = kInsert
	case *phys.WindowJoin:
		visit(kInsert, "WindowJoin")
		give = kInsert
	case *phys.IntervalJoin:
		visit(kInsert, "IntervalJoin")
		give = kInsert
	case *phys.Match:
		visit(kInsert, "Match Recognize")
		give = kInsert
	case *phys.Join:
		visit(kAll, "")
		give = kAll
		if n.JoinType == "InnerJoin" || n.JoinType == "LeftSemiJoin" {
			give = m.in(n, 0) | m.in(n, 1)
		}
	case *phys.TemporalJoin:
		visit(kAll, "")
		give = m.in(n, 0)
	case *phys.Union:
		visit(required, requester)
		for i := range n.Inputs() {
			give |= m.in(n, i)
		}
	case *phys.ChangelogNormalize:
		visit(kAll, "")
		give = kAll
	case *phys.ProcessTableFunction:
		if n.Function == "FROM_CHANGELOG" {
			visit(kInsert, "StreamPhysicalProcessTableFunction")
			give = kAll
		} else {
			visit(kAll, "")
			give = kInsert
		}
	default:
		// Calc, Exchange, Correlate, Expand, WatermarkAssigner, MiniBatchAssigner and
		// window table functions hand on what they get, and what is asked of them.
		visit(required, requester)
		if m.err == nil {
			give = m.in(n, 0)
		}
	}
	if m.err != nil {
		return
	}
	m.kinds[n] = give
	if bad := give &^ required; bad != 0 {
		m.err = flinkerr.Table("%s doesn't support consuming %s changes which is produced by node %s",
			requester, kindWords(bad), phys.Line(n, phys.TextOptions{Description: true}))
	}
}

func kindWords(k kinds) string {
	var w []string
	if k&kInsert != 0 {
		w = append(w, "insert")
	}
	if k&kUpdate != 0 {
		w = append(w, "update")
	}
	if k&kDelete != 0 {
		w = append(w, "delete")
	}
	return strings.Join(w, " and ")
}

func (m *modes) modifySink(n *phys.Sink) {
	name := "Table sink '" + n.Table.Path.String() + "'"
	m.modify(n.In[0], kAll, name)
	if m.err != nil {
		return
	}
	accepts, _, err := sinkMode(n.Table, m.in(n, 0))
	if err != nil {
		m.err = err
		return
	}
	m.modify(n.In[0], accepts, name)
	m.kinds[n] = 0
}

// markRetractions says which calls must take values back: all over a changing input,
// except MAX over what only grows and MIN over what only falls.
func (m *modes) markRetractions(n phys.Node) {
	if m.err != nil {
		return
	}
	var calls []phys.AggCall
	var keys []int
	switch n := n.(type) {
	case *phys.GroupAggregate:
		calls, keys = n.Calls, n.Keys
	case *phys.GlobalGroupAggregate:
		calls, keys = n.Calls, n.Keys
	case *phys.WindowAggregate:
		calls, keys = n.Calls, n.Keys
	case *phys.GroupWindowAggregate:
		calls, keys = n.Calls, n.Keys
	}
	if m.in(n, 0) == kInsert {
		return
	}
	mono := m.aggregated(n.Inputs()[0], keys, calls)
	for i := range calls {
		c := &calls[i]
		c.Retract = true
		if mono != nil && (c.Fn.Name == "MAX" && mono[len(keys)+i] == monoUp || c.Fn.Name == "MIN" && mono[len(keys)+i] == monoDown) {
			c.Retract = false
		}
	}
}

// rankKinds: a Top-1 that keeps its first row is taken for a deduplication that
// never updates, whatever it orders by: Flink 2.3's fault (facts/window.md 9).
func (m *modes) rankKinds(n *phys.Rank) kinds {
	if m.err != nil {
		return 0
	}
	if m.in(n, 0) == kInsert && n.RankType == "ROW_NUMBER" && n.RankStart == 1 && n.RankEnd == 1 && !n.OutputRank &&
		!keepsLast(n) && !m.cfg.flag("table.exec.mini-batch.enabled") {
		return kInsert
	}
	return kAll
}

// keepsLast: one descending order key.
func keepsLast(n *phys.Rank) bool { return len(n.Keys) == 1 && n.Keys[0].Desc }
