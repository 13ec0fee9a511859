// Package bind turns parsed statements into logical plans (package rel): it resolves
// names, types expressions with package fn, checks what Flink's validator checks, and
// gives exactly the tree that EXPLAIN prints as Abstract Syntax Tree.
//
// It follows the two steps of Flink in one pass: Calcite's validation (errors in the
// order FROM, WHERE, GROUP BY, HAVING, SELECT, ORDER BY) and the conversion to
// relational algebra. What it cannot convert exactly it refuses with unsupported.
package bind

import (
	"time"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

// Catalog is what the binder asks of the session's catalogs.
type Catalog interface {
	// Resolve makes a path of one to three name parts, with a default catalog and database.
	Resolve(parts []string, catalogName, database string) catalog.Path
	// Table finds a table or view, or nil. Temporary objects hide permanent ones.
	Table(p catalog.Path) *catalog.Table
	// Objects lists the names of tables and views in a database, for "did you mean".
	Objects(catalogName, database string) []string
	// Catalogs lists the catalog names.
	Catalogs() []string
}

// Env is the session that a statement is bound in.
type Env struct {
	Catalog Catalog
	// DefaultCatalog and DefaultDatabase qualify unqualified names.
	DefaultCatalog, DefaultDatabase string
	// Batch is the runtime mode.
	Batch bool
	// NoTableOptions forbids OPTIONS hints of tables that are read.
	NoTableOptions bool
	// Zone is the session time zone; UTC where it is nil.
	Zone *time.Location
}

// binder is the state of binding one statement.
type binder struct {
	env *Env
	fn  *fn.Context
	// cors numbers correlation variables ($cor0, ...) in the order of creation.
	cors int
	// viewDepth stops views that contain themselves.
	viewDepth int
	// tables and exprDepth are counted against maxTables and maxExprDepth.
	tables, exprDepth int
	// unsure is set where simplification met what it does not know.
	unsure bool
	// late is an error that Flink finds only while it plans the query.
	late error
	// hinted: the query has hints.
	hinted bool
}

// The work of planning grows faster than a query does, and views over views double it each
// time. What is larger than any query of a lab by far is refused rather than never ended.
const (
	// maxTables bounds the tables that a query reads, all views and WITH items opened.
	maxTables = 256
	// maxExprDepth bounds operators in one another: in 1 + 1 + 1 each holds the one before.
	maxExprDepth = 4096
	// maxInList bounds the values of IN.
	maxInList = 16384
)

func newBinder(env *Env) *binder {
	return &binder{env: env, fn: &fn.Context{Batch: env.Batch}}
}

// Query binds a query: the tree and, in its schema, the names of the result columns.
func Query(q *sql.Query, env *Env) (rel.Node, error) {
	b := newBinder(env)
	n, err := b.topQuery(q)
	if err != nil {
		return nil, err
	}
	return n.node, b.sure()
}

func (b *binder) sure() error {
	if b.late != nil {
		return b.late
	}
	if b.unsure {
		return unsupported.New("simplifying an expression of this query")
	}
	return nil
}
