package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/internal/term"
	"github.com/labgrade/labgrade/parse"
)

// parseSchemaVersion is the version of the JSON of labgrade parse.
const parseSchemaVersion = 1

// parseJSON writes the facts as one JSON object, block by block, in constant memory.
type parseJSON struct {
	w       io.Writer
	file    string
	started bool
	blocks  int
	rowsOf  *parse.Block
	rows    int
}

type blockJSON struct {
	Kind       string         `json:"kind"`
	What       string         `json:"what,omitempty"`
	Run        int            `json:"run"`
	FirstLine  int            `json:"first_line"`
	LastLine   int            `json:"last_line"`
	Echo       string         `json:"echo,omitempty"`
	EchoLine   int            `json:"echo_line,omitempty"`
	Style      string         `json:"style,omitempty"`
	Columns    []string       `json:"columns,omitempty"`
	CutColumns []int          `json:"cut_columns,omitempty"`
	HeaderLine int            `json:"header_line,omitempty"`
	HasOp      *bool          `json:"has_op,omitempty"`
	Rows       *int           `json:"rows,omitempty"`
	Counts     map[string]int `json:"counts,omitempty"`
	Footer     *footerJSON    `json:"footer,omitempty"`
	Complete   *bool          `json:"complete,omitempty"`
	Missing    *int           `json:"missing,omitempty"`
	CutCells   *int           `json:"cut_cells,omitempty"`
	Elided     []elisionJSON  `json:"elided,omitempty"`
	Plan       *planJSON      `json:"plan,omitempty"`
	Error      *errJSON       `json:"error,omitempty"`
	Messages   []string       `json:"messages,omitempty"`
	JobID      string         `json:"job_id,omitempty"`
	Text       string         `json:"text,omitempty"`
	Notes      []noteJSON     `json:"notes,omitempty"`
	Problems   []problemJSON  `json:"problems,omitempty"`
	NProblems  int            `json:"problems_total,omitempty"`
}

type footerJSON struct {
	Kind    string   `json:"kind"`
	Line    int      `json:"line"`
	Rows    int      `json:"rows"`
	Seconds *float64 `json:"seconds,omitempty"`
	Text    string   `json:"text"`
}

type elisionJSON struct {
	Line int    `json:"line"`
	Text string `json:"text"`
	Rows int    `json:"rows,omitempty"`
}

type planJSON struct {
	Sections []sectionJSON `json:"sections"`
}

type sectionJSON struct {
	Kind   string     `json:"kind"`
	Title  string     `json:"title"`
	Line   int        `json:"line"`
	Nodes  []nodeJSON `json:"nodes,omitempty"`
	Advice []string   `json:"advice,omitempty"`
	JSON   string     `json:"json,omitempty"`
}

type nodeJSON struct {
	Line    int     `json:"line"`
	Depth   int     `json:"depth"`
	Name    string  `json:"name"`
	Mode    *string `json:"changelog_mode,omitempty"`
	Text    string  `json:"text"`
	ReuseID int     `json:"reuse_id,omitempty"`
}

type errJSON struct {
	Header  string      `json:"header,omitempty"`
	Class   string      `json:"class"`
	Message string      `json:"message"`
	Verbose bool        `json:"verbose,omitempty"`
	Causes  []causeJSON `json:"causes,omitempty"`
}

type causeJSON struct {
	Line    int    `json:"line"`
	Class   string `json:"class"`
	Message string `json:"message"`
}

type noteJSON struct {
	Line int    `json:"line,omitempty"`
	Code string `json:"code"`
	Text string `json:"text"`
}

type problemJSON struct {
	Line   int    `json:"line"`
	Code   string `json:"code"`
	Reason string `json:"reason"`
	Text   string `json:"text,omitempty"`
}

type rowJSON struct {
	Line     int      `json:"line"`
	LastLine int      `json:"last_line,omitempty"`
	Kind     string   `json:"kind,omitempty"`
	Sink     string   `json:"sink,omitempty"`
	Subtask  int      `json:"subtask,omitempty"`
	Cells    []string `json:"cells"`
	Cut      []int    `json:"cut,omitempty"`
}

func (p *parseJSON) start() {
	if p.started {
		return
	}
	p.started = true
	fmt.Fprintf(p.w, "{\"schema_version\":%d,\"file\":%s,\"blocks\":[", parseSchemaVersion, marshal(p.file))
}

// openBlock begins a block's object; its rows come before its other members.
func (p *parseJSON) openBlock() {
	p.start()
	if p.blocks > 0 {
		io.WriteString(p.w, ",")
	}
	p.blocks++
	io.WriteString(p.w, "\n{")
}

func (p *parseJSON) row(b *parse.Block, r *parse.Row) error {
	if p.rowsOf != b {
		p.openBlock()
		io.WriteString(p.w, "\"row_list\":[")
		p.rowsOf, p.rows = b, 0
	}
	if p.rows > 0 {
		io.WriteString(p.w, ",")
	}
	p.rows++
	j := rowJSON{Line: r.Line, Sink: string(r.Sink), Subtask: r.Subtask, Cells: make([]string, len(r.Cells))}
	if r.LastLine != r.Line {
		j.LastLine = r.LastLine
	}
	if r.HasKind {
		j.Kind = r.Kind.String()
	}
	for i := range r.Cells {
		j.Cells[i] = r.Text(i)
		if r.Cut(i) {
			j.Cut = append(j.Cut, i)
		}
	}
	_, err := fmt.Fprintf(p.w, "\n%s", marshal(j))
	return err
}

func (p *parseJSON) block(b *parse.Block) error {
	body := marshal(blockFacts(b))
	if p.rowsOf == b {
		io.WriteString(p.w, "],")
	} else {
		p.openBlock()
	}
	_, err := p.w.Write(body[1:])
	return err
}

func (p *parseJSON) end(s *parse.Scanner) error {
	p.start()
	_, err := fmt.Fprintf(p.w, "],\n\"lines\":%d,\"encoding\":%s,\"runs\":%d,\"notes\":%s}\n", s.Lines(), marshal(s.Encoding()), s.Runs(), marshal(notesJSON(s.Notes())))
	return err
}

// marshal is JSON without the escapes that only HTML needs, but with those that keep a
// submission's text from acting on the terminal.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte("null")
	}
	return term.SafeJSON(bytes.TrimRight(b.Bytes(), "\n"))
}

func blockFacts(b *parse.Block) blockJSON {
	j := blockJSON{
		Kind: b.Kind.String(), What: string(b.What), Run: b.Run + 1, FirstLine: b.FirstLine, LastLine: b.LastLine,
		Echo: b.Echo, EchoLine: b.EchoLine, Style: b.Style.String(), HeaderLine: b.HeaderLine,
		Messages: b.Messages, JobID: b.JobID, NProblems: b.NProblems, Notes: notesJSON(b.Notes),
	}
	if b.IsResult() {
		complete, missing := b.Complete(), b.Missing()
		j.HasOp, j.Rows, j.CutCells, j.Complete = &b.HasOp, &b.NRows, &b.CutCells, &complete
		if missing != 0 {
			j.Missing = &missing
		}
		for i, c := range b.Columns {
			j.Columns = append(j.Columns, c.Name)
			if c.Cut {
				j.CutColumns = append(j.CutColumns, i)
			}
		}
		if b.HasOp {
			j.Counts = kindCounts(b.Counts)
		}
	}
	if f := b.Footer; f != nil {
		j.Footer = &footerJSON{Kind: f.Kind.String(), Line: f.Line, Rows: f.Rows, Text: f.Text}
		if f.HasSeconds {
			j.Footer.Seconds = &f.Seconds
		}
	}
	for _, e := range b.Elided {
		j.Elided = append(j.Elided, elisionJSON(e))
	}
	if b.Plan != nil {
		j.Plan = planFacts(b.Plan)
	} else {
		j.Text = b.Text
	}
	if e := b.Err; e != nil {
		j.Error = &errJSON{Header: e.Header, Class: e.Class, Message: e.Message, Verbose: e.Verbose}
		if len(e.Causes) > 1 {
			for _, c := range e.Causes {
				j.Error.Causes = append(j.Error.Causes, causeJSON(c))
			}
		}
	}
	for _, p := range b.Problems {
		j.Problems = append(j.Problems, problemJSON{Line: p.Line, Code: p.Code, Reason: p.Reason, Text: p.Text})
	}
	return j
}

func planFacts(p *parse.Plan) *planJSON {
	j := &planJSON{Sections: []sectionJSON{}}
	for i := range p.Sections {
		s := &p.Sections[i]
		sj := sectionJSON{Kind: s.Kind.String(), Title: s.Title, Line: s.Line, Advice: s.Advice, JSON: s.JSON}
		for _, n := range s.Nodes() {
			nj := nodeJSON{Line: n.Line, Depth: n.Depth, Name: n.Name, Text: n.Text, ReuseID: n.ReuseID}
			if n.HasMode {
				m := n.Mode.String()
				nj.Mode = &m
			}
			sj.Nodes = append(sj.Nodes, nj)
		}
		j.Sections = append(j.Sections, sj)
	}
	return j
}

func notesJSON(notes []parse.Note) []noteJSON {
	out := make([]noteJSON, len(notes))
	for i, n := range notes {
		out[i] = noteJSON(n)
	}
	return out
}

// kindCounts has all four kinds, so that a reader need not know which can be missing.
func kindCounts(counts [4]int) map[string]int {
	m := make(map[string]int, 4)
	for k, n := range counts {
		m[changelog.RowKind(k).String()] = n
	}
	return m
}
