package authoring

import (
	"fmt"
	"io"
	"io/fs"
	"sort"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/labs"
)

// labStep is a step of a lab file that is written.
type labStep struct {
	id, title string
	kind      labs.Kind
	mode      string
	query     string
	key       []string
	compare   labs.Compare
	files     bool
	numbers   []labs.Number
}

// schemaLine makes editors complete and check the file.
const schemaLine = "# yaml-language-server: $schema=https://raw.githubusercontent.com/labgrade/labgrade/main/docs/schema/lab.schema.json\n"

// labText writes a lab file.
func labText(lab *labs.Lab, steps []labStep) []byte {
	var b strings.Builder
	b.WriteString(schemaLine)
	b.WriteString("# No expected number stands here: labgrade runs the queries on the data.\n")
	fmt.Fprintf(&b, "lab: %s\nversion: %q\ntitle: %s\nflink: %s\n", lab.ID, lab.Version, yamlText("Changelogs of "+lab.ID), lab.Flink)
	b.WriteString("# due: 2026-12-15T23:59:00+09:00\n# disclose: all   # how much of the expected values learners see\n\ntables:\n")
	for i := range lab.Tables {
		t := &lab.Tables[i]
		fmt.Fprintf(&b, "  - name: %s\n    file: %s\n    columns:\n", t.Name, yamlText(t.File))
		for _, c := range t.Columns {
			fmt.Fprintf(&b, "      - %s\n", yamlText(c))
		}
		if len(t.Options) > 0 {
			b.WriteString("    options:\n")
			for _, k := range sortedKeys(t.Options) {
				fmt.Fprintf(&b, "      %s: %s\n", k, yamlText(t.Options[k]))
			}
		}
	}
	if lab.Setup != "" {
		fmt.Fprintf(&b, "\nsetup: |\n%s", indented(lab.Setup, "  "))
	}
	b.WriteString("\nsteps:\n")
	for _, s := range steps {
		fmt.Fprintf(&b, "  - id: %s\n    title: %s\n    kind: %s\n    points: 1\n", s.id, yamlText(s.title), s.kind)
		if s.kind == labs.KindReport {
			b.WriteString("    file: report.json\n    numbers:\n")
			for _, n := range s.numbers {
				fmt.Fprintf(&b, "      - name: %s\n        value: %s\n        says: %s\n", n.Name, n.Value, yamlText(n.Says))
			}
			b.WriteString("    next: Count the rows of your outputs again and correct report.json.\n")
			continue
		}
		if s.files {
			fmt.Fprintf(&b, "    sql: %s.sql\n", s.id)
		}
		fmt.Fprintf(&b, "    out: %s.out\n", s.id)
		if s.mode == "batch" {
			b.WriteString("    mode: batch\n")
		}
		fmt.Fprintf(&b, "    query: |\n%s", indented(s.query, "      "))
		if len(s.key) > 0 {
			var key []string
			for _, k := range s.key {
				key = append(key, yamlText(k))
			}
			fmt.Fprintf(&b, "    key: [%s]\n", strings.Join(key, ", "))
		}
		if s.compare != "" {
			fmt.Fprintf(&b, "    compare: %s\n", s.compare)
		}
		fmt.Fprintf(&b, "    next: Run %s.sql again with \"sql-client.sh -f %s.sql > %s.out 2>&1\".\n\n", s.id, s.id, s.id)
	}
	return []byte(strings.TrimRight(b.String(), "\n") + "\n")
}

func sortedKeys(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

// indented puts every line of a text behind blanks.
func indented(text, by string) string {
	var b strings.Builder
	for _, l := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if strings.TrimSpace(l) == "" {
			b.WriteByte('\n')
			continue
		}
		b.WriteString(by + strings.TrimRight(l, " \t\r") + "\n")
	}
	return b.String()
}

// yamlText writes a text so that YAML reads it as a text.
func yamlText(s string) string {
	plain := s != "" && !strings.ContainsAny(s, ":#{}[]&*!|>'\"%@`\n\t\\,") && strings.TrimSpace(s) == s && s[0] != '-' && s[0] != '?'
	if _, err := strconv.ParseFloat(s, 64); err == nil {
		plain = false
	}
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "null", "~", "on", "off", "y", "n":
		plain = false
	}
	if plain {
		return s
	}
	return strconv.Quote(s)
}

// readme is a task to be filled in.
func readme(lab *labs.Lab) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nWhat this lab is about, and what one knows afterwards. (Write this.)\n\n## The data\n\n", lab.Title)
	for i := range lab.Tables {
		t := &lab.Tables[i]
		fmt.Fprintf(&b, "`%s` has no header line. Put it into a folder of yours, and write its path into the option `path`.\n\n| column | type |\n|---|---|\n", t.File)
		for _, c := range t.Physical() {
			fmt.Fprintf(&b, "| %s | %s |\n", c.Name, c.Type)
		}
		b.WriteByte('\n')
	}
	b.WriteString("## The steps\n\nWrite each `.sql` file, run it with Flink's SQL client, and keep what the client prints:\n\n" +
		"    sql-client.sh -f FILE.sql > FILE.out 2>&1\n\n")
	for i := range lab.Steps {
		s := &lab.Steps[i]
		fmt.Fprintf(&b, "%d. **%s** (%s): %s. (Say in words what the query is to give.)\n", i+1, s.ID, fileList(s), s.Title)
	}
	fmt.Fprintf(&b, "\n## Check it\n\n    labgrade check %s --labs DIR\n\nDIR is the folder that the lab's own folder lies in.\n", lab.ID)
	return []byte(b.String())
}

// fileList names the files of a step.
func fileList(s *labs.Step) string {
	var out []string
	for _, f := range []string{s.SQL, s.Out, s.File} {
		if f != "" {
			out = append(out, "`"+f+"`")
		}
	}
	if s.Folder != "" {
		out = append(out, "`"+s.Folder+"/`")
	}
	return strings.Join(out, ", ")
}

// Shipped opens the data that the lab ships.
func Shipped(lab *labs.Lab) checks.Source {
	return func(table string) (fs.File, error) {
		for i := range lab.Tables {
			if lab.Tables[i].Name == table {
				return lab.FS.Open("data/" + lab.Tables[i].File)
			}
		}
		return nil, fs.ErrNotExist
	}
}

// memorySource opens data by their table.
func memorySource(data map[string][]byte) checks.Source {
	return func(table string) (fs.File, error) {
		b, ok := data[table]
		if !ok {
			return nil, fs.ErrNotExist
		}
		return checks.Memory(b), nil
	}
}

func readAll(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}
