package plan

import (
	"bytes"
	"io"
	"io/fs"
	"strings"

	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/phys"
)

// Execution prints the Optimized Execution Plan. In batch an Exchange(forward) stands
// above every Sort.
func (p *Plan) Execution() string {
	e := &execution{batch: p.Batch}
	s := ""
	for i, r := range p.Roots {
		if i > 0 {
			s += "\n\n"
		}
		s += phys.Tree(e.convert(r), phys.TextOptions{Execution: true, Batch: p.Batch})
	}
	return s
}

// execution makes the nodes of the execution plan from physical ones.
type execution struct{ batch bool }

func (e *execution) convert(n phys.Node) phys.Node {
	in := n.Inputs()
	changed := false
	out := make([]phys.Node, len(in))
	for i, c := range in {
		out[i] = e.convert(c)
		if _, sort := out[i].(*phys.Sort); sort && e.batch && forwardsSort(n) {
			out[i] = exchange(out[i], "forward", nil)
		}
		changed = changed || out[i] != c
	}
	if changed {
		n = phys.WithInputs(n, out)
	}
	return n
}

// forwardsSort: operators that work on sorted groups get an Exchange(forward) above a
// Sort that is their direct input.
func forwardsSort(n phys.Node) bool {
	switch n.(type) {
	case *phys.BatchAggregate, *phys.OverAggregate, *phys.Rank, *phys.Join:
		return true
	}
	return false
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
