package batch_test

import (
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/labgrade/labgrade/reference/batch"
	"github.com/labgrade/labgrade/reference/catalog"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/source"
	"github.com/labgrade/labgrade/sql"
	"github.com/labgrade/labgrade/value"
)

// memory is a file system of one file.
type memory struct{ fstest.MapFS }

func (m memory) Open(name string) (fs.File, error) {
	return m.MapFS.Open(strings.TrimPrefix(name, "/"))
}

func (m memory) ReadDir(name string) ([]fs.DirEntry, error) {
	return m.MapFS.ReadDir(strings.TrimPrefix(name, "/"))
}

func csvTable(text string, options ...string) (*catalog.Table, memory) {
	t := &catalog.Table{Options: []sql.Option{
		{Key: "connector", Value: "filesystem"}, {Key: "path", Value: "/t.csv"}, {Key: "format", Value: "csv"},
	}}
	for i := 0; i+1 < len(options); i += 2 {
		t.Options = append(t.Options, sql.Option{Key: options[i], Value: options[i+1]})
	}
	for _, c := range []value.Field{field("id", value.TBigInt), field("u", tString), field("n", tInt)} {
		t.Columns = append(t.Columns, catalog.Column{Name: c.Name, Type: c.Type})
	}
	return t, memory{fstest.MapFS{"t.csv": &fstest.MapFile{Data: []byte(text)}}}
}

type sourceReader struct{ r source.Reader }

func (s sourceReader) Next(row value.Row) error {
	_, ok, err := s.r.Next(row)
	if err == nil && !ok {
		return io.EOF
	}
	return err
}

func (s sourceReader) Close() error { return s.r.Close() }

// runCSV runs a plan over a file, with or without the parallel path.
func runCSV(root phys.Node, files memory, opt source.Options, parallel bool) string {
	rt := &batch.Runtime{
		Open: func(s *phys.TableSourceScan) (batch.Reader, error) {
			r, err := source.Open(s.Table, s.Columns, s.Limit, files, opt)
			if err != nil {
				return nil, err
			}
			return sourceReader{r}, nil
		},
	}
	if parallel {
		rt.Blocks = func(s *phys.TableSourceScan) (*source.Blocks, error) {
			return source.OpenBlocks(s.Table, s.Columns, s.Limit, files, opt)
		}
	}
	var b strings.Builder
	err := batch.Run(root, rt, func(row value.Row) error {
		for i, v := range row {
			if v.IsNull() {
				b.WriteString("NULL ")
			} else if root.Schema()[i].Type.Kind == value.KindVarchar {
				fmt.Fprintf(&b, "%q ", v.Str())
			} else {
				fmt.Fprint(&b, v.Int(), " ")
			}
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		fmt.Fprintf(&b, "error: %v", err)
	}
	return b.String()
}

// The parallel path must give exactly what the plain one gives, whatever the file holds.
func TestParallelAggregateIsThePlainOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		field := rapid.SampledFrom([]string{"a", "b", "user_0001", "a name of more than twenty-four bytes", "", "東京", "x y", `"q"`, `"a,b"`, "a\"b", "NULL", "\r", "\xff"})
		plain := rapid.SampledFrom([]string{"a", "b", "c", "user_0001", "user_0002", "a name of more than twenty-four bytes", "東京", "NULL"})
		number := rapid.SampledFrom([]string{"1", "-2", "30", "2147483647", " 4", "", "x", "NULL", "99999999999"})
		odd := rapid.IntRange(0, 60).Draw(t, "odd") // how often something unusual comes
		var lines []string
		for i := range rapid.IntRange(0, 80).Draw(t, "lines") {
			u, n := plain.Draw(t, "u"), fmt.Sprint(rapid.IntRange(-5, 5).Draw(t, "n"))
			if odd > 50 && rapid.IntRange(0, 20).Draw(t, "unusual") == 0 {
				u, n = field.Draw(t, "u"), number.Draw(t, "n")
			}
			lines = append(lines, fmt.Sprintf("%d,%s,%s", i, u, n))
		}
		text := strings.Join(lines, "\n")
		if rapid.Bool().Draw(t, "newline") {
			text += "\n"
		}
		var options []string
		if rapid.Bool().Draw(t, "null literal") {
			options = []string{"csv.null-literal", "NULL"}
		}
		table, files := csvTable(text, options...)
		scan := &phys.TableSourceScan{Base: phys.Base{Fields: clicks}, Limit: -1, Table: table, Columns: []int{1, 2}}
		var in phys.Node = scan
		if rapid.Bool().Draw(t, "filter") {
			ref := &rex.InputRef{Index: 1, T: tInt}
			in = &phys.Calc{Base: base(scan, clicks...), Exprs: []rex.Expr{&rex.InputRef{Index: 0, T: tString}, ref},
				Cond: &rex.Call{Op: rex.Gt, Args: []rex.Expr{ref, &rex.Literal{V: value.Int(-2), T: value.TInt}}, T: value.Type{Kind: value.KindBoolean, Nullable: true}}}
		}
		calls := []phys.AggCall{call("COUNT", tBigint), call("COUNT", tBigint, 1), call("SUM", tInt, 1), call("AVG", tInt, 1), call("MIN", tInt, 1), call("MAX", tInt, 1)}
		var root phys.Node = twoPhase(in, false, calls...)
		if rapid.Bool().Draw(t, "global") {
			g := &phys.BatchAggregate{Base: base(in), Calls: calls}
			for _, c := range calls {
				g.Fields = append(g.Fields, value.Field{Name: c.Fn.Name, Type: c.T})
			}
			root = g
		}
		opt := source.Options{BlockSize: rapid.IntRange(8, 400).Draw(t, "block"), MinBlocksSize: 1}
		if want, got := runCSV(root, files, opt, false), runCSV(root, files, opt, true); got != want {
			t.Fatalf("parallel:\n%s\nplain:\n%s\nfile:\n%s", got, want, text)
		}
	})
}

// BenchmarkGroupBy is the lab's query over its shape of data: COUNT and SUM by user, of 50,000
// users.
func BenchmarkGroupBy(b *testing.B) {
	const rows = 200_000
	var text strings.Builder
	r := rand.New(rand.NewPCG(1, 1))
	for i := range rows {
		fmt.Fprintf(&text, "%d,user_%05d,%d\n", i, r.IntN(50_000), r.IntN(300))
	}
	table, files := csvTable(text.String())
	scan := &phys.TableSourceScan{Base: phys.Base{Fields: clicks}, Limit: -1, Table: table, Columns: []int{1, 2}}
	root := twoPhase(scan, false, call("COUNT", tBigint), call("SUM", tInt, 1))
	for _, parallel := range []bool{false, true} {
		b.Run(fmt.Sprintf("parallel=%v", parallel), func(b *testing.B) {
			b.SetBytes(int64(text.Len()))
			b.ReportAllocs()
			for b.Loop() {
				rt := &batch.Runtime{
					Env: fn.Env{},
					Open: func(s *phys.TableSourceScan) (batch.Reader, error) {
						r, err := source.Open(s.Table, s.Columns, s.Limit, files, source.Options{})
						return sourceReader{r}, err
					},
				}
				if parallel {
					rt.Blocks = func(s *phys.TableSourceScan) (*source.Blocks, error) {
						return source.OpenBlocks(s.Table, s.Columns, s.Limit, files, source.Options{})
					}
				}
				if err := batch.Run(root, rt, func(value.Row) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
