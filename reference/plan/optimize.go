package plan

import (
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// Optimize plans one statement, or all statements of a statement set together. Errors
// are Flink's own (flinkerr) or unsupported.
func Optimize(roots []rel.Node, cfg *Config) (*Plan, error) {
	out := &Plan{Batch: cfg.Batch, cfg: cfg}
	var planned []*statement
	for _, r := range roots {
		s := &statement{cfg: cfg}
		if err := refusing(func() error { return s.implement(r) }); err != nil {
			return nil, err
		}
		planned = append(planned, s)
		out.Roots = append(out.Roots, s.root)
	}
	if err := refusing(func() error {
		out.Roots = reuseScans(out.Roots)
		for i, s := range planned {
			s.root = out.Roots[i]
			if err := s.finish(out); err != nil {
				return err
			}
			out.Roots[i] = s.root
		}
		return nil
	}); err != nil {
		return nil, err
	}
	if len(roots) == 1 {
		for _, f := range roots[0].Schema() {
			out.Names = append(out.Names, f.Name)
		}
	}
	return out, nil
}

// refusing calls a part of the planner. A tree that the rules were not made for must not
// end the program: it is refused.
func refusing(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = unsupported.New("a query of this shape (%v)", r)
		}
	}()
	return f()
}

// statement is one statement while it is planned. Statements of a set are planned each for
// itself, but for the scans, which they share.
type statement struct {
	cfg *Config
	p   *physical
	// query is what was planned, root the plan.
	query rel.Node
	root  phys.Node
}

// implement makes the physical plan up to the place where scans are shared.
func (s *statement) implement(root rel.Node) (err error) {
	cfg := s.cfg
	s.query = root
	b := &builder{cfg: cfg}
	c := b.build(b.withoutQueries(root))
	if b.err == nil {
		c = b.conditions(c)
	}
	if b.err == nil {
		b.pruneColumns(c)
	}
	if b.err != nil {
		return b.err
	}
	b.implementing = true
	p := &physical{builder: b, joins: map[wanted]planned{}}
	s.p = p
	p.ordered = wholeOrder(c)
	n := p.calc(c)
	if p.err != nil {
		return p.err
	}
	if _, sink := n.(*phys.Sink); !sink {
		n = p.materializeResult(n)
	}
	if p.err != nil {
		return p.err
	}
	n = mergeCalcs(n)
	if err := checkSettings(root, cfg); err != nil {
		return err
	}
	if !cfg.Batch {
		if n = p.pushNormalize(n); p.err != nil {
			return p.err
		}
		if n, err = inferModes(n, cfg); err != nil {
			return err
		}
	}
	s.root = n
	return nil
}

// finish does what follows upon the sharing of scans.
func (s *statement) finish(out *Plan) (err error) {
	n, p, cfg := mergeReused(s.root), s.p, s.cfg
	if !cfg.Batch {
		n = p.twoPhase(n)
		if p.err != nil {
			return p.err
		}
		if cfg.flag("table.exec.mini-batch.enabled") && holds(s.query, func(n rel.Node) bool { _, ok := n.(*rel.Scan); return ok }) {
			if n, err = miniBatch(n, cfg); err != nil {
				return err
			}
		}
	}
	if err := timedChangelog(n); err != nil {
		return err
	}
	if err := sinkParallelism(n); err != nil {
		return err
	}
	if err := csvTypes(n); err != nil {
		return err
	}
	relink(n)
	if p.doubtPlan(n); p.err != nil {
		return p.err
	}
	if p.doubt != nil {
		out.Doubt = p.doubt
	}
	if cfg.Batch {
		markAdaptive(n, cfg)
	}
	s.root = n
	return nil
}

// Text prints the Optimized Physical Plan of every root.
func (p *Plan) Text(o phys.TextOptions) string {
	o.Batch = p.Batch
	s := ""
	for i, r := range p.Roots {
		if i > 0 {
			s += "\n\n"
		}
		s += phys.Tree(r, o)
	}
	return s
}
