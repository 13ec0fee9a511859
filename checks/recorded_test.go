package checks

import (
	"context"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// recordedEngine answers the lab's scripts with what a real Flink printed.
type recordedEngine struct{ answers map[string][]recordedAnswer }

type recordedAnswer struct {
	Answer
	kinds []changelog.RowKind
	rows  []value.Row
}

func (e *recordedEngine) Execute(_ context.Context, script string, _ Files, h Handler) error {
	list, ok := e.answers[script]
	if !ok {
		return h.End(&Answer{Text: script, Line: 1, Err: flinkerr.New("test.Unknown", "not recorded")})
	}
	for i := range list {
		a := list[i].Answer
		for j, r := range list[i].rows {
			if err := h.Row(&a, list[i].kinds[j], r, Cause{}); err != nil {
				return err
			}
		}
		if err := h.End(&a); err != nil {
			return err
		}
	}
	return nil
}

func newRecordedEngine(t testing.TB, lab *labs.Lab, dir string) *recordedEngine {
	e := &recordedEngine{answers: map[string][]recordedAnswer{}}
	fsys := os.DirFS(dir)
	for i := range lab.Steps {
		step := &lab.Steps[i]
		if step.Out == "" {
			continue
		}
		b, err := os.ReadFile(dir + "/" + step.Out)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := parse.Read(strings.NewReader(string(b)), parse.Options{})
		if err != nil {
			t.Fatal(err)
		}
		stmts := setupAnswers(labScript(lab, step))
		script := labScript(lab, step) + ended(step.Query)
		switch step.Kind {
		case labs.KindTable, labs.KindChangelog:
			r := tr.Results()[0]
			a := recordedAnswer{Answer: Answer{Text: step.Query, Streaming: step.Streaming(), IsRows: true}}
			for _, c := range r.Columns {
				a.Columns = append(a.Columns, value.Field{Name: c.Name, Type: value.VarcharType(value.MaxLength)})
			}
			if a.Columns == nil {
				for _, n := range []string{"user_id", "clicks", "dwell"} {
					a.Columns = append(a.Columns, value.Field{Name: n, Type: value.VarcharType(value.MaxLength)})
				}
			}
			for _, row := range r.Rows {
				var v value.Row
				for i := range row.Cells {
					v = append(v, value.String(row.Text(i)))
				}
				a.kinds, a.rows = append(a.kinds, row.Kind), append(a.rows, v)
			}
			stmts = append(stmts, a)
		case labs.KindPlan:
			script = labScript(lab, step)
			for i, p := range step.Plans {
				script += "EXPLAIN CHANGELOG_MODE " + ended(p.Query)
				stmts = append(stmts, recordedAnswer{Answer: Answer{Text: p.Query, Plan: tr.Plans()[i].Text}})
			}
		case labs.KindRefusal:
			err := tr.Errors()[0].Err
			stmts = append(stmts, recordedAnswer{Answer: Answer{Text: step.Query, Err: flinkerr.New(err.Class, "%s", err.Message)}})
		case labs.KindSink:
			a := recordedAnswer{Answer: Answer{Text: step.Query, Streaming: true, IsRows: true, SinkTable: "changelog_fs"}}
			for _, n := range []string{"change", "user_id", "clicks"} {
				a.Columns = append(a.Columns, value.Field{Name: n, Type: value.VarcharType(value.MaxLength)})
			}
			if _, err := fs.Stat(fsys, step.Folder); err == nil {
				f, err := parse.ReadSink(fsys, step.Folder, parse.SinkOptions{})
				if err != nil {
					t.Fatal(err)
				}
				for _, row := range f.Rows {
					var v value.Row
					for _, c := range row.Fields {
						v = append(v, value.String(string(c)))
					}
					a.kinds, a.rows = append(a.kinds, changelog.Insert), append(a.rows, v)
				}
			}
			stmts = append(stmts, a)
		}
		e.answers[script] = stmts
		text, err := os.ReadFile(dir + "/" + step.SQL)
		if err != nil {
			t.Fatal(err)
		}
		e.answers[string(text)] = append(setupAnswers(string(text)), stmts[len(setupAnswers(labScript(lab, step))):]...)
	}
	return e
}

// setupAnswers are the statements before the query.
func setupAnswers(script string) []recordedAnswer {
	var out []recordedAnswer
	list, err := sql.ParseList(script)
	if err != nil {
		return nil
	}
	for _, st := range list {
		switch st.(type) {
		case *sql.Set, *sql.CreateTable, *sql.CreateView:
			out = append(out, recordedAnswer{Answer: Answer{Statement: st, Line: st.At().Start.Line}})
		}
	}
	return out
}

func TestRecordedSubmissionsAreRight(t *testing.T) {
	for _, name := range []string{"right-120", "right-5000", "right-one-click", "right-one-user", "right-empty"} {
		t.Run(name, func(t *testing.T) {
			lab := dynamicLab(t)
			dir := recorded + name + "/submission"
			for engine, e := range map[string]Engine{"recorded": newRecordedEngine(t, lab, dir), "reference": Reference()} {
				g := New(lab, func(string) (fs.File, error) { return os.Open(recorded + name + "/dynamic_clicks.csv") }, e)
				checks, err := g.Check(context.Background(), os.DirFS(dir), nil)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range checks {
					if c.Outcome != "pass" || c.Worst() != "" {
						t.Errorf("%s engine: %s: %s %s %+v", engine, c.ID, c.Outcome, c.Facts, c.Findings)
					}
				}
			}
		})
	}
}
