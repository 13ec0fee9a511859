package checks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf16"

	"github.com/labgrade/labgrade/fixtures"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/parse"
	"github.com/labgrade/labgrade/report"
)

// TestOtherVersionsAreRight: the same SQL on other Flink versions is as right.
func TestOtherVersionsAreRight(t *testing.T) {
	lab := dynamicLab(t)
	const root = "../fixtures/recorded/versions/"
	source := clicksOf(t, root+"2.3.0/stream.out")
	g := New(lab, func(string) (fs.File, error) { return newMemFile(source), nil }, Reference())
	for _, v := range []string{"1.17.2", "1.19.1", "1.20.3", "2.0.0", "2.2.1", "2.3.0"} {
		for _, withSQL := range []bool{true, false} {
			files := fstest.MapFS{}
			steps := []string{"batch", "stream", "nested", "explain", "fs-sink", "upsert"}
			for _, s := range steps {
				for _, f := range []string{root + v + "/" + s + ".out", root + "sql/" + s + ".sql"} {
					b, err := os.ReadFile(f)
					if err != nil {
						t.Fatal(err)
					}
					if name := f[len(f)-len(s)-4:]; withSQL || name == s+".out" {
						files[name] = &fstest.MapFile{Data: b}
					}
				}
			}
			got, err := g.Check(context.Background(), files, steps)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range got {
				if c.Outcome != report.Pass || c.Worst() != "" && c.Worst() != report.Note {
					t.Errorf("%s, SQL %v: %s is %s\n%s", v, withSQL, c.ID, c.Outcome, wrongOnly(got))
				}
			}
		}
	}
}

// clicksOf makes the source of a recorded log again: each change of a user is a click,
// whose dwell is what the sum grew by.
func clicksOf(t *testing.T, logFile string) []byte {
	b, err := os.ReadFile(logFile)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := parse.Read(bytes.NewReader(b), parse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	sums := map[string]int{}
	n := 0
	for _, r := range tr.Results()[0].Rows {
		if !r.Kind.Adds() {
			continue
		}
		sum, err := strconv.Atoi(r.Text(2))
		if err != nil {
			t.Fatal(err)
		}
		n++
		fmt.Fprintf(&out, "%d,%s,/x,%d,2026-03-01 09:00:00.000\n", n, r.Text(0), sum-sums[r.Text(0)])
		sums[r.Text(0)] = sum
	}
	return out.Bytes()
}

// TestPastedOutputsAreRight: what terminals, editors and log collectors do to a file
// changes nothing.
func TestPastedOutputsAreRight(t *testing.T) {
	g := recordedGrader(t, "right-120")
	base := memoryOf(t, recorded+"right-120/submission")
	prefixed := func(p string) func(string) string {
		return func(s string) string {
			return p + strings.ReplaceAll(strings.TrimSuffix(s, "\n"), "\n", "\n"+p) + "\n"
		}
	}
	plain := regexp.MustCompile("\x1b\\[[0-9;]*m")
	for name, change := range map[string]func(string) string{
		"CRLF":            func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") },
		"byte order mark": func(s string) string { return "\ufeff" + s },
		"UTF-16":          func(s string) string { return utf16Bytes(s) },
		"no colours":      func(s string) string { return plain.ReplaceAllString(s, "") },
		"fence":           func(s string) string { return "Here is my output:\n\n```\n" + s + "```\nDone!\n" },
		"container log":   prefixed("sql-client-1  | "),
		"quotation":       prefixed("> "),
		"comment":         prefixed("-- "),
		"trailing blanks": func(s string) string { return strings.ReplaceAll(s, "\n", "  \n") },
		"no end":          func(s string) string { return strings.Split(s, "Shutting down")[0] },
		"run again":       func(s string) string { return s + s },
		"after another":   func(s string) string { return strings.Split(s, "| +I")[0] + "\n" + s },
		"script": func(s string) string {
			return "Script started on 2026-11-30 08:00:00+00:00\n" + strings.ReplaceAll(s, "\n", "\r\n") + "\r\nScript done\n"
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := fstest.MapFS{}
			for k, f := range base {
				files[k] = f
				if strings.HasSuffix(k, ".out") {
					files[k] = &fstest.MapFile{Data: []byte(change(string(f.Data)))}
				}
			}
			got, err := g.Check(context.Background(), files, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range got {
				if c.Outcome != report.Pass || len(codesOf(got)) > 0 {
					t.Errorf("%s is %s\n%s", c.ID, c.Outcome, wrongOnly(got))
					break
				}
			}
		})
	}
}

func utf16Bytes(s string) string {
	var b bytes.Buffer
	b.WriteString("\xff\xfe")
	for _, u := range utf16.Encode([]rune(s)) {
		b.WriteByte(byte(u))
		b.WriteByte(byte(u >> 8))
	}
	return b.String()
}

// TestGeneratedSubmissionsAreRight: what the engine writes for generated data is right.
func TestGeneratedSubmissionsAreRight(t *testing.T) {
	lab := dynamicLab(t)
	solution, err := lab.Solution()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]fixtures.Clicks{
		"300 users":  {Rows: 5000, Users: 300, Seed: 1},
		"one user":   {Rows: 50, Users: 1, Seed: 2},
		"one row":    {Rows: 1, Users: 1, Seed: 3},
		"empty":      {},
		"long names": {Rows: 120, Users: 11, Seed: 4, Names: "long"},
		"odd names":  {Rows: 200, Users: 40, Seed: 5, Names: "mixed", Empty: true, NullLike: true},
	} {
		t.Run(name, func(t *testing.T) {
			var source bytes.Buffer
			if err := c.Write(&source); err != nil {
				t.Fatal(err)
			}
			g := New(lab, func(string) (fs.File, error) { return newMemFile(source.Bytes()), nil }, Reference())
			run := &clientRun{source: source.Bytes(), home: lab.Folder, files: fstest.MapFS{}}
			for i := range lab.Steps {
				step := &lab.Steps[i]
				if step.Kind == labs.KindReport {
					numbers, err := g.Numbers(context.Background(), step)
					if err != nil {
						t.Fatal(err)
					}
					m := map[string]int64{}
					for _, n := range numbers {
						m[n.Name] = n.Value
					}
					b, err := json.Marshal(m)
					if err != nil {
						t.Fatal(err)
					}
					run.files[step.File] = &fstest.MapFile{Data: b}
					continue
				}
				text, err := fs.ReadFile(solution, step.SQL)
				if err != nil {
					t.Fatal(err)
				}
				out, ok := run.saved(t, string(text))
				if !ok {
					t.Fatalf("%s is not supported", step.SQL)
				}
				run.files[step.SQL] = &fstest.MapFile{Data: text}
				run.files[step.Out] = &fstest.MapFile{Data: []byte(out)}
			}
			got, err := g.Check(context.Background(), run.files, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range got {
				if c.Outcome != report.Pass || len(codesOf(got)) > 0 {
					t.Errorf("%s is %s\n%s", c.ID, c.Outcome, wrongOnly(got))
					break
				}
			}
		})
	}
}

// TestOddFoldersAreRight: files that are not where, or not what, they usually are.
func TestOddFoldersAreRight(t *testing.T) {
	g := recordedGrader(t, "right-120")
	base := memoryOf(t, recorded+"right-120/submission")
	ddl := regexp.MustCompile(`(?s)CREATE TABLE clicks .*?;\n`)
	set := regexp.MustCompile(`SET .*;\n`)
	sinks := regexp.MustCompile(`(?s)CREATE (TABLE|VIEW) .*?;\n`)
	part := ""
	for k := range base {
		if strings.HasPrefix(k, "changelog/") {
			part = k
		}
	}
	eachSQL := func(f func(string) string) func(fstest.MapFS) {
		return func(files fstest.MapFS) {
			for k, v := range files {
				if strings.HasSuffix(k, ".sql") {
					files[k] = &fstest.MapFile{Data: []byte(f(string(v.Data)))}
				}
			}
		}
	}
	initialized := func(f func(string) string) func(fstest.MapFS) {
		return func(files fstest.MapFS) {
			eachSQL(f)(files)
			for k, v := range files {
				if strings.HasSuffix(k, ".out") {
					files[k] = &fstest.MapFile{Data: append([]byte("Successfully initialized from sql script: file:/root/init.sql\n"), v.Data...)}
				}
			}
		}
	}
	for name, change := range map[string]func(fstest.MapFS){
		"no SQL":                 func(files fstest.MapFS) { deleteIf(files, func(k string) bool { return strings.HasSuffix(k, ".sql") }) },
		"tables in an init file": initialized(func(s string) string { return ddl.ReplaceAllString(s, "") }),
		"settings, too":          initialized(func(s string) string { return set.ReplaceAllString(ddl.ReplaceAllString(s, ""), "") }),
		"everything":             initialized(func(s string) string { return set.ReplaceAllString(sinks.ReplaceAllString(s, ""), "") }),
		"relative path":          eachSQL(func(s string) string { return strings.ReplaceAll(s, "file:///opt/lab/fixtures/data/", "data/") }),
		"copied source":          eachSQL(func(s string) string { return strings.ReplaceAll(s, "dynamic_clicks.csv", "my_copy.csv") }),
		"CRLF":                   eachSQL(func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }),
		"several parts": func(files fstest.MapFS) {
			lines := strings.SplitAfter(string(files[part].Data), "\n")
			delete(files, part)
			for i := 0; i*20 < len(lines); i++ {
				files[fmt.Sprintf("changelog/part-df855dbe-5fe0-4c8d-bd20-ec921e6f432e-0-%d", i)] = &fstest.MapFile{Data: []byte(strings.Join(lines[i*20:min(len(lines), i*20+20)], ""))}
			}
		},
		"other files": func(files fstest.MapFS) {
			for _, n := range []string{"changelog/_SUCCESS", "changelog/.DS_Store", "changelog/.part-x.crc", "notes.txt", "dynamic_clicks.csv", "stream.out~"} {
				files[n] = &fstest.MapFile{Data: []byte("x,y\n")}
			}
		},
		"no to-changelog.out": func(files fstest.MapFS) { delete(files, "to-changelog.out") },
		"report with more": func(files fstest.MapFS) {
			files["report.json"] = &fstest.MapFile{Data: []byte(strings.Replace(string(files["report.json"].Data), "{", `{"name": "me", "clicks": 120,`, 1))}
		},
		"statements that labgrade refuses": eachSQL(func(s string) string { return "ADD JAR '/tmp/x.jar';\n" + s }),
		"no SQL at all":                    eachSQL(func(string) string { return "" }),
		"SQL that is none":                 eachSQL(func(string) string { return "see my notebook\n" }),
	} {
		t.Run(name, func(t *testing.T) {
			files := with(base, "x", "")
			change(files)
			got, err := g.Check(context.Background(), files, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range got {
				if c.Outcome != report.Pass || c.Worst() == report.Warning {
					t.Errorf("%s is %s\n%s", c.ID, c.Outcome, wrongOnly(got))
					break
				}
			}
		})
	}
}

func deleteIf(files fstest.MapFS, f func(string) bool) {
	for k := range files {
		if f(k) {
			delete(files, k)
		}
	}
}
