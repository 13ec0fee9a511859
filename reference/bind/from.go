package bind

import (
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// from binds FROM: the tree, and the items whose columns are in scope.
func (blk *block) from() error {
	if blk.sel.From == nil {
		blk.node = oneRow()
		return nil
	}
	n, err := blk.tableExpr(blk.sel.From)
	if err != nil {
		return err
	}
	seen := map[string]bool{}
	for _, k := range blk.sc.kids {
		if seen[k.name] {
			return flinkerr.Validator("Duplicate relation name '%s' in FROM clause", k.name)
		}
		seen[k.name] = true
	}
	blk.node = n
	return nil
}

func typesOf(fields []value.Field) []value.Type {
	ts := make([]value.Type, len(fields))
	for i, f := range fields {
		ts[i] = f.Type
	}
	return ts
}

// oneRow is the input of a SELECT without FROM.
func oneRow() *rel.Values {
	return &rel.Values{
		Base: rel.Base{Fields: []value.Field{{Name: "ZERO", Type: value.Type{Kind: value.KindInt}}}},
		Rows: [][]*rex.Literal{{intLiteral(0)}},
	}
}

// add puts an item into the scope, behind the columns that are there.
func (blk *block) add(name string, path *catalog.Path, fields []value.Field, n rel.Node) *kid {
	k := &kid{name: name, path: path, fields: fields, offset: blk.width()}
	if n != nil {
		for i, f := range n.Schema() {
			if i < len(fields) && f.Type.Time != fields[i].Type.Time {
				k.converted = append([]value.Type(nil), typesOf(n.Schema())...)
				break
			}
		}
	}
	blk.sc.kids = append(blk.sc.kids, k)
	blk.layout = plainLayout(fields, k.offset)
	return k
}

func (blk *block) width() int {
	n := 0
	for _, k := range blk.sc.kids {
		n += len(k.fields)
	}
	return n
}

func (blk *block) generatedName() string {
	n := 0
	for _, k := range blk.sc.kids {
		if strings.HasPrefix(k.name, "EXPR$") {
			n++
		}
	}
	return "EXPR$" + strconv.Itoa(n)
}

func (blk *block) tableExpr(t sql.TableExpr) (rel.Node, error) {
	switch t := t.(type) {
	case *sql.TableRef:
		return blk.tableRef(t)
	case *sql.Derived:
		return blk.derived(t)
	case *sql.JoinExpr:
		return blk.join(t)
	case *sql.Unnest:
		return blk.unnest(t)
	case *sql.TableFunc:
		return blk.tableFunc(t)
	case *sql.MatchRecognize:
		return blk.match(t)
	}
	return nil, unsupported.New("FROM %T", t)
}

// tableRef binds a named table, view or WITH item.
func (blk *block) tableRef(t *sql.TableRef) (rel.Node, error) {
	r, path, err := blk.b.named(t.Name, t.Hints, blk.sc)
	if err != nil {
		return nil, err
	}
	if t.AsOf != nil {
		return blk.snapshot(t, r)
	}
	return blk.addAliased(t.Alias, t.Name.Parts[len(t.Name.Parts)-1].Text, path, r)
}

// addAliased puts a relation into the scope under its alias or its own name.
func (blk *block) addAliased(a *sql.Alias, name string, path *catalog.Path, r *relation) (rel.Node, error) {
	fields := r.fields
	if a != nil {
		name, path = a.Name.Text, nil
		var err error
		if fields, err = aliasColumns(a, fields); err != nil {
			return nil, err
		}
	}
	blk.add(name, path, fields, r.node)
	return r.node, blk.aliased(r.node, name)
}

// aliasColumns renames columns by AS t (a, b).
func aliasColumns(a *sql.Alias, fields []value.Field) ([]value.Field, error) {
	if len(a.Columns) == 0 {
		return fields, nil
	}
	if len(a.Columns) != len(fields) {
		return nil, flinkerr.Validator("List of column aliases must have same degree as table; table has %d columns (%s), whereas alias list has %d columns",
			len(fields), quotedNames(fields), len(a.Columns))
	}
	names := make([]string, len(fields))
	seen := map[string]bool{}
	for i, c := range a.Columns {
		if seen[c.Text] {
			return nil, flinkerr.Validator("Duplicate name '%s' in column alias list", c.Text)
		}
		seen[c.Text] = true
		names[i] = c.Text
	}
	return renamed(fields, names), nil
}

func quotedNames(fields []value.Field) string {
	s := make([]string, len(fields))
	for i, f := range fields {
		s[i] = "'" + f.Name + "'"
	}
	return strings.Join(s, ", ")
}

// derived binds a query in FROM.
func (blk *block) derived(t *sql.Derived) (rel.Node, error) {
	outer := blk.sc.parent
	if t.Lateral && blk.lateral != nil {
		outer = blk.lateral
	}
	if v, ok := onlyValues(t.Query); ok {
		r, err := blk.b.values(v, outer)
		if err != nil {
			return nil, err
		}
		if t.Alias != nil && len(t.Alias.Columns) == len(r.fields) {
			names := make([]string, len(r.fields))
			for i, c := range t.Alias.Columns {
				names[i] = c.Text
			}
			r.node = blk.b.rename(r.node, names)
		}
		return blk.addDerived(t.Alias, r)
	}
	r, err := blk.b.query(t.Query, outer, false)
	if err != nil {
		return nil, err
	}
	return blk.addDerived(t.Alias, trimExtra(r))
}

func onlyValues(q *sql.Query) (*sql.Values, bool) {
	v, ok := q.Body.(*sql.Values)
	return v, ok && len(q.With) == 0 && len(q.OrderBy) == 0 && q.Offset == nil && q.Fetch == nil
}

func (blk *block) addDerived(a *sql.Alias, r *relation) (rel.Node, error) {
	return blk.addAliased(a, blk.generatedName(), nil, r)
}

// named finds what a name in FROM stands for.
func (b *binder) named(name sql.Name, hints []sql.Hint, sc *scope) (*relation, *catalog.Path, error) {
	if b.tables++; b.tables > maxTables {
		return nil, nil, unsupported.New("a query over more than %d tables", maxTables)
	}
	parts := nameParts(name)
	if len(parts) == 1 {
		for s := sc; s != nil; s = s.parent {
			if c := s.ctes[parts[0]]; c != nil {
				r, err := b.withItem(c)
				return r, nil, err
			}
		}
	}
	t, path, err := b.lookup(parts)
	if err != nil {
		return nil, nil, err
	}
	if t.View != nil {
		if len(hints) > 0 {
			return nil, nil, flinkerr.Validation("View '`%s`.`%s`.`%s`' cannot be enriched with new options. Hints can only be applied to tables.",
				path.Catalog, path.Database, path.Object)
		}
		if b.hinted {
			return nil, nil, unsupported.New("hints over views")
		}
		r, err := b.view(t)
		return r, &path, err
	}
	r, err := b.scan(t, hints)
	return r, &path, err
}

// withItem binds a use of a WITH item.
func (b *binder) withItem(c *cte) (*relation, error) {
	r, err := b.query(c.def.Query, c.scope, false)
	if err != nil {
		return nil, err
	}
	r = trimExtra(r)
	if len(c.def.Columns) > 0 {
		if len(c.def.Columns) != len(r.fields) {
			return nil, flinkerr.Validator("Number of columns must match number of query columns")
		}
		names := make([]string, len(r.fields))
		for i, col := range c.def.Columns {
			names[i] = col.Text
		}
		r = &relation{node: r.node, fields: renamed(r.fields, names)}
	}
	return r, nil
}

// lookup finds a table in the catalogs, or says what is missing as Calcite does.
func (b *binder) lookup(parts []string) (*catalog.Table, catalog.Path, error) {
	path := b.env.Catalog.Resolve(parts, b.env.DefaultCatalog, b.env.DefaultDatabase)
	if t := b.env.Catalog.Table(path); t != nil {
		return t, path, nil
	}
	if err := b.similarPath(parts, path); err != nil {
		return nil, path, err
	}
	within := path.Catalog + "." + path.Database
	objects := b.env.Catalog.Objects(path.Catalog, path.Database)
	for _, o := range objects {
		if strings.EqualFold(o, path.Object) {
			return nil, path, flinkerr.Validator("Object '%s' not found within '%s'; did you mean '%s'?", path.Object, within, o)
		}
	}
	if len(parts) > 1 && objects != nil {
		return nil, path, flinkerr.Validator("Object '%s' not found within '%s'", path.Object, within)
	}
	return nil, path, flinkerr.Validator("Object '%s' not found", parts[0])
}

// similarPath is the hint for a catalog or database that differs in letter case only.
func (b *binder) similarPath(parts []string, path catalog.Path) error {
	if len(parts) > 2 {
		for _, c := range b.env.Catalog.Catalogs() {
			if c != path.Catalog && strings.EqualFold(c, path.Catalog) {
				return flinkerr.Validator("Object '%s' not found; did you mean '%s'?", path.Catalog, c)
			}
		}
	}
	d, ok := b.env.Catalog.(interface {
		Databases(catalogName string) []string
	})
	if !ok || len(parts) < 2 {
		return nil
	}
	for _, name := range d.Databases(path.Catalog) {
		if name != path.Database && strings.EqualFold(name, path.Database) {
			return flinkerr.Validator("Object '%s' not found within '%s'; did you mean '%s'?", path.Database, path.Catalog, name)
		}
	}
	return nil
}

// view expands a view in place: its query under the catalog and database in which it
// was made, then a Project where names or types differ from its columns.
func (b *binder) view(t *catalog.Table) (*relation, error) {
	if b.viewDepth > 60 {
		return nil, unsupported.New("views nested too deeply")
	}
	env := *b.env
	env.DefaultCatalog, env.DefaultDatabase = t.View.Catalog, t.View.Database
	saved := b.env
	b.env = &env
	b.viewDepth++
	r, err := b.query(t.View.Query, nil, true)
	b.viewDepth--
	b.env = saved
	if err != nil {
		return nil, err
	}
	r = trimExtra(r)
	fields := make([]value.Field, len(t.Columns))
	if len(fields) != len(r.fields) {
		return nil, unsupported.New("view %s whose table has changed", t.Path)
	}
	same := true
	schema := r.node.Schema()
	for i, c := range t.Columns {
		fields[i] = value.Field{Name: c.Name, Type: schema[i].Type}
		same = same && c.Name == schema[i].Name
	}
	if !same {
		names := make([]string, len(fields))
		for i, f := range fields {
			names[i] = f.Name
		}
		r.node = newProject(r.node, refs(r.node), names)
	}
	return &relation{node: r.node, fields: fields}, nil
}
