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
func (blk *block) qualify() error {
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
		return unsupported.New("QUALIFY without a window function")
	}
	p, ok := blk.node.(*rel.Project)
	if !ok || hasSubqueryNode(e) {
		return unsupported.New("QUALIFY of this query")
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
