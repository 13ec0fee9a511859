// Package plan turns a logical tree into the physical plan that Flink would run:
// the nodes of EXPLAIN's Optimized Physical Plan with their changelog modes, and the
// texts of EXPLAIN. There is no search: rewritings run in one fixed order, and the
// choices that Flink makes by cost are computed directly.
package plan

import (
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/config"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
)

// Config is what planning depends on besides the query.
type Config struct {
	// Batch is execution.runtime-mode = batch.
	Batch bool
	// Option returns a session setting ("table.exec.mini-batch.enabled"); nil for none.
	Option func(key string) (string, bool)
	// Fold evaluates a constant expression as Flink's ExpressionReducer does. ok is
	// false where the expression stays as it is; nil folds nothing but what needs no evaluation.
	Fold func(e rex.Expr) (lit *rex.Literal, ok bool)
	// FoldFails is the error of evaluating a constant expression, nil if there is none.
	FoldFails func(e rex.Expr) error
	// RowCount estimates a table's rows from its files (batch only; see FileRows);
	// ok is false when nothing is known.
	RowCount func(t *catalog.Table) (rows float64, ok bool)
	// Collect plans for running a SELECT: its sink takes every row kind and wants
	// UPDATE_BEFORE, which a bare EXPLAIN does not ask for.
	Collect bool
}

func (c *Config) option(key string) string {
	if c.Option == nil {
		return ""
	}
	v, _ := c.Option(key)
	return strings.TrimSpace(v)
}

// lookup is a setting that was made.
func (c *Config) lookup(key string) (string, bool) {
	if c.Option == nil {
		return "", false
	}
	v, ok := c.Option(key)
	return strings.TrimSpace(v), ok
}

func (c *Config) flag(key string) bool { return strings.EqualFold(c.option(key), "true") }

// millis reads a duration; def is for a setting that is not made.
func (c *Config) millis(key string, def int64) (int64, error) {
	v := c.option(key)
	if v == "" {
		return def, nil
	}
	d, err := config.ParseDuration(v)
	return d.Milliseconds(), err
}

// Plan is a physical plan with a root for every statement of a statement set.
type Plan struct {
	Roots []phys.Node
	Batch bool
	// Names are the column names of a query's result, which an identity projection
	// may have removed from the plan.
	Names []string
	// Doubt is why the texts of the plan may differ from Flink's, though its rows do not.
	Doubt error
	cfg   *Config
}

// disabledOperator: switched off by table.exec.disabled-operators.
func (c *Config) disabledOperator(operator string) bool {
	for _, o := range strings.Split(c.option("table.exec.disabled-operators"), ",") {
		o = strings.TrimSpace(o)
		if o == operator || o == "HashJoin" && strings.HasSuffix(operator, "HashJoin") {
			return true
		}
	}
	return false
}

// number is a numeric setting.
func (c *Config) number(key string, def float64) float64 {
	v, err := strconv.ParseInt(c.option(key), 10, 64)
	if err != nil {
		return def
	}
	return float64(v)
}
