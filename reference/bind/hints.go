package bind

import (
	"slices"
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

// strategies are the hints that choose the algorithm of a batch join.
var strategies = []string{"BROADCAST", "SHUFFLE_HASH", "SHUFFLE_MERGE", "NEST_LOOP"}

// beginHints lets the outermost block of a query have hints; those of others, which Flink
// hands down by rules of their own, are refused.
func (blk *block) beginHints(outer *scope, top bool) error {
	b := blk.b
	if len(blk.sel.Hints) == 0 {
		if b.hinted && outer != nil {
			return unsupported.New("hints over sub-queries")
		}
		return nil
	}
	h := blk.sel.Hints[0].Name.Text
	if !top || outer != nil || b.hinted {
		return unsupported.New("hint %s in a nested query", h)
	}
	for _, h := range blk.sel.Hints {
		switch name := strings.ToUpper(h.Name.Text); {
		case !joinHints[name]:
		case slices.Contains(strategies, name) && len(h.Options) == 0:
		case name == "STATE_TTL" && len(h.Args) == 0 && len(h.Options) > 0:
			for _, o := range h.Options {
				if !plainDuration(o.Value) {
					return unsupported.New("hint STATE_TTL with %s", o.Value)
				}
			}
		default:
			return unsupported.New("hint %s", name)
		}
	}
	b.hinted, blk.hinted = true, true
	blk.aliases = map[rel.Node]string{}
	return nil
}

// plainDuration: a number and a letter for days to seconds.
func plainDuration(s string) bool {
	n := strings.TrimRight(s, "dhs")
	_, err := strconv.Atoi(n)
	return err == nil && len(s) == len(n)+1
}

// aliased notes the name that hints call an item of FROM by, and shows it at a table.
func (blk *block) aliased(n rel.Node, name string) error {
	if !blk.b.hinted {
		return nil
	}
	if blk.hinted {
		blk.aliases[n] = name
	}
	switch n := n.(type) {
	case *rel.Scan:
		if n.HintText != "" {
			return unsupported.New("hints of a table beside those of the query")
		}
		n.HintText = "[[ALIAS inheritPath:[] options:[" + name + "]]]"
	case *rel.Project:
		if _, ok := n.In[0].(*rel.Scan); ok && hasComputed(n.In[0].(*rel.Scan).Table) {
			return unsupported.New("hints over a table with computed columns")
		}
	}
	return nil
}

func hasComputed(t *catalog.Table) bool {
	return slices.ContainsFunc(t.Columns, func(c catalog.Column) bool { return c.Kind != catalog.Physical })
}

// endHints checks the hints of a block and gives them to its joins.
func (blk *block) endHints(root rel.Node) error {
	if !blk.hinted {
		return nil
	}
	for _, h := range blk.sel.Hints {
		name := strings.ToUpper(h.Name.Text)
		if !joinHints[name] {
			return flinkerr.New("java.lang.AssertionError", "Hint: %s should be registered in the HintStrategyTable", h.Name.Text)
		}
		if len(h.Args)+len(h.Options) == 0 {
			return flinkerr.New("java.lang.AssertionError", "Invalid hint: %s, expecting at least one table or view specified in hint %s.", name, name)
		}
	}
	joins, err := blk.giveHints(root, nil)
	if err != nil || joins == 0 {
		return err
	}
	var missing []string
	for _, h := range blk.sel.Hints {
		for _, a := range named(h) {
			known := false
			for _, n := range blk.aliases {
				known = known || n == a
			}
			if !known {
				missing = append(missing, "`"+a+"` in `"+strings.ToUpper(h.Name.Text)+"`")
			}
		}
	}
	switch {
	case len(missing) > 1:
		return unsupported.New("hints that name several unknown tables")
	case len(missing) == 1:
		return flinkerr.Validation("The options of following hints cannot match the name of input tables or views: \n%s", missing[0])
	}
	return nil
}

// named are the tables that a hint names.
func named(h sql.Hint) []string {
	out := slices.Clone(h.Args)
	for _, o := range h.Options {
		out = append(out, o.Key)
	}
	return out
}

// giveHints walks from the top of a block to its items of FROM; path is the way there.
func (blk *block) giveHints(n rel.Node, path []string) (joins int, err error) {
	if _, item := blk.aliases[n]; item {
		return 0, nil
	}
	switch n := n.(type) {
	case *rel.Join:
		joins++
		if err := blk.hintJoin(n, path); err != nil {
			return 0, err
		}
	case *rel.Correlate, *rel.TableFunction, *rel.Match:
		return 0, unsupported.New("hint %s above LATERAL, UNNEST or a temporal join", blk.sel.Hints[0].Name.Text)
	case *rel.Aggregate:
		if strings.EqualFold(blk.sel.Hints[0].Name.Text, "STATE_TTL") {
			return 0, unsupported.New("hint STATE_TTL of an aggregate")
		}
	}
	for i, in := range n.Inputs() {
		k, err := blk.giveHints(in, append(slices.Clone(path), strconv.Itoa(i)))
		if err != nil {
			return 0, err
		}
		joins += k
	}
	return joins, nil
}

func (blk *block) hintJoin(n *rel.Join, path []string) error {
	if !blk.b.env.Batch && slices.ContainsFunc(rex.Refs(n.Cond), func(i int) bool {
		return append(slices.Clone(n.In[0].Schema()), n.In[1].Schema()...)[i].Type.Time != value.NoTimeAttribute
	}) {
		return unsupported.New("hints of a join over time attributes")
	}
	left, right := blk.nameOf(n.In[0]), blk.nameOf(n.In[1])
	var joins, ttl string
	for _, h := range blk.sel.Hints {
		name := strings.ToUpper(h.Name.Text)
		at := " inheritPath:[" + strings.Join(path, ", ") + "] options:"
		if name == "STATE_TTL" {
			set := map[string]string{}
			sides := map[string]string{}
			for _, o := range h.Options {
				set[o.Key] = o.Value
				switch o.Key {
				case left:
					sides["LEFT"] = o.Value
				case right:
					sides["RIGHT"] = o.Value
				}
			}
			ttl += "[STATE_TTL" + at + options(set) + "]"
			if len(sides) > 0 {
				n.TTL += "[STATE_TTL options:" + options(sides) + "]"
			}
			continue
		}
		joins += "[" + name + at + "[" + strings.Join(h.Args, ", ") + "]]"
		for _, a := range h.Args {
			if a == left || a == right {
				n.Strategies = append(n.Strategies, rel.Strategy{Name: name, Left: a == left})
				break
			}
		}
	}
	if joins != "" {
		n.Hints = "[" + joins + "]"
	}
	if ttl != "" {
		n.TTLHints = "[" + ttl + "]"
	}
	if n.TTL != "" {
		n.TTL = "[" + n.TTL + "]"
	}
	return nil
}

func options(m map[string]string) string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	keys = javaOrder(keys)
	for i, k := range keys {
		keys[i] = k + "=" + m[k]
	}
	return "{" + strings.Join(keys, ", ") + "}"
}

// nameOf is the name of the item of FROM that a side of a join is, "" for a join.
func (blk *block) nameOf(n rel.Node) string {
	for {
		if name, ok := blk.aliases[n]; ok {
			return name
		}
		switch n.(type) {
		case *rel.Project, *rel.Filter, *rel.WatermarkAssigner:
			n = n.Inputs()[0]
		default:
			return ""
		}
	}
}
