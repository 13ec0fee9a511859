package client

import (
	"fmt"
	"io"
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/batch"
	"github.com/labgrade/labgrade/reference/bind"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/plan"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/sink"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// query runs a SELECT and prints its rows.
func (s *Session) query(r *Result, q *sql.Query) error {
	root, err := bind.Query(q, s.bindEnv())
	if err != nil {
		return err
	}
	if err := s.checkTables(root); err != nil {
		return err
	}
	p, err := s.plan(r, []rel.Node{root}, true)
	if err != nil {
		return err
	}
	r.Columns = resultColumns(root, p)
	if err := s.checkEnforcers(r.Columns); err != nil {
		return err
	}
	if err := s.checkResultMode(); err != nil {
		return err
	}
	begin := s.opt.Now()
	seconds := func() string {
		if !s.printTimeCost() {
			return ""
		}
		return fmt.Sprintf(" (%.2f seconds)", s.opt.Now().Sub(begin).Seconds())
	}
	if r.Streaming {
		return s.streamQuery(r, p.Roots[0], seconds)
	}
	return s.batchQuery(r, p.Roots[0], seconds)
}

// resultColumns names the result's columns as the query does; the plan may have lost the names.
func resultColumns(root rel.Node, p *plan.Plan) []value.Field {
	cols := append([]value.Field(nil), p.Roots[0].Schema()...)
	for i, f := range root.Schema() {
		if i < len(cols) {
			cols[i].Name = f.Name
			cols[i].Type = f.Type
		}
	}
	return cols
}

// checkResultMode: a script can only print tables as text. The setting is read when a
// query's result is to be shown, not before.
func (s *Session) checkResultMode() error {
	v, ok := s.settings.Get("sql-client.execution.result-mode")
	mode := "TABLE"
	if ok {
		mode = strings.ToUpper(v)
	}
	switch mode {
	case "TABLEAU":
		return nil
	case "TABLE", "CHANGELOG":
		if s.interactive {
			return nil
		}
		return flinkerr.New(classClient, "In non-interactive mode, it only supports to use TABLEAU as value of sql-client.execution.result-mode when execute query. Please add 'SET sql-client.execution.result-mode=TABLEAU;' in the sql file.")
	}
	return flinkerr.New("java.lang.IllegalArgumentException", "Could not parse value for enum class org.apache.flink.table.client.config.ResultMode. Expected one of: [[TABLE, CHANGELOG, TABLEAU]]")
}

const notNullEnforcer = "table.exec.sink.not-null-enforcer"

// dropsNulls tells that rows with NULL in a NOT NULL column are dropped, not refused.
func (s *Session) dropsNulls() bool {
	v, _ := s.settings.Get(notNullEnforcer)
	return strings.EqualFold(v, "drop")
}

func (s *Session) printTimeCost() bool {
	on, err := s.settings.Bool("sql-client.display.print-time-cost", true)
	return err == nil && on && !s.opt.NoTimeCost
}

// held is how much of a streaming result is kept back: a job of a small input that fails
// has not shown any of its rows.
const held = 1 << 20

func (s *Session) streamQuery(r *Result, root phys.Node, seconds func() string) error {
	opt, err := s.tableOptions(true)
	if err != nil {
		return err
	}
	rt, err := s.streamRuntime(r)
	if err != nil {
		return err
	}
	if s.opt.Trace || s.opt.Lineage {
		rt.Lineage = &stream.Lineage{}
		r.Lineage = rt.Lineage
	}
	s.failedEarly = false
	var buf holder
	buf.out = s.out
	w := value.NewTableWriter(&buf, r.Columns, opt)
	w.Header()
	notNull, drop := sink.NewNotNull(r.Columns), s.dropsNulls()
	var queue *rowQueue
	if !s.opt.Trace && !s.silent {
		queue = newRowQueue(w, r.Columns)
	}
	var stop error
	err = stream.Run(root, rt, func(k changelog.RowKind, row value.Row, c stream.Cause) error {
		if err := notNull.Check(row); err != nil {
			if drop {
				return nil
			}
			return err
		}
		r.Rows++
		if s.opt.Events.Row != nil {
			if stop = s.opt.Events.Row(r, k, row, c); stop != nil {
				return stop
			}
		}
		if s.silent {
			return s.interrupted()
		}
		if queue != nil {
			if queue.row(k, row) {
				return s.interrupted()
			}
			return nil
		}
		w.Row(k.String(), row)
		if s.opt.Trace {
			return s.trace(w, &buf, k, c, rt.Lineage.Sources())
		}
		if r.Rows%queuedRows != 0 {
			return nil
		}
		return s.interrupted()
	})
	if queue != nil {
		queue.close()
	}
	if stop != nil {
		return stop
	}
	if err != nil {
		return s.failedJob(err, r, opt, w, &buf)
	}
	if r.Rows > 0 {
		w.Border()
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := buf.release(); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "Received a total of %d %s%s\n", r.Rows, rowWord(r.Rows), seconds())
	return s.offerAgain(r, root, func(row value.Row) (bool, error) {
		err := notNull.Check(row)
		if err != nil && drop {
			return false, nil
		}
		return true, err
	})
}

// failedJob prints what a failing streaming job still shows: the header, and rows only if
// there were many: then all that came before the failure.
func (s *Session) failedJob(err error, r *Result, opt value.TableOptions, drawn *value.TableWriter, buf *holder) error {
	if !atRuntime(err) {
		return err
	}
	if buf.released {
		if e := drawn.Flush(); e != nil {
			return e
		}
		return err
	}
	if s.failedEarly {
		return err
	}
	r.Rows = 0
	w := value.NewTableWriter(s.out, r.Columns, opt)
	w.Header()
	if e := w.Flush(); e != nil {
		return e
	}
	return err
}

// batchQuery prints a batch result, whose widths follow its content.
func (s *Session) batchQuery(r *Result, root phys.Node, seconds func() string) error {
	opt, err := s.tableOptions(false)
	if err != nil {
		return err
	}
	rt, err := s.batchRuntime(r)
	if err != nil {
		return err
	}
	m := value.NewTableMeasure(r.Columns, opt)
	var rows []value.Row
	notNull, drop := sink.NewNotNull(r.Columns), s.dropsNulls()
	var stop error
	err = batch.Run(root, rt, func(row value.Row) error {
		if err := notNull.Check(row); err != nil {
			if drop {
				return nil
			}
			return err
		}
		r.Rows++
		if s.opt.Events.Row != nil {
			if stop = s.opt.Events.Row(r, changelog.Insert, row, stream.Cause{}); stop != nil {
				return stop
			}
		}
		if s.opt.Out == io.Discard {
			return nil
		}
		m.Add(row)
		rows = append(rows, keepRow(row))
		return nil
	})
	switch {
	case stop != nil:
		return stop
	case err != nil:
		return err
	case r.Rows == 0:
		fmt.Fprintf(s.out, "Empty set%s\n", seconds())
		return nil
	}
	w := value.NewTableWriterWidths(s.out, r.Columns, m.Widths(), opt)
	w.Header()
	for _, row := range rows {
		w.Row("", row)
	}
	w.Border()
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(s.out, "%d %s in set%s\n", r.Rows, rowWord(r.Rows), seconds())
	return nil
}

func keepRow(row value.Row) value.Row {
	out := make(value.Row, len(row))
	for i, v := range row {
		out[i] = v
		if t := v.Str(); t != "" {
			out[i] = v.WithStr(strings.Clone(t))
		}
	}
	return out
}

func (s *Session) tableOptions(op bool) (value.TableOptions, error) {
	width, err := s.settings.Int("table.display.max-column-width", value.DefaultColumnWidth)
	if err != nil {
		return value.TableOptions{}, err
	}
	zone, err := s.settings.TimeZone()
	if err != nil {
		return value.TableOptions{}, err
	}
	if width <= 0 {
		return value.TableOptions{}, flinkerr.New("java.lang.IllegalArgumentException", "maxColumnWidth should be greater than 0")
	}
	return value.TableOptions{MaxWidth: width, Op: op, Zone: zone}, nil
}

// holder keeps the first megabyte of a result back until it is certain that it will be shown.
type holder struct {
	out      io.Writer
	data     []byte
	released bool
}

func (h *holder) Write(b []byte) (int, error) {
	if h.released {
		return h.out.Write(b)
	}
	h.data = append(h.data, b...)
	if len(h.data) > held {
		if err := h.release(); err != nil {
			return 0, err
		}
	}
	return len(b), nil
}

func (h *holder) release() error {
	if h.released {
		return nil
	}
	h.released = true
	_, err := h.out.Write(h.data)
	h.data = nil
	return err
}
