package fn

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// The files testdata/*.txt hold what a Flink 2.3.0 answered, in blocks:
//
//	# expressions            (over the rows of rows.csv, in a table with the columns below)
//	T type | type | ...      (of the result columns)
//	R<tab>text<tab>text      (a result row, with \n, \t and \\ escaped)
//	E error                  (in place of T and R: the error of the query)
var recordedBase = []value.Field{
	{Name: "id", Type: value.TInt}, {Name: "ti", Type: value.TTinyInt}, {Name: "si", Type: value.TSmallInt}, {Name: "i", Type: value.TInt},
	{Name: "f", Type: value.TFloat}, {Name: "d", Type: value.TDouble},
	{Name: "c", Type: value.DecimalType(10, 2)}, {Name: "e", Type: value.DecimalType(5, 3)}, {Name: "g", Type: value.DecimalType(38, 10)},
	{Name: "s", Type: value.TString}, {Name: "v", Type: value.VarcharType(10)}, {Name: "h", Type: value.CharType(5)},
	{Name: "b", Type: value.TBoolean}, {Name: "dt", Type: value.TDate}, {Name: "tm", Type: value.TimeType(0)},
	{Name: "ts", Type: value.TimestampType(3)}, {Name: "ts6", Type: value.TimestampType(6)}, {Name: "tz", Type: value.TimestampLTZType(3)},
	{Name: "nni", Type: value.TInt.NotNull()}, {Name: "nns", Type: value.TString.NotNull()}, {Name: "nnl", Type: value.TBigInt.NotNull()},
	{Name: "nnd", Type: value.TDouble.NotNull()}, {Name: "nnc", Type: value.DecimalType(10, 2).NotNull()},
}

// recordedDerived are columns that the recorded table computed from the base.
var recordedDerived = []struct{ name, expr string }{
	{"l", "CAST(i AS BIGINT) * 3"}, {"y", "ENCODE(s, 'UTF-8')"}, {"ai", "ARRAY[i, CAST(ti AS INT), 3]"},
	{"sa", "ARRAY[s, 'x', CAST(v AS STRING)]"}, {"m", "MAP[s, i, 'k', 7]"}, {"r", "ROW(i, s)"},
}

// recordedTable gives the columns and rows.
func recordedTable(t *testing.T, env *Env) ([]value.Field, []value.Row) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", "rows.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	columns := append([]value.Field{}, recordedBase...)
	var rows []value.Row
	for _, line := range lines {
		row := make(value.Row, len(line))
		for i, text := range line {
			if text == "" {
				continue
			}
			cast, err := value.Caster(value.TString, recordedBase[i].Type.AsNullable(), value.CastOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if recordedBase[i].Type.Kind == value.KindChar {
				row[i] = value.String(text)
				continue
			}
			if row[i], err = cast(value.String(strings.TrimSuffix(text, "Z"))); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, row)
	}
	for _, d := range recordedDerived {
		e, err := (&testBinder{columns: columns}).parse(d.expr)
		if err != nil {
			t.Fatal(d.expr, err)
		}
		f, err := Compile(e, env)
		if err != nil {
			t.Fatal(d.expr, err)
		}
		for i := range rows {
			rows[i] = append(rows[i], f(&Ctx{}, rows[i]))
		}
		columns = append(columns, value.Field{Name: d.name, Type: e.Type()})
	}
	return columns, rows
}

// In the second recorded row the column nns, declared NOT NULL, was NULL.
const (
	nullRow = 1
	nnsRef  = "$19"
)

type recordedBlock struct {
	query, types, plan, err string
	rows                    [][]string
}

func readRecorded(t *testing.T, path string) []recordedBlock {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var blocks []recordedBlock
	for _, line := range strings.Split(string(text), "\n") {
		switch {
		case strings.HasPrefix(line, "# "):
			blocks = append(blocks, recordedBlock{query: line[2:]})
		case strings.HasPrefix(line, "T "):
			blocks[len(blocks)-1].types = line[2:]
		case strings.HasPrefix(line, "A "):
			blocks[len(blocks)-1].plan = line[2:]
		case strings.HasPrefix(line, "E "):
			blocks[len(blocks)-1].err = strings.ReplaceAll(line[2:], `\n`, "\n")
		case strings.HasPrefix(line, "R\t"):
			b := &blocks[len(blocks)-1]
			b.rows = append(b.rows, strings.Split(line[2:], "\t"))
		}
	}
	return blocks
}

// zoneOf is the session time zone of a recorded file.
func zoneOf(t *testing.T, file string) *time.Location {
	t.Helper()
	if !strings.Contains(file, "newyork") {
		return time.UTC
	}
	z, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	return z
}

func TestRecorded(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "values*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal("no recorded files", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			exact, refused := 0, 0
			env := &Env{Zone: zoneOf(t, file), Database: "default_database"}
			columns, rows := recordedTable(t, env)
			for _, b := range readRecorded(t, file) {
				text := b.query
				if !strings.HasPrefix(text, "SELECT") {
					text = "SELECT " + text + " FROM t"
				}
				q, err := sql.ParseQuery(text)
				if err != nil && b.err != "" {
					continue // the parser's own tests look at its errors
				}
				if err != nil {
					t.Errorf("%s: %v", b.query, err)
					continue
				}
				e, r := checkBlock(t, b, q, columns, rows, env)
				exact, refused = exact+e, refused+r
			}
			t.Logf("%d values exact, %d expressions refused", exact, refused)
		})
	}
}

// checkBlock compares one query; it returns the number of exact values and of
// refused expressions.
func checkBlock(t *testing.T, b recordedBlock, q *sql.Query, columns []value.Field, rows []value.Row, env *Env) (exact, refused int) {
	t.Helper()
	sel := q.Body.(*sql.Select)
	if sel.From == nil {
		rows = []value.Row{make(value.Row, len(columns))}
	}
	if sel.Where != nil {
		w, err := (&testBinder{columns: columns}).expr(sel.Where)
		if err != nil {
			t.Errorf("%s: %v", b.query, err)
			return
		}
		p, err := CompilePredicate(w, env)
		if err != nil {
			t.Errorf("%s: %v", b.query, err)
			return
		}
		var kept []value.Row
		for _, r := range rows {
			if p(&Ctx{}, r) {
				kept = append(kept, r)
			}
		}
		rows = kept
	}
	// As in Flink, errors of all expressions come phase by phase.
	run := &blockRun{t: t, b: b, env: env, rows: rows}
	exprs, evals := make([]rex.Expr, len(sel.Items)), make([]Eval, len(sel.Items))
	for i, item := range sel.Items {
		exprs[i] = run.bind(i, item.X, columns)
	}
	for i, e := range exprs {
		if e != nil && run.failed == "" {
			evals[i] = run.plan(e)
		}
	}
	for i, f := range evals {
		if f != nil {
			run.evaluate(i, exprs[i], f)
		}
	}
	if run.failed != b.err && run.refused == 0 && !strings.Contains(b.err, "is NOT NULL, however, a null value") {
		t.Errorf("%s:\n got error %q\nwant error %q", b.query, run.failed, b.err)
	}
	return run.exact, run.refused
}

// blockRun is the state of the comparison of one block.
type blockRun struct {
	t              *testing.T
	b              recordedBlock
	env            *Env
	rows           []value.Row
	failed         string
	exact, refused int
}

func (r *blockRun) bind(i int, x sql.Expr, columns []value.Field) rex.Expr {
	e, err := (&testBinder{columns: columns}).expr(x)
	if err != nil {
		r.fail(err)
		return nil
	}
	if parts := strings.Split(r.b.types, " | "); r.b.types != "" && i < len(parts) && shownType(e.Type()) != parts[i] {
		r.t.Errorf("%s: column %d has type %s, want %s", r.b.query, i, shownType(e.Type()), parts[i])
	}
	return e
}

func (r *blockRun) plan(e rex.Expr) Eval {
	if rex.Constant(e) {
		if _, _, err := Fold(e, r.env); err != nil {
			r.fail(err)
			return nil
		}
	}
	f, err := Compile(e, r.env)
	if err != nil {
		r.fail(err)
		return nil
	}
	return f
}

func (r *blockRun) evaluate(i int, e rex.Expr, f Eval) {
	want, et := column(r.b.rows, i), e.Type()
	for k, row := range r.rows {
		var ctx Ctx
		v := f(&ctx, row)
		if ctx.Err != nil {
			r.fail(ctx.Err)
			return
		}
		if k == nullRow && strings.Contains(rex.Digest(e), nnsRef) {
			// The recorded table held a NULL in a NOT NULL column here.
			continue
		}
		got := escapeCell(string(value.AppendCell(nil, &et, v, r.env.Zone)))
		if r.b.err == "" && k < len(want) && got != want[k] {
			r.t.Errorf("%s: column %d of row %d: got %s, want %s (%s)", r.b.query, i, k, got, want[k], rex.Digest(e))
			return
		}
		r.exact++
	}
}

// fail keeps the first error of Flink and counts what is refused.
func (r *blockRun) fail(err error) {
	if unsupported.Is(err) {
		r.refused++
		r.t.Logf("refused: %s: %v", r.b.query, err)
	} else if r.failed == "" {
		r.failed = err.Error()
	}
}

// shownType is the type of a result column: intervals lose their unit.
func shownType(t value.Type) string {
	text := t.String()
	switch t.Kind {
	case value.KindIntervalDayTime:
		text = "INTERVAL SECOND(3)"
	case value.KindIntervalYearMonth:
		text = "INTERVAL MONTH"
	default:
		return text
	}
	if !t.Nullable {
		text += " NOT NULL"
	}
	return text
}

func column(rows [][]string, i int) []string {
	var out []string
	for _, r := range rows {
		if i < len(r) {
			out = append(out, r[i])
		}
	}
	return out
}

func escapeCell(s string) string {
	return strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(s)
}
