package checks

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/sql"
)

// settingsOf are the settings that hold behind the statements, with their lines.
func settingsOf(before []*answer) map[string]setting {
	now := map[string]setting{}
	for _, a := range before {
		switch x := a.stmt.(type) {
		case *sql.Set:
			now[x.Key] = setting{x.Value, a.line}
		case *sql.Reset:
			if x.All {
				now = map[string]setting{}
			}
			delete(now, x.Key)
		}
	}
	return now
}

type setting struct {
	value string
	line  int
}

// settings looks at the SET statements before the query.
func (f *faultFinder) settings(step *labs.Step, before []*answer) {
	now := settingsOf(before)
	mode := "streaming"
	line := 0
	if m, ok := now["execution.runtime-mode"]; ok {
		mode, line = strings.ToLower(m.value), m.line
	}
	if mode != orStreaming(step.Mode) {
		f.add("LG-SQL-014", line, "the query runs in %s mode, the task asks for %s mode", mode, orStreaming(step.Mode))
	}
	if m, ok := now["table.exec.mini-batch.enabled"]; ok && strings.EqualFold(m.value, "true") {
		f.add("LG-SQL-015", m.line, "mini-batch is switched on")
	}
	if m, ok := now["parallelism.default"]; ok && m.value != "1" {
		f.add("LG-SQL-016", m.line, "the parallelism is %s", m.value)
	}
}

// tables looks at how the learner declares the source table.
func (f *faultFinder) tables(b *shape, before []*answer) {
	ddl, line := tableDDL(before, b.table)
	if ddl == nil {
		return
	}
	options := map[string]string{}
	for _, o := range ddl.Options {
		options[o.Key] = o.Value
	}
	var t *labs.Table
	for i := range f.lab.Tables {
		if f.lab.Tables[i].File == path.Base(options["path"]) || len(f.lab.Tables) == 1 {
			t = &f.lab.Tables[i]
		}
	}
	if t == nil || options["connector"] != "filesystem" {
		f.add("LG-SQL-017", line, "the table %s does not read the lab's file", b.table)
		return
	}
	for k := range options {
		if strings.HasPrefix(k, "csv.") && !t.HasOption(k) {
			f.add("LG-SQL-030", line, "the table %s has the option %s", b.table, k)
		}
	}
	var have []string
	for _, c := range ddl.Columns {
		if c.Computed == nil && !c.Metadata {
			have = append(have, c.Name.Text+" "+strings.ToUpper(typeText(&c.Type)))
		}
	}
	var want []string
	for _, c := range t.Physical() {
		want = append(want, columnText(c.Name, c.Type))
	}
	if len(have) > 0 && !slices.Equal(have, want) {
		for i := range max(len(have), len(want)) {
			x, y := "nothing", "nothing"
			if i < len(have) {
				x = have[i]
			}
			if i < len(want) {
				y = want[i]
			}
			if x != y {
				f.add("LG-SQL-026", line, "column %d of the table %s is declared as %s; in the file it is %s", i+1, b.table, x, y)
				break
			}
		}
	}
}

// tableDDL finds the CREATE TABLE of a name, and its line.
func tableDDL(before []*answer, name string) (ddl *sql.CreateTable, line int) {
	for _, a := range before {
		if c, ok := a.stmt.(*sql.CreateTable); ok && lastPart(c.Name) == name {
			ddl, line = c, a.line
		}
	}
	return ddl, line
}

// columnText brings a column into the form that typeText gives.
func columnText(name, typ string) string {
	t, err := sql.ParseType(typ)
	if err != nil {
		return name + " " + typ
	}
	return name + " " + strings.ToUpper(typeText(&t))
}

func typeText(t *sql.TypeName) string {
	s := t.Name
	if len(t.Params) > 0 {
		var p []string
		for _, n := range t.Params {
			p = append(p, fmt.Sprint(n))
		}
		s += "(" + strings.Join(p, ", ") + ")"
	}
	return s
}
