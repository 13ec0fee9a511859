package plan

import (
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
)

// sinkParallelism refuses 'sink.parallelism' for changing rows that could not be kept in
// order: the print sink needs a primary key to spread them by, the file sink takes none.
func sinkParallelism(n phys.Node) error {
	s, ok := n.(*phys.Sink)
	if !ok {
		return nil
	}
	p, ok := s.Table.Option("sink.parallelism")
	mode := s.In[0].Mode()
	if !ok || p == "1" || mode&^changelog.ModeI == 0 {
		return nil
	}
	switch connector, _ := s.Table.Option("connector"); connector {
	case "print":
		if len(s.Table.PrimaryKey) == 0 {
			return flinkerr.Table("The sink for table '%s' has a configured parallelism of %s, while the input parallelism is -1. Since the configured parallelism is different from the input's parallelism and the changelog mode is not insert-only, a primary key is required but could not be found.", s.Table.Path, p)
		}
	case "filesystem":
		var kinds []string
		for _, k := range []struct {
			mode changelog.Mode
			text string
		}{{changelog.ModeI, "+I"}, {changelog.ModeUB, "-U"}, {changelog.ModeUA, "+U"}, {changelog.ModeD, "-D"}} {
			if mode&k.mode != 0 {
				kinds = append(kinds, k.text)
			}
		}
		return flinkerr.Validation("Currently, filesystem sink doesn't support setting parallelism (%s) by 'sink.parallelism' when the input stream is not INSERT only. The row kinds of input stream are [%s]", p, strings.Join(kinds, ","))
	}
	return nil
}

// timedChangelog refuses on_time for TO_CHANGELOG over changing rows.
func timedChangelog(n phys.Node) error {
	for _, in := range n.Inputs() {
		if err := timedChangelog(in); err != nil {
			return err
		}
	}
	if f, ok := n.(*phys.ProcessTableFunction); ok && f.Function == "TO_CHANGELOG" && f.OnTime >= 0 && f.In[0].Mode().Updating() {
		return flinkerr.Validation("Time operations using the `on_time` argument are currently not supported for PTFs that consume or produce updates.")
	}
	return nil
}
