package checks

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/report"
)

// checkSink judges the files that an INSERT wrote. They are what counts: the client's
// output only says why they may be missing.
func (s *submission) checkSink(ctx context.Context, step *labs.Step, v *verdict) error {
	want, err := s.labAnswer(ctx, s.g.script(step)+ended(step.Query), styleSink)
	if err != nil {
		return err
	}
	if want.err != nil {
		return fmt.Errorf("the lab's own statement of step %s fails: %w", step.ID, want.err)
	}
	text, noSQL := s.readSQL(step.SQL)
	v.noteSQL(step.SQL, noSQL)
	var out *savedOutput
	if step.Out != "" {
		o, bad, err := s.readOutput(ctx, step.Out, nil, step)
		if err != nil {
			return err
		}
		if bad != nil {
			v.add("LG-FILE-001", report.Finding{File: step.Out, Severity: report.Note, Message: step.Out + " is missing or unreadable; the files of the sink were judged."})
		} else {
			out = o
			v.fileNotes(out)
		}
	}
	l := &learner{s: s, step: step, text: text, out: out, style: styleSink}
	f, err := s.readSink(ctx, l, want)
	if err != nil {
		return err
	}
	empty, err := noRows(ctx, want)
	if err != nil {
		return err
	}
	switch {
	case f.bad != nil && f.bad.missing || f.bad == nil && f.folder.NRows == 0 && f.folder.NProblems == 0:
		if empty {
			v.facts = "nothing to write"
			return nil
		}
		return s.sinkMissing(ctx, l, f, v)
	case f.bad != nil:
		v.unreadable(step.Folder, f.bad)
		return nil
	case f.folder.NProblems > 0:
		p := f.folder.Problems[0]
		v.add("LG-SINK-008", report.Finding{File: step.Folder + "/" + p.File, Line: p.Line, Message: sentence(p.Reason)})
		return nil
	}
	v.facts = fmt.Sprintf("%s in %s", plural(f.folder.NRows, "row"), plural(len(f.parts()), "part file"))
	s.keep(step, f.counts, true)
	if f.equal {
		return nil
	}
	if ok, err := s.sinkFits(ctx, f, want, step); ok || err != nil {
		return err
	}
	return s.sinkWrong(ctx, l, f, want, v)
}

// sinkFiles is what the sink's folder holds.
type sinkFiles struct {
	bad    *unreadable
	folder *parse.SinkFolder
	// columns are the names of the fields, from the learner's CREATE TABLE or the lab's.
	columns []string
	width   int
	rows    []row
	more    bool
	counts  kindCounts
	equal   bool
	// at is the first row that differs.
	at int
	n  int
}

func (f *sinkFiles) parts() []parse.SinkFile { return f.folder.Files }

func noRows(ctx context.Context, a *answer) (bool, error) {
	f := a.feed(ctx)
	defer f.close()
	_, more := f.next()
	return !more, f.err()
}

// readSink reads the folder and compares it with the expected rows on the way.
func (s *submission) readSink(ctx context.Context, l *learner, want *answer) (*sinkFiles, error) {
	step := l.step
	out := &sinkFiles{at: -1, columns: sinkColumns(l, want)}
	info, err := fs.Stat(s.files, step.Folder)
	if err != nil {
		out.bad = opened(err)
		return out, nil
	}
	if !info.IsDir() {
		out.bad = &unreadable{reason: "it is a file; the sink's folder should have this name"}
		return out, nil
	}
	feed := want.feed(ctx)
	defer feed.close()
	c := &comparison{columns: nil}
	var r row
	var arena rowArena
	folder, err := parse.ReadSink(s.files, step.Folder, parse.SinkOptions{Format: sinkFormat(s.g.lab, step), OnRow: func(sf *parse.SinkFolder, sr *parse.SinkRow) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		r = row{cells: sr.Fields, line: sr.Line}
		out.n++
		out.width = max(out.width, len(sr.Fields))
		if len(out.rows) < keepRows {
			k := arena.clone(&r)
			k.file = step.Folder + "/" + sf.Files[sr.File].Name
			out.rows = append(out.rows, k)
		} else {
			out.more = true
		}
		if out.at >= 0 {
			return nil
		}
		w, ok := feed.next()
		if !ok {
			out.at = out.n - 1
			return feed.err()
		}
		if c.columns == nil {
			c.columns = fieldOrder(out, want, w, &r)
			c.cells = make([][]byte, len(c.columns))
		}
		if len(sr.Fields) != len(w.cells) || !w.sameCells(c.project(&r)) {
			out.at = out.n - 1
		}
		return nil
	}})
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		out.bad = opened(err)
		return out, nil
	}
	if err := feed.err(); err != nil {
		return nil, err
	}
	out.folder = folder
	if out.at < 0 {
		if _, more := feed.next(); more {
			out.at = out.n
		} else {
			out.equal = feed.err() == nil
		}
	}
	return out, nil
}

// sinkMissing: there is nothing to judge, or only files of an unfinished job.
func (s *submission) sinkMissing(ctx context.Context, l *learner, f *sinkFiles, v *verdict) error {
	step := l.step
	if l.out != nil && len(l.out.errors()) > 0 {
		return s.runError(ctx, l, v)
	}
	if f.folder != nil {
		for _, name := range f.folder.InProgress {
			v.add("LG-SINK-003", report.Finding{File: step.Folder + "/" + name, Message: "The job had not finished: its file is still marked as in progress."})
			return nil
		}
	}
	v.ungradable = true
	if f.bad != nil {
		v.add("LG-SINK-001", report.Finding{File: step.Folder, Message: "The folder " + step.Folder + " is missing."})
		return nil
	}
	v.add("LG-SINK-006", report.Finding{File: step.Folder, Message: "The folder " + step.Folder + " holds no part files with rows."})
	return nil
}

// sinkWrong finds out why the files are not the expected ones.
func (s *submission) sinkWrong(ctx context.Context, l *learner, f *sinkFiles, want *answer, v *verdict) error {
	step := l.step
	if s.g.brief {
		v.add("LG-STREAM-015", report.Finding{File: step.Folder})
		return nil
	}
	list, err := l.answers(ctx)
	if err != nil {
		return err
	}
	if f.folder.Runs > 1 && s.addedUp(f, want, list) {
		var names []string
		for _, p := range f.parts() {
			names = append(names, p.Name)
		}
		v.add("LG-SINK-002", report.Finding{File: step.Folder, Line: 0,
			Message:  fmt.Sprintf("The folder holds the files of %d runs, %s in all.", f.folder.Runs, plural(f.n, "row")),
			Expected: plural(int(want.counts.total()), "row"), Actual: plural(f.n, "row"),
			More: []string{"files: " + strings.Join(names, ", ")}})
		return nil
	}
	res := &savedResult{block: &parse.Block{Kind: parse.KindTable, HeaderLine: 1}, columns: f.columns, hasOp: true, rows: f.rows, overflow: f.more}
	res.counts[changelog.Insert] = int64(f.n)
	if len(f.rows) > 0 {
		res.block.LastLine = f.rows[len(f.rows)-1].line
	}
	d := &diagnosis{s: s, step: step, want: want, res: res, out: &savedOutput{name: step.Folder}, learner: l, v: v}
	if len(f.rows) > 0 {
		d.out.name = f.rows[0].file
	}
	op := opColumn(want)
	d.asLog(op)
	for n, a := range list {
		ok, err := s.givesFiles(a, f)
		if err != nil {
			return err
		}
		if ok {
			return d.sqlFault(ctx, list, n)
		}
	}
	if f.width != len(want.columns) {
		code := "LG-SINK-005"
		if op >= 0 && f.width == len(want.columns)-1 {
			code = "LG-SINK-007"
		}
		v.add(code, report.Finding{File: d.out.name, Line: 1, Message: fmt.Sprintf("The rows have %s; the task's table has %s.", plural(f.width, "field"), plural(len(want.columns), "column")),
			Expected: "columns " + strings.Join(want.columns, ", ")})
		return nil
	}
	if op >= 0 && len(d.want.columns) == len(want.columns) {
		v.add("LG-SINK-004", report.Finding{File: d.out.name, Line: 1, Message: fmt.Sprintf("The column %s does not hold the change codes of the task.", want.columns[op]),
			Expected: "INSERT, UPDATE_BEFORE, UPDATE_AFTER, DELETE", Actual: strings.Join(valuesOf(f, d.order(f, want)[op]), ", ")})
		return nil
	}
	for _, m := range d.models(ctx) {
		if f.more || !want.stored {
			break // models are tried over data that fit into memory
		}
		a, err := s.g.modelAnswer(ctx, m, styleSink, true)
		if errors.Is(err, errTooLarge) {
			continue
		}
		if err != nil {
			return err
		}
		ok, err := s.givesFiles(a, f)
		if err != nil {
			return err
		}
		if ok {
			x := d.firstDifference(ctx)
			x.Message = "The files are exactly what comes out when " + m.says + "."
			v.add(m.code, x)
			return nil
		}
	}
	if found, err := d.damaged(ctx); found || err != nil {
		return err
	}
	d.different(ctx)
	return nil
}

// addedUp reports whether each run's files are what one run writes.
func (s *submission) addedUp(f *sinkFiles, want *answer, list []*answer) bool {
	if f.more {
		return f.folder.Runs > 1
	}
	sources := []*answer{want}
	for _, a := range list {
		if a.isRows && a.err == nil {
			sources = append(sources, a)
		}
	}
	for _, a := range sources {
		if a.stored && len(a.rows) > 0 && len(f.rows) == f.folder.Runs*len(a.rows) {
			return true
		}
	}
	return false
}

// givesFiles reports whether a computed INSERT writes exactly these files.
func (s *submission) givesFiles(a *answer, f *sinkFiles) (bool, error) {
	if a == nil || !a.isRows || a.err != nil || !a.stored || f.more || len(a.rows) != len(f.rows) || len(a.columns) != f.width {
		return false, nil
	}
	idx := indexByName(a.columns, f.columns)
	if idx == nil || len(idx) != f.width {
		idx = identity(f.width)
	}
	rows := projectAll(f.rows, idx)
	if !a.streaming {
		d := compareBags(a.rows, rows, nil)
		return d.equal(), nil
	}
	for i := range rows {
		if !a.rows[i].sameCells(&rows[i]) {
			return false, nil
		}
	}
	return true, nil
}

func (d *diagnosis) order(f *sinkFiles, want *answer) []int {
	if len(want.rows) > 0 && len(f.rows) > 0 {
		return fieldOrder(f, want, &want.rows[0], &f.rows[0])
	}
	return identity(len(want.columns))
}

// asLog turns rows whose op column says the change into rows of that kind, so that
// their damage can be named as that of a log.
func (d *diagnosis) asLog(op int) {
	want := d.want
	f := &sinkFiles{columns: d.res.columns, rows: d.res.rows}
	d.key = columnIndexes(want.columns, d.step.Key)
	if !want.stored || len(d.res.rows) == 0 || len(d.res.rows[0].cells) != len(want.columns) {
		return
	}
	d.saved = projectAll(d.res.rows, d.order(f, want))
	if op < 0 || !hasCodes(d.saved, op) {
		return
	}
	log := *want
	log.columns = slices.Delete(slices.Clone(want.columns), op, op+1)
	log.rows = kinded(want.rows, op)
	d.saved = kinded(d.saved, op)
	d.want = &log
	d.key = columnIndexes(log.columns, d.step.Key)
}
