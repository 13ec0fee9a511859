package plan

import (
	"bytes"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/value"
)

// Execution prints the Optimized Execution Plan. In batch an Exchange(forward) stands
// above every Sort.
func (p *Plan) Execution() string {
	return phys.Forest(p.executionGraph().roots, phys.TextOptions{Execution: true, Batch: p.Batch, Graph: true})
}

// execution makes the nodes of the execution plan from physical ones.
type execution struct {
	batch bool
	// done keeps nodes shared that were shared before.
	done map[visit]phys.Node
	*numbers
}

type visit struct {
	node    phys.Node
	chained bool
}

func (e *execution) convert(n phys.Node, chained bool) phys.Node {
	v := visit{n, chained}
	if x, ok := e.done[v]; ok {
		return x
	}
	x := e.convertNode(n, chained)
	if id, ok := e.of[n]; ok {
		e.of[x] = id
	}
	e.done[v] = x
	return x
}

func (e *execution) convertNode(n phys.Node, chained bool) phys.Node {
	in := n.Inputs()
	changed := false
	out := make([]phys.Node, len(in))
	for i, c := range in {
		kind := ""
		if e.batch {
			kind = forwards(n, i, chained)
		}
		_, sort := c.(*phys.Sort)
		out[i] = e.convert(c, kind == "forward" && !sort)
		switch {
		case kind == "":
		case kind == "keep_input_as_is":
			out[i] = e.keepDistribution(out[i], hashColumns(n, i))
		default:
			if len(hashColumns(n, i)) == 0 && sort && isOver(n) {
				out[i] = e.withInputs(out[i], []phys.Node{e.exchange(out[i].Inputs()[0], "forward", nil)})
			} else if _, ok := c.Inputs()[0].(*phys.Exchange); sort && !ok && len(provided(c).keys) > 0 && !inPhases(n) {
				below := e.keepDistribution(out[i].Inputs()[0], hashColumns(n, i))
				if _, calc := n.(*phys.Calc); calc {
					below = e.exchange(out[i].Inputs()[0], "forward", nil)
				}
				out[i] = e.withInputs(out[i], []phys.Node{below})
			}
			out[i] = e.exchange(out[i], kind, nil)
		}
		changed = changed || out[i] != c
	}
	if changed {
		n = phys.WithInputs(n, out)
	}
	if r, ok := n.(*phys.Rank); ok && !e.batch {
		return deduplicate(r)
	}
	return n
}

// keepDistribution says that rows stay distributed as they are. Below a Calc it says so
// again, by the numbers of the columns above, which may be others there.
func (e *execution) keepDistribution(n phys.Node, keys []int) phys.Node {
	if c, ok := n.(*phys.Calc); ok && !isExchange(c.In[0]) && slices.Max(keys) < len(c.In[0].Schema()) {
		n = e.withInputs(n, []phys.Node{e.keepDistribution(c.In[0], keys)})
	}
	return e.exchange(n, "keep_input_as_is", keys)
}

func (e *execution) exchange(in phys.Node, distribution string, keys []int) phys.Node {
	x := exchange(in, distribution, keys)
	e.give(x)
	return x
}

// withInputs copies a node, under its number.
func (e *execution) withInputs(n phys.Node, in []phys.Node) phys.Node {
	x := phys.WithInputs(n, in)
	e.of[x] = e.of[n]
	return x
}

// deduplicate shows the first or last row by time, and nothing else, as Deduplicate.
func deduplicate(r *phys.Rank) phys.Node {
	if !runsAsDeduplicate(r) {
		return r
	}
	k := r.Keys[0]
	insertOnly := !k.Desc && r.Mode() == changelog.ModeI
	return &phys.Deduplicate{Base: r.Base, Keys: r.PartitionBy, KeepLast: k.Desc,
		Rowtime: r.In[0].Schema()[k.Column].Type.IsRowtime(), TimeColumn: k.Column, OutputInsertOnly: insertOnly}
}

// runsAsDeduplicate: ROW_NUMBER by one time attribute over an insert-only input, whose
// first row alone is wanted, without its number.
func runsAsDeduplicate(r *phys.Rank) bool {
	return r.RankType == "ROW_NUMBER" && r.RankStart == 1 && r.RankEnd == 1 && !r.OutputRank && len(r.Keys) == 1 &&
		r.In[0].Schema()[r.Keys[0].Column].Type.Time != value.NoTimeAttribute && r.In[0].Mode() == changelog.ModeI
}

// hashColumns are the columns that an operator wants its i-th input hashed on.
func hashColumns(n phys.Node, i int) []int {
	switch x := n.(type) {
	case *phys.BatchAggregate:
		return x.Keys
	case *phys.BatchWindowAggregate:
		return x.Keys
	case *phys.OverAggregate:
		return x.PartitionBy
	case *phys.Rank:
		return x.PartitionBy
	case *phys.Join:
		if i == 1 {
			return x.RightKeys
		}
		return x.LeftKeys
	case *phys.MultipleInput:
		return x.HashKeys[i]
	}
	return nil
}

// forwards tells the exchange that the execution plan has above an input that needs
// none, so that it stays distributed as it is (ForwardHashExchangeProcessor): forward
// for operators on sorted groups, keep_input_as_is for those with a hash table, forward
// again on the way down to where the distribution comes from. A local aggregate has one
// above its Sort only.
func forwards(n phys.Node, i int, chained bool) string {
	in := n.Inputs()[i]
	sorted := true
	switch x := n.(type) {
	case *phys.BatchAggregate:
		sorted = x.Sorted
	case *phys.BatchWindowAggregate:
		if _, ok := in.(*phys.Sort); ok && (x.Local || len(x.Keys) > 0) {
			return "forward"
		}
		return ""
	case *phys.OverAggregate, *phys.Rank:
	case *phys.Join:
		sorted = false
		if x.Kind == "NestedLoopJoin" || x.Broadcast {
			return ""
		}
	case *phys.MultipleInput:
		sorted = false
	case *phys.Calc:
		if chained && !isExchange(in) {
			return "forward"
		}
		return ""
	default:
		return ""
	}
	if len(hashColumns(n, i)) == 0 {
		if s, ok := in.(*phys.Sort); ok && isOver(n) && !isExchange(s.In[0]) {
			return "forward"
		}
		if r, ok := n.(*phys.Rank); ok && !r.Global {
			if _, ok := in.(*phys.Sort); ok {
				return "forward"
			}
		}
		return ""
	}
	switch in.(type) {
	case *phys.Sort:
		return "forward"
	case *phys.Exchange:
		return ""
	}
	if inPhases(n) {
		return ""
	}
	if !sorted {
		return "keep_input_as_is"
	}
	return "forward"
}

func isOver(n phys.Node) bool {
	_, ok := n.(*phys.OverAggregate)
	return ok
}

// inPhases: one of two phases of an aggregate.
func inPhases(n phys.Node) bool {
	a, ok := n.(*phys.BatchAggregate)
	return ok && (a.Local || a.Merge)
}

// FileRows estimates tables by their files in fsys (paths without their leading
// slash), as the csv format does: the number of lines, or for more than 100 of them
// the size over the average length of the first 100 lines. Directories, other formats
// and empty files tell nothing.
func FileRows(fsys fs.FS) func(*catalog.Table) (float64, bool) {
	return func(t *catalog.Table) (float64, bool) {
		if f, _ := t.Option("format"); f != "csv" {
			return 0, false
		}
		path, _ := t.Option("path")
		path = strings.TrimPrefix(path, "file://")
		path = strings.TrimPrefix(path, "file:")
		path = strings.TrimLeft(path, "/")
		f, err := fsys.Open(path)
		if err != nil {
			return 0, false
		}
		defer f.Close()
		st, err := f.Stat()
		if err != nil || st.IsDir() || st.Size() == 0 {
			return 0, false
		}
		const sample = 100
		buf := make([]byte, 64*1024)
		lines, bytesSeen := 0, int64(0)
		rest := []byte(nil)
		for lines < sample {
			k, err := f.Read(buf)
			rest = append(rest, buf[:k]...)
			for lines < sample {
				i := bytes.IndexByte(rest, '\n')
				if i < 0 {
					break
				}
				bytesSeen += int64(i + 1)
				rest = rest[i+1:]
				lines++
			}
			if err == io.EOF {
				if len(rest) > 0 && lines < sample {
					lines++
				}
				break
			}
			if err != nil {
				return 0, false
			}
		}
		if lines < sample {
			return float64(lines), true
		}
		return float64(int(float64(st.Size()) * sample / float64(bytesSeen))), true
	}
}
