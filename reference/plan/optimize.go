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
	for _, r := range roots {
		n, err := optimizeOne(r, cfg, out)
		if err != nil {
			return nil, err
		}
		out.Roots = append(out.Roots, n)
	}
	if len(roots) == 1 {
		for _, f := range roots[0].Schema() {
			out.Names = append(out.Names, f.Name)
		}
	}
	return out, nil
}

func optimizeOne(root rel.Node, cfg *Config, out *Plan) (n phys.Node, err error) {
	defer func() {
		// A tree that the rules were not made for must not end the program: it is refused.
		if r := recover(); r != nil {
			n, err = nil, unsupported.New("a query of this shape (%v)", r)
		}
	}()
	b := &builder{cfg: cfg}
	c := b.build(b.withoutQueries(root))
	if b.err == nil {
		c = b.conditions(c)
	}
	if b.err == nil {
		b.pruneColumns(c)
	}
	if b.err != nil {
		return nil, b.err
	}
	b.implementing = true
	p := &physical{builder: b, joins: map[wanted]planned{}}
	p.ordered = wholeOrder(c)
	n = p.calc(c)
	if p.err != nil {
		return nil, p.err
	}
	if _, sink := n.(*phys.Sink); !sink {
		n = p.materializeResult(n)
	}
	if p.err != nil {
		return nil, p.err
	}
	n = mergeCalcs(n)
	if err := checkSettings(root, cfg); err != nil {
		return nil, err
	}
	if !cfg.Batch {
		if n = p.pushNormalize(n); p.err != nil {
			return nil, p.err
		}
		if n, err = inferModes(n, cfg); err != nil {
			return nil, err
		}
	}
	n = mergeReused(reuseScans([]phys.Node{n})[0])
	if !cfg.Batch {
		n = p.twoPhase(n)
		if p.err != nil {
			return nil, p.err
		}
		if cfg.flag("table.exec.mini-batch.enabled") && holds(root, func(n rel.Node) bool { _, ok := n.(*rel.Scan); return ok }) {
			if n, err = miniBatch(n, cfg); err != nil {
				return nil, err
			}
		}
	}
	if err := timedChangelog(n); err != nil {
		return nil, err
	}
	if err := sinkParallelism(n); err != nil {
		return nil, err
	}
	if err := csvTypes(n); err != nil {
		return nil, err
	}
	relink(n)
	if p.doubtPlan(n); p.err != nil {
		return nil, p.err
	}
	if p.doubt != nil {
		out.Doubt = p.doubt
	}
	if cfg.Batch {
		markAdaptive(n, cfg)
	}
	return n, nil
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
