package bind

import (
	"sort"
	"strings"
	"unicode/utf16"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// scan makes LogicalTableScan, above it a Project for computed and metadata columns,
// and in streaming mode a LogicalWatermarkAssigner.
func (b *binder) scan(t *catalog.Table, hints []sql.Hint) (*relation, error) {
	s := &rel.Scan{Table: t}
	if b.env.NoTableOptions && len(hints) > 0 && strings.EqualFold(hints[0].Name.Text, "OPTIONS") {
		return nil, flinkerr.Validation("The 'OPTIONS' hint is allowed only when the config option 'table.dynamic-table-options.enabled' is set to true.")
	}
	if err := applyHints(s, hints); err != nil {
		return nil, err
	}
	plain := true
	index := map[string]int{}
	for _, c := range t.Columns {
		if c.Kind == catalog.Physical {
			index[c.Name] = len(s.Fields)
			s.Fields = append(s.Fields, value.Field{Name: c.Name, Type: b.atSource(t, c)})
		} else {
			plain = false
		}
	}
	keys := metadataColumns(t)
	at := map[string]int{}
	for _, k := range keys {
		at[k.key] = len(s.Fields)
		s.Metadata = append(s.Metadata, k.key)
		s.Fields = append(s.Fields, value.Field{Name: k.column, Type: k.t})
	}
	var n rel.Node = s
	if !plain {
		p, err := b.sourceProject(s, t, index, at)
		if err != nil {
			return nil, err
		}
		n = p
	}
	if t.Watermark != nil && !b.env.Batch {
		w := &rel.WatermarkAssigner{Base: rel.Base{In: []rel.Node{n}}, Column: t.Watermark.Column, Expr: t.Watermark.Expr}
		w.Fields = append([]value.Field(nil), n.Schema()...)
		w.Fields[w.Column].Type.Time = value.Rowtime
		n = w
	}
	fields := append([]value.Field(nil), n.Schema()...)
	if t.Watermark != nil {
		// The validator takes the column for a rowtime where it was one when the table was made.
		at := value.NoTimeAttribute
		if !t.BatchMode {
			at = value.Rowtime
		}
		fields[t.Watermark.Column].Type.Time = at
	}
	return &relation{node: n, fields: fields}, nil
}

// applyHints merges the options of OPTIONS hints into the table that is scanned.
func applyHints(s *rel.Scan, hints []sql.Hint) error {
	for i, h := range hints {
		if !strings.EqualFold(h.Name.Text, "OPTIONS") && !joinHints[strings.ToUpper(h.Name.Text)] {
			return flinkerr.New("java.lang.AssertionError", "Hint: %s should be registered in the HintStrategyTable", h.Name.Text)
		}
		if i > 0 || !strings.EqualFold(h.Name.Text, "OPTIONS") || len(h.Options) == 0 {
			return unsupported.New("table hint %s", h.Name.Text)
		}
		t := *s.Table
		t.Options = append([]sql.Option(nil), t.Options...)
		s.Hints = map[string]string{}
		var keys []string
		for _, o := range h.Options {
			if _, ok := s.Hints[o.Key]; !ok {
				keys = append(keys, o.Key)
			}
			s.Hints[o.Key] = o.Value
			known := false
			for j := range t.Options {
				if t.Options[j].Key == o.Key {
					t.Options[j].Value, known = o.Value, true
				}
			}
			if !known {
				t.Options = append(t.Options, sql.Option{Key: o.Key, Value: o.Value})
			}
		}
		s.Table = &t
		text := javaOrder(keys)
		for j, k := range text {
			text[j] = k + "=" + s.Hints[k]
		}
		s.HintText = "[[OPTIONS inheritPath:[] options:{" + strings.Join(text, ", ") + "}]]"
	}
	return nil
}

// joinHints are the other hints that Flink knows.
var joinHints = map[string]bool{"BROADCAST": true, "SHUFFLE_HASH": true, "SHUFFLE_MERGE": true, "NEST_LOOP": true,
	"LOOKUP": true, "STATE_TTL": true, "ALIAS": true}

// javaOrder is the order in which a HashMap of Java lists these keys.
func javaOrder(keys []string) []string {
	size := 16
	for len(keys)*4 > size*3 {
		size *= 2
	}
	bucket := func(k string) int {
		var h uint32
		for _, u := range utf16.Encode([]rune(k)) {
			h = h*31 + uint32(u)
		}
		return int(h^h>>16) & (size - 1)
	}
	out := append([]string(nil), keys...)
	sort.SliceStable(out, func(i, j int) bool { return bucket(out[i]) < bucket(out[j]) })
	return out
}

// atSource is a column's type below the watermark assigner.
func (b *binder) atSource(_ *catalog.Table, c catalog.Column) value.Type {
	t := c.Type
	if t.Time == value.Rowtime {
		t.Time = value.NoTimeAttribute
	}
	return t
}

// metadataKey is one column that the source adds. It has the name of the first column
// of the table with that key.
type metadataKey struct {
	key, column string
	t           value.Type
	order       int
}

// metadataColumns lists the metadata keys that a scan reads, in the order in which
// the filesystem connector offers them.
func metadataColumns(t *catalog.Table) []metadataKey {
	offers := []metadataKey{
		{key: "file.path", t: value.Type{Kind: value.KindVarchar, Length: value.MaxLength}},
		{key: "file.name", t: value.Type{Kind: value.KindVarchar, Length: value.MaxLength}},
		{key: "file.size", t: value.Type{Kind: value.KindBigInt}},
		{key: "file.modification-time", t: value.Type{Kind: value.KindTimestampLTZ, Precision: 3}},
	}
	seen := map[string]bool{}
	var out []metadataKey
	for _, c := range t.Columns {
		if c.Kind != catalog.Metadata || seen[c.MetadataKey] {
			continue
		}
		seen[c.MetadataKey] = true
		for i, o := range offers {
			if o.key == c.MetadataKey {
				o.order, o.column = i, c.Name
				out = append(out, o)
			}
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].order < out[j].order })
	return out
}

// sourceProject brings metadata columns to their types and computes the computed ones.
func (b *binder) sourceProject(s *rel.Scan, t *catalog.Table, physical, metadata map[string]int) (rel.Node, error) {
	var es []rex.Expr
	var names []string
	// Computed columns see the table's physical and metadata columns in table order.
	base := make([]rex.Expr, len(t.Columns))
	for i, c := range t.Columns {
		switch c.Kind {
		case catalog.Physical:
			j := physical[c.Name]
			base[i] = &rex.InputRef{Index: j, T: s.Fields[j].Type}
		case catalog.Metadata:
			j, ok := metadata[c.MetadataKey]
			if !ok {
				return nil, unsupported.New("metadata column %s", c.MetadataKey)
			}
			var e rex.Expr = &rex.InputRef{Index: j, T: s.Fields[j].Type}
			if !sameType(s.Fields[j].Type, c.Type) {
				e = castTo(e, c.Type)
			}
			base[i] = e
		}
	}
	var order []rex.Expr
	for i := range t.Columns {
		if base[i] != nil {
			order = append(order, base[i])
		}
	}
	for i, c := range t.Columns {
		e := base[i]
		if c.Kind == catalog.Computed {
			e = substitute(c.Expr, order)
		}
		es = append(es, e)
		names = append(names, c.Name)
	}
	return b.project(s, es, names, true), nil
}

// substitute puts expressions in the place of input columns.
func substitute(e rex.Expr, by []rex.Expr) rex.Expr {
	return mapRex(e, func(x rex.Expr) rex.Expr {
		if r, ok := x.(*rex.InputRef); ok {
			return by[r.Index]
		}
		return nil
	})
}

// mapRex copies an expression; where f returns one, that takes the node's place.
func mapRex(e rex.Expr, f func(rex.Expr) rex.Expr) rex.Expr {
	if e == nil {
		return nil
	}
	if r := f(e); r != nil {
		return r
	}
	list := func(in []rex.Expr) []rex.Expr {
		out := make([]rex.Expr, len(in))
		for i, x := range in {
			out[i] = mapRex(x, f)
		}
		return out
	}
	switch e := e.(type) {
	case *rex.Call:
		c := *e
		c.Args = list(e.Args)
		return &c
	case *rex.Field:
		c := *e
		c.X = mapRex(e.X, f)
		return &c
	case *rex.SubQuery:
		c := *e
		c.Args = list(e.Args)
		return &c
	case *rex.Over:
		c := *e
		c.Args, c.PartitionBy = list(e.Args), list(e.PartitionBy)
		c.OrderBy = append([]rex.OrderKey(nil), e.OrderBy...)
		for i := range c.OrderBy {
			c.OrderBy[i].X = mapRex(c.OrderBy[i].X, f)
		}
		return &c
	}
	return e
}
