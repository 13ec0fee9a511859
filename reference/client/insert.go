package client

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/batch"
	"github.com/labgrade/labgrade/reference/bind"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/sink"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// bindInsert binds an INSERT and checks the connectors of its tables.
func (s *Session) bindInsert(in *sql.Insert) (rel.Node, error) {
	root, err := bind.Insert(in, s.bindEnv())
	if err != nil {
		return nil, err
	}
	if k, ok := root.(*rel.Sink); ok {
		if err := checkConnector(k.Table, true); err != nil {
			return nil, err
		}
	}
	return root, nil
}

// checkInsert makes the checks that an INSERT meets when it is added to a statement set.
func (s *Session) checkInsert(in *sql.Insert) error {
	_, err := bind.Insert(in, s.bindEnv())
	return err
}

// insert runs one INSERT, or those of a statement set as one job.
func (s *Session) insert(r *Result, inserts []*sql.Insert) error {
	var roots []rel.Node
	for _, in := range inserts {
		root, err := s.bindInsert(in)
		if err != nil {
			return err
		}
		roots = append(roots, root)
	}
	if err := s.checkTables(roots...); err != nil {
		return err
	}
	p, err := s.plan(r, roots, false)
	if err != nil {
		return err
	}
	for _, root := range p.Roots {
		if k, ok := root.(*phys.Sink); ok {
			if err := s.checkEnforcers(sink.Columns(k.Table)); err != nil {
				return err
			}
		}
	}
	sync, err := s.settings.Bool("table.dml-sync", false)
	if err != nil {
		return err
	}
	s.jobs++
	if err := s.runInserts(r, p.Roots); err != nil {
		if sync || !atRuntime(err) {
			return err
		}
		// the client does not wait for the job and never learns that it failed
	}
	if sync {
		s.info("Complete execution of the SQL update statement.")
		return nil
	}
	s.info("Submitting SQL update statement to the cluster...")
	s.info("SQL update statement has been successfully submitted to the cluster:")
	fmt.Fprintf(s.out, "Job ID: %s\n\n", s.identifier("job"))
	return nil
}

// identifier makes 32 hexadecimal digits that are the same in every run of a script.
func (s *Session) identifier(kind string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d", kind, s.jobs))
	return hex.EncodeToString(sum[:16])
}

// fileID is a UUID for the files of a sink. Flink's are random; here the files of a later
// job come later in their folder.
func (s *Session) fileID(n int) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "sink %d %d", n, s.jobs))
	sum[0], sum[1] = byte(s.jobs>>8), byte(s.jobs)
	sum[6], sum[8] = sum[6]&0x0f|0x40, sum[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// runInserts runs the sinks of a job one after another; files appear when all have succeeded.
func (s *Session) runInserts(r *Result, roots []phys.Node) error {
	var sinks []sink.Sink
	abort := func() {
		for _, k := range sinks {
			_ = k.Abort() // the job's own error is reported
		}
	}
	for _, root := range roots {
		node, ok := root.(*phys.Sink)
		if !ok {
			abort()
			return unsupported.New("an INSERT without a sink")
		}
		k, err := s.openSink(node, len(sinks))
		if err != nil {
			abort()
			return err
		}
		sinks = append(sinks, k)
	}
	for i, root := range roots {
		if err := s.runInsert(r, root.(*phys.Sink), sinks[i]); err != nil {
			abort()
			return err
		}
	}
	for _, k := range sinks {
		if err := k.Close(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) openSink(node *phys.Sink, n int) (sink.Sink, error) {
	switch v, _ := s.settings.Get(notNullEnforcer); strings.ToUpper(v) {
	case "", "ERROR", "DROP":
	default:
		return nil, flinkerr.New("java.lang.IllegalArgumentException",
			"Could not parse value for enum class org.apache.flink.table.api.config.ExecutionConfigOptions$NotNullEnforcer. Expected one of: [[ERROR, DROP]]")
	}
	return sink.Open(node.Table, sink.Options{
		FS: s.opt.Files, Out: printLines{s}, Batch: s.settings.Batch(), Overwrite: node.Overwrite, Partition: node.Partition,
		UUID:      s.fileID(n),
		DropNulls: s.dropsNulls(),
	})
}

func (s *Session) runInsert(r *Result, node *phys.Sink, to sink.Sink) error {
	var stop error
	write := func(k changelog.RowKind, row value.Row, c stream.Cause) error {
		r.Rows++
		if s.opt.Events.SinkRow != nil {
			if stop = s.opt.Events.SinkRow(r, node.Table, k, row, c); stop != nil {
				return stop
			}
		}
		return to.Write(k, row)
	}
	var err error
	if r.Streaming {
		var rt *stream.Runtime
		if rt, err = s.streamRuntime(r); err != nil {
			return err
		}
		if err = stream.Run(node, rt, write); err == nil {
			err = s.offerAgain(r, node, func(value.Row) (bool, error) { return true, nil })
		}
	} else {
		var rt *batch.Runtime
		if rt, err = s.batchRuntime(r); err != nil {
			return err
		}
		err = batch.Run(node, rt, func(row value.Row) error { return write(changelog.Insert, row, stream.Cause{}) })
	}
	if stop != nil {
		return stop
	}
	return err
}

// printLines hands the lines of print sinks to the session's Print.
type printLines struct{ s *Session }

func (p printLines) Write(b []byte) (int, error) {
	if p.s.opt.Print != nil {
		for _, line := range strings.SplitAfter(string(b), "\n") {
			if line != "" {
				p.s.opt.Print(strings.TrimSuffix(line, "\n"))
			}
		}
	}
	return len(b), nil
}

// SinkColumns are the columns that an INSERT writes: all but computed and virtual ones.
func SinkColumns(t *catalog.Table) []value.Field { return sink.Columns(t) }

// IsOwnID reports whether the UUID in the name of a part file, or the id of a job, is one
// that this engine gives: what bears it does not come from Flink.
func IsOwnID(id string) bool {
	if len(id) == 32 {
		for jobs := range maxOwnJobs {
			if (&Session{jobs: jobs}).identifier("job") == id {
				return true
			}
		}
		return false
	}
	if len(id) != 36 {
		return false
	}
	jobs, err := hex.DecodeString(id[:4])
	if err != nil {
		return false
	}
	s := &Session{jobs: int(jobs[0])<<8 | int(jobs[1])}
	for n := range maxOwnSinks {
		if s.fileID(n) == id {
			return true
		}
	}
	return false
}

// How many jobs of a session, and sinks of a job, IsOwnID tries.
const (
	maxOwnJobs  = 64
	maxOwnSinks = 16
)
