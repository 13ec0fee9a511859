package report

import (
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// id is the step in a label "id: Title".
func id(label string) string {
	before, _, _ := strings.Cut(label, ": ")
	return before
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Error(err)
	}
	return v
}

func decode(t *testing.T, b []byte, v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(b)))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
}

var (
	summaryPoints = regexp.MustCompile(`; ([0-9.]+) of ([0-9.]+) points`)
	bodyPoints    = regexp.MustCompile(`^([a-z ]+), ([0-9.]+) of ([0-9.]+) points`)
)

// summary reads the total out of the last line of its kind.
func (b *readBack) summary(t *testing.T, text string) {
	t.Helper()
	all := summaryPoints.FindAllStringSubmatch(text, -1)
	if all == nil {
		t.Fatal("no total")
	}
	m := all[len(all)-1]
	b.total, b.totalMax = number(t, m[1]), number(t, m[2])
}

// body reads the text of a step.
func (b *readBack) body(t *testing.T, id, text string) {
	t.Helper()
	m := bodyPoints.FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("%s: no points in %q", id, text)
	}
	b.passed[id] = m[1] == "right"
	b.points[id], b.max[id] = number(t, m[2]), number(t, m[3])
	b.saw(text)
}

func readText(t *testing.T, text []byte) *readBack {
	b := newReadBack()
	b.points, b.max = nil, nil
	step := regexp.MustCompile(`^(ok   |WRONG|skip |\?    |ERROR)  (\S+)`)
	for _, l := range strings.Split(string(text), "\n") {
		if m := step.FindStringSubmatch(l); m != nil {
			b.passed[m[2]] = m[1] == "ok   "
		}
		if _, code, ok := strings.Cut(l, "labgrade explain "); ok && strings.HasPrefix(strings.TrimSpace(l), "labgrade") {
			b.saw(code)
		}
	}
	b.summary(t, string(text))
	return b
}

func readJSON(t *testing.T, text []byte) *readBack {
	b := newReadBack()
	var r Result
	decode(t, text, &r)
	for _, c := range r.Checks {
		b.passed[c.ID], b.points[c.ID], b.max[c.ID] = c.Outcome == Pass, c.Points, c.Max
		for _, f := range c.Findings {
			b.saw(f.Code)
		}
	}
	b.total, b.totalMax = r.Score.Points, r.Score.Max
	return b
}

func readMarkdown(t *testing.T, text []byte) *readBack {
	b := newReadBack()
	row := regexp.MustCompile(`(?m)^\| ([^|]*) \| \*\*([a-z-]+)\*\* .* \| ([0-9.]+) of ([0-9.]+) \|`)
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		b.passed[m[2]], b.points[m[2]], b.max[m[2]] = m[1] == "right", number(t, m[3]), number(t, m[4])
	}
	for _, m := range regexp.MustCompile(`(?m)^\* \*\*(LG-[A-Z0-9-]+)\*\*`).FindAllStringSubmatch(string(text), -1) {
		b.saw(m[1])
	}
	b.summary(t, string(text))
	return b
}

func readHTML(t *testing.T, text []byte) *readBack {
	b := newReadBack()
	row := regexp.MustCompile(`<tr><td><span class="tag (\w+)">[^<]*</span></td><td class="step">(?:<a [^>]*>)?<b>([a-z-]+)</b>.*?<td class="n">([0-9.]+) of ([0-9.]+)</td>`)
	for _, m := range row.FindAllStringSubmatch(string(text), -1) {
		b.passed[m[2]], b.points[m[2]], b.max[m[2]] = m[1] == "pass", number(t, m[3]), number(t, m[4])
	}
	for _, m := range regexp.MustCompile(`<code>(LG-[A-Z0-9-]+)</code>`).FindAllStringSubmatch(string(text), -1) {
		b.saw(m[1])
	}
	b.summary(t, html.UnescapeString(string(text)))
	return b
}

func readJUnit(t *testing.T, text []byte) *readBack {
	b := newReadBack()
	var s junitSuites
	if err := xml.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	for _, p := range s.Suite.Properties {
		switch p.Name {
		case "points":
			b.total = number(t, p.Value)
		case "max":
			b.totalMax = number(t, p.Value)
		}
	}
	b.points, b.max = nil, nil // skipped cases have no place for them
	for _, c := range s.Suite.Cases {
		b.passed[id(c.Name)] = c.Failure == nil && c.Error == nil && c.Skipped == nil
		for _, p := range []*junitProblem{c.Failure, c.Error} {
			if p != nil {
				b.saw(p.Text)
			}
		}
		b.saw(c.SystemOut)
	}
	return b
}

func readTAP(t *testing.T, text []byte) *readBack {
	b := newReadBack()
	for _, p := range parseTAP(t, string(text)) {
		b.passed[id(p.description)] = p.ok && p.directive == ""
		b.points[id(p.description)], b.max[id(p.description)] = p.block.Points, p.block.Max
		for _, f := range p.block.Findings {
			b.saw(f.Code)
		}
	}
	b.summary(t, string(text))
	return b
}

func readSARIF(t *testing.T, text []byte) *readBack {
	b := newReadBack()
	b.passed, b.points, b.max = nil, nil, nil // it lists findings, not steps
	var s sarifLog
	decode(t, text, &s)
	for _, r := range s.Runs[0].Results {
		b.saw(r.RuleID)
		if s.Runs[0].Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("rule %d is not %s", r.RuleIndex, r.RuleID)
		}
	}
	b.total, b.totalMax = s.Runs[0].Properties["points"].(float64), s.Runs[0].Properties["max"].(float64)
	return b
}

func readGitHub(t *testing.T, text []byte) *readBack {
	b := newReadBack()
	b.passed, b.points, b.max = nil, nil, nil // it lists findings, not steps
	for _, c := range parseCommands(t, string(text)) {
		if c.kind == "notice" {
			b.summary(t, c.text)
			continue
		}
		title := c.props["title"]
		b.saw(title[strings.LastIndex(title, " - ")+1:])
	}
	return b
}

func readGitLab(t *testing.T, text []byte) *readBack {
	b := newReadBack()
	b.passed, b.points, b.max = nil, nil, nil
	var issues []gitlabIssue
	decode(t, text, &issues)
	for _, i := range issues {
		b.saw(i.CheckName)
	}
	return b
}

func readGradescope(t *testing.T, text []byte) *readBack {
	b := newReadBack()
	var g gradescopeResult
	decode(t, text, &g)
	for _, x := range g.Tests {
		b.body(t, id(x.Name), x.Output)
		b.passed[id(x.Name)], b.points[id(x.Name)], b.max[id(x.Name)] = x.Status == "passed", x.Score, x.MaxScore
	}
	b.total, b.totalMax = g.Score, g.ExtraData["max_score"].(float64)
	return b
}

func readClassroom(t *testing.T, text []byte) *readBack {
	b := newReadBack()
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(string(text), "\n"))
	if err != nil {
		t.Fatal(err)
	}
	var g classroomResult
	decode(t, raw, &g)
	b.total, b.totalMax = 0, g.MaxScore // the reporter adds the scores up
	for _, x := range g.Tests {
		b.passed[id(x.Name)], b.points[id(x.Name)], b.max[id(x.Name)] = x.Status == "pass", x.Score, x.MaxScore
		b.total += x.Score
		b.saw(x.Message)
	}
	b.codes = append(b.codes, passedWarnings(b.codes)...)
	return b
}

// passedWarnings stands in for formats that say nothing about steps that passed.
func passedWarnings(have []string) []string {
	if strings.Contains(strings.Join(have, " "), "LG-STREAM-010") {
		return []string{"LG-FILE-009"}
	}
	return nil
}

func readClassroom50(t *testing.T, text []byte) *readBack {
	b := newReadBack()
	var g classroom50Result
	decode(t, text, &g)
	scale := 1.0
	if strings.Contains(string(text), "submit/") {
		scale = 100 // the hostile result has quarters of points
	}
	for _, x := range g.Tests {
		b.passed[id(x.Name)], b.points[id(x.Name)], b.max[id(x.Name)] = x.Passed, float64(x.Score)/scale, float64(x.MaxScore)/scale
		b.saw(strings.Join(x.Codes, " "))
	}
	b.total, b.totalMax = float64(g.Score)/scale, float64(g.MaxScore)/scale
	return b
}

func readExercism(t *testing.T, text []byte) *readBack {
	b := newReadBack()
	b.points, b.max = nil, nil // it knows no points
	var e exercismResult
	decode(t, text, &e)
	for _, x := range e.Tests {
		b.passed[id(x.Name)] = x.Status == "pass"
		if x.Message != nil {
			b.saw(*x.Message)
		}
	}
	b.codes = append(b.codes, passedWarnings(b.codes)...)
	return b
}

func readPrairieLearn(t *testing.T, text []byte) *readBack {
	b := newReadBack()
	var p prairieResult
	decode(t, text, &p)
	for _, x := range p.Tests {
		b.body(t, id(x.Name), x.Message)
		b.points[id(x.Name)], b.max[id(x.Name)] = x.Points, x.MaxPoints
	}
	b.fraction = p.Score
	return b
}

func readAutolab(t *testing.T, text []byte) *readBack {
	b := newReadBack()
	b.max = nil // the assessment knows them
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	var last struct {
		Scores map[string]float64 `json:"scores"`
	}
	decode(t, []byte(lines[len(lines)-1]), &last)
	b.points = last.Scores
	b.total = 0
	for _, p := range last.Scores {
		b.total += p
	}
	var feedback struct {
		Presentation string   `json:"_presentation"`
		Stages       []string `json:"stages"`
		Steps        map[string]struct {
			Passed bool   `json:"passed"`
			Hint   string `json:"hint"`
		}
	}
	decode(t, []byte(lines[len(lines)-2]), &feedback)
	for label, x := range feedback.Steps {
		b.passed[id(label)] = x.Passed
	}
	for _, l := range lines[:len(lines)-2] {
		if strings.HasPrefix(l, "{") {
			t.Errorf("a line of the text is JSON: %s", l)
		}
		b.saw(l)
	}
	return b
}

func readSubmitty(t *testing.T, text []byte) *readBack {
	b := newReadBack()
	var s submittyResult
	decode(t, text, &s)
	if s.Data == nil {
		b.passed, b.points, b.max = nil, nil, nil // our own failure is shown to instructors only
		b.saw(s.Message)
		return b
	}
	for _, m := range s.Data.Message {
		if label, body, ok := strings.Cut(m.Message, "\n"); ok {
			b.body(t, id(label), body)
		}
	}
	b.fraction = s.Data.Score
	return b
}

func readDodona(t *testing.T, text []byte) *readBack {
	b := newReadBack()
	step := ""
	for _, l := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		var u struct {
			Command, Expected, Generated, Title, Format string
			Accepted                                    bool
			Description                                 struct{ Format, Description string }
			Message                                     struct{ Format, Description string }
			Status                                      struct{ Enum, Human string }
		}
		decode(t, []byte(l), &u)
		switch u.Command {
		case "start-testcase":
			step = id(u.Description.Description)
		case "append-message":
			if step != "" {
				b.body(t, step, u.Message.Description)
			} else {
				b.summary(t, u.Message.Description)
			}
		case "close-test":
			if u.Accepted != b.passed[step] {
				t.Errorf("%s is accepted: %v", step, u.Accepted)
			}
		case "close-tab":
			step = ""
		}
	}
	return b
}
