package plan

import (
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// correlate plans a join whose right side reads the left row.
func (b *builder) correlate(n *rel.Correlate) *calc {
	if s, cond, ok := snapshotOf(n.In[1]); ok {
		return b.temporal(n, s, cond)
	}
	return b.fail(unsupported.New("planning of %T", n))
}
