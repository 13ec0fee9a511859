//go:build flink

// Command flinkrecord runs case folders on a real Flink cluster and writes into each
// what Flink printed. It needs a Flink 2.3.0 whose cluster runs (parallelism 1).
//
//	go run -tags flink ./internal/tools/flinkrecord -flink DIR CASE_DIR...
//
// A case folder holds ddl.sql (optional), query.sql, config.sql (optional SET
// statements) and data files; "{data}" in the SQL stands for the folder. It gets
// stream.txt, batch.txt, explain.txt (EXPLAIN CHANGELOG_MODE, streaming),
// explain-batch.txt and meta.json. scripts/record-random makes such folders.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/labgrade/labgrade/fixtures"
)

func main() {
	flink := flag.String("flink", os.Getenv("FLINK_HOME"), "folder of the Flink distribution")
	flag.Parse()
	if *flink == "" || flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "flinkrecord: name the folder of Flink (-flink) and at least one case folder")
		os.Exit(2)
	}
	client := client{script: filepath.Join(*flink, "bin", "sql-client.sh")}
	for _, dir := range flag.Args() {
		if err := recordCase(client, dir); err != nil {
			fmt.Fprintf(os.Stderr, "flinkrecord: %s: %v\n", dir, err)
			os.Exit(1)
		}
		fmt.Println("recorded", dir)
	}
}

// recordCase runs a case twice in streaming (to see whether its log is stable) and
// once in batch. Tables are made anew for each mode: one with a watermark is bound to
// the mode that it was created in.
func recordCase(c client, dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	read := func(name string) []string {
		text, _ := os.ReadFile(filepath.Join(abs, name))
		return fixtures.Statements(strings.ReplaceAll(string(text), "{data}", abs))
	}
	ddl, queries, config := read("ddl.sql"), read("query.sql"), read("config.sql")
	if len(queries) == 0 {
		return fmt.Errorf("query.sql holds no statement ended by ';'")
	}
	runs := []struct{ file, mode, prefix string }{
		{"stream.txt", "streaming", ""},
		{"stream-2.txt", "streaming", ""},
		{"batch.txt", "batch", ""},
		{"explain.txt", "streaming", "EXPLAIN CHANGELOG_MODE "},
		{"explain-batch.txt", "batch", "EXPLAIN "},
	}
	answers := map[string]string{}
	for _, r := range runs {
		head := append([]string{
			"SET 'sql-client.execution.result-mode' = 'tableau'",
			"SET 'table.dml-sync' = 'true'",
			"SET 'execution.runtime-mode' = '" + r.mode + "'",
		}, append(config, ddl...)...)
		var asked []string
		for _, q := range queries {
			asked = append(asked, r.prefix+q)
		}
		got, err := c.run(append(head, asked...))
		if err != nil {
			return err
		}
		text := strings.Join(got[len(head):], "\n")
		answers[r.file] = strings.ReplaceAll(text, abs, "{data}")
	}
	stable := withoutSeconds(answers["stream.txt"]) == withoutSeconds(answers["stream-2.txt"])
	if stable {
		delete(answers, "stream-2.txt")
	}
	meta, err := json.MarshalIndent(map[string]any{"flink": "2.3.0", "parallelism": 1, "stream_stable": stable}, "", " ")
	if err != nil {
		return err
	}
	answers["meta.json"] = string(meta) + "\n"
	for name, text := range answers {
		if err := os.WriteFile(filepath.Join(abs, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
