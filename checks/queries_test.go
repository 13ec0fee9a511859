package checks

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/labgrade/labgrade/reference/client"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/report"
)

// clientRun is a run of the stand-in for sql-client whose sinks write into memory.
type clientRun struct {
	source []byte
	// home is the learner's folder; what is written below it goes into files.
	home  string
	files fstest.MapFS
}

func (c *clientRun) Open(p string) (fs.File, error) {
	if path.Base(p) == "dynamic_clicks.csv" {
		return newMemFile(c.source), nil
	}
	return nil, &fs.PathError{Op: "open", Path: p, Err: fs.ErrNotExist}
}
func (c *clientRun) ReadDir(p string) ([]fs.DirEntry, error) {
	return nil, &fs.PathError{Op: "readdir", Path: p, Err: fs.ErrNotExist}
}
func (c *clientRun) MkdirAll(string) error  { return nil }
func (c *clientRun) RemoveAll(string) error { return nil }
func (c *clientRun) Create(p string) (io.WriteCloser, error) {
	return &memoryWriter{c: c, name: strings.TrimPrefix(p, c.home+"/")}, nil
}

type memoryWriter struct {
	bytes.Buffer
	c    *clientRun
	name string
}

func (w *memoryWriter) Close() error {
	w.c.files[w.name] = &fstest.MapFile{Data: bytes.Clone(w.Bytes())}
	return nil
}

// saved runs a script as "sql-client.sh -f x.sql > x.out 2>&1".
// false says that the engine refuses a statement of it.
func (c *clientRun) saved(t testing.TB, script string) (string, bool) {
	t.Helper()
	var out bytes.Buffer
	err := client.New(client.Options{Out: &out, Echo: client.EchoClient, Color: true, Home: "/root", Files: c}).RunFile(script)
	if unsupported.Is(err) {
		return "", false
	}
	if err != nil && !errors.Is(err, client.ErrFailed) {
		t.Fatalf("%v\n%s\n%s", err, script, out.String())
	}
	return out.String(), true
}

// variant is a submission whose step was done with another script.
type variant struct {
	step     string
	old, new string
	code     string // "" for a right variant
	noSQL    bool   // the output alone tells
}

func wrongQueries() []variant {
	const tableau = "SET 'sql-client.execution.result-mode' = 'tableau';\n"
	mini := tableau + "SET 'table.exec.mini-batch.enabled' = 'true';\nSET 'table.exec.mini-batch.allow-latency' = '2 s';\nSET 'table.exec.mini-batch.size' = '%';\n"
	list := []variant{}
	for _, step := range []string{"batch", "stream"} {
		mode := map[string]string{"batch": "LG-TABLE-001", "stream": "LG-STREAM-001"}[step]
		other := map[string]string{"batch": "'streaming'", "stream": "'batch'"}[step]
		here := map[string]string{"stream": "'streaming'", "batch": "'batch'"}[step]
		for _, v := range []variant{
			{"", here, other, mode, true},
			{"", "FROM clicks\n", "FROM clicks WHERE dwell > 60\n", "LG-SQL-001", true},
			{"", "FROM clicks\n", "FROM clicks WHERE url <> '/home'\n", "LG-SQL-001", false},
			{"", "GROUP BY user_id", "GROUP BY user_id HAVING COUNT(*) > 5", "LG-SQL-018", false},
			{"", "SELECT user_id, ", "SELECT url, ", "LG-RUN-008", true},
			{"", "COUNT(*)", "COUNT(DISTINCT url)", "LG-SQL-009", step == "stream"},
			{"", "COUNT(*)", "SUM(dwell)", "LG-SQL-007", true},
			{"", "SUM(dwell)", "MAX(dwell)", "LG-SQL-007", true},
			{"", "SUM(dwell)", "MIN(dwell)", "LG-SQL-007", true},
			{"", "SUM(dwell)", "AVG(dwell)", "LG-SQL-007", true},
			{"", "SUM(dwell)", "SUM(click_id)", "LG-SQL-008", true},
			{"", "AS dwell", "AS total", "LG-SQL-012", true},
			{"", "FROM clicks\n", "FROM klicks\n", "LG-RUN-003", true},
			{"", "SUM(dwell)", "SUM(dwel)", "LG-RUN-004", true},
			{"", "GROUP BY user_id", "GROUP BY", "LG-RUN-005", true},
			{"", tableau, "", "LG-RUN-001", true},
			{"", "dynamic_clicks", "other_clicks", "LG-RUN-002", true},
			{"", "'connector' = 'filesystem'", "'connector' = 'files'", "LG-RUN-010", true},
		} {
			v.step = step
			list = append(list, v)
		}
	}
	for _, size := range []string{"1000", "100", "10"} {
		list = append(list,
			variant{"stream", tableau, strings.Replace(mini, "%", size, 1), "LG-STREAM-003", true},
			variant{"nested", tableau, strings.Replace(mini, "%", size, 1), "LG-STREAM-003", true})
	}
	return append(list,
		variant{"nested", "'streaming'", "'batch'", "LG-STREAM-001", true},
		variant{"nested", "FROM clicks GROUP", "FROM clicks WHERE dwell > 60 GROUP", "LG-SQL-001", true},
		variant{"nested", "COUNT(*) AS users", "SUM(clicks) AS users", "LG-SQL-007", true},
		variant{"nested", "AS users", "AS n", "LG-SQL-012", true},
		variant{"nested", "SELECT user_id, COUNT(*) AS clicks FROM clicks GROUP BY user_id", "SELECT url, COUNT(*) AS clicks FROM clicks GROUP BY url", "LG-SQL-004", true},
		variant{"nested", "SELECT user_id, COUNT(*) AS clicks", "SELECT user_id, COUNT(DISTINCT url) AS clicks", "LG-SQL-009", true},
		variant{"explain", "EXPLAIN CHANGELOG_MODE SELECT user_id, C", "EXPLAIN SELECT user_id, C", "LG-PLAN-001", true},
		variant{"explain", "'streaming'", "'batch'", "LG-PLAN-002", true},
		variant{"explain", "dwell > 60", "dwell > 90", "LG-SQL-003", true},
		variant{"explain", "dwell > 60", "dwell < 60", "LG-SQL-003", true},
		variant{"explain", " WHERE dwell > 60", "", "LG-SQL-002", true},
		variant{"explain", "COUNT(*) AS clicks FROM clicks", "SUM(dwell) AS clicks FROM clicks", "LG-SQL-007", true},
		variant{"explain", "COUNT(*) AS clicks FROM clicks", "COUNT(*) AS clicks FROM clicks WHERE dwell > 60", "LG-SQL-001", true},
		variant{"explain", "GROUP BY user_id", "GROUP BY user_id, url", "LG-SQL-005", true},
		variant{"explain", "SELECT user_id, url FROM", "SELECT DISTINCT user_id, url FROM", "LG-SQL-010", false},
		variant{"upsert", "'connector' = 'blackhole'", "'connector' = 'print'", "LG-SQL-025", false},
		variant{"upsert", ", PRIMARY KEY (user_id) NOT ENFORCED", "", "LG-SQL-022", false},
		variant{"upsert", "retract_sink (user_id STRING, clicks BIGINT)", "retract_sink (user_id STRING, clicks BIGINT, PRIMARY KEY (user_id) NOT ENFORCED)", "LG-SQL-023", false},
		variant{"upsert", "INSERT INTO upsert_sink SELECT", "SELECT", "LG-PLAN-008", true},
		variant{"upsert", "'streaming'", "'batch'", "LG-PLAN-002", true},
		variant{"upsert", "(user_id) NOT", "(clicks) NOT", "LG-SQL-024", true},
		variant{"fs-sink", "user_clicks_fs", "user_counts", "LG-REFUSE-003", true},
		variant{"fs-sink", "SELECT user_id, COUNT(*)", "SELECT COUNT(*)", "LG-RUN-011", true},
		variant{"fs-sink", "COUNT(*) FROM", "SUM(click_id) FROM", "LG-SQL-007", false},
		variant{"to-changelog", "AS SELECT user_id, COUNT(*) AS clicks FROM clicks GROUP BY user_id", "AS SELECT url AS user_id, COUNT(*) AS clicks FROM clicks GROUP BY url", "LG-SQL-004", true},
		variant{"to-changelog", "FROM clicks GROUP", "FROM clicks WHERE dwell > 60 GROUP", "LG-SQL-001", true},
		variant{"to-changelog", "DESCRIPTOR(`change`)", "DESCRIPTOR(`change`), op_mapping => MAP['INSERT','c','UPDATE_BEFORE','b','UPDATE_AFTER','u','DELETE','d']", "LG-SQL-028", false},
	)
}

func rightQueries() []variant {
	const query = "SELECT user_id, COUNT(*) AS clicks, SUM(dwell) AS dwell\nFROM clicks\nGROUP BY user_id;"
	var list []variant
	for _, step := range []string{"batch", "stream"} {
		for _, q := range []string{
			"select SUM(dwell) as dwell, count(*) clicks, user_id from clicks group by user_id;",
			"-- a comment; with a semicolon\nSELECT c.user_id, COUNT(1) AS `clicks`, SUM(c.dwell) AS dwell /* here */ FROM clicks AS c GROUP BY c.user_id;",
			"WITH c AS (SELECT user_id AS u, dwell AS d FROM clicks) SELECT u AS user_id, COUNT(*) AS clicks, SUM(d) AS dwell FROM c GROUP BY u;",
			"CREATE VIEW v AS SELECT user_id, COUNT(*) AS n, SUM(dwell) AS s FROM clicks GROUP BY user_id;\nSHOW TABLES;\nDESCRIBE v;\nSELECT user_id, n AS clicks, s AS dwell FROM v;",
			"SELECT * FROM (SELECT user_id, COUNT(*) AS clicks, SUM(dwell) AS dwell FROM clicks GROUP BY user_id);",
			"SELECT url, COUNT(*) AS n FROM clicks GROUP BY url;\n" + query + "\nSELECT COUNT(*) AS n FROM clicks;",
			query[:len(query)-1],
			"SET 'sql-client.display.print-time-cost' = 'false';\n" + query,
			"SET 'table.display.max-column-width' = '60';\n" + query,
			"SELECT user_id, COUNT(*) AS clicks, SUM(dwell) AS dwell, MAX(dwell) AS longest FROM clicks WHERE TRUE GROUP BY user_id;",
		} {
			list = append(list, variant{step, query, q, "", true})
		}
	}
	return append(list,
		variant{"stream", "  ts TIMESTAMP(3)\n", "  ts TIMESTAMP(3),\n  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND\n", "", true},
		variant{"stream", "SET 'execution.runtime-mode' = 'streaming';\n", "", "", true},
		variant{"nested", "FROM (\n  SELECT user_id, COUNT(*) AS clicks FROM clicks GROUP BY user_id\n)", "FROM (SELECT COUNT(*) AS clicks FROM clicks GROUP BY user_id) AS t", "", true},
		variant{"nested", "SELECT clicks, COUNT(*) AS users", "SELECT COUNT(*) AS users, clicks", "", true},
		variant{"explain", "EXPLAIN CHANGELOG_MODE SELECT user_id, url FROM clicks WHERE dwell > 60;", "EXPLAIN CHANGELOG_MODE SELECT url, user_id FROM clicks WHERE 60 < dwell;", "", true},
		variant{"explain", "COUNT(*) AS clicks", "COUNT(*)", "", true},
		variant{"explain", "EXPLAIN CHANGELOG_MODE SELECT user_id, C", "CREATE TABLE p (u STRING, n BIGINT) WITH ('connector' = 'print');\nEXPLAIN CHANGELOG_MODE INSERT INTO p SELECT user_id, C", "", true},
		variant{"explain", "  ts TIMESTAMP(3)\n", "  ts TIMESTAMP(3),\n  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND\n", "", true},
		variant{"explain", "EXPLAIN CHANGELOG_MODE SELECT user_id, C", "EXPLAIN ESTIMATED_COST, CHANGELOG_MODE SELECT user_id, C", "", true},
		variant{"fs-sink", "COUNT(*) FROM", "COUNT(*) AS clicks FROM", "", true},
		variant{"fs-sink", "SELECT user_id, COUNT(*) FROM clicks GROUP BY user_id", "SELECT user_id, n FROM (SELECT user_id, COUNT(*) AS n FROM clicks GROUP BY user_id)", "", true},
		variant{"upsert", "clicks BIGINT, PRIMARY KEY (user_id) NOT ENFORCED", "clicks BIGINT, CONSTRAINT k PRIMARY KEY (user_id) NOT ENFORCED", "", true},
		variant{"upsert", "EXPLAIN CHANGELOG_MODE INSERT INTO retract_sink", "DESCRIBE retract_sink;\nEXPLAIN CHANGELOG_MODE INSERT INTO retract_sink", "", true},
		variant{"to-changelog", "(`change` STRING, user_id STRING, clicks BIGINT)", "(`change` STRING, user_id STRING, clicks BIGINT) COMMENT 'log'", "", true},
		variant{"to-changelog", "TO_CHANGELOG(input => TABLE user_clicks, op => DESCRIPTOR(`change`))", "TO_CHANGELOG(TABLE user_clicks, DESCRIPTOR(`change`))", "", true},
	)
}

// submissions runs each variant and makes one submission with the SQL and, where the
// output alone must tell, one without.
func submissions(t *testing.T, base fstest.MapFS, source []byte, list []variant) []mutant {
	var out []mutant
	refused := 0
	for _, v := range list {
		sqlFile, outFile := v.step+".sql", v.step+".out"
		script := strings.Replace(string(base[sqlFile].Data), v.old, v.new, -1)
		if script == string(base[sqlFile].Data) {
			t.Fatalf("%s: nothing was replaced: %s", v.step, v.old)
		}
		run := &clientRun{source: source, home: "/root/flink/dynamic", files: fstest.MapFS{}}
		text, ok := run.saved(t, script)
		if !ok {
			refused++
			t.Logf("not supported: %s: %s", v.step, v.new)
			continue
		}
		files := with(with(base, sqlFile, script), outFile, text)
		if v.step == "to-changelog" {
			for name := range files {
				if strings.HasPrefix(name, "changelog/") {
					delete(files, name)
				}
			}
			for name, f := range run.files {
				files[name] = f
			}
		}
		codes := []string{v.code}
		out = append(out, mutant{v.step + ": " + v.new, files, codes})
		if v.noSQL {
			without := with(files, outFile, text)
			delete(without, sqlFile)
			out = append(out, mutant{v.step + " without SQL: " + v.new, without, codes})
		}
	}
	if refused > 8 {
		t.Errorf("the engine refuses %d of %d scripts", refused, len(list))
	}
	return out
}

func TestWrongQueriesAreNamed(t *testing.T) {
	g := recordedGrader(t, "right-120")
	source, err := os.ReadFile(recorded + "right-120/dynamic_clicks.csv")
	if err != nil {
		t.Fatal(err)
	}
	list := submissions(t, memoryOf(t, recorded+"right-120/submission"), source, wrongQueries())
	checkMutants(t, g, list)
}

func TestRightVariantsGetNoFinding(t *testing.T) {
	g := recordedGrader(t, "right-120")
	source, err := os.ReadFile(recorded + "right-120/dynamic_clicks.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range submissions(t, memoryOf(t, recorded+"right-120/submission"), source, rightQueries()) {
		got, err := g.Check(context.Background(), m.files, nil)
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(got, func(c report.Check) bool { return c.Outcome != report.Pass }) || len(codesOf(got)) > 0 {
			t.Errorf("%s: %s", m.name, wrongOnly(got))
		}
	}
}
