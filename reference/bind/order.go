package bind

import (
	"math/big"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// orderKeys finds each ORDER BY item among the select items; those that are none are
// returned as extra columns, to be projected behind the items. Below the top level
// ORDER BY without a limit is ignored.
func (blk *block) orderKeys(ord ordering, top bool) ([]rel.SortKey, []sql.Expr, error) {
	x := blk.exprs()
	var canons []string
	for _, it := range blk.items {
		canons = append(canons, x.canon(it.x))
	}
	var keys []rel.SortKey
	var extra []sql.Expr
	for _, o := range ord.items {
		e, err := blk.expandOrder(o.X)
		if err != nil {
			return nil, nil, err
		}
		k := sortKey(o)
		c := x.canon(e)
		for i, other := range canons {
			if other == c {
				k.Column = i
				break
			}
		}
		if k.Column < 0 {
			if blk.sel.Distinct {
				return nil, nil, flinkerr.Validator("Expression '%s' is not in the select clause", sourceText(o.X))
			}
			k.Column = len(canons)
			canons = append(canons, c)
			extra = append(extra, e)
		}
		keys = append(keys, k)
	}
	if !top && noOffset(ord.offset) && ord.fetch == nil {
		return nil, nil, nil
	}
	return keys, extra, nil
}

// sortKey is a key without its column. NULLs are the smallest values unless the item says otherwise.
func sortKey(o sql.OrderItem) rel.SortKey {
	k := rel.SortKey{Column: -1, Desc: o.Desc, NullsLast: o.Desc}
	switch o.Nulls {
	case "FIRST":
		k.NullsLast = false
	case "LAST":
		k.NullsLast = true
	}
	return k
}

func noOffset(e sql.Expr) bool {
	if e == nil {
		return true
	}
	n, ok := e.(*sql.NumberLit)
	return ok && n.Text == "0"
}

// expandOrder replaces ordinals and aliases of select items by their expressions.
func (blk *block) expandOrder(e sql.Expr) (sql.Expr, error) {
	if n, ok := e.(*sql.NumberLit); ok {
		v, ok := new(big.Int).SetString(n.Text, 10)
		if !ok {
			return nil, unsupported.New("ORDER BY %s", n.Text)
		}
		if !v.IsInt64() || v.Int64() < 1 || v.Int64() > int64(len(blk.items)) {
			return nil, flinkerr.Validator("Ordinal out of range")
		}
		return blk.items[v.Int64()-1].x, nil
	}
	var err error
	r := rewrite(e, func(n sql.Expr) sql.Expr {
		c, ok := n.(*sql.ColumnRef)
		if !ok || len(c.Name.Parts) != 1 {
			return nil
		}
		name := c.Name.Parts[0].Text
		found, count := -1, 0
		for i, it := range blk.items {
			if it.name == name {
				if found < 0 {
					found = i
				}
				if it.named || naturalName(it.x, -1) == name {
					count++
				}
			}
		}
		if count > 1 {
			err = flinkerr.Validator("Column '%s' is ambiguous", name)
		}
		if found >= 0 {
			return blk.items[found].x
		}
		return nil
	})
	return r, err
}

// sort adds LogicalSort, and below the top level takes the extra columns away again.
func (blk *block) sort(ord ordering, keys []rel.SortKey, extra int, fields []value.Field, top bool) (*relation, error) {
	r := &relation{fields: fields}
	if len(keys) == 0 && noOffset(ord.offset) && ord.fetch == nil {
		r.node = blk.node
		return r, nil
	}
	s := &rel.Sort{Base: rel.Base{In: []rel.Node{blk.node}, Fields: blk.node.Schema()}, Keys: keys, Offset: -1, Fetch: -1}
	var err error
	if ord.offset != nil {
		if s.Offset, err = rowCount(ord.offset); err != nil {
			return nil, err
		}
	}
	if ord.fetch != nil {
		if s.Fetch, err = rowCount(ord.fetch); err != nil {
			return nil, err
		}
	}
	r.node = s
	if extra > 0 {
		all := refs(s)
		n := len(all) - extra
		if top {
			r.extra = extra
			return r, nil
		}
		r.node = newProject(s, all[:n], schemaNames(s)[:n])
	}
	return r, nil
}

func rowCount(e sql.Expr) (int64, error) {
	n, ok := e.(*sql.NumberLit)
	if !ok {
		return 0, unsupported.New("LIMIT that is no number")
	}
	v, ok := new(big.Int).SetString(n.Text, 10)
	if !ok || !v.IsInt64() {
		return 0, unsupported.New("LIMIT %s", n.Text)
	}
	return v.Int64(), nil
}
