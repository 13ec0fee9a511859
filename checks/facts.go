package checks

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
	"github.com/labgrade/labgrade/sql"
)

// checkFacts judges a step that asks for facts about the SQL text alone.
func (s *submission) checkFacts(_ context.Context, step *labs.Step, v *verdict) error {
	text, bad := s.readSQL(step.SQL)
	if bad != nil {
		v.unreadable(step.SQL, bad)
		return nil
	}
	right := s.facts(step, text, v)
	v.facts = fmt.Sprintf("%d of %d facts", right, len(step.Facts))
	return nil
}

// facts looks at what must hold of a SQL text and returns how many facts do.
func (s *submission) facts(step *labs.Step, text string, v *verdict) int {
	f := readFactText(s.g.lab, text)
	right := 0
	for i := range step.Facts {
		code, x := f.broken(&step.Facts[i])
		if code == "" {
			right++
			continue
		}
		x.File = step.SQL
		if says := step.Facts[i].Says; says != "" {
			x.More = append(x.More, x.Message)
			x.Message = says
		}
		x.Expected = step.Facts[i].Text()
		v.add(code, x)
	}
	return right
}

// factText is a SQL text as facts look at it.
type factText struct {
	lab *labs.Lab
	// statements are the words of each statement.
	statements [][]sql.Word
	parsed     []statement
	// base is the line before each parsed statement.
	base []int
}

func readFactText(lab *labs.Lab, text string) *factText {
	f := &factText{lab: lab}
	var cur []sql.Word
	for _, w := range sql.Words(text) {
		if w.Text == ";" && !w.Quoted {
			if len(cur) > 0 {
				f.statements = append(f.statements, cur)
			}
			cur = nil
			continue
		}
		cur = append(cur, w)
	}
	if len(cur) > 0 {
		f.statements = append(f.statements, cur)
	}
	// Each statement by itself, so that a faulty one does not hide the others.
	script := sql.NewScript(text)
	for {
		c, ok := script.Next()
		if !ok {
			break
		}
		for _, st := range statementsOf(c.Text) {
			f.parsed = append(f.parsed, st)
			f.base = append(f.base, c.Line-1)
		}
	}
	return f
}

// broken returns the code and the finding of a fact that does not hold, or "".
func (f *factText) broken(x *labs.Fact) (string, report.Finding) {
	switch x.Subject() {
	case "uses":
		if f.line(x.Uses) == 0 {
			return "LG-FACT-001", report.Finding{Message: "The SQL does not use " + x.Uses + "."}
		}
	case "avoids":
		if line := f.line(x.Avoids); line > 0 {
			return "LG-FACT-002", report.Finding{Line: line, Message: "The SQL uses " + x.Avoids + "."}
		}
	case "order":
		return f.order(x.Order)
	case "setting":
		return f.setting(x.Setting, x.Value)
	default:
		return f.declared(x)
	}
	return "", report.Finding{}
}

// phrase are the words of a fact.
func phrase(text string) []string {
	var out []string
	for _, w := range sql.Words(text) {
		out = append(out, w.Text)
	}
	return out
}

// line finds the first line where the words stand one behind another; 0 when nowhere.
func (f *factText) line(words string) int {
	want := phrase(words)
	for _, st := range f.statements {
		for i := 0; i+len(want) <= len(st); i++ {
			if begins(st[i:], want) {
				return st[i].Line
			}
		}
	}
	return 0
}

func begins(st []sql.Word, want []string) bool {
	if len(st) < len(want) {
		return false
	}
	for i, w := range want {
		if st[i].Text != w {
			return false
		}
	}
	return true
}

// order looks for statements that begin so, one behind another.
func (f *factText) order(want []string) (string, report.Finding) {
	at := 0
	for i, text := range want {
		words := phrase(text)
		first, found := -1, false
		for n, st := range f.statements {
			if !begins(st, words) {
				continue
			}
			if first < 0 {
				first = n
			}
			if n >= at {
				at, found = n+1, true
				break
			}
		}
		switch {
		case found:
		case first < 0:
			return "LG-FACT-001", report.Finding{Message: "The file has no statement " + text + "."}
		default:
			return "LG-FACT-005", report.Finding{Line: f.statements[first][0].Line,
				Message: fmt.Sprintf("The statement %s stands before %s.", text, want[i-1])}
		}
	}
	return "", report.Finding{}
}

// setting looks for the last SET of a key.
func (f *factText) setting(key, value string) (string, report.Finding) {
	var last *sql.Set
	line := 0
	for i, st := range f.parsed {
		if s, ok := st.stmt.(*sql.Set); ok && s.Key == key {
			last, line = s, f.base[i]+s.At().Start.Line
		}
	}
	switch {
	case last == nil:
		return "LG-FACT-006", report.Finding{Message: fmt.Sprintf("The setting %s is not set.", key)}
	case !strings.EqualFold(last.Value, value):
		return "LG-FACT-006", report.Finding{Line: line, Message: fmt.Sprintf("The setting %s is %s.", key, last.Value), Actual: last.Value}
	}
	return "", report.Finding{}
}

// declared judges the declaration of a table.
func (f *factText) declared(x *labs.Fact) (string, report.Finding) {
	t, mark, line := f.table(x.Table)
	if t == nil {
		return "LG-FACT-007", report.Finding{Message: fmt.Sprintf("The file has no readable CREATE TABLE %s.", x.Table)}
	}
	r := report.Finding{Line: line}
	switch x.Subject() {
	case "watermark":
		return f.watermark(x, mark, r)
	case "primary_key":
		have := keyOf(t)
		if slices.Equal(have, x.PrimaryKey) {
			return "", r
		}
		r.Actual = keyText(have)
		r.Message = fmt.Sprintf("The table %s has %s.", x.Table, keyText(have))
		switch {
		case len(have) == 0:
			return "LG-SQL-022", r
		case len(x.PrimaryKey) == 0:
			return "LG-SQL-023", r
		}
		return "LG-SQL-024", r
	default:
		have := optionOf(t, x.Option)
		if have == x.Value {
			return "", r
		}
		r.Actual = have
		r.Message = fmt.Sprintf("The table %s has the option %s = %s.", x.Table, x.Option, have)
		if have == "" {
			r.Message = fmt.Sprintf("The table %s has no option %s.", x.Table, x.Option)
		}
		if x.Option == "connector" {
			return "LG-SQL-025", r
		}
		return "LG-FACT-007", r
	}
}

func (f *factText) watermark(x *labs.Fact, mark *sql.WatermarkDef, r report.Finding) (string, report.Finding) {
	if mark == nil {
		if x.Watermark == labs.WatermarkNone {
			return "", r
		}
		r.Message = fmt.Sprintf("The table %s has no watermark.", x.Table)
		return "LG-FACT-003", r
	}
	r.Actual = "WATERMARK FOR " + sql.PrintExpr(&sql.ColumnRef{Name: mark.Column}) + " AS " + sql.PrintExpr(mark.X)
	switch delayed := hasDelay(mark.X); {
	case x.Watermark == labs.WatermarkNone:
		r.Message = fmt.Sprintf("The table %s has a watermark.", x.Table)
		return "LG-FACT-004", r
	case x.Watermark == labs.WatermarkDelayed && !delayed:
		r.Message = fmt.Sprintf("The watermark of the table %s has no delay: every row that comes out of order is late.", x.Table)
		return "LG-FACT-004", r
	case x.Watermark == labs.WatermarkExact && delayed:
		r.Message = fmt.Sprintf("The watermark of the table %s has a delay.", x.Table)
		return "LG-FACT-004", r
	}
	return "", r
}

// hasDelay reports whether a watermark stays behind its column. A delay of a millisecond
// or none only says that equal times are not late.
func hasDelay(x sql.Expr) bool {
	b, ok := x.(*sql.Binary)
	if !ok || b.Op != "-" {
		return false
	}
	i, ok := b.Y.(*sql.IntervalLit)
	return !ok || strings.Trim(i.Text, "0:. ") != "" && strings.Trim(i.Text, " ") != "0.001"
}

// table finds the last declaration of a table, by its name or as the one over the lab's
// file, with the watermark that holds and the line.
func (f *factText) table(name string) (t *sql.CreateTable, mark *sql.WatermarkDef, line int) {
	file := ""
	for i := range f.lab.Tables {
		if f.lab.Tables[i].Name == name {
			file = f.lab.Tables[i].File
		}
	}
	for i, st := range f.parsed {
		switch x := st.stmt.(type) {
		case *sql.CreateTable:
			if lastPart(x.Name) == name || file != "" && path.Base(optionOf(x, "path")) == file {
				t, mark, line = x, x.Watermark, f.base[i]+x.At().Start.Line
			}
		case *sql.AlterTable:
			if t == nil || lastPart(x.Name) != lastPart(t.Name) {
				continue
			}
			if x.Watermark != nil {
				mark, line = x.Watermark, f.base[i]+x.At().Start.Line
			}
			if slices.Contains(x.Drops, "WATERMARK") {
				mark = nil
			}
		}
	}
	return t, mark, line
}

// oncePerWatermark drops the finding that a query was compared with another watermark
// where a fact has already said so.
func (v *verdict) oncePerWatermark() {
	said := slices.ContainsFunc(v.findings, func(f report.Finding) bool { return f.Code == "LG-FACT-003" || f.Code == "LG-FACT-004" })
	if said {
		v.findings = slices.DeleteFunc(v.findings, func(f report.Finding) bool { return f.Code == "LG-SQL-045" })
	}
}
