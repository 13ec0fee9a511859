package plan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/labgrade/labgrade/reference/bind"
	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/fn"
	"github.com/labgrade/labgrade/reference/phys"
	"github.com/labgrade/labgrade/reference/rel"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

func splitStatements(text string) []string {
	var out []string
	var cur strings.Builder
	var quote byte
	flush := func() {
		if s := strings.TrimSpace(cur.String()); s != "" {
			out = append(out, s)
		}
		cur.Reset()
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0:
			cur.WriteByte(c)
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '`' || c == '"':
			quote = c
			cur.WriteByte(c)
		case c == '-' && i+1 < len(text) && text[i+1] == '-':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == ';':
			flush()
		case c == '\n':
			cur.WriteByte(' ')
		default:
			cur.WriteByte(c)
		}
	}
	flush()
	return out
}

// answer is what Flink printed for one statement.
type answer struct {
	physical, execution string
	class, msg          string
}

var explainedInStreaming = regexp.MustCompile(`(?i)^(EXPLAIN|SELECT|WITH|INSERT|\(|VALUES)`)
var explainedInBatch = regexp.MustCompile(`(?i)^(SELECT|WITH|\(|VALUES)`)

func section(text, name string) string {
	_, s, ok := strings.Cut(text, "== "+name+" ==\n")
	if !ok {
		return ""
	}
	if i := strings.Index(s, "\n\n"); i >= 0 {
		s = s[:i]
	}
	return strings.TrimSuffix(s, "\n |")
}

func readAnswers(text string) []answer {
	lines := strings.Split(text, "\n")
	var out []answer
	for i := 0; i < len(lines); {
		l := lines[i]
		switch {
		case strings.HasPrefix(l, "[ERROR]"):
			j := i + 1
			for j < len(lines) && !(lines[j] == "" && j+1 < len(lines) && (strings.HasPrefix(lines[j+1], "[ERROR]") || strings.HasPrefix(lines[j+1], "+--") || strings.HasPrefix(lines[j+1], "[INFO]"))) {
				j++
			}
			body := strings.TrimRight(strings.Join(lines[i+1:j], "\n"), "\n")
			class, msg, _ := strings.Cut(body, ": ")
			out = append(out, answer{class: class, msg: msg})
			i = j
		case strings.HasPrefix(l, "+--"):
			j := i
			for j < len(lines) && !strings.HasSuffix(lines[j], "row in set") {
				j++
			}
			body := strings.Join(lines[i:min(j, len(lines))], "\n")
			if k := strings.LastIndex(body, "\n |"); k >= 0 {
				body = body[:k]
			}
			out = append(out, answer{physical: section(body, "Optimized Physical Plan"), execution: section(body, "Optimized Execution Plan")})
			i = j + 1
		default:
			i++
		}
	}
	return out
}

type session struct {
	env      *bind.Env
	cat      *memory
	settings map[string]string
	dir      string
}

func newSession(batch bool, dir string) *session {
	m := newMemory()
	return &session{cat: m, settings: map[string]string{}, dir: dir,
		env: &bind.Env{Catalog: m, DefaultCatalog: "default_catalog", DefaultDatabase: "default_database", Batch: batch}}
}

func (s *session) apply(text string) error {
	st, err := sql.Parse(text)
	if err != nil {
		return err
	}
	switch st := st.(type) {
	case *sql.CreateTable:
		t, err := bind.CreateTable(st, s.env)
		if err != nil {
			return err
		}
		for i, o := range t.Options {
			t.Options[i].Value = strings.ReplaceAll(o.Value, "{data}", s.dir)
		}
		s.cat.tables[t.Path] = t
	case *sql.CreateView:
		t, err := bind.CreateView(st, s.env)
		if err != nil {
			return err
		}
		s.cat.tables[t.Path] = t
	case *sql.Set:
		s.settings[st.Key] = st.Value
		if st.Key == "execution.runtime-mode" {
			s.env.Batch = strings.EqualFold(st.Value, "batch")
		}
	}
	return nil
}

// plan returns the physical and execution texts of a statement.
func (s *session) plan(text string) (physical, execution string, err error) {
	st, err := sql.Parse(text)
	if err != nil {
		return "", "", err
	}
	mode := true
	if e, ok := st.(*sql.Explain); ok {
		mode = len(e.Details) == 1 && strings.EqualFold(e.Details[0], "CHANGELOG_MODE")
		if !mode && len(e.Details) > 0 {
			return "", "", unsupported.New("details %v", e.Details)
		}
		st = e.Stmt
	}
	var n rel.Node
	switch st := st.(type) {
	case *sql.QueryStmt:
		n, err = bind.Query(st.Query, s.env)
	case *sql.Insert:
		n, err = bind.Insert(st, s.env)
	default:
		err = unsupported.New("statement %T", st)
	}
	if err != nil {
		return "", "", fmt.Errorf("bind: %w", err)
	}
	cfg := &Config{Batch: s.env.Batch, Fold: Folder(&fn.Env{Zone: time.UTC}), FoldFails: FolderFails(&fn.Env{Zone: time.UTC}),
		Option: func(k string) (string, bool) { v, ok := s.settings[k]; return v, ok }}
	cfg.RowCount = FileRows(os.DirFS("/"))
	p, err := Optimize([]rel.Node{n}, cfg)
	if err != nil {
		return "", "", err
	}
	physical = p.Text(phys.TextOptions{ChangelogMode: mode})
	execution = p.Execution()
	return physical, execution, nil
}

type tally struct{ exact, physOnly, refused, wrong, skipped int }

func runCase(dir, file string, batch bool, tl *tally, report func(kind, format string, args ...any)) {
	text, err := os.ReadFile(filepath.Join(dir, file))
	if err != nil {
		return
	}
	read := func(name string) []string {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil
		}
		return splitStatements(string(b))
	}
	abs, _ := filepath.Abs(dir)
	s := newSession(batch, abs)
	for _, d := range append(read("ddl.sql"), read("config.sql")...) {
		if err := s.apply(d); err != nil {
			report("DDL", "%s: %v\n   %s", dir, err, d)
		}
	}
	filter := explainedInStreaming
	if batch {
		filter = explainedInBatch
	}
	answers := readAnswers(string(text))
	var n int
	for _, q := range read("query.sql") {
		if filter.MatchString(q) {
			n++
		}
	}
	if len(answers) != n {
		report("SKIP", "%s/%s: %d statements, %d answers", dir, file, n, len(answers))
		tl.skipped++
		return
	}
	i := 0
	for _, q := range read("query.sql") {
		if !filter.MatchString(q) {
			_ = s.apply(q)
			continue
		}
		want := answers[i]
		i++
		physical, execution, err := s.plan(q)
		var perr *sql.Error
		var ferr *flinkerr.Error
		switch {
		case err != nil && (errors.As(err, &perr) || strings.HasPrefix(err.Error(), "bind: ")):
			if want.physical == "" {
				continue
			}
			tl.refused++
			report("BIND", "%s: %v\n   %s", dir, err, q)
		case err != nil && unsupported.Is(err):
			tl.refused++
			report("REFUSED", "%s/%s: %v\n   %s\n   %s%s", dir, file, err, q, want.physical, want.msg)
		case err != nil && errors.As(err, &ferr):
			if want.physical == "" && ferr.Class == want.class && ferr.Message == want.msg {
				tl.exact++
				continue
			}
			tl.wrong++
			report("WRONG", "ERROR %s/%s\n   %s\n   got  %v\n   want %s: %s\n%s", dir, file, q, err, want.class, want.msg, want.physical)
		case err != nil:
			tl.wrong++
			report("WRONG", "ERROR %s %v", dir, err)
		case want.physical == "" && strings.HasPrefix(want.msg, "Unsupported type"):
			tl.skipped++ // the format, which the client checks
		case want.physical == "":
			tl.wrong++
			report("WRONG", "NO ERROR %s/%s\n   %s\n   want %s: %s\n%s", dir, file, q, want.class, want.msg, physical)
		case physical != want.physical:
			tl.wrong++
			report("WRONG", "%s/%s\n   %s\n--- got\n%s\n--- want\n%s", dir, file, q, physical, want.physical)
		case execution != want.execution:
			tl.physOnly++
			report("EXEC", "%s/%s\n   %s\n--- got\n%s\n--- want\n%s", dir, file, q, execution, want.execution)
		default:
			tl.exact++
		}
	}
}

// TestCorpus compares every recorded plan. PLAN_CASE picks cases, PLAN_SHOW kinds of
// reports (WRONG, REFUSED, EXEC, BIND), PLAN_ROOT another folder of cases.
func TestCorpus(t *testing.T) {
	root := "../../fixtures/recorded/corpus"
	if r := os.Getenv("PLAN_ROOT"); r != "" {
		root = r
	}
	families, err := os.ReadDir(root)
	if err != nil {
		t.Skip("no recorded corpus")
	}
	var summary []string
	wrong := 0
	for _, f := range families {
		dirs, err := filepath.Glob(filepath.Join(root, f.Name(), "*"))
		if err != nil {
			t.Fatal(err)
		}
		sort.Strings(dirs)
		for _, batch := range []bool{false, true} {
			var tl tally
			for _, d := range dirs {
				if only := os.Getenv("PLAN_CASE"); only != "" && !strings.Contains(d, only) {
					continue
				}
				report := func(kind, format string, args ...any) {
					if strings.Contains(os.Getenv("PLAN_SHOW"), kind) {
						fmt.Printf(kind+" "+format+"\n", args...)
					}
				}
				file := "explain.txt"
				if batch {
					file = "explain-batch.txt"
				}
				runCase(d, file, batch, &tl, report)
			}
			wrong += tl.wrong + tl.physOnly
			summary = append(summary, fmt.Sprintf("%-7s batch %-5v exact %d, execution text differs %d, refused %d, wrong %d, skipped %d",
				f.Name(), batch, tl.exact, tl.physOnly, tl.refused, tl.wrong, tl.skipped))
		}
	}
	t.Log("\n" + strings.Join(summary, "\n"))
	if wrong > 0 {
		t.Errorf("%d plans differ from Flink's; PLAN_SHOW=WRONG,EXEC prints them", wrong)
	}
}
