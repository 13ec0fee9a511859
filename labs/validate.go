package labs

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/labgrade/labgrade/fixtures"
	"github.com/labgrade/labgrade/sql"
)

// identifier is what ids of labs and steps may look like: they become file names,
// flags and gradebook columns. language is a tag such as zh or pt-BR.
var (
	identifier = regexp.MustCompile(`^[a-z][a-z0-9-]{0,63}$`)
	language   = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$`)
)

func itoa(i int) string { return strconv.Itoa(i) }

// names turns values of a text type into texts.
func names[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

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
	if _, ok := fixtures.Generator(lab.Generator); !ok && lab.Generator != "" {
		r.at("generator", "there is no generator %q%s", lab.Generator, suggest(lab.Generator, fixtures.Generators()))
	}
	r.disclosure("disclose", lab.Disclose)
	r.due("due", lab.Due)
	r.parses("setup", lab.Setup)
	r.until("until", lab.Until, lab.Disclose)
	if len(lab.Tables) == 0 {
		r.at("tables", "a lab needs at least one source table")
	}
	known := map[string]bool{}
	for i := range lab.Tables {
		r.table("tables["+itoa(i)+"]", &lab.Tables[i], known)
	}
	if len(lab.Steps) == 0 {
		r.at("steps", "a lab needs at least one step")
	}
	steps := map[string]*Step{}
	for i := range lab.Steps {
		s := &lab.Steps[i]
		at := "steps[" + itoa(i) + "]"
		r.step(at, s, steps)
		if _, twice := steps[s.ID]; twice {
			r.at(at+".id", "step %q stands twice", s.ID)
		}
		steps[s.ID] = s
	}
	for i := range lab.Steps {
		r.numbers("steps["+itoa(i)+"]", &lab.Steps[i], steps)
		r.until("steps["+itoa(i)+"].until", lab.Steps[i].Until, cmp.Or(lab.Steps[i].Disclose, lab.Disclose))
	}
	r.texts(lab, steps)
}

func (r *reader) disclosure(at string, d Disclosure) {
	var known []string
	for _, k := range Disclosures() {
		known = append(known, string(k))
	}
	if d != "" && !slices.Contains(known, string(d)) {
		r.at(at, "disclose: %q is unknown%s", d, suggest(string(d), known))
	}
}

func (r *reader) due(at, due string) {
	if due == "" {
		return
	}
	if _, err := time.Parse(time.RFC3339, due); err != nil {
		r.at(at, "due must be a time with its zone, as in 2026-12-15T23:59:00+09:00, not %q", due)
	}
}

// firstLine is an error without the Java class of Flink's exception.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	if class, rest, ok := strings.Cut(line, ": "); ok && strings.HasPrefix(class, "org.apache.") {
		return rest
	}
	return line
}

// parses checks that a text is Flink SQL.
func (r *reader) parses(at, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if _, err := sql.ParseList(text); err != nil {
		r.at(at, "the SQL cannot be parsed: %s", firstLine(err))
	}
}

func (r *reader) table(at string, t *Table, known map[string]bool) {
	if t.DDL != "" {
		for key, is := range map[string]bool{
			"columns": t.Columns != nil, "primary_key": t.PrimaryKey != nil, "watermark": t.Watermark != "", "options": t.Options != nil,
		} {
			if is {
				r.at(at+"."+key, "a table with a ddl has no key %q: the ddl says it", key)
			}
		}
	} else {
		if t.Name == "" {
			r.at(at, "a table needs a name")
		}
		if len(t.Columns) == 0 {
			r.at(at+".columns", "table %q needs columns", t.Name)
		}
		for i, c := range t.Columns {
			if len(strings.Fields(c)) < 2 {
				r.at(at+".columns["+itoa(i)+"]", "a column needs a name and a type, as in \"user_id STRING\", not %q", c)
				return
			}
		}
	}
	if t.DDL != "" || t.Name != "" && len(t.Columns) > 0 {
		if err := t.resolve(); err != nil {
			where := at + ".columns"
			if t.DDL != "" {
				where = at + ".ddl"
			}
			r.at(where, "the table cannot be made: %s", firstLine(err))
			return
		}
	}
	if known[t.Name] && t.Name != "" {
		r.at(at+".name", "table %q stands twice", t.Name)
	}
	known[t.Name] = true
	if t.File == "" || t.File != path.Base(t.File) || t.File == "." || t.File == "/" {
		r.at(at+".file", "file must be a plain file name in the lab's data folder")
	}
	r.generate(at+".generate", t)
}

func (r *reader) step(at string, s *Step, earlier map[string]*Step) {
	if !identifier.MatchString(s.ID) {
		r.at(at+".id", "id must be a short name of small letters, digits and '-', not %q", s.ID)
	}
	if s.Points < 0 {
		r.at(at+".points", "points cannot be negative")
	}
	if !slices.Contains(Kinds(), s.Kind) {
		r.at(at+".kind", "kind %q is unknown%s", s.Kind, suggest(string(s.Kind), names(Kinds())))
		return
	}
	r.disclosure(at+".disclose", s.Disclose)
	r.due(at+".due", s.Due)
	for i, n := range s.Needs {
		if earlier[n] == nil {
			r.at(at+".needs["+itoa(i)+"]", "step %q is no earlier step", n)
		}
	}
	if s.Mode != "" && s.Mode != "batch" && s.Mode != "streaming" {
		r.at(at+".mode", "mode is %q; it can be batch or streaming", s.Mode)
	}
	r.compare(at, s)
	for i, same := range s.Same {
		known := []string{"primary-key", "connector"}
		if !slices.Contains(known, same) {
			r.at(at+".same["+itoa(i)+"]", "%q is unknown%s", same, suggest(same, known))
		}
	}
	r.files(at, s)
	r.facts(at, s)
	r.parses(at+".setup", s.Setup)
	if s.Kind != KindRefusal {
		r.parses(at+".query", s.Query)
	}
	for i, p := range s.Plans {
		if p.Query == "" {
			r.at(at+".plans["+itoa(i)+"]", "a plan needs a query")
		}
		r.parses(at+".plans["+itoa(i)+"].query", p.Query)
	}
}

// compare fills in and checks how rows are compared.
func (r *reader) compare(at string, s *Step) {
	if s.Compare == "" {
		s.Compare = CompareExact
		if s.Kind == KindTable {
			s.Compare = CompareMultiset
		}
	}
	if !slices.Contains(Compares(), s.Compare) {
		r.at(at+".compare", "compare: %q is unknown%s", s.Compare, suggest(string(s.Compare), names(Compares())))
		return
	}
	switch s.Compare {
	case ComparePrefix:
		if s.Kind != KindChangelog && s.Kind != KindPrint {
			r.at(at+".compare", "compare: prefix is for the logs of changelog and print steps, not for kind %s", s.Kind)
		}
	case CompareFinal, ComparePerKey, CompareMerge:
		if s.Kind == KindTable {
			r.at(at+".compare", "compare: %s is for logs; the rows of a batch table have no order: multiset", s.Compare)
		}
	}
	if s.Compare == ComparePerKey && len(s.Key) == 0 {
		r.at(at+".compare", "compare: per-key needs the key \"key\": the columns that tell whose row it is")
	}
	if s.AtLeast < 0 || s.AtLeast > 0 && s.Compare != ComparePrefix {
		r.at(at+".at_least", "at_least is the number of rows that a prefix must have, with compare: prefix")
	}
}

// files checks which keys a kind needs, and the names of the learner's files.
func (r *reader) files(at string, s *Step) {
	needs := func(value, key string) {
		if value == "" {
			r.at(at, "step %q of kind %s needs the key %q", s.ID, s.Kind, key)
		}
	}
	known := []string{string(JudgeOutput), string(JudgeSQL)}
	run := s.Judge == JudgeSQL
	switch {
	case s.Judge != "" && !slices.Contains(known, string(s.Judge)):
		r.at(at+".judge", "judge: %q is unknown%s", s.Judge, suggest(string(s.Judge), known))
	case run && (s.Kind == KindReport || s.Kind == KindFacts):
		r.at(at+".judge", "judge: sql is for kinds that have a result, not for %s", s.Kind)
	case run:
		needs(s.SQL, "sql")
		if s.Out != "" {
			r.at(at+".out", "with judge: sql nothing is saved: leave out the key \"out\"")
		}
		if s.Folder != "" {
			r.at(at+".folder", "with judge: sql nothing is saved: leave out the key \"folder\"")
		}
	}
	switch s.Kind {
	case KindTable, KindChangelog, KindRefusal, KindPrint:
		if !run {
			needs(s.Out, "out")
		}
		needs(s.Query, "query")
	case KindSink:
		if !run {
			needs(s.Folder, "folder")
		}
		needs(s.Query, "query")
	case KindPlan:
		if !run {
			needs(s.Out, "out")
		}
		if len(s.Plans) == 0 {
			r.at(at, "step %q of kind plan needs the key \"plans\"", s.ID)
		}
	case KindReport:
		needs(s.File, "file")
		if len(s.Numbers) == 0 {
			r.at(at, "step %q of kind report needs the key \"numbers\"", s.ID)
		}
	case KindFacts:
		needs(s.SQL, "sql")
		if len(s.Facts) == 0 {
			r.at(at, "step %q of kind facts needs the key \"facts\"", s.ID)
		}
	}
	for _, f := range []struct{ key, name string }{{"sql", s.SQL}, {"out", s.Out}, {"folder", s.Folder}, {"file", s.File}} {
		if f.name != "" && (path.IsAbs(f.name) || path.Clean(f.name) != f.name || strings.HasPrefix(f.name, "..") || strings.Contains(f.name, `\`)) {
			r.at(at+"."+f.key, "%q must be a path inside the learner's folder", f.name)
		}
	}
}

// hasRows reports a step whose result has rows to count.
func hasRows(k Kind) bool {
	return k == KindTable || k == KindChangelog || k == KindSink || k == KindPrint
}

func (r *reader) numbers(at string, s *Step, steps map[string]*Step) {
	for i, n := range s.Numbers {
		where := fmt.Sprintf("%s.numbers[%d]", at, i)
		if n.Name == "" {
			r.at(where, "a number needs a name")
		}
		if (n.Value == "") == (n.Query == "") {
			r.at(where, "a number has either a value or a query")
			continue
		}
		if n.Query != "" {
			r.parses(where+".query", n.Query)
			continue
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
			case !hasRows(of.Kind):
				r.at(where+".value", "step %q has no rows to count", c.Step)
			case of.Kind == KindTable && len(c.Kinds) > 0:
				r.at(where+".value", "step %q is a batch result: its rows have no kinds", c.Step)
			case of.Kind == KindTable && c.Func == "final":
				r.at(where+".value", "step %q is a batch result, not a log: count(%s)", c.Step, c.Step)
			}
		}
	}
}

func (r *reader) texts(lab *Lab, steps map[string]*Step) {
	for lang, t := range lab.Texts {
		at := "texts." + lang
		if !language.MatchString(lang) {
			r.at(at, "%q is no language tag such as zh, ko or pt-BR", lang)
		}
		for id := range t.Steps {
			if steps[id] == nil {
				var known []string
				for k := range steps {
					known = append(known, k)
				}
				r.at(at+".steps."+id, "there is no step %q%s", id, suggest(id, known))
			}
		}
	}
}
