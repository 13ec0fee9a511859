package labs

import (
	"strings"
	"testing"
	"time"
)

func at(t *testing.T, s string) time.Time {
	t.Helper()
	x, err := time.Parse(time.RFC3339, s)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestDisclosed(t *testing.T) {
	const christmas = "2026-12-24T00:00:00+09:00"
	for _, c := range []struct {
		name      string
		lab, step [2]string // disclose, until
		now       string
		want      Disclosure
	}{
		{"default", [2]string{}, [2]string{}, "2026-01-01T00:00:00Z", DiscloseAll},
		{"the lab's", [2]string{"where", ""}, [2]string{}, "2026-01-01T00:00:00Z", DiscloseWhere},
		{"the step's", [2]string{"where", ""}, [2]string{"verdict", ""}, "2026-01-01T00:00:00Z", DiscloseVerdict},
		{"a moment before", [2]string{}, [2]string{"nothing", christmas}, "2026-12-23T14:59:59Z", DiscloseNothing},
		{"the moment itself", [2]string{}, [2]string{"nothing", christmas}, "2026-12-23T15:00:00Z", DiscloseAll},
		{"the lab's date", [2]string{"nothing", christmas}, [2]string{}, "2027-01-01T00:00:00Z", DiscloseAll},
		{"a date of its own", [2]string{"nothing", christmas}, [2]string{"", "2028-01-01T00:00:00Z"}, "2027-01-01T00:00:00Z", DiscloseNothing},
		{"a level without date", [2]string{"nothing", christmas}, [2]string{"where", ""}, "2027-01-01T00:00:00Z", DiscloseWhere},
	} {
		lab := &Lab{Disclose: Disclosure(c.lab[0]), Until: c.lab[1], Steps: []Step{{Disclose: Disclosure(c.step[0]), Until: c.step[1]}}}
		if got := lab.Disclosed(&lab.Steps[0], at(t, c.now)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestDisclosureInALabFile(t *testing.T) {
	for _, c := range []struct{ name, lines, problem string }{
		{"a date", "disclose: nothing\nuntil: 2026-12-24T00:00:00+09:00", ""},
		{"a quoted date", "disclose: nothing\nuntil: \"2026-12-24T00:00:00+09:00\"", ""},
		{"no zone", "disclose: nothing\nuntil: 2026-12-24T00:00:00", "until must be a date with time and zone"},
		{"a day", "disclose: nothing\nuntil: 2026-12-24", "until must be a date with time and zone"},
		{"all before", "until: 2026-12-24T00:00:00+09:00", "until needs a disclose that holds before"},
		{"unknown", "disclose: nothin", `did you mean "nothing"?`},
	} {
		lab, err := Parse(FileName, []byte(small+c.lines+"\n"))
		switch {
		case c.problem == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.problem != "" && (err == nil || !strings.Contains(err.Error(), c.problem)):
			t.Errorf("%s: %v", c.name, err)
		case err == nil && lab.Until != "2026-12-24T00:00:00+09:00":
			t.Errorf("%s: %q", c.name, lab.Until)
		}
	}
}
