// Command querycases writes random cases in the layout of the recorded corpus, to be
// recorded on a real Flink and compared with the engine.
//
//	go run ./internal/tools/querycases -family agg -seed 1 -cases 10 -queries 10 -out DIR
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/labgrade/labgrade/fixtures/querygen"
)

func main() {
	family := flag.String("family", "agg", "agg, window, join or functions")
	seed := flag.Uint64("seed", 1, "first seed; each case takes the next one")
	cases := flag.Int("cases", 10, "number of cases")
	queries := flag.Int("queries", 10, "queries in a case")
	out := flag.String("out", "", "folder to write the case folders into")
	flag.Parse()
	if *out == "" {
		fmt.Fprintln(os.Stderr, "querycases: -out is missing: name a folder for the cases")
		os.Exit(2)
	}
	for i := range *cases {
		c := querygen.Generate(querygen.Family(*family), *seed+uint64(i), *queries)
		if err := write(filepath.Join(*out, c.Name), c); err != nil {
			fmt.Fprintln(os.Stderr, "querycases:", err)
			os.Exit(1)
		}
	}
}

func write(dir string, c querygen.Case) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	files := map[string]string{
		"ddl.sql":   c.DDL,
		"query.sql": strings.Join(c.Queries, ";\n") + ";\n",
		"note.md":   "Random case " + c.Name + " of fixtures/querygen.\n",
	}
	for name, text := range c.Files {
		files[name] = text
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
