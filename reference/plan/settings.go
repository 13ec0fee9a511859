package plan

import (
	"slices"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rel"
)

// checkSettings refuses values that Flink refuses while it plans what needs them: the phases of
// aggregates where there is an aggregate, the materializing of upserts where rows are written.
func checkSettings(root rel.Node, cfg *Config) error {
	if holds(root, func(n rel.Node) bool { _, ok := n.(*rel.Aggregate); return ok }) {
		err := oneOf(cfg, "table.optimizer.agg-phase-strategy", "org.apache.flink.table.api.config.AggregatePhaseStrategy", "AUTO", "ONE_PHASE", "TWO_PHASE")
		if err != nil {
			return err
		}
	}
	if _, sink := root.(*rel.Sink); sink && !cfg.Batch {
		return oneOf(cfg, "table.exec.sink.upsert-materialize", "org.apache.flink.table.api.config.ExecutionConfigOptions$UpsertMaterialize", "NONE", "AUTO", "FORCE")
	}
	return nil
}

// oneOf checks the value of a setting that is one of a few words in any case.
func oneOf(cfg *Config, key, class string, words ...string) error {
	v := cfg.option(key)
	if v == "" || slices.Contains(words, strings.ToUpper(v)) {
		return nil
	}
	return flinkerr.New("java.lang.IllegalArgumentException", "Could not parse value for enum class %s. Expected one of: [[%s]]", class, strings.Join(words, ", "))
}

// holds tells whether a node of a tree is as asked.
func holds(n rel.Node, is func(rel.Node) bool) bool {
	return is(n) || slices.ContainsFunc(n.Inputs(), func(in rel.Node) bool { return holds(in, is) })
}
