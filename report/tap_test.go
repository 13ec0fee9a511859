package report

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// tapPoint is a test point of TAP version 14 as a consumer reads it.
type tapPoint struct {
	ok                     bool
	description, directive string
	block                  struct {
		Outcome     string
		Points, Max float64
		Next        string
		Findings    []struct {
			Code, Severity, Message, At, Whose, Expected, Found, Hint string
			MadeBy                                                    string `yaml:"made_by"`
		}
	}
}

var (
	tapLine = regexp.MustCompile(`^(not )?ok(?: (\d+))?(?: - )?(.*)$`)
	tapPlan = regexp.MustCompile(`^1\.\.(\d+)$`)
)

// parseTAP follows the grammar of TAP 14: version, plan, points with escapes and
// directives, YAML blocks indented by two blanks, comments. Anything else fails.
func parseTAP(t *testing.T, text string) []tapPoint {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if lines[0] != "TAP version 14" {
		t.Fatalf("first line %q", lines[0])
	}
	plan := tapPlan.FindStringSubmatch(lines[1])
	if plan == nil {
		t.Fatalf("no plan: %q", lines[1])
	}
	var out []tapPoint
	for i := 2; i < len(lines); i++ {
		l := lines[i]
		if strings.HasPrefix(l, "#") {
			continue
		}
		m := tapLine.FindStringSubmatch(l)
		if m == nil {
			t.Fatalf("line %d is not TAP: %q", i+1, l)
		}
		var p tapPoint
		p.ok = m[1] == ""
		p.description, p.directive = tapSplit(m[3])
		if n, _ := strconv.Atoi(m[2]); n != len(out)+1 {
			t.Errorf("point %s has the number %s", p.description, m[2])
		}
		if i+1 < len(lines) && lines[i+1] == "  ---" {
			var y []string
			for i += 2; i < len(lines) && lines[i] != "  ..."; i++ {
				if !strings.HasPrefix(lines[i], "  ") {
					t.Fatalf("line %d leaves the block: %q", i+1, lines[i])
				}
				y = append(y, lines[i][2:])
			}
			d := yaml.NewDecoder(strings.NewReader(strings.Join(y, "\n")))
			d.KnownFields(true)
			if err := d.Decode(&p.block); err != nil {
				t.Fatalf("%v\n%s", err, strings.Join(y, "\n"))
			}
		}
		out = append(out, p)
	}
	if plan[1] != strconv.Itoa(len(out)) {
		t.Errorf("%d points, the plan has %s", len(out), plan[1])
	}
	return out
}

// tapSplit takes description and directive apart and resolves the escapes.
func tapSplit(s string) (description, directive string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case s[i] == '#':
			return strings.TrimSpace(b.String()), strings.TrimSpace(s[i+1:])
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), ""
}

func TestTAP(t *testing.T) {
	b, err := Emit("tap", hostile())
	if err != nil {
		t.Fatal(err)
	}
	points := parseTAP(t, string(b))
	if p := points[0]; p.description != "good: Right # 1" || p.directive != "" {
		t.Errorf("%+v", p)
	}
	if p := points[4]; !p.ok || !strings.HasPrefix(p.directive, "SKIP") {
		t.Errorf("%+v", p)
	}
	if got := points[2].block.Findings[11].Found; got != "<script>alert(1)</script>" {
		t.Errorf("a cell came back as %q", got)
	}
}
