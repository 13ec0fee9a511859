package bind

import (
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// unnest binds UNNEST(x): Uncollect over a one-row Project of x, and a renaming
// Project where the alias names the columns.
func (blk *block) unnest(t *sql.Unnest) (rel.Node, error) {
	x := blk.lateralExprs()
	es, err := x.bindAll(t.Args...)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(es))
	for i, a := range t.Args {
		names[i] = naturalName(a, i)
	}
	p := blk.b.project(oneRow(), es, uniquifyAliases(names), false)
	fields, err := uncollected(es)
	if err != nil {
		return nil, err
	}
	if t.Ordinality {
		fields = append(fields, value.Field{Name: "ORDINALITY", Type: value.Type{Kind: value.KindInt}})
	}
	var n rel.Node = &rel.Uncollect{Base: rel.Base{In: []rel.Node{p}, Fields: fields}, Ordinality: t.Ordinality}
	name := blk.generatedName()
	if t.Alias != nil {
		name = t.Alias.Name.Text
		if fields, err = aliasColumns(t.Alias, fields); err != nil {
			return nil, err
		}
		if len(t.Alias.Columns) == 0 && len(fields) == 1 {
			// UNNEST of one column without names: the column is called as the alias.
			fields = renamed(fields, []string{name})
		}
		if len(t.Alias.Columns) > 0 {
			n = blk.b.rename(n, schemaNamesOf(fields))
		}
	}
	blk.add(name, nil, fields, nil)
	return n, nil
}

func schemaNamesOf(fields []value.Field) []string {
	s := make([]string, len(fields))
	for i, f := range fields {
		s[i] = f.Name
	}
	return s
}

// uncollected are the columns of UNNEST: the fields of ROW elements, KEY and VALUE of
// maps, else one column a collection.
func uncollected(es []rex.Expr) ([]value.Field, error) {
	var out []value.Field
	for i, e := range es {
		t := e.Type()
		switch t.Kind {
		case value.KindArray, value.KindMultiset:
			if t.Elem.Kind == value.KindRow {
				for _, f := range t.Elem.Fields {
					f.Type.Nullable = f.Type.Nullable || t.Elem.Nullable
					out = append(out, f)
				}
				continue
			}
			out = append(out, value.Field{Name: "EXPR$" + strconv.Itoa(i), Type: *t.Elem})
		case value.KindMap:
			out = append(out, value.Field{Name: "KEY", Type: *t.Key}, value.Field{Name: "VALUE", Type: *t.Elem})
		default:
			return nil, flinkerr.Validator("Cannot apply 'UNNEST' to arguments of type 'UNNEST(<%s>)'. Supported form(s): 'UNNEST(<MULTISET>)'\n'UNNEST(<ARRAY>)'\n'UNNEST(<MAP>)'\nUNNEST(<MULTISET>)\nUNNEST(<ARRAY>)\nUNNEST(<MAP>)", strings.ToUpper(rex.TypeText(t, false)))
		}
	}
	return out, nil
}

// snapshot binds t FOR SYSTEM_TIME AS OF x.
func (blk *block) snapshot(t *sql.TableRef, r *relation) (rel.Node, error) {
	period, err := blk.period(t, r)
	if err != nil {
		return nil, err
	}
	k := period.Type().Kind
	if k != value.KindTimestamp && k != value.KindTimestampLTZ {
		return nil, flinkerr.Validator("The system time period specification expects Timestamp type but is '%s'", strings.Split(rex.TypeText(period.Type(), false), "(")[0])
	}
	if _, constant := period.(*rex.Literal); constant {
		return nil, flinkerr.New("java.lang.UnsupportedOperationException", "getTable(ObjectPath, long) is not implemented for class org.apache.flink.table.catalog.GenericInMemoryCatalog.")
	}
	if c, ok := period.(*rex.Call); ok && c.Op.Name == "PROCTIME" {
		return nil, flinkerr.Validation("Unsupported time travel expression: PROCTIME() for the expression can not be reduced to a constant by Flink.")
	}
	if !hasField(period) {
		return nil, unsupported.New("time travel")
	}
	n := &rel.Snapshot{Base: rel.Base{In: []rel.Node{r.node}, Fields: r.node.Schema()}, Period: period}
	return blk.addAliased(t.Alias, t.Name.Parts[len(t.Name.Parts)-1].Text, nil, &relation{node: n, fields: r.fields})
}

// period binds the time of a snapshot. It may name the columns of the left row and, which
// planning refuses later, those of the table itself.
func (blk *block) period(t *sql.TableRef, r *relation) (rex.Expr, error) {
	if blk.lateral == nil {
		return blk.lateralExprs().bind(t.AsOf)
	}
	own := &kid{name: t.Name.Parts[len(t.Name.Parts)-1].Text, fields: r.fields}
	if t.Alias != nil {
		own.name = t.Alias.Name.Text
	}
	outer := blk.lateral.kids
	for _, k := range outer {
		own.offset += len(k.fields)
	}
	blk.lateral.kids = append(append([]*kid(nil), outer...), own)
	e, err := blk.lateralExprs().bind(t.AsOf)
	blk.lateral.kids = outer
	return e, err
}
