package checks

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/labgrade/labgrade/labs"
)

// plans makes mistakes in the queries that are explained.
func (m *mutants) plans(ctx context.Context) error {
	step := m.step
	want, err := m.s.labPlans(ctx, step)
	if err != nil {
		return err
	}
	for i := range step.Plans {
		list := append(mutations(m.g.lab, step, step.Plans[i].Query), variations(step.Plans[i].Query)...)
		for n, x := range list {
			if n >= maxPlanMutants {
				break
			}
			script := labScript(m.g.lab, step)
			for k, p := range step.Plans {
				if k == i {
					p.Query = x.text
				}
				script += "EXPLAIN CHANGELOG_MODE " + ended(p.Query)
			}
			answers, err := m.g.execute(ctx, script, styleTable, forModel, nil)
			if err != nil {
				return err
			}
			if firstError(answers) != nil {
				continue
			}
			at, same := 0, false
			for _, a := range answers {
				if a.shape == nil {
					continue
				}
				if at == i {
					c := &planCheck{s: m.s, step: step, want: want, out: &savedOutput{}}
					same = c.difference(i, a.shape) == nil
				}
				at++
			}
			says := fmt.Sprintf("plan %q: %s", step.Plans[i].Name, x.says)
			if same {
				m.list = append(m.list, Mutant{Step: step.ID, Says: says, Same: true})
				continue
			}
			if err := m.written(ctx, says, script); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxPlanMutants bounds the mutants of one plan, whose query is run for nothing but its plan.
const maxPlanMutants = 25

// maxDamaged bounds the lines of a file that are damaged.
const maxDamaged = 12

// files damages what a learner saved.
func (m *mutants) files(ctx context.Context) error {
	switch m.step.Kind {
	case labs.KindTable, labs.KindChangelog, labs.KindPrint:
		out, bad, err := m.s.readOutput(ctx, m.step.Out, nil, m.step)
		if err != nil || bad != nil {
			return err
		}
		if len(out.results) == 0 {
			return nil
		}
		var lines []int
		for _, r := range out.results[len(out.results)-1].rows {
			lines = append(lines, r.line)
		}
		return m.damage(m.step.Out, lines)
	case labs.KindSink:
		return fs.WalkDir(m.base, m.step.Folder, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasPrefix(path.Base(name), "part-") {
				return nil // what is missing is told by the check
			}
			text, err := m.read(name)
			if err != nil {
				return err
			}
			var lines []int
			for i := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
				lines = append(lines, i+1)
			}
			return m.damage(name, lines)
		})
	case labs.KindPlan:
		return m.modes()
	case labs.KindReport:
		return m.numbers()
	case labs.KindRefusal:
		text, err := m.read(m.step.Out)
		if err != nil {
			return err
		}
		kept := slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(l string) bool { return strings.Contains(l, "Exception") || strings.Contains(l, "[ERROR]") })
		m.add("the error is missing", map[string][]byte{m.step.Out: []byte(strings.Join(kept, ""))}, "")
	}
	return nil
}

func (m *mutants) read(name string) (string, error) {
	f, err := m.base.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return decodeText(b), err
}

// damage loses, doubles, exchanges and edits lines, as far as the comparison must notice.
func (m *mutants) damage(name string, rows []int) error {
	text, err := m.read(name)
	if err != nil {
		return err
	}
	lines := strings.SplitAfter(text, "\n")
	put := func(says string, line int, changed []string) {
		files := map[string][]byte{name: []byte(strings.Join(changed, ""))}
		m.add(fmt.Sprintf("%s:%d: %s", name, line, says), files, "")
	}
	how := m.step.Compare
	loose := how == labs.CompareFinal || how == labs.CompareMerge
	ordered := how == labs.CompareExact && !(m.step.Kind == labs.KindTable || m.step.Mode == "batch")
	every := max(1, len(rows)/maxDamaged)
	for n := 0; n < len(rows); n += every {
		i := rows[n] - 1
		if i < 0 || i >= len(lines) {
			continue
		}
		if !loose && (how != labs.ComparePrefix || n+1 < len(rows)) {
			put("the row is lost", i+1, slices.Delete(slices.Clone(lines), i, i+1))
		}
		if !loose {
			put("the row stands there twice", i+1, slices.Insert(slices.Clone(lines), i, lines[i]))
		}
		if ordered && n+1 < len(rows) && rows[n+1] == rows[n]+1 && lines[i] != lines[i+1] {
			c := slices.Clone(lines)
			c[i], c[i+1] = c[i+1], c[i]
			put("two rows have changed places", i+1, c)
		}
		if e := otherDigit(lines[i]); e != lines[i] && (!loose || n+every >= len(rows)) {
			c := slices.Clone(lines)
			c[i] = e
			put("a digit is changed", i+1, c)
		}
	}
	return nil
}

// otherDigit changes the last digit of a line.
func otherDigit(l string) string {
	for i := len(l) - 1; i >= 0; i-- {
		if l[i] >= '0' && l[i] <= '9' {
			return l[:i] + string('0'+(l[i]-'0'+1)%10) + l[i+1:]
		}
	}
	return l
}

var changelogModes = regexp.MustCompile(`changelogMode=\[[^\]]*\]`)

// modes changes the changelog modes of a plan, one at a time.
func (m *mutants) modes() error {
	text, err := m.read(m.step.Out)
	if err != nil {
		return err
	}
	accepted := map[string]bool{}
	for _, p := range m.step.Plans {
		for _, list := range p.Accept {
			for _, mode := range list {
				accepted["changelogMode=["+mode+"]"] = true
			}
		}
	}
	for _, at := range changelogModes.FindAllStringIndex(text, -1) {
		old := text[at[0]:at[1]]
		for _, mode := range []string{"[I]", "[I,UA]", "[I,UB,UA]", "[I,UA,D]", "[I,UB,UA,D]"} {
			if now := "changelogMode=" + mode; now != old && !accepted[now] && !strings.Contains(old, "NONE") {
				line := 1 + strings.Count(text[:at[0]], "\n")
				m.add(fmt.Sprintf("%s:%d: %s instead of %s", m.step.Out, line, now, old),
					map[string][]byte{m.step.Out: []byte(text[:at[0]] + now + text[at[1]:])}, "")
				break
			}
		}
	}
	return nil
}

var integerText = regexp.MustCompile(`:\s*(-?\d+)`)

// numbers changes the numbers of a report, one at a time.
func (m *mutants) numbers() error {
	text, err := m.read(m.step.File)
	if err != nil {
		return err
	}
	for _, n := range m.step.Numbers {
		at := strings.Index(text, `"`+n.Name+`"`)
		if at < 0 {
			continue
		}
		v := integerText.FindStringSubmatchIndex(text[at:])
		if v == nil {
			continue
		}
		m.add(n.Name+" is another number", map[string][]byte{m.step.File: []byte(text[:at+v[2]] + otherDigit(text[at+v[2]:at+v[3]]) + text[at+v[3]:])}, "")
		m.add(n.Name+" is missing", map[string][]byte{m.step.File: []byte(text[:at] + `"other_` + n.Name + `"` + text[at+len(n.Name)+2:])}, "")
	}
	return nil
}
