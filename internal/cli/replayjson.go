package cli

import (
	"fmt"
	"io"

	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/replay"
)

// replaySchemaVersion is the version of the JSON of labgrade replay.
const replaySchemaVersion = 1

type logJSON struct {
	FirstLine  int             `json:"first_line"`
	LastLine   int             `json:"last_line"`
	Run        int             `json:"run"`
	Sink       string          `json:"sink,omitempty"`
	Columns    []string        `json:"columns,omitempty"`
	Key        []int           `json:"key,omitempty"`
	Upsert     bool            `json:"upsert"`
	Rows       int             `json:"rows"`
	Counts     map[string]int  `json:"counts"`
	Complete   bool            `json:"complete"`
	Cancelled  bool            `json:"cancelled,omitempty"`
	Reason     string          `json:"reason,omitempty"`
	Missing    int             `json:"missing,omitempty"`
	GapAfter   *int            `json:"gap_after_row,omitempty"`
	OK         bool            `json:"ok"`
	Violations []violationJSON `json:"violations"`
	NViolation int             `json:"violations_total"`
	ByCode     map[string]int  `json:"violations_by_code,omitempty"`
	Final      *tableJSON      `json:"final"`
	At         *atJSON         `json:"at,omitempty"`
	Notes      []noteJSON      `json:"notes,omitempty"`
	Problems   []problemJSON   `json:"problems,omitempty"`
}

type violationJSON struct {
	Code      string   `json:"code"`
	Line      int      `json:"line"`
	Row       int      `json:"row"`
	Kind      string   `json:"kind"`
	Cells     []string `json:"cells"`
	OtherLine int      `json:"other_line,omitempty"`
	OtherRow  int      `json:"other_row,omitempty"`
	Held      []string `json:"held,omitempty"`
	Text      string   `json:"text"`
}

type tableJSON struct {
	NRows int            `json:"n_rows"`
	Rows  []tableRowJSON `json:"rows"`
}

type tableRowJSON struct {
	Cells []string `json:"cells"`
	Count int      `json:"count"`
	Line  int      `json:"line"`
	Row   int      `json:"row"`
}

type atJSON struct {
	Row   int        `json:"row"`
	Line  int        `json:"line"`
	Kind  string     `json:"kind"`
	Cells []string   `json:"cells"`
	Table *tableJSON `json:"table"`
}

func writeReplayJSON(w io.Writer, file string, logs []*replayedLog, notes []parse.Note) {
	fmt.Fprintf(w, "{\"schema_version\":%d,\"file\":%s,\"notes\":%s,\"logs\":[", replaySchemaVersion, marshal(file), marshal(notesJSON(notes)))
	for i, l := range logs {
		if i > 0 {
			io.WriteString(w, ",")
		}
		fmt.Fprintf(w, "\n%s", marshal(logFacts(l)))
	}
	io.WriteString(w, "]}\n")
}

func logFacts(l *replayedLog) logJSON {
	b := l.block
	j := logJSON{
		FirstLine: b.FirstLine, LastLine: b.LastLine, Run: b.Run + 1, Sink: l.sink, Columns: l.columns, Key: l.key,
		Upsert: len(l.res.Key) > 0, Rows: l.rows, Counts: kindCounts(l.counts()), Reason: l.noTable(),
		Complete: l.noTable() == "" && (b.Complete() || b.Style == parse.StylePrint), Cancelled: b.Kind == parse.KindCancelled,
		Missing: max(b.Missing(), 0), OK: l.res.OK() && l.noTable() == "", NViolation: l.res.NViolations,
		Violations: []violationJSON{}, Notes: notesJSON(b.Notes),
	}
	if l.gap >= 0 {
		j.GapAfter = &l.gap
	}
	for _, v := range l.res.Violations {
		j.Violations = append(j.Violations, violationJSON{Code: v.Code.String(), Line: v.Line, Row: v.Row, Kind: v.Kind.String(), Cells: v.Cells, OtherLine: v.OtherLine, OtherRow: v.OtherRow, Held: v.Held, Text: v.Text})
	}
	for c, n := range l.res.ByCode {
		if n > 0 {
			if j.ByCode == nil {
				j.ByCode = map[string]int{}
			}
			j.ByCode[replay.Code(c).String()] = n
		}
	}
	if j.Reason == "" {
		j.Final = tableFacts(l.res.Table)
	}
	if a := l.at; a != nil && a.res != nil {
		j.At = &atJSON{Row: a.n, Line: a.line, Kind: a.kind, Cells: a.cells, Table: tableFacts(a.res.Table)}
	}
	for _, p := range b.Problems {
		j.Problems = append(j.Problems, problemJSON{Line: p.Line, Code: p.Code, Reason: p.Reason, Text: p.Text})
	}
	return j
}

func tableFacts(t *replay.Table) *tableJSON {
	j := &tableJSON{NRows: t.Len(), Rows: make([]tableRowJSON, 0, t.Distinct())}
	for r := range t.Rows() {
		row := tableRowJSON{Cells: make([]string, len(r.Cells)), Count: r.Count, Line: r.Line, Row: r.Row}
		for i, c := range r.Cells {
			row.Cells[i] = string(c)
		}
		j.Rows = append(j.Rows, row)
	}
	return j
}
