package bind

import (
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// qualify binds QUALIFY: the condition becomes a column of the projection, by which a
// Filter above selects.
func (blk *block) qualify(grouped bool) error {
	e := rewrite(blk.sel.Qualify, func(n sql.Expr) sql.Expr {
		// Aliases of the SELECT list stand for their expressions here.
		if r, ok := n.(*sql.ColumnRef); ok && len(r.Name.Parts) == 1 {
			for _, it := range blk.items {
				if it.named && it.name == r.Name.Parts[0].Text {
					return it.x
				}
			}
		}
		return nil
	})
	if !find(e, func(n sql.Expr) bool { c, ok := n.(*sql.Call); return ok && (c.Over != nil || c.OverName != "") }) {
		return blk.noWindowFunction(e)
	}
	if grouped {
		return blk.qualifyGroups(e)
	}
	p, ok := blk.node.(*rel.Project)
	if !ok || hasSubqueryNode(e) {
		return unsupported.New("QUALIFY of this query")
	}
	// Flink fails at SELECT * of some inputs; of a table alone it works.
	_, table := p.In[0].(*rel.Scan)
	table = table && len(blk.items) < 6 && !find(e, func(n sql.Expr) bool {
		c, ok := n.(*sql.Call)
		return ok && (c.OverName != "" || c.Over != nil && len(c.Over.OrderBy) > 1)
	})
	for _, it := range blk.items {
		if it.star && !table {
			return unsupported.New("QUALIFY of SELECT *, but of a small table without watermark by one order key")
		}
	}
	x := blk.exprs()
	x.noAgg = "SELECT"
	cond, err := x.bind(e)
	if err != nil {
		return err
	}
	if cond.Type().Kind != value.KindBoolean {
		return flinkerr.Validator("QUALIFY clause must be a condition")
	}
	found := false
	shared := mapRex(cond, func(n rex.Expr) rex.Expr {
		switch n.(type) {
		case *rex.Call, *rex.Over:
			for i, pe := range p.Exprs {
				if rex.Digest(pe) == rex.Digest(n) && sameType(pe.Type(), n.Type()) {
					found = true
					return &rex.InputRef{Index: i, T: pe.Type()}
				}
			}
			if _, ok := n.(*rex.Over); ok {
				return n
			}
		}
		return nil
	})
	names := append(schemaNames(p), "QualifyExpression")
	n := len(p.Exprs)
	var in rel.Node
	if found {
		in = blk.b.projectNamed(p, append(refs(p), shared), names, false)
	} else {
		in = blk.b.projectNamed(p.In[0], append(append([]rex.Expr(nil), p.Exprs...), cond), names, false)
	}
	last := refs(in)[n]
	f := blk.b.buildFilter(in, last)
	blk.node = newProject(f, refs(f)[:n], schemaNames(f)[:n])
	return nil
}

// noWindowFunction is the error for a condition that a WHERE or HAVING would do for.
func (blk *block) noWindowFunction(e sql.Expr) error {
	known := true
	full := rewrite(e, func(n sql.Expr) sql.Expr {
		r, ok := n.(*sql.ColumnRef)
		if !ok {
			return nil
		}
		c, err := blk.sc.resolve(nameParts(r.Name))
		if err != nil || len(c.rest) > 0 {
			known = false
			return n
		}
		return columnRef(r.Span, c.kid.name, c.kid.fields[c.index].Name)
	})
	if !known || hasSubqueryNode(e) {
		return unsupported.New("QUALIFY without a window function")
	}
	return flinkerr.Validator("QUALIFY expression '%s' must contain a window function", sql.PrintExpr(full))
}

// qualifyGroups: Flink looks for the projection of the SELECT list, and where groups need none finds
// something else.
func (blk *block) qualifyGroups(e sql.Expr) error {
	known := !find(e, func(n sql.Expr) bool {
		r, ok := n.(*sql.ColumnRef)
		if !ok {
			return false
		}
		_, err := blk.sc.resolve(nameParts(r.Name))
		return err != nil
	})
	class := ""
	switch blk.node.(type) {
	case *rel.Aggregate:
		class = "org.apache.calcite.rel.logical.LogicalAggregate"
	case *rel.Filter:
		class = "org.apache.calcite.rel.logical.LogicalFilter"
	}
	if class == "" || !known || hasSubqueryNode(e) || blk.overTableFunction() {
		return unsupported.New("QUALIFY of a grouped query")
	}
	project := "org.apache.calcite.rel.logical.LogicalProject"
	return flinkerr.New("java.lang.ClassCastException", "class %[1]s cannot be cast to class %[2]s (%[1]s and %[2]s are in unnamed module of loader org.apache.flink.table.planner.loader.PlannerModule$PlannerComponentClassLoader @6ed3f258)", class, project)
}

// overTableFunction: the groups are windows of a table function.
func (blk *block) overTableFunction() bool {
	n := blk.node
	for {
		if _, ok := n.(*rel.TableFunction); ok {
			return true
		}
		in := n.Inputs()
		if len(in) != 1 {
			return false
		}
		n = in[0]
	}
}

func hasSubqueryNode(e sql.Expr) bool {
	return find(e, func(n sql.Expr) bool {
		switch n.(type) {
		case *sql.Subquery, *sql.Quantified:
			return true
		case *sql.In:
			return n.(*sql.In).Query != nil
		}
		return false
	})
}
