package checks

import (
	"fmt"
	"sort"
	"strings"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/sql"
)

// prelude are the settings and source tables of a step.
func prelude(lab *labs.Lab, step *labs.Step) string {
	var b strings.Builder
	b.WriteString(settingsText(lab, step))
	b.WriteString("SET 'table.dml-sync' = 'true';\n")
	for i := range lab.Tables {
		b.WriteString(lab.Tables[i].Statement())
	}
	b.WriteString(ended(lab.Setup))
	return b.String()
}

// settingsText are the SET statements of a step: its mode, and the lab's and its own
// settings.
func settingsText(lab *labs.Lab, step *labs.Step) string {
	all := map[string]string{"sql-client.execution.result-mode": "tableau"}
	for k, v := range lab.Settings {
		all[k] = v
	}
	for k, v := range step.Settings {
		all[k] = v
	}
	all["execution.runtime-mode"] = orStreaming(step.Mode)
	keys := make([]string, 0, len(all))
	for k := range all {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	var b strings.Builder
	for _, k := range keys {
		fmt.Fprintf(&b, "SET %s = %s;\n", sql.QuoteText(k), sql.QuoteText(all[k]))
	}
	return b.String()
}

// labScript is everything that runs before a step's query.
func labScript(lab *labs.Lab, step *labs.Step) string {
	return prelude(lab, step) + ended(step.Setup)
}

// setupOf are the statements that the lab runs before a step's query, behind its tables.
func setupOf(lab *labs.Lab, step *labs.Step) string { return ended(lab.Setup) + ended(step.Setup) }

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

// mentions reports whether a text of SQL has a name as a word of its own.
func mentions(text, name string) bool {
	for _, w := range sql.Words(text) {
		if strings.EqualFold(strings.Trim(w.Text, "`"), name) {
			return true
		}
	}
	return false
}

// Script is a script that a learner could write for a step: settings, the lab's tables,
// the step's setup, and its statements. With answer false the statements are left out, for
// a starter.
func Script(lab *labs.Lab, step *labs.Step, answer bool) string {
	var b strings.Builder
	b.WriteString(settingsText(lab, step))
	insert := strings.HasPrefix(strings.ToUpper(strings.TrimSpace(step.Query)), "INSERT")
	if insert && step.Kind != labs.KindRefusal {
		b.WriteString("SET 'table.dml-sync' = 'true';\n")
	}
	for i := range lab.Tables {
		b.WriteString("\n" + lab.Tables[i].Statement())
	}
	if !answer {
		b.WriteString("\n-- Your statements.\n")
		return b.String()
	}
	for _, text := range []string{lab.Setup, step.Setup, step.Query} {
		if t := ended(text); t != "" {
			b.WriteString("\n" + t)
		}
	}
	for _, p := range step.Plans {
		b.WriteString("\nEXPLAIN CHANGELOG_MODE " + ended(p.Query))
	}
	return b.String()
}
