package cli

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/internal/term"
	"github.com/labgrade/labgrade/parse"
)

func parseCommand(s Streams) *cli.Command {
	return &cli.Command{
		Name:      "parse",
		Usage:     "show what a saved Flink output holds: tables, plans, errors, with line numbers",
		ArgsUsage: "FILE",
		Description: "FILE is anything saved or pasted from sql-client.sh, a print sink's lines, or - for standard input.\n" +
			"It is read as it is: nothing is judged right or wrong.",
		Flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "json", Usage: "print JSON (docs/schema/parse.schema.json)"},
			&cli.BoolFlag{Name: "rows", Usage: "show every row"},
			colorFlag(),
		}, limitFlags()...),
		Action: func(c *cli.Context) error { return runParse(c, s) },
	}
}

func runParse(c *cli.Context, s Streams) error {
	name, err := oneFile(c)
	if err != nil {
		return err
	}
	limits, err := limitsFrom(c)
	if err != nil {
		return err
	}
	in, name, err := openInput(name, limits, s)
	if err != nil {
		return err
	}
	defer in.Close()
	out := bufio.NewWriterSize(s.Out, 64<<10)
	defer out.Flush()
	var w parseWriter
	if c.Bool("json") {
		w = &parseJSON{w: out, file: name}
	} else {
		p, err := paletteFor(c, s.Out, s)
		if err != nil {
			return err
		}
		w = &parseText{w: out, p: p, file: name}
	}
	o := parse.Options{File: name}
	if c.Bool("rows") {
		o.OnRow = func(b *parse.Block, r *parse.Row) error {
			if c.Context.Err() != nil {
				return c.Context.Err()
			}
			return w.row(b, r)
		}
	}
	sc := parse.NewScanner(in, o)
	for sc.Scan() {
		if c.Context.Err() != nil {
			return c.Context.Err()
		}
		if err := w.block(sc.Block()); err != nil {
			return err
		}
	}
	if err := sc.Err(); err != nil {
		return ungradable(err)
	}
	if err := w.end(sc); err != nil {
		return err
	}
	return out.Flush()
}

// parseWriter shows facts as they come.
type parseWriter interface {
	row(*parse.Block, *parse.Row) error
	block(*parse.Block) error
	end(*parse.Scanner) error
}

// parseText shows facts to people.
type parseText struct {
	w      io.Writer
	p      *term.Palette
	file   string
	rowsOf *parse.Block
	known  int // blocks other than text
	run    int
}

func (t *parseText) row(b *parse.Block, r *parse.Row) error {
	if t.rowsOf != b {
		t.rowsOf = b
		fmt.Fprintf(t.w, "%10s  rows of %s\n", lines(b.FirstLine, 0), t.p.Dim(columnNames(b)))
	}
	kind := ""
	if r.HasKind {
		kind = r.Kind.String() + " "
	}
	if len(r.Sink) > 0 || r.Subtask > 0 {
		kind = term.Safe(string(r.Sink))
		if r.Subtask > 0 {
			kind = strings.TrimPrefix(fmt.Sprintf("%s:%d", kind, r.Subtask), ":")
		}
		kind += "> " + r.Kind.String() + " "
	}
	cells := make([]string, len(r.Cells))
	for i := range r.Cells {
		cells[i] = term.Safe(r.Text(i))
		if r.Cut(i) {
			cells[i] = t.p.Warn(cells[i])
		}
	}
	_, err := fmt.Fprintf(t.w, "%10d    %s(%s)\n", r.Line, kind, strings.Join(cells, ", "))
	return err
}

func (t *parseText) block(b *parse.Block) error {
	if b.Run != t.run {
		t.run = b.Run
		fmt.Fprintf(t.w, "%s\n", t.p.Title(fmt.Sprintf("run %d", b.Run+1)))
	}
	if b.Kind != parse.KindOther {
		t.known++
	}
	kind := b.Kind.String()
	switch b.Kind {
	case parse.KindError:
		kind = t.p.Bad(fmt.Sprintf("%-9s", kind))
	case parse.KindOther:
		kind = t.p.Dim(fmt.Sprintf("%-9s", string(b.What)))
	default:
		kind = t.p.Bold(fmt.Sprintf("%-9s", kind))
	}
	fmt.Fprintf(t.w, "%10s  %s %s\n", lines(b.FirstLine, b.LastLine), kind, blockSummary(b))
	if b.Echo != "" && b.Kind != parse.KindOther {
		fmt.Fprintf(t.w, "%10s  %s\n", "", t.p.Dim("answers "+quoteShort(b.Echo, 90)))
	}
	for _, n := range b.Notes {
		fmt.Fprintf(t.w, "%10s  %s %s\n", lines(n.Line, 0), t.p.Note("note"), term.Safe(n.Text))
	}
	for i, p := range b.Problems {
		if i == 20 {
			fmt.Fprintf(t.w, "%10s  %s\n", "", t.p.Warn(fmt.Sprintf("... %d more lines that cannot be read", b.NProblems-i)))
			break
		}
		fmt.Fprintf(t.w, "%10s  %s %s: %s\n", lines(p.Line, 0), t.p.Warn("cannot be read"), term.Safe(p.Reason), quoteShort(p.Text, 60))
	}
	return nil
}

func (t *parseText) end(s *parse.Scanner) error {
	for _, n := range s.Notes() {
		fmt.Fprintf(t.w, "%10s  %s %s\n", lines(n.Line, 0), t.p.Note("note"), term.Safe(n.Text))
	}
	if t.known == 0 {
		fmt.Fprintf(t.w, "%s holds no Flink output: no table, plan, message or error was found in its %d lines\n", term.Safe(t.file), s.Lines())
	}
	return nil
}

// blockSummary says what is in a block, on one line.
func blockSummary(b *parse.Block) string {
	switch b.Kind {
	case parse.KindTable, parse.KindEmpty, parse.KindCancelled:
		if !b.IsResult() {
			return quoteShort(b.Text, 100)
		}
		s := plural(b.NRows, "row")
		if b.HasOp {
			s += countsText(b.Counts)
		} else if len(b.Columns) > 0 {
			s += ", no op column"
		}
		if names := columnNames(b); names != "" {
			s += "; columns " + names
		}
		if b.Footer != nil {
			s += "; " + term.Safe(b.Footer.Text)
		}
		if b.Style == parse.StyleOldTable || b.Style == parse.StyleMarkdown {
			s += "; " + b.Style.String()
		}
		return s
	case parse.KindPlan:
		var parts []string
		for i := range b.Plan.Sections {
			sec := &b.Plan.Sections[i]
			parts = append(parts, fmt.Sprintf("%s (%s)", term.Safe(sec.Title), plural(len(sec.Nodes()), "node")))
		}
		s := strings.Join(parts, ", ")
		if b.Plan.HasModes() {
			s += "; with changelog modes"
		}
		return s
	case parse.KindError:
		s := b.Err.SimpleClass()
		if s != "" {
			s += ": "
		}
		return term.Safe(s) + quoteShort(b.Err.FirstLine(), 160)
	case parse.KindInfo:
		s := quoteShort(strings.Join(b.Messages, " / "), 120)
		if b.JobID != "" {
			s += "; job " + term.Safe(b.JobID)
		}
		return s
	}
	first, _, _ := strings.Cut(b.Text, "\n")
	return quoteShort(first, 80)
}

func columnNames(b *parse.Block) string {
	names := make([]string, 0, len(b.Columns)+1)
	if b.HasOp && b.Style != parse.StylePrint {
		names = append(names, "op")
	}
	for _, c := range b.Columns {
		names = append(names, term.Safe(c.Name))
	}
	if len(b.Columns) == 0 {
		return ""
	}
	return strings.Join(names, ", ")
}

func countsText(counts [4]int) string {
	var parts []string
	for k, n := range counts {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", changelog.RowKind(k), n))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return fmt.Sprintf("%d %ss", n, word)
}

// lines is "12-20", "12", or nothing for 0.
func lines(first, last int) string {
	switch {
	case first == 0:
		return ""
	case last == 0 || last == first:
		return fmt.Sprint(first)
	}
	return fmt.Sprintf("%d-%d", first, last)
}

// quoteShort is a submission's text on one line, safe and at most n columns wide.
func quoteShort(s string, n int) string {
	return term.Shorten(term.Safe(strings.Join(strings.Fields(s), " ")), n)
}
