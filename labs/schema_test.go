package labs

import (
	"bytes"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

const schemaFile = "../docs/schema/lab.schema.json"

// TestSchemaFile keeps the file up to date: UPDATE_SCHEMA=1 go test ./labs -run SchemaFile
func TestSchemaFile(t *testing.T) {
	if os.Getenv("UPDATE_SCHEMA") != "" {
		if err := os.WriteFile(schemaFile, Schema(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(schemaFile)
	if err != nil || !bytes.Equal(got, Schema()) {
		t.Errorf("%s is not what Schema gives (%v); UPDATE_SCHEMA=1 writes it", schemaFile, err)
	}
}

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("lab.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("lab.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON is a YAML node as an editor hands it to a schema: times are texts.
func asJSON(t *testing.T, n *yaml.Node) any {
	switch n.Kind {
	case yaml.DocumentNode:
		return asJSON(t, n.Content[0])
	case yaml.MappingNode:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			out[n.Content[i].Value] = asJSON(t, n.Content[i+1])
		}
		return out
	case yaml.SequenceNode:
		out := []any{}
		for _, c := range n.Content {
			out = append(out, asJSON(t, c))
		}
		return out
	}
	if n.Tag == "!!timestamp" || n.Tag == "!!str" {
		return n.Value
	}
	var v any
	if err := n.Decode(&v); err != nil {
		t.Fatal(err)
	}
	if i, ok := v.(int); ok {
		return float64(i)
	}
	return v
}

func validate(t *testing.T, s *jsonschema.Schema, text string) error {
	t.Helper()
	var doc yaml.Node
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		t.Fatal(err)
	}
	return s.Validate(asJSON(t, &doc))
}

func TestSchemaAcceptsShippedLabs(t *testing.T) {
	s := compiled(t)
	for _, id := range Shipped() {
		text, err := fs.ReadFile(shipped, id+"/"+FileName)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(t, s, string(text)); err != nil {
			t.Errorf("%s: %v", id, err)
		}
	}
}

// full has every key, so that each can be broken.
const full = `lab: full
version: "1"
title: All keys
flink: 2.3.0
folder: /root/full
due: 2026-12-15T23:59:00+09:00
disclose: where
until: 2026-12-20T00:00:00Z
settings: {table.local-time-zone: UTC}
setup: CREATE VIEW v AS SELECT a FROM t;
tables:
  - name: t
    file: t.csv
    path: /opt/t.csv
    columns: [a INT, b STRING, ts TIMESTAMP(3), c AS a + 1]
    primary_key: [a]
    watermark: ts AS ts - INTERVAL '5' SECOND
    options: {csv.ignore-parse-errors: true}
    generate:
      rows: 10
      columns:
        a: {from: 1}
        b: {pick: [x, y], skewed: true, empty: 0.5}
        ts: {start: "2026-01-01 00:00:00", every: [0, 10], late: 0.1, late_by: 100}
  - ddl: CREATE TABLE u (a INT, p DECIMAL(10, 2)) WITH ('connector' = 'filesystem', 'path' = '/x/u.csv', 'format' = 'csv')
    generate: {columns: {a: {between: [1, 9]}, p: {between: [0, 9], decimals: 2}}}
steps:
  - id: tab
    title: A table
    kind: table
    points: 1.5
    sql: tab.sql
    out: sub/tab.out
    mode: batch
    query: SELECT a, b FROM t
    compare: multiset
    disclose: verdict
    until: 2026-12-20T00:00:00Z
    due: 2026-12-16T23:59:00+09:00
    hints: [Look., Look again.]
    next: Do it again.
  - id: log
    kind: changelog
    needs: [tab]
    sql: log.sql
    out: log.out
    settings: {table.exec.mini-batch.enabled: false}
    setup: CREATE VIEW w AS SELECT a FROM t;
    query: SELECT a, COUNT(*) AS n FROM w GROUP BY a
    key: [a]
    compare: prefix
    at_least: 3
    mistakes: [{code: LG-SQL-031, query: SELECT a FROM t, says: wrong}]
    facts:
      - {uses: GROUP BY, says: Group.}
      - avoids: NOW
      - {setting: execution.runtime-mode, value: streaming}
      - order: [SET, SELECT]
      - {table: t, watermark: delayed}
      - {table: t, primary_key: []}
      - {table: t, option: format, value: csv}
  - {id: run, kind: changelog, judge: sql, sql: run.sql, query: SELECT a FROM t}
  - {id: key, kind: changelog, out: k.out, query: SELECT a FROM t, key: [a], compare: per-key}
  - {id: print, kind: print, out: p.log, query: INSERT INTO p SELECT a FROM t}
  - {id: sink, kind: sink, folder: out, query: INSERT INTO p SELECT a FROM t, compare: final, key: [a]}
  - {id: refusal, kind: refusal, out: r.out, query: SELECT nothing}
  - id: plan
    kind: plan
    out: plan.out
    plans: [{name: p, query: SELECT a FROM t, accept: {Calc: [I]}}]
    same: [primary-key, connector]
  - {id: facts, kind: facts, sql: f.sql, facts: [{uses: TUMBLE}]}
  - id: report
    kind: report
    file: r.json
    numbers:
      - {name: n, value: count(log), says: rows}
      - {name: q, query: SELECT COUNT(*) FROM t}
texts:
  zh: {title: 题, steps: {tab: {title: 表, next: 再来, hints: [看]}}}
`

// TestSchemaAgreesWithReader: what the schema refuses the reader refuses, too, and the
// other way round, but for what only the reader can know.
func TestSchemaAgreesWithReader(t *testing.T) {
	s := compiled(t)
	for _, c := range []struct {
		name, old, new string
		// ok: both accept it. reader: only the reader can see it.
		ok, reader bool
	}{
		{name: "as it is", ok: true},
		{name: "number for a text", old: "version: \"1\"", new: "version: 1", ok: true},
		{name: "no title", old: "title: All keys\n", new: "", ok: true},
		{name: "no lab", old: "lab: full\n", new: ""},
		{name: "no version", old: "version: \"1\"\n", new: ""},
		{name: "empty version", old: "version: \"1\"", new: "version: \"\""},
		{name: "null version", old: "version: \"1\"", new: "version:"},
		{name: "no flink", old: "flink: 2.3.0\n", new: ""},
		{name: "name of the lab", old: "lab: full", new: "lab: Full Lab"},
		{name: "unknown key", old: "folder: /root/full", new: "foldr: /root/full"},
		{name: "due without zone", old: "due: 2026-12-15T23:59:00+09:00", new: "due: 2026-12-15T23:59:00"},
		{name: "until without zone", old: "until: 2026-12-20T00:00:00Z\nsettings", new: "until: 2026-12-20\nsettings"},
		{name: "until without disclose", old: "disclose: where\n", new: "", reader: true},
		{name: "disclose", old: "disclose: where", new: "disclose: some"},
		{name: "settings as a list", old: "settings: {table.local-time-zone: UTC}", new: "settings: [a]"},
		{name: "setup is no SQL", old: "setup: CREATE VIEW v AS SELECT a FROM t;", new: "setup: CREATE CREATE", reader: true},
		{name: "no tables", old: "tables:\n", new: "tables: []\nother:\n"},
		{name: "table without name", old: "  - name: t\n", new: "  - \n"},
		{name: "table without file", old: "    file: t.csv\n", new: ""},
		{name: "table without columns", old: "    columns: [a INT, b STRING, ts TIMESTAMP(3), c AS a + 1]\n", new: ""},
		{name: "columns as a text", old: "columns: [a INT, b STRING, ts TIMESTAMP(3), c AS a + 1]", new: "columns: a INT"},
		{name: "ddl and columns", old: "    generate: {columns: {a: {between", new: "    columns: [a INT]\n    generate: {columns: {a: {between"},
		{name: "undescribed column", old: "        b: {pick: [x, y], skewed: true, empty: 0.5}\n", new: "", reader: true},
		{name: "two descriptions", old: "a: {from: 1}", new: "a: {from: 1, pick: [x]}"},
		{name: "no description", old: "a: {from: 1}", new: "a: {empty: 0.5}"},
		{name: "share above 1", old: "empty: 0.5", new: "empty: 1.5"},
		{name: "truth value", old: "skewed: true", new: "skewed: maybe"},
		{name: "late without late_by", old: ", late_by: 100", new: ""},
		{name: "start is no time", old: "\"2026-01-01 00:00:00\"", new: "yesterday"},
		{name: "between one number", old: "between: [1, 9]", new: "between: [1]"},
		{name: "between fractions", old: "between: [1, 9]", new: "between: [1.5, 9]"},
		{name: "decimals", old: "decimals: 2", new: "decimals: 12"},
		{name: "id of a step", old: "id: tab", new: "id: Tab 1"},
		{name: "no id", old: "  - id: tab\n    title", new: "  - title"},
		{name: "kind", old: "kind: table", new: "kind: tables"},
		{name: "negative points", old: "points: 1.5", new: "points: -1"},
		{name: "points as a text", old: "points: 1.5", new: "points: many"},
		{name: "path out of the folder", old: "sql: tab.sql", new: "sql: ../tab.sql"},
		{name: "absolute path", old: "sql: tab.sql", new: "sql: /tab.sql"},
		{name: "unclean path", old: "sql: tab.sql", new: "sql: a/./tab.sql"},
		{name: "backslash", old: "sql: tab.sql", new: "sql: a\\tab.sql"},
		{name: "mode", old: "mode: batch", new: "mode: stream"},
		{name: "compare", old: "compare: multiset", new: "compare: loose"},
		{name: "a table is no log", old: "compare: multiset", new: "compare: final"},
		{name: "prefix of a table", old: "compare: multiset", new: "compare: prefix"},
		{name: "at_least without prefix", old: "    compare: prefix\n", new: ""},
		{name: "at_least is no number", old: "at_least: 3", new: "at_least: few"},
		{name: "unknown step needed", old: "needs: [tab]", new: "needs: [other]", reader: true},
		{name: "per-key without key", old: ", key: [a], compare: per-key", new: ", compare: per-key"},
		{name: "no query", old: "    query: SELECT a, b FROM t\n", new: ""},
		{name: "query is no SQL", old: "query: SELECT a, b FROM t", new: "query: SELECT FROM", reader: true},
		{name: "no out", old: "    out: sub/tab.out\n", new: ""},
		{name: "judge", old: "judge: sql", new: "judge: me"},
		{name: "judge sql with out", old: "judge: sql, sql: run.sql", new: "judge: sql, sql: run.sql, out: run.out"},
		{name: "judge sql without sql", old: "judge: sql, sql: run.sql", new: "judge: sql"},
		{name: "sink without folder", old: "kind: sink, folder: out", new: "kind: sink"},
		{name: "plans missing", old: "    plans: [{name: p, query: SELECT a FROM t, accept: {Calc: [I]}}]\n", new: ""},
		{name: "plan without query", old: "{name: p, query: SELECT a FROM t, accept", new: "{name: p, accept"},
		{name: "same", old: "same: [primary-key, connector]", new: "same: [primarykey]"},
		{name: "facts without sql", old: "kind: facts, sql: f.sql", new: "kind: facts"},
		{name: "facts in a step without sql", old: "    sql: log.sql\n", new: ""},
		{name: "two facts in one", old: "- avoids: NOW", new: "- {avoids: NOW, uses: TUMBLE}"},
		{name: "no fact", old: "- avoids: NOW", new: "- says: nothing"},
		{name: "fact of no table", old: "{table: t, watermark: delayed}", new: "{watermark: delayed}"},
		{name: "fact with a table too many", old: "- avoids: NOW", new: "- {avoids: NOW, table: t}"},
		{name: "setting without value", old: "{setting: execution.runtime-mode, value: streaming}", new: "{setting: execution.runtime-mode}"},
		{name: "watermark", old: "watermark: delayed", new: "watermark: late"},
		{name: "report without file", old: "    file: r.json\n", new: ""},
		{name: "number with both", old: "value: count(log)", new: "value: count(log), query: SELECT 1"},
		{name: "number with none", old: "{name: n, value: count(log), says: rows}", new: "{name: n, says: rows}"},
		{name: "number without name", old: "{name: n, value", new: "{value"},
		{name: "expression", old: "count(log)", new: "count(log", reader: true},
		{name: "language", old: "  zh: {", new: "  Chinese: {"},
		{name: "translated step", old: "steps: {tab: {title: 表", new: "steps: {tub: {title: 表", reader: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(full, c.old, c.new, 1)
			if c.old != "" && text == full {
				t.Fatal("nothing was replaced")
			}
			_, read := Parse(FileName, []byte(text))
			if (read == nil) != c.ok {
				t.Errorf("the reader says %v", read)
			}
			err := validate(t, s, text)
			if (err == nil) != (c.ok || c.reader) {
				t.Errorf("the schema says %v", err)
			}
		})
	}
}

// TestSchemaDescribesEveryKey: editors show a word about each.
func TestSchemaDescribesEveryKey(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var walk func(reflect.Type)
	walk = func(x reflect.Type) {
		switch x.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(x.Elem())
		case reflect.Struct:
			if seen[x] {
				return
			}
			seen[x] = true
			for i := range x.NumField() {
				key := x.Field(i).Tag.Get("yaml")
				if key == "" || key == "-" {
					continue
				}
				if description(x.Name()+"."+key) == "" {
					t.Errorf("no description of %s.%s", x.Name(), key)
				}
				if !strings.Contains(full, key+":") && key != "generator" {
					t.Errorf("no test has the key %s", key)
				}
				walk(x.Field(i).Type)
			}
		}
	}
	walk(reflect.TypeFor[Lab]())
}
