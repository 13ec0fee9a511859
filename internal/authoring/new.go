package authoring

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/sql"
)

// Draft is what a new lab is made from.
type Draft struct {
	Name    string
	Sources []*Inferred
	// SQL are views and the queries, each of which becomes steps.
	SQL string
}

// quoted puts a name into back quotes where it cannot stand without them.
func quoted(name string) string {
	if _, err := sql.ParseQuery("SELECT " + name + " FROM t"); err != nil {
		return sql.QuoteName(name)
	}
	return name
}

// New writes a working lab into dir, which must be new: a batch and a streaming step for
// each query, a report, starter, solution and wrong submissions. It returns notes on what
// was left out.
func New(ctx context.Context, d Draft, dir string) ([]string, error) {
	text, notes, err := draftLab(ctx, d)
	if err != nil {
		return nil, err
	}
	write := func(name string, data []byte) error {
		full := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			return err
		}
		return os.WriteFile(full, data, 0o644)
	}
	if err := write(labs.FileName, text); err != nil {
		return nil, err
	}
	for _, s := range d.Sources {
		if err := write("data/"+s.Table.File, s.Data); err != nil {
			return nil, err
		}
	}
	lab, err := labs.Load(os.DirFS(dir))
	if err != nil {
		return nil, fmt.Errorf("the new lab file is wrong: %w", err)
	}
	if err := write("README.md", readme(lab)); err != nil {
		return nil, err
	}
	g := Grader(lab)
	for i := range lab.Steps {
		s := &lab.Steps[i]
		if s.SQL != "" {
			if err := write("starter/"+s.SQL, []byte(checks.Script(lab, s, false))); err != nil {
				return nil, err
			}
			if err := write("solution/"+s.SQL, []byte(checks.Script(lab, s, true))); err != nil {
				return nil, err
			}
			continue
		}
		zeros := make([]checks.Number, len(s.Numbers))
		for k, n := range s.Numbers {
			zeros[k].Name = n.Name
		}
		if err := write("starter/"+s.File, reportText(zeros)); err != nil {
			return nil, err
		}
	}
	if _, err := WriteSolution(ctx, lab, Shipped(lab), filepath.Join(dir, "solution")); err != nil {
		return nil, err
	}
	if err := wrongs(ctx, lab, g, write); err != nil {
		return nil, err
	}
	return notes, nil
}

// draftStep is a query and in which modes Flink runs it.
type draftStep struct {
	query             string
	batch, stream     bool
	key, batchColumns []string
	refused           error
}

// draftLab finds out which steps the queries make, and writes the lab file.
func draftLab(ctx context.Context, d Draft) (text []byte, notes []string, err error) {
	lab := &labs.Lab{ID: d.Name, Version: "1", Flink: "2.3.0"}
	for _, s := range d.Sources {
		notes = append(notes, prefixed(s.Table.File+": ", s.Notes)...)
		lab.Tables = append(lab.Tables, s.Table)
	}
	setup, queries, err := statements(d.SQL)
	if err != nil {
		return nil, nil, err
	}
	lab.Setup = setup
	// A lab of one step is parsed, so that the tables are complete, and then tried.
	probe := &labs.Lab{}
	*probe = *lab
	data := map[string][]byte{}
	for _, s := range d.Sources {
		data[s.Table.Name] = s.Data
	}
	var steps []draftStep
	for _, q := range queries {
		st := draftStep{query: q}
		for _, mode := range []string{"batch", "streaming"} {
			parsed, err := labs.Parse(labs.FileName, labText(probe, []labStep{{id: "probe", kind: kindOf(mode), mode: mode, query: q}}))
			if err != nil {
				return nil, nil, err
			}
			rows, columns, refused, err := checks.ResultOf(ctx, parsed, &parsed.Steps[0], memorySource(data))
			if err != nil {
				return nil, nil, err
			}
			switch {
			case refused != nil:
				st.refused = refused
			case mode == "batch":
				st.batch, st.batchColumns, st.key = true, columns, keyOf(columns, rows)
			default:
				st.stream = true
				if st.batchColumns == nil {
					st.batchColumns = columns
				}
			}
		}
		if !st.batch && !st.stream {
			return nil, nil, fmt.Errorf("the query cannot be used: %w\n  %s", st.refused, strings.Join(strings.Fields(q), " "))
		}
		if !st.batch || !st.stream {
			notes = append(notes, fmt.Sprintf("one of the two modes was left out: %v", st.refused))
		}
		steps = append(steps, st)
	}
	return labText(lab, stepsOf(steps, len(d.Sources))), notes, nil
}

func kindOf(mode string) labs.Kind {
	if mode == "batch" {
		return labs.KindTable
	}
	return labs.KindChangelog
}

func prefixed(p string, list []string) []string {
	var out []string
	for _, s := range list {
		out = append(out, p+s)
	}
	return out
}

// statements splits a text into views and queries.
func statements(text string) (setup string, queries []string, err error) {
	list, err := sql.ParseList(text)
	if err != nil {
		return "", nil, fmt.Errorf("the query cannot be parsed: %w", err)
	}
	for _, st := range list {
		sp := st.At()
		part := strings.TrimSpace(text[sp.Start.Offset : sp.End.Offset+1])
		switch st.(type) {
		case *sql.CreateView:
			setup += part + ";\n"
		case *sql.QueryStmt:
			queries = append(queries, part)
		case *sql.Set, *sql.CreateTable:
			// A learner's script has them; the lab makes its own.
		default:
			return "", nil, errors.New("the SQL file of a new lab has queries and views only; other kinds of step are written into lab.yaml")
		}
	}
	if len(queries) == 0 {
		return "", nil, errors.New("the SQL file has no query")
	}
	return setup, queries, nil
}

// keyOf finds the first column, or pair of columns, that tells the rows of a batch result
// apart; nil when there is none.
func keyOf(columns []string, rows [][]string) []string {
	tells := func(at ...int) bool {
		seen := map[string]bool{}
		for _, r := range rows {
			var k []string
			for _, i := range at {
				k = append(k, r[i])
			}
			id := strings.Join(k, "\x00")
			if seen[id] {
				return false
			}
			seen[id] = true
		}
		return true
	}
	for i := range columns {
		if tells(i) {
			return columns[i : i+1]
		}
	}
	for i := range columns {
		for k := i + 1; k < len(columns); k++ {
			if tells(i, k) {
				return []string{columns[i], columns[k]}
			}
		}
	}
	return nil
}

// wrongs writes wrong submissions that machine mistakes make: for each step the first one
// in its query and the first one in its file, with the codes that they get.
func wrongs(ctx context.Context, lab *labs.Lab, g *checks.Grader, write func(string, []byte) error) error {
	solution, err := lab.Solution()
	if err != nil {
		return err
	}
	for i := range lab.Steps {
		step := &lab.Steps[i]
		list, err := g.Mutants(ctx, solution, step)
		if err != nil {
			return err
		}
		taken := map[string]bool{}
		for _, m := range list {
			sort := "query"
			if strings.HasPrefix(m.Says, step.Out+":") {
				sort = "file"
			}
			if step.Kind == labs.KindReport {
				sort = strings.ReplaceAll(m.Says, "_", "-")
				sort, _, _ = strings.Cut(sort, " ")
			}
			if m.Same || taken[sort] {
				continue
			}
			got, err := g.CheckFor(ctx, m.Files, nil, checks.Viewer{Staff: true})
			if err != nil {
				return err
			}
			codes := codesOf(got)
			if len(codes) != 1 || strings.HasSuffix(codes[0], "TABLE-008") || strings.HasSuffix(codes[0], "STREAM-015") {
				continue // a mistake without a good name makes no good example
			}
			taken[sort] = true
			name := "wrong/" + step.ID + "-" + sort
			var expect bytes.Buffer
			fmt.Fprintf(&expect, "says: %s\ncodes: [%s]\n", yamlText(m.Says), strings.Join(codes, ", "))
			if err := write(name+"/expect.yaml", expect.Bytes()); err != nil {
				return err
			}
			for _, file := range m.Changed() {
				data, err := readAll(m.Files, file)
				if err != nil {
					return err
				}
				if err := write(name+"/"+file, data); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// stepsOf makes the steps of a new lab.
func stepsOf(list []draftStep, sources int) []labStep {
	var out []labStep
	var numbers []labs.Number
	for i, d := range list {
		suffix := ""
		if len(list) > 1 {
			suffix = fmt.Sprintf("-%d", i+1)
		}
		if d.batch {
			id := "batch" + suffix
			out = append(out, labStep{id: id, title: "The query as a batch", kind: labs.KindTable, mode: "batch", query: d.query, key: d.key, files: true})
			numbers = append(numbers, labs.Number{Name: name("rows", suffix), Value: "count(" + id + ")", Says: "rows of the batch result"})
		}
		if d.stream {
			id := "stream" + suffix
			s := labStep{id: id, title: "The query as a stream", kind: labs.KindChangelog, query: d.query, key: d.key, files: true}
			if sources > 1 {
				s.compare = labs.CompareMerge
			}
			out = append(out, s)
			numbers = append(numbers, labs.Number{Name: name("messages", suffix), Value: "count(" + id + ")", Says: "rows of the log in " + id + ".out"})
		}
	}
	if slices.ContainsFunc(out, func(s labStep) bool { return s.compare == labs.CompareMerge }) {
		// How long a log over several sources is depends on the order in which they are read.
		numbers = slices.DeleteFunc(numbers, func(n labs.Number) bool { return strings.HasPrefix(n.Name, "messages") })
	}
	if len(numbers) > 0 {
		out = append(out, labStep{id: "report", title: "The numbers", kind: labs.KindReport, numbers: numbers})
	}
	return out
}

func name(word, suffix string) string { return word + strings.ReplaceAll(suffix, "-", "_") }
