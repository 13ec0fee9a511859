package checks

import (
	"fmt"
	"sort"
	"strings"

	"github.com/labgrade/labgrade/labs"
)

// sourceDDL is the CREATE TABLE of a source table.
func sourceDDL(t *labs.Table) string {
	var b strings.Builder
	fmt.Fprintf(&b, "CREATE TABLE %s (\n", quoteName(t.Name))
	items := append([]string{}, t.Columns...)
	if t.Watermark != "" {
		items = append(items, "WATERMARK FOR "+t.Watermark)
	}
	if len(t.PrimaryKey) > 0 {
		items = append(items, "PRIMARY KEY ("+strings.Join(t.PrimaryKey, ", ")+") NOT ENFORCED")
	}
	b.WriteString("  " + strings.Join(items, ",\n  ") + "\n) WITH (\n")
	options := map[string]string{"connector": "filesystem", "path": sourcePath(t), "format": "csv"}
	for k, v := range t.Options {
		options[k] = v
	}
	keys := make([]string, 0, len(options))
	for k := range options {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for i, k := range keys {
		fmt.Fprintf(&b, "  %s = %s", quoteText(k), quoteText(options[k]))
		if i < len(keys)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString(");\n")
	return b.String()
}

// sourcePath is the path of a source table in scripts: the lab machine's own.
func sourcePath(t *labs.Table) string {
	if t.Path != "" {
		return "file://" + t.Path
	}
	return "file:///lab/data/" + t.File
}

// prelude are the settings and source tables of a step.
func prelude(lab *labs.Lab, mode string) string {
	if mode == "" {
		mode = "streaming"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "SET 'execution.runtime-mode' = %s;\n", quoteText(mode))
	b.WriteString("SET 'sql-client.execution.result-mode' = 'tableau';\n")
	b.WriteString("SET 'table.dml-sync' = 'true';\n")
	for i := range lab.Tables {
		b.WriteString(sourceDDL(&lab.Tables[i]))
	}
	return b.String()
}

// labScript is everything that runs before a step's query.
func labScript(lab *labs.Lab, step *labs.Step) string {
	return prelude(lab, step.Mode) + ended(step.Setup)
}

// ended gives a text of statements a semicolon and a line end.
func ended(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	if !strings.HasSuffix(s, ";") {
		s += ";"
	}
	return s + "\n"
}

func quoteText(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func quoteName(s string) string { return "`" + strings.ReplaceAll(s, "`", "``") + "`" }
