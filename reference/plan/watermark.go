package plan

import "github.com/labgrade/labgrade/reference/rex"

func (b *builder) watermarkColumns(c *calc, n *watermarkNode, refs []int) {
	_ = rex.Refs
}
