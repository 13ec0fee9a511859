package cli

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/internal/intake"
	"github.com/labgrade/labgrade/internal/term"
	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/replay"
)

func replayCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "replay a saved changelog to its final table, and tell what is wrong with it",
		ArgsUsage: "FILE",
		Description: "FILE holds a streaming result (a table with an op column), or lines of a print sink; - is standard input.\n" +
			"It may also be a part file of TO_CHANGELOG's rows in CSV, or the folder of such files.\n" +
			"Of several runs in a file the last one counts. Exit code 1: the log has violations; 3: no final table can be given.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON (docs/schema/replay.schema.json)"},
			&cli.IntFlag{Name: "at", Usage: "show the table after row `N` of the log"},
			&cli.StringFlag{Name: "key", Usage: "the `COLUMNS` that identify a row, separated by commas (names, or numbers from 1)"},
			&cli.IntFlag{Name: "table", Usage: "replay only log `N` of the file, from 1"},
			&cli.BoolFlag{Name: "lone-updates", Usage: "-U and +U may stand alone, as above HAVING"},
			&cli.IntFlag{Name: "limit", Usage: "show at most `N` rows and violations; 0 shows all", Value: 50},
			colorFlag(),
		}, limitFlags()...),
		Action: func(c *cli.Context) error { return runReplay(c, s) },
	}
}

func runReplay(c *cli.Context, s Streams) error {
	name, err := oneFile(c)
	if err != nil {
		return err
	}
	if c.IsSet("at") && c.Int("at") < 1 {
		return Usagef("--at counts rows from 1, not %d", c.Int("at"))
	}
	limits, err := limitsFrom(c)
	if err != nil {
		return err
	}
	o := logOptions{at: c.Int("at"), lone: c.Bool("lone-updates"), file: name}
	if k := c.String("key"); k != "" {
		o.key = strings.Split(k, ",")
	}
	logs, notes, err := replayInput(c, s, limits, &o)
	if err != nil {
		return err
	}
	name = o.file
	if o.at > 0 && len(logs) == 1 && logs[0].rows < o.at && logs[0].noTable() == "" {
		return Usagef("the log has %s; there is no row %d", plural(logs[0].rows, "row"), o.at)
	}
	out := bufio.NewWriterSize(s.Out, 64<<10)
	defer out.Flush()
	if c.Bool("json") {
		writeReplayJSON(out, name, logs, notes)
	} else {
		p, err := paletteFor(c, s.Out, s)
		if err != nil {
			return err
		}
		t := &replayText{w: out, p: p, limit: c.Int("limit"), at: o.at}
		for i, l := range logs {
			if i > 0 {
				fmt.Fprintln(out)
			}
			t.log(l)
		}
		for _, n := range notes {
			fmt.Fprintf(out, "%s %s\n", p.Note("note:"), term.Safe(n.Text))
		}
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return replayExit(logs)
}

// replayInput reads the logs of a transcript, of a part file or of a sink's folder.
func replayInput(c *cli.Context, s Streams, limits intake.Limits, o *logOptions) ([]*replayedLog, []parse.Note, error) {
	if i, err := os.Stat(o.file); o.file != "-" && err == nil && i.IsDir() {
		return sinkLogs(c.Context, limits, *o)
	}
	in, name, err := openInput(o.file, limits, s)
	if err != nil {
		return nil, nil, err
	}
	defer in.Close()
	o.file = name
	head := bufio.NewReaderSize(in, 4096)
	if first, _ := head.Peek(64); opField(firstField(first)) {
		log, notes, err := sinkFileLog(c.Context, head, *o)
		return log, notes, ungradable(err)
	}
	o.source = head
	all, sc, err := readLogs(c.Context, *o)
	if err != nil {
		return nil, nil, ungradable(err)
	}
	logs, err := pickLogs(all, sc, c.Int("table"), name)
	return logs, sc.Notes(), err
}

// replayExit: 3 when some table cannot be given, 1 when a log has violations.
func replayExit(logs []*replayedLog) error {
	code := ExitOK
	for _, l := range logs {
		switch {
		case l.noTable() != "":
			return Exit(ExitUngradable)
		case !l.res.OK():
			code = ExitFailed
		}
	}
	if code != ExitOK {
		return Exit(code)
	}
	return nil
}

// pickLogs takes the logs of the last run, or the one that --table names.
func pickLogs(all []*replayedLog, sc *parse.Scanner, table int, name string) ([]*replayedLog, error) {
	var logs []*replayedLog
	for _, l := range all {
		if l.block.Run == sc.Runs()-1 {
			logs = append(logs, l)
		}
	}
	if len(logs) == 0 {
		if len(all) > 0 {
			return nil, Failf(ExitUngradable, "%s: the last run in the file holds no changelog; an earlier one does", term.Safe(name))
		}
		return nil, Failf(ExitUngradable, "%s holds no changelog: no result with an op column and no lines of a print sink\nA batch result has no op column; it is a table already. See: labgrade parse %s", term.Safe(name), term.Safe(name))
	}
	if table != 0 {
		if table < 1 || table > len(logs) {
			return nil, Usagef("--table %d: the file holds %s", table, plural(len(logs), "changelog"))
		}
		logs = logs[table-1 : table]
	}
	return logs, nil
}

// replayText shows replayed logs to people.
type replayText struct {
	w     io.Writer
	p     *term.Palette
	limit int
	at    int
}

func (t *replayText) log(l *replayedLog) {
	b := l.block
	fmt.Fprintf(t.w, "%s: a log of %s%s\n", t.p.Bold(l.title()), plural(l.rows, "row"), countsText(l.counts()))
	if len(l.key) > 0 {
		what := "key"
		if len(l.res.Key) > 0 {
			what = "an upsert log (no -U); its key is"
		}
		fmt.Fprintf(t.w, "%s %s\n", what, strings.Join(keyNames(l), ", "))
	}
	if t.at > 0 {
		t.atRow(l)
		return
	}
	reason := l.noTable()
	switch {
	case reason != "":
		fmt.Fprintf(t.w, "%s\n", t.p.Bad("no final table can be given: "+reason))
		if l.gap > 0 {
			fmt.Fprintf(t.w, "the table after row %d, the last before the gap, can be shown with --at %d\n", l.gap, l.gap)
		}
	case b.Kind == parse.KindCancelled:
		fmt.Fprintf(t.w, "%s\n", t.p.Warn("the query was stopped: this is the table when it was"))
	case b.Footer == nil && b.Style != parse.StylePrint:
		fmt.Fprintf(t.w, "%s\n", t.p.Warn("the log has no closing line: this is the table after its last row in the file"))
	case b.Footer != nil && b.Footer.Rows < l.rows && b.Style != parse.StylePrint:
		fmt.Fprintf(t.w, "%s\n", t.p.Warn(fmt.Sprintf("the footer counts %d rows, the file holds %d: it was changed", b.Footer.Rows, l.rows)))
	}
	if reason == "" {
		fmt.Fprintf(t.w, "%s\n", t.p.Bold("final table: "+plural(l.res.Table.Len(), "row")))
		t.table(l.columns, l.res.Table)
	}
	t.violations(l, reason != "")
	for i, pr := range b.Problems {
		if t.limit > 0 && i == t.limit {
			fmt.Fprintf(t.w, "  ... and %d more lines that cannot be read\n", b.NProblems-i)
			break
		}
		fmt.Fprintf(t.w, "  %s line %d: %s\n", t.p.Warn("cannot be read"), pr.Line, term.Safe(pr.Reason))
	}
}

// counts are the row kinds of the log; of a print sink those of its identifier.
func (l *replayedLog) counts() [4]int {
	if l.block.Style == parse.StylePrint && l.gap < 0 {
		return l.res.Counts
	}
	return l.block.Counts
}

func keyNames(l *replayedLog) []string {
	var out []string
	for _, k := range l.key {
		if k < len(l.columns) {
			out = append(out, term.Safe(l.columns[k]))
		} else {
			out = append(out, fmt.Sprintf("column %d", k+1))
		}
	}
	return out
}

func (t *replayText) atRow(l *replayedLog) {
	if l.at == nil || l.at.res == nil {
		switch {
		case l.gap >= 0 && t.at > l.gap:
			fmt.Fprintf(t.w, "%s\n", t.p.Bad(fmt.Sprintf("no table after row %d can be given: rows are left out or unreadable at line %d", t.at, l.gapLine)))
		case l.at != nil:
			fmt.Fprintf(t.w, "%s\n", t.p.Bad("no table can be given: the rows do not all have the same number of fields"))
		default:
			fmt.Fprintf(t.w, "the log has no row %d\n", t.at)
		}
		return
	}
	cells := make([]string, len(l.at.cells))
	for i, c := range l.at.cells {
		cells[i] = term.Safe(c)
	}
	fmt.Fprintf(t.w, "row %d (line %d): %s (%s)\n", l.at.n, l.at.line, l.at.kind, strings.Join(cells, ", "))
	fmt.Fprintf(t.w, "%s\n", t.p.Bold(fmt.Sprintf("table after row %d: %s", l.at.n, plural(l.at.res.Table.Len(), "row"))))
	t.table(l.columns, l.at.res.Table)
}

func (t *replayText) violations(l *replayedLog, gap bool) {
	r := l.res
	if r.OK() {
		if !gap {
			fmt.Fprintln(t.w, t.p.Good("no violations"))
		}
		return
	}
	head := plural(r.NViolations, "violation")
	if gap && l.gap < 0 {
		head += " (missing rows alone may cause them)"
	}
	fmt.Fprintf(t.w, "%s\n", t.p.Bad(head+":"))
	for i, v := range r.Violations {
		if t.limit > 0 && i == t.limit {
			break
		}
		fmt.Fprintf(t.w, "  line %d (row %d): %s\n", v.Line, v.Row, term.Safe(v.Text))
	}
	if n := min(len(r.Violations), t.limit); t.limit > 0 && r.NViolations > n {
		fmt.Fprintf(t.w, "  ... and %d more\n", r.NViolations-n)
	}
}

// table prints rows in columns; numbers stand on the right.
func (t *replayText) table(columns []string, tab *replay.Table) {
	var rows [][]string
	more := 0
	for r := range tab.Rows() {
		if t.limit > 0 && len(rows) == t.limit {
			more = tab.Distinct() - len(rows)
			break
		}
		row := make([]string, len(r.Cells), len(r.Cells)+1)
		for i, c := range r.Cells {
			row[i] = term.Safe(string(c))
		}
		if r.Count > 1 {
			row = append(row, fmt.Sprintf("x %d", r.Count))
		}
		rows = append(rows, row)
	}
	head := make([]string, len(columns))
	for i, c := range columns {
		head[i] = term.Safe(c)
	}
	printColumns(t.w, t.p, head, rows)
	if more > 0 {
		fmt.Fprintf(t.w, "  ... and %s (--limit 0 shows all)\n", plural(more, "more row"))
	}
}

func printColumns(w io.Writer, p *term.Palette, head []string, rows [][]string) {
	var widths []int
	var right []bool
	see := func(i int, s string, isHead bool) {
		for len(widths) <= i {
			widths, right = append(widths, 0), append(right, true)
		}
		widths[i] = max(widths[i], term.Columns(s))
		if !isHead && strings.Trim(s, "+-0123456789.,E") != "" && s != "<NULL>" && s != "(NULL)" {
			right[i] = false
		}
	}
	for i, h := range head {
		see(i, h, true)
	}
	for _, r := range rows {
		for i, c := range r {
			see(i, c, false)
		}
	}
	line := func(r []string, style func(string) string) {
		var b strings.Builder
		for i, c := range r {
			b.WriteString("  ")
			if right[i] {
				b.WriteString(term.PadLeft(c, widths[i]))
			} else {
				b.WriteString(term.Pad(c, widths[i]))
			}
		}
		fmt.Fprintln(w, style(strings.TrimRight(b.String(), " ")))
	}
	if len(head) > 0 {
		line(head, p.Dim)
	}
	for _, r := range rows {
		line(r, func(s string) string { return s })
	}
}
