package conformance

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/labgrade/labgrade/reference/client"
	"github.com/labgrade/labgrade/reference/merge"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// The places where a case's data and sinks seem to be; the recorded texts say {data} and {out}.
const (
	dataPath = "/labgrade-case-data"
	outPath  = "/labgrade-case-out"
)

// disk maps the two paths to folders of this machine.
type disk struct{ data, out string }

func (d disk) real(path string) string {
	if rest, ok := strings.CutPrefix(path, dataPath); ok {
		return d.data + rest
	}
	if rest, ok := strings.CutPrefix(path, outPath); ok {
		return d.out + rest
	}
	return "/nowhere" + path
}

func (d disk) Open(path string) (fs.File, error)          { return os.Open(d.real(path)) }
func (d disk) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(d.real(path)) }
func (d disk) Create(path string) (io.WriteCloser, error) {
	p := d.real(path)
	if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
		return nil, err
	}
	return os.Create(p)
}
func (d disk) MkdirAll(path string) error  { return os.MkdirAll(d.real(path), 0o777) }
func (d disk) RemoveAll(path string) error { return os.RemoveAll(d.real(path)) }

// answer is what the session said to one statement.
type answer struct {
	stmt        string
	text        string
	unsupported string // the reason
	scans       int    // table scans in the plan
	// merged has the recorded answers whose log some merge of the inputs gives.
	merged []string
}

// runner is one session over one case.
type runner struct {
	c    *recordedCase
	s    *client.Session
	buf  bytes.Buffer
	disk disk
	// printed has the lines of print sinks.
	printed []string
	// again runs the last streaming query in other orders of its inputs, while it is set.
	again func(*client.Result, func(stream.Order, stream.Out) error) error
}

func newRunner(t testing.TB, c *recordedCase) *runner {
	abs, err := filepath.Abs(c.dir)
	if err != nil {
		t.Fatal(err)
	}
	r := &runner{c: c, disk: disk{data: abs, out: t.TempDir()}}
	r.s = client.New(client.Options{Out: &r.buf, Echo: client.EchoClient, Files: r.disk, KeepUnsupported: true, NoTimeCost: true, Now: recordingTime,
		Print: func(line string) { r.printed = append(r.printed, line) },
		Events: client.Events{Again: func(res *client.Result, run func(stream.Order, stream.Out) error) error {
			if r.again == nil {
				return nil
			}
			return r.again(res, run)
		}}})
	for _, s := range []string{"SET 'sql-client.execution.result-mode' = 'tableau'", "SET 'table.dml-sync' = 'true'", "SET 'execution.runtime-mode' = 'streaming'"} {
		r.run(s)
	}
	return r
}

// recordingTime is a time on the day of the recordings, for NOW() and friends.
func recordingTime() time.Time { return time.Date(2026, 11, 30, 4, 26, 2, 395_000_000, time.UTC) }

// place puts the paths of the run into a statement.
func place(stmt string) string {
	return strings.NewReplacer("{data}", dataPath, "{out}", outPath).Replace(stmt)
}

func (r *runner) run(stmt string) answer {
	stmt = place(stmt)
	r.buf.Reset()
	res, err := r.s.RunStatement(stmt)
	a := answer{stmt: stmt}
	if res != nil {
		a.scans = scans(res.Plan)
	}
	if unsupported.Is(err) {
		a.unsupported = err.Error()
	}
	// the recording cut off what the answer's echo had in common with the statement
	g := r.buf.String()
	k := 0
	for k < len(g) && k < len(stmt) && g[k] == stmt[k] {
		k++
	}
	a.text = strings.Trim(g[k:], "\n") + "\n"
	a.text = strings.NewReplacer(dataPath, "{data}", outPath, "{out}").Replace(a.text)
	return a
}

func scans(roots []phys.Node) int {
	n := 0
	for _, r := range roots {
		if _, is := r.(*phys.TableSourceScan); is {
			n++
		}
		n += scans(r.Inputs())
	}
	return n
}

func (r *runner) runAll(stmts []string) []answer {
	out := make([]answer, len(stmts))
	for i, s := range stmts {
		out[i] = r.run(s)
	}
	return out
}

// runMerges runs a streaming statement. Over several sources Flink's log depends on a race:
// one side may be some elements ahead at first, and then they go on in turns. The answer
// is that of the order which gave what was recorded, if there is one.
func (r *runner) runMerges(stmt string, recorded []string) answer {
	a := r.run(stmt)
	found := func(t string) bool {
		return slices.ContainsFunc(recorded, func(w string) bool { return normal(t) == normal(w) })
	}
	if a.scans < 2 || a.unsupported != "" || !isQuery.MatchString(stmt) || found(a.text) {
		return a
	}
	defer r.s.Lead(0)
	for _, n := range leads() {
		r.s.Lead(n)
		if b := r.run(stmt); found(b.text) {
			return b
		}
	}
	r.s.Lead(0)
	r.again = func(res *client.Result, run func(stream.Order, stream.Out) error) error {
		for _, w := range recorded {
			log := newPrintedLog(w, res.Columns)
			found, err := merge.Search(run, log, merge.Limits{Elements: 150_000, States: 60_000})
			if err != nil {
				return err
			}
			if found.Found {
				a.merged = append(a.merged, w)
				break // one of the two runs is enough
			}
		}
		return nil
	}
	defer func() { r.again = nil }()
	r.run(stmt)
	return a
}

// leads are the orders of two sources that are tried: one reads all its rows first, or some.
func leads() []int {
	out := []int{1 << 40, -1 << 40}
	for n := 1; n <= 24; n++ {
		out = append(out, n, -n)
	}
	return out
}

// recordedAnswers are what two runs of Flink answered to the i-th of n statements.
func recordedAnswers(c *recordedCase, i, n int) []string {
	var out []string
	for _, name := range []string{"stream.txt", "stream-2.txt"} {
		if ps := pieces(read(c.dir, name)); len(ps) == n {
			out = append(out, ps[i])
		}
	}
	return out
}

// outputs are the answers by recorded file.
type outputs map[string][]answer

func runCase(t testing.TB, c *recordedCase) (outputs, *runner) {
	r := newRunner(t, c)
	out := outputs{}
	inserts := false
	for _, q := range c.query {
		inserts = inserts || isInsert.MatchString(q)
	}
	setup := append(r.runAll(c.config), r.runAll(c.ddl)...)
	if c.modes["explain"] {
		for _, q := range c.query {
			switch {
			case isExplain.MatchString(q):
				out["explain.txt"] = append(out["explain.txt"], r.run(q))
			case isPlanned.MatchString(q):
				out["explain.txt"] = append(out["explain.txt"], r.run("EXPLAIN CHANGELOG_MODE "+q))
			}
		}
	}
	if c.modes["stream"] {
		var run []string
		for _, q := range c.query {
			if !isExplain.MatchString(q) {
				run = append(run, q)
			}
		}
		for i, q := range run {
			out["stream.txt"] = append(out["stream.txt"], r.runMerges(q, recordedAnswers(c, i, len(run))))
		}
	}
	for _, a := range setup {
		if strings.Contains(a.text, "[ERROR]") || a.unsupported != "" {
			out["errors.txt"] = append(out["errors.txt"], a)
		}
	}
	if c.modes["batch"] || c.modes["explain-batch"] {
		// Trees with rowtime columns were recorded before the tables were made anew in batch mode.
		kept := strings.Contains(read(c.dir, "explain-batch.txt"), "*ROWTIME* window_time")
		if !kept {
			r.runAll(drops(c.ddl))
		}
		r.run("SET 'execution.runtime-mode' = 'batch'")
		if !kept {
			r.runAll(c.ddl)
		}
		if c.modes["explain-batch"] {
			for _, q := range c.query {
				if isQuery.MatchString(q) {
					out["explain-batch.txt"] = append(out["explain-batch.txt"], r.run("EXPLAIN "+q))
				}
			}
		}
		if kept {
			r.runAll(drops(c.ddl))
			r.runAll(c.ddl)
		}
		if c.modes["batch"] && !inserts {
			for _, q := range c.query {
				if !isExplain.MatchString(q) {
					out["batch.txt"] = append(out["batch.txt"], r.run(q))
				}
			}
		}
	}
	return out, r
}
