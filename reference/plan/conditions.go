package plan

import (
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
)

func joinType(n node) string {
	if j, ok := n.(*joinNode); ok {
		return j.typ
	}
	return ""
}

// simplifier makes a Simplifier that knows preds.
func (b *builder) simplifier(preds []rex.Expr) *rex.Simplifier {
	return &rex.Simplifier{Preds: preds, Fold: b.cfg.Fold}
}

// conditions simplifies the filters of a tree and pushes them down, then reduces
// expressions with what the filters say. It returns the calc to use instead.
func (b *builder) conditions(c *calc) *calc {
	if b.err != nil {
		return c
	}
	out := *c
	var known []rex.Expr
	if len(c.cond) > 0 {
		cond := b.inLists(b.simplifyCondition(rex.AndOf(c.cond), true))
		if rex.IsLiteralFalse(cond) {
			return emptyValues(c.fields)
		}
		if _, agg := out.in.(*aggNode); agg {
			known = rex.Conjunctions(cond) // the projection above sees them before they go down
		}
		before := joinType(out.in)
		out.cond = b.pushDown(out.in, rex.Conjunctions(cond))
		if j, ok := out.in.(*joinNode); ok && j.typ != before {
			out.exprs = append([]rex.Expr(nil), out.exprs...)
			b.keepNullable(&out, j)
		}
	}
	if j, ok := out.in.(*joinNode); ok {
		out.exprs = append([]rex.Expr(nil), out.exprs...)
		j.coalesceKeys(&out)
		b.pushComputed(&out, j)
	}
	if s, ok := out.in.(*setOpNode); ok && s.all {
		out = *s.project(&out)
	}
	b.children(out.in)
	if b.err != nil {
		return c
	}
	if s, ok := out.in.(*setOpNode); ok {
		out = *over(b.expandSetOp(s), &out)
	}
	if e := b.pruneEmpty(&out); e != nil {
		return e
	}
	if s, ok := out.in.(*scanNode); ok && len(out.cond) > 0 {
		out.cond = b.intoScan(s, out.cond)
		if len(out.cond) == 1 && rex.IsLiteralFalse(out.cond[0]) {
			return emptyValues(c.fields)
		}
	} else if len(out.cond) > 0 {
		_, overJoin := out.in.(*joinNode)
		cond := b.simplifyCondition(rex.AndOf(out.cond), overJoin)
		out.cond = rex.Conjunctions(cond)
	}
	b.reduceProjects(&out, known)
	return &out
}

// simplifyCondition is SimplifyFilterConditionRule and FilterReduceExpressions.
func (b *builder) simplifyCondition(cond rex.Expr, keepOrder bool) rex.Expr {
	s := b.simplifier(nil)
	asWritten := cond
	for range 4 {
		before := rex.Key(cond)
		cond = b.fold(cond, nil)
		cond = rex.PushIntoCase(cond)
		cond = s.Condition(cond)
		cond = rex.PullFactors(cond)
		if rex.Key(cond) == before {
			break
		}
	}
	if s.Unsure {
		b.fail(unsupported.New("simplification of a condition"))
	}
	if keepOrder && rex.NormalKey(cond) == rex.NormalKey(asWritten) {
		return asWritten
	}
	if rex.IsLiteralNull(cond) {
		return rex.BoolLiteral(false)
	}
	return rex.AndOf(rex.Conjunctions(cond)) // without a folded TRUE that is cast to a nullable type
}

// children handles the inputs of an operator.
func (b *builder) children(n node) {
	switch n := n.(type) {
	case *aggNode:
		n.in = b.conditions(n.in)
	case *groupWindowNode:
		n.agg.in = b.conditions(n.agg.in)
	case *expandNode:
		n.in = b.conditions(n.in)
	case *unionNode:
		for i := range n.in {
			n.in[i] = b.conditions(n.in[i])
		}
	case *setOpNode:
		for i := range n.in {
			n.in[i] = b.conditions(n.in[i])
		}
	case *sortNode:
		n.in = b.conditions(n.in)
	case *joinNode:
		b.ownConditions(n)
		n.left, n.right = b.conditions(n.left), b.conditions(n.right)
	case *watermarkNode:
		n.in = b.conditions(n.in)
	case *ptfNode:
		n.in = b.conditions(n.in)
	case *windowTVFNode:
		n.in = b.conditions(n.in)
	case *overNode:
		n.in = b.conditions(n.in)
	case *rankNode:
		n.in = b.conditions(n.in)
	case *sinkNode:
		n.in = b.conditions(n.in)
	case *correlateNode:
		n.reduce(b)
		n.in = b.conditions(n.in)
	case *temporalNode:
		n.simplify(b)
		n.left, n.right = b.conditions(n.left), b.conditions(n.right)
	case *matchNode:
		n.in = b.conditions(n.in)
	}
}

// pushDown moves conjuncts below an operator and returns the rest.
func (b *builder) pushDown(n node, conj []rex.Expr) []rex.Expr {
	switch n := n.(type) {
	case *aggNode:
		return b.throughAggregate(n, conj)
	case *unionNode:
		for i, in := range n.in {
			c := *in
			for _, e := range conj {
				c.cond = append(append([]rex.Expr(nil), c.cond...), rex.Substitute(e, in.exprs))
			}
			n.in[i] = &c
		}
		return nil
	case *setOpNode:
		for i, in := range n.in {
			n.in[i] = andThen(in, conj)
		}
		return nil
	case *joinNode:
		return b.intoJoin(n, conj)
	case *correlateNode:
		return n.take(conj)
	}
	return conj
}

// throughAggregate: a condition on group keys alone holds before grouping, too, if
// every grouping set has the key.
func (b *builder) throughAggregate(n *aggNode, conj []rex.Expr) []rex.Expr {
	var rest, down []rex.Expr
	for _, e := range conj {
		ok := rex.Deterministic(e)
		for _, r := range rex.Refs(e) {
			if r >= len(n.keys) || !inAllSets(n, n.keys[r]) {
				ok = false
			}
		}
		if !ok || len(rex.Refs(e)) == 0 {
			rest = append(rest, e)
			continue
		}
		down = append(down, rex.Transform(e, func(x rex.Expr) rex.Expr {
			if r, ok := x.(*rex.InputRef); ok {
				return n.in.exprs[n.keys[r.Index]]
			}
			return x
		}))
	}
	if len(down) > 0 {
		c := *n.in
		c.cond = append(append([]rex.Expr(nil), c.cond...), down...)
		n.in = &c
	}
	return rest
}

func inAllSets(n *aggNode, key int) bool {
	for _, s := range n.sets {
		found := false
		for _, k := range s {
			found = found || k == key
		}
		if !found {
			return false
		}
	}
	return true
}

// intoScan offers a condition to the table source. The file source takes all it can
// read and answers none for certain, so that everything stays in the Calc as well.
func (b *builder) intoScan(s *scanNode, conj []rex.Expr) []rex.Expr {
	if !pushesFilters(s) {
		return rex.Conjunctions(b.simplifyCondition(rex.AndOf(conj), false))
	}
	var terms []rex.Expr
	for _, e := range conj {
		// A SEARCH that is the whole condition is taken apart; among others it stays one term.
		if c, ok := e.(*rex.Call); ok && c.Op == rex.Search && len(conj) == 1 {
			e = rex.ExpandSearches(e)
		}
		terms = append(terms, rex.Conjunctions(rex.ToCNF(e))...)
	}
	cnf := rex.Conjunctions(rex.ToCNF(rex.AndOf(terms)))
	names := make([]string, len(s.fields))
	for i, f := range s.fields {
		names[i] = f.Name
	}
	p := &rex.Printer{Names: names}
	var pushed, rest []rex.Expr
	var text string
	for _, e := range cnf {
		if !convertible(e) {
			rest = append(rest, e)
			continue
		}
		e = rex.Transform(rex.Binary(rex.ExpandSearches(e)), retell)
		pushed = append(pushed, e)
		t := p.Text(e)
		if text == "" {
			text = t
		} else {
			text = "and(" + text + ", " + t + ")"
		}
	}
	s.filter = text
	return rex.Conjunctions(b.simplifyCondition(rex.AndOf(append(pushed, rest...)), false))
}

// pushesFilters: the filesystem connector takes filters; with a primary key and an
// upsert log the order of operators is another.
func pushesFilters(s *scanNode) bool {
	c, _ := s.table.Option("connector")
	return c == "filesystem"
}

// reduceProjects replaces what the filter fixes by constants, folds constants, and
// simplifies the projections.
func (b *builder) reduceProjects(c *calc, known []rex.Expr) {
	if !c.projected {
		return
	}
	preds := c.cond
	if len(known) > 0 {
		preds = known
	}
	consts := constants(preds)
	if j, ok := c.in.(*joinNode); ok {
		for k, l := range j.fixedOutputs() {
			if consts == nil {
				consts = map[string]*rex.Literal{}
			}
			if _, known := consts[k]; !known {
				consts[k] = l
			}
		}
	}
	reduced := make([]rex.Expr, len(c.exprs))
	for i, e := range c.exprs {
		if err := failsToFold(e); err != nil {
			b.fail(err)
			return
		}
		reduced[i] = rex.PushIntoCase(rex.Reachable(e))
	}
	reduced = b.foldAll(reduced, consts)
	for i := range reduced {
		s := b.simplifier(preds)
		reduced[i] = s.Value(reduced[i])
		if s.Unsure {
			b.fail(unsupported.New("simplification of an expression"))
			return
		}
	}
	reduced = b.foldAll(reduced, nil)
	for i, n := range reduced {
		t := c.exprs[i].Type()
		if !rex.SameType(n.Type(), t) {
			if l, ok := n.(*rex.Literal); !ok || !l.V.IsNull() {
				n = &rex.Call{Op: rex.Cast, Args: []rex.Expr{n}, T: t}
			}
		}
		c.exprs[i] = n
	}
}

// failsToFold is the error with which Flink's reducer ends planning, looking at the
// largest constant parts of e: a constant division by 0, for instance.
func failsToFold(e rex.Expr) error {
	c, ok := e.(*rex.Call)
	if !ok {
		return nil
	}
	if rex.Constant(e) && rex.Deterministic(e) {
		_, _, err := fn.Fold(e, nil)
		return err
	}
	for _, a := range c.Args {
		if err := failsToFold(a); err != nil {
			return err
		}
	}
	return nil
}
