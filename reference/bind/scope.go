package bind

import (
	"sort"
	"strings"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// scope is where the names of one SELECT block are looked up: the items of its FROM,
// then the enclosing block's scope.
type scope struct {
	parent *scope
	kids   []*kid
	// ctes are the WITH items that are visible here and below.
	ctes map[string]*cte
	// cors are the correlation variables through which inner blocks read this row.
	cors []outerRef
	// pattern is set inside MATCH_RECOGNIZE's DEFINE and MEASURES.
	pattern *patternScope
}

// outerRef is one use of this row by an inner block.
type outerRef struct {
	v     *rex.CorrelVar
	index int
}

// mergeVariables gives the variables that were made since mark one number, the
// first one's, and returns it: Calcite keeps one variable a clause.
func (s *scope) mergeVariables(mark int) []int {
	if len(s.cors) <= mark {
		return nil
	}
	id := s.cors[mark].v.ID
	for _, c := range s.cors[mark:] {
		c.v.ID = id
	}
	return []int{id}
}

// kid is one item of FROM.
type kid struct {
	// name is the alias, the last part of the table name, or EXPR$n.
	name string
	// path is set for tables that have no alias of their own.
	path *catalog.Path
	// fields as the validator sees them: nullable on the padded side of an outer join.
	fields []value.Field
	// converted are the columns' types in the tree. They differ from fields in their
	// time attributes where a table with a watermark was made in the other runtime mode.
	converted []value.Type
	// offset of the first field in the row of the FROM clause.
	offset int
}

func (k *kid) convertedType(i int) value.Type {
	t := k.fields[i].Type
	if k.converted != nil {
		t.Time = k.converted[i].Time
	}
	return t
}

// column is a resolved column reference.
type column struct {
	scope *scope
	kid   *kid
	index int // in kid.fields
	rest  []string
}

func fieldIndex(fields []value.Field, name string) int {
	for i, f := range fields {
		if f.Name == name {
			return i
		}
	}
	return -1
}

func countField(fields []value.Field, name string) int {
	n := 0
	for _, f := range fields {
		if f.Name == name {
			n++
		}
	}
	return n
}

// holders finds the FROM items that have a column, in the nearest scope that knows it.
func (s *scope) holders(name string) (*scope, []*kid) {
	for x := s; x != nil; x = x.parent {
		var found []*kid
		for _, k := range x.kids {
			if fieldIndex(k.fields, name) >= 0 {
				found = append(found, k)
			}
		}
		if len(found) > 0 {
			return x, found
		}
	}
	return nil, nil
}

// similar lists columns that differ from name in letter case only.
func (s *scope) similar(name string) []string {
	for x := s; x != nil; x = x.parent {
		seen := map[string]bool{}
		var out []string
		for _, k := range x.kids {
			for _, f := range k.fields {
				if strings.EqualFold(f.Name, name) && !seen[k.name] {
					seen[k.name] = true
					out = append(out, f.Name)
				}
			}
		}
		if len(out) > 0 {
			sort.Strings(out)
			return out
		}
	}
	return nil
}

// tableItem finds a FROM item by its qualified or unqualified name.
func (s *scope) tableItem(names []string, fold bool) (*scope, *kid) {
	last := names[len(names)-1]
	for x := s; x != nil; x = x.parent {
		for _, k := range x.kids {
			if k.name != last && !(fold && strings.EqualFold(k.name, last)) {
				continue
			}
			if len(names) == 1 {
				return x, k
			}
			if k.path != nil && pathMatches(*k.path, names) {
				return x, k
			}
		}
	}
	return nil, nil
}

func pathMatches(p catalog.Path, names []string) bool {
	full := []string{p.Catalog, p.Database, p.Object}
	if len(names) > len(full) {
		return false
	}
	tail := full[len(full)-len(names):]
	for i := range names {
		if names[i] != tail[i] {
			return false
		}
	}
	return true
}

// resolve finds a column by its name parts; the rest of a column are fields of a ROW.
func (s *scope) resolve(parts []string) (*column, error) {
	if len(parts) == 1 {
		return s.resolveSimple(parts[0])
	}
	// The longest prefix that names a FROM item wins.
	for i := len(parts) - 1; i > 0; i-- {
		x, k := s.tableItem(parts[:i], false)
		if k != nil {
			return inItem(x, k, parts[:i], parts[i:])
		}
		if _, k := s.tableItem(parts[:i], true); k != nil {
			return nil, flinkerr.Validator("Table '%s' not found; did you mean '%s'?", strings.Join(parts[:i], "."), k.name)
		}
	}
	// Otherwise a column of ROW type may be opened without a table in front.
	x, found := s.holders(parts[0])
	if len(found) == 1 {
		i := fieldIndex(found[0].fields, parts[0])
		if found[0].fields[i].Type.Kind == value.KindRow {
			return inItem(x, found[0], []string{found[0].name}, parts)
		}
	}
	return nil, flinkerr.Validator("Table '%s' not found", strings.Join(parts[:len(parts)-1], "."))
}

func (s *scope) resolveSimple(name string) (*column, error) {
	x, found := s.holders(name)
	switch {
	case len(found) == 0:
		if sim := s.similar(name); sim != nil {
			return nil, flinkerr.Validator("Column '%s' not found in any table; did you mean '%s'?", name, strings.Join(sim, "', '"))
		}
		return nil, flinkerr.Validator("Column '%s' not found in any table", name)
	case len(found) > 1 || countField(found[0].fields, name) > 1:
		return nil, flinkerr.Validator("Column '%s' is ambiguous", name)
	}
	return &column{scope: x, kid: found[0], index: fieldIndex(found[0].fields, name)}, nil
}

// inItem resolves name parts behind a FROM item: a column, then fields.
func inItem(x *scope, k *kid, prefix, names []string) (*column, error) {
	i := fieldIndex(k.fields, names[0])
	if i < 0 {
		for _, f := range k.fields {
			if strings.EqualFold(f.Name, names[0]) {
				return nil, flinkerr.Validator("Column '%s' not found in table '%s'; did you mean '%s'?",
					strings.Join(names, "."), strings.Join(prefix, "."), f.Name)
			}
		}
		return nil, flinkerr.Validator("Column '%s' not found in table '%s'", names[0], strings.Join(prefix, "."))
	}
	if countField(k.fields, names[0]) > 1 {
		return nil, flinkerr.Validator("Column '%s' is ambiguous", names[0])
	}
	t := k.fields[i].Type
	for j, n := range names[1:] {
		fi := -1
		if t.Kind == value.KindRow {
			fi = fieldIndex(t.Fields, n)
		}
		if fi < 0 {
			return nil, flinkerr.Validator("Column '%s' not found in table '%s'", strings.Join(names[:j+2], "."), strings.Join(prefix, "."))
		}
		t = t.Fields[fi].Type
	}
	return &column{scope: x, kid: k, index: i, rest: names[1:]}, nil
}
