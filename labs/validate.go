package labs

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// identifier is what ids of labs and steps may look like: they become file names,
// flags and gradebook columns.
var identifier = regexp.MustCompile(`^[a-z][a-z0-9-]{0,63}$`)

// validate checks what the types cannot say.
func (r *reader) validate(lab *Lab) {
	if !identifier.MatchString(lab.ID) {
		r.at("lab", "lab must be a short name of small letters, digits and '-', not %q", lab.ID)
	}
	if lab.Version == "" {
		r.at("version", "version is missing")
	}
	if lab.Flink == "" {
		r.at("flink", "flink (the Flink version) is missing")
	}
	r.disclosure("disclose", lab.Disclose)
	if len(lab.Tables) == 0 {
		r.at("tables", "a lab needs at least one source table")
	}
	names := map[string]bool{}
	for i, t := range lab.Tables {
		r.table(fmt.Sprintf("tables[%d]", i), t, names)
	}
	if len(lab.Steps) == 0 {
		r.at("steps", "a lab needs at least one step")
	}
	steps := map[string]*Step{}
	for i := range lab.Steps {
		s := &lab.Steps[i]
		at := fmt.Sprintf("steps[%d]", i)
		r.step(at, s, steps)
		if _, twice := steps[s.ID]; twice {
			r.at(at+".id", "step %q stands twice", s.ID)
		}
		steps[s.ID] = s
	}
	for i := range lab.Steps {
		r.numbers(fmt.Sprintf("steps[%d]", i), &lab.Steps[i], steps)
	}
}

func (r *reader) disclosure(at string, d Disclosure) {
	known := []string{string(DiscloseAll), string(DiscloseWhere), string(DiscloseVerdict)}
	if d != "" && !slices.Contains(known, string(d)) {
		r.at(at, "disclose: %q is unknown%s", d, suggest(string(d), known))
	}
}

func (r *reader) table(at string, t Table, names map[string]bool) {
	if t.Name == "" {
		r.at(at, "a table needs a name")
	}
	if names[t.Name] {
		r.at(at+".name", "table %q stands twice", t.Name)
	}
	names[t.Name] = true
	if t.File == "" || t.File != path.Base(t.File) {
		r.at(at+".file", "file must be a plain file name in the lab's data folder")
	}
	if len(t.Columns) == 0 {
		r.at(at+".columns", "table %q needs columns", t.Name)
	}
	for i, c := range t.Columns {
		if len(strings.Fields(c)) < 2 {
			r.at(fmt.Sprintf("%s.columns[%d]", at, i), "a column needs a name and a type, as in \"user_id STRING\", not %q", c)
		}
	}
}

func (r *reader) step(at string, s *Step, earlier map[string]*Step) {
	if !identifier.MatchString(s.ID) {
		r.at(at+".id", "id must be a short name of small letters, digits and '-', not %q", s.ID)
	}
	if s.Points < 0 {
		r.at(at+".points", "points cannot be negative")
	}
	var kinds []string
	for _, k := range Kinds() {
		kinds = append(kinds, string(k))
	}
	if !slices.Contains(kinds, string(s.Kind)) {
		r.at(at+".kind", "kind %q is unknown%s", s.Kind, suggest(string(s.Kind), kinds))
		return
	}
	r.disclosure(at+".disclose", s.Disclose)
	for i, n := range s.Needs {
		if earlier[n] == nil {
			r.at(fmt.Sprintf("%s.needs[%d]", at, i), "step %q is no earlier step", n)
		}
	}
	if s.Mode != "" && s.Mode != "batch" && s.Mode != "streaming" {
		r.at(at+".mode", "mode is %q; it can be batch or streaming", s.Mode)
	}
	if s.Compare == "" {
		s.Compare = CompareExact
		if s.Kind == KindTable {
			s.Compare = CompareMultiset
		}
	}
	if !slices.Contains(Compares(), s.Compare) {
		var known []string
		for _, c := range Compares() {
			known = append(known, string(c))
		}
		r.at(at+".compare", "compare: %q is unknown%s", s.Compare, suggest(string(s.Compare), known))
	}
	for i, same := range s.Same {
		known := []string{"primary-key", "connector"}
		if !slices.Contains(known, same) {
			r.at(fmt.Sprintf("%s.same[%d]", at, i), "%q is unknown%s", same, suggest(same, known))
		}
	}
	needs := func(value, key string) {
		if value == "" {
			r.at(at, "step %q of kind %s needs the key %q", s.ID, s.Kind, key)
		}
	}
	switch s.Kind {
	case KindTable, KindChangelog, KindRefusal:
		needs(s.Out, "out")
		needs(s.Query, "query")
	case KindSink:
		needs(s.Folder, "folder")
		needs(s.Query, "query")
	case KindPlan:
		needs(s.Out, "out")
		if len(s.Plans) == 0 {
			r.at(at, "step %q of kind plan needs the key \"plans\"", s.ID)
		}
	case KindReport:
		needs(s.File, "file")
		if len(s.Numbers) == 0 {
			r.at(at, "step %q of kind report needs the key \"numbers\"", s.ID)
		}
	}
	for _, f := range []struct{ key, name string }{{"sql", s.SQL}, {"out", s.Out}, {"folder", s.Folder}, {"file", s.File}} {
		if f.name != "" && (path.IsAbs(f.name) || path.Clean(f.name) != f.name || strings.HasPrefix(f.name, "..") || strings.Contains(f.name, `\`)) {
			r.at(at+"."+f.key, "%q must be a path inside the learner's folder", f.name)
		}
	}
}

func (r *reader) numbers(at string, s *Step, steps map[string]*Step) {
	for i, n := range s.Numbers {
		where := fmt.Sprintf("%s.numbers[%d]", at, i)
		if n.Name == "" {
			r.at(where, "a number needs a name")
		}
		x, err := ParseExpr(n.Value)
		if err != nil {
			r.at(where+".value", "%v", err)
			continue
		}
		for _, c := range x.Calls() {
			of := steps[c.Step]
			switch {
			case of == nil:
				var known []string
				for id := range steps {
					known = append(known, id)
				}
				r.at(where+".value", "there is no step %q%s", c.Step, suggest(c.Step, known))
			case of.Kind != KindTable && of.Kind != KindChangelog && of.Kind != KindSink:
				r.at(where+".value", "step %q has no rows to count", c.Step)
			case of.Kind == KindTable && len(c.Kinds) > 0:
				r.at(where+".value", "step %q is a batch result: its rows have no kinds", c.Step)
			}
		}
	}
}
