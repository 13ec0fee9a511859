package plan

import (
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/unsupported"
)

func (p *physical) batchNode(n node) phys.Node {
	return p.fail(unsupported.New("batch plan of %T", n))
}

func (p *physical) batchJoin(n *joinNode, j *phys.Join, l, r phys.Node) phys.Node {
	return p.fail(unsupported.New("batch joins"))
}
