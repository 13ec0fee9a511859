package report

import (
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// readBack is what a reader of a format gets to know.
type readBack struct {
	// passed has the verdict by the step's id; nil where the format has none.
	passed map[string]bool
	// points and max are the points by the step's id; nil where the format has none.
	points, max map[string]float64
	// total, -1 where the format has none; fraction where it is given between 0 and 1.
	total, totalMax, fraction float64
	codes                     []string
}

func newReadBack() *readBack {
	return &readBack{passed: map[string]bool{}, points: map[string]float64{}, max: map[string]float64{}, total: -1, totalMax: -1, fraction: -1}
}

var codePattern = regexp.MustCompile(`LG-[A-Z]+-\d{3}`)

// saw collects codes out of text.
func (b *readBack) saw(text string) {
	for _, c := range codePattern.FindAllString(text, -1) {
		if !slices.Contains(b.codes, c) {
			b.codes = append(b.codes, c)
		}
	}
}

// readers has the reader of each format.
func readers() map[string]func(*testing.T, []byte) *readBack {
	return map[string]func(*testing.T, []byte) *readBack{
		"text": readText, "json": readJSON, "markdown": readMarkdown, "html": readHTML, "junit": readJUnit, "tap": readTAP, "sarif": readSARIF,
		"github": readGitHub, "gitlab": readGitLab, "gradescope": readGradescope, "github-classroom": readClassroom, "classroom50": readClassroom50,
		"exercism": readExercism, "prairielearn": readPrairieLearn, "autolab": readAutolab, "submitty": readSubmitty, "dodona": readDodona,
	}
}

// TestFormatsAgree reads every format back: the steps, their points, the totals and the
// codes are the result's own in all of them.
func TestFormatsAgree(t *testing.T) {
	results := map[string]*Result{"example": example(), "hostile": hostile(), "errored": errored(), "ungraded": ungraded()}
	for _, format := range Formats() {
		read, ok := readers()[format]
		if !ok {
			t.Errorf("no test reads the format %s back", format)
			continue
		}
		for name, r := range results {
			t.Run(format+"/"+name, func(t *testing.T) {
				b, err := Emit(format, r)
				if err != nil {
					t.Fatal(err)
				}
				agrees(t, r, read(t, b))
			})
		}
	}
}

func agrees(t *testing.T, r *Result, got *readBack) {
	t.Helper()
	want := newReadBack()
	notes := map[string]bool{}
	for _, c := range r.Checks {
		want.passed[c.ID] = c.Outcome == Pass
		want.points[c.ID], want.max[c.ID] = c.Points, c.Max
		for _, f := range c.Findings {
			if f.Severity == Note {
				notes[f.Code] = true
			}
		}
	}
	if got.passed != nil {
		if d := cmp.Diff(want.passed, got.passed); d != "" {
			t.Errorf("steps: %s", d)
		}
	}
	if got.points != nil {
		if d := cmp.Diff(want.points, got.points); d != "" {
			t.Errorf("points: %s", d)
		}
	}
	if got.max != nil {
		if d := cmp.Diff(want.max, got.max); d != "" {
			t.Errorf("maxima: %s", d)
		}
	}
	for _, x := range []struct {
		name      string
		want, got float64
	}{{"total", r.Score.Points, got.total}, {"maximum", r.Score.Max, got.totalMax}, {"fraction", r.Score.Points / r.Score.Max, got.fraction}} {
		if x.got >= 0 && x.got != x.want {
			t.Errorf("%s %v, want %v", x.name, x.got, x.want)
		}
	}
	codes := slices.DeleteFunc(slices.Clone(got.codes), func(c string) bool { return notes[c] && !slices.Contains(r.Codes(), c) })
	slices.Sort(codes)
	wantCodes := slices.Sorted(slices.Values(r.Codes()))
	if !slices.Equal(codes, wantCodes) {
		t.Errorf("codes %v, want %v", codes, wantCodes)
	}
}
