package class

import (
	"encoding/xml"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/labgrade/labgrade/report"
)

// large is a class with all that a page can show, and hostile text in every place.
func large() *Result {
	const nasty = "<script>alert(1)</script>|`x`\x1b[31m\u202e\" onload=x ]]> {{.Lab}} =1+1"
	r := &Result{
		Tool:  report.Tool{Name: "labgrade", Version: "1", Flink: "2.3.0"},
		Lab:   report.Lab{ID: "dynamic", Title: "Dynamic tables: one query as a batch and as a stream", Version: "1", Digest: "sha256:" + strings.Repeat("0a", 32)},
		Notes: []string{"3 files were passed over: " + nasty},
	}
	for _, s := range []string{"batch", "stream", "nested", "explain", "report"} {
		r.Steps = append(r.Steps, Step{ID: s, Title: "The step " + s, Max: 1})
	}
	codes := []string{"LG-STREAM-006", "LG-SQL-001", "LG-FILE-001", "LG-REPORT-001"}
	for i := range 40 {
		s := Submission{ID: fmt.Sprintf("%05d", i), Name: fmt.Sprintf("Learner %d", i), Path: "class.zip/" + fmt.Sprint(i), Outcome: report.Pass, Score: report.Score{Max: 5}}
		for j, step := range r.Steps {
			c := report.Check{ID: step.ID, Title: step.Title, Outcome: report.Pass, Points: 1, Max: 1}
			if (i*7+j*3)%11 < j {
				c.Outcome, c.Points = report.Fail, 0
				c.Findings = []report.Finding{{Code: codes[(i+j)%len(codes)], Severity: report.Error, Message: "2 rows are missing. " + nasty, File: step.ID + ".out", Line: 7,
					Expected: "update after (the new row): user_id u07, clicks 4 " + nasty, Actual: nasty}}
				s.Outcome = report.Fail
			}
			s.Score.Points += c.Points
			s.Checks = append(s.Checks, c)
		}
		r.Submissions = append(r.Submissions, s)
	}
	r.Submissions = append(r.Submissions,
		Submission{ID: "90001", Outcome: report.Ungradable, Path: "x.zip", Reason: "The archive is damaged: " + nasty, Score: report.Score{Max: 5}},
		Submission{ID: "90002", Name: nasty, Outcome: Missing})
	r.Submissions[3].Fits = []Fit{{ID: "00009", Steps: []string{"batch", "stream"}}}
	r.Alike = []Alike{{IDs: []string{"00003", "00009"}, Paths: []string{"class.zip/3", "class.zip/9"}, Similarity: 0.97, Files: []string{"stream.out", nasty}, Why: "the same run of Flink: the same job ids"}}
	r.Against = &Against{Same: 40, Changes: []Change{{ID: "00001", What: "outcome", Before: report.Fail, After: report.Pass, PointsBefore: 4, PointsAfter: 5, Fixed: []string{"stream"}, Files: true}}}
	r.Total()
	return r
}

// TestPage reads the page as XML, since it is written well-formed but for its void
// elements, and looks for what it must say and must not hold.
func TestPage(t *testing.T) {
	r := large()
	r.Title = func(code string) string { return "Title of " + code }
	b, err := Emit("html", r)
	if err != nil {
		t.Fatal(err)
	}
	if name := os.Getenv("LABGRADE_PAGE"); name != "" {
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d := xml.NewDecoder(strings.NewReader(string(b)))
	d.Strict = false
	d.AutoClose = xml.HTMLAutoClose
	d.Entity = xml.HTMLEntity
	var text strings.Builder
	for {
		tok, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := tok.(type) {
		case xml.StartElement:
			if n := strings.ToLower(x.Name.Local); n == "script" || n == "img" || n == "iframe" || n == "link" {
				t.Errorf("the page has the element %s", n)
			}
			for _, a := range x.Attr {
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local == "src" {
					t.Errorf("the page has the attribute %s", a.Name.Local)
				}
			}
		case xml.CharData:
			text.Write(x)
		}
	}
	said := regexp.MustCompile(`\s+`).ReplaceAllString(text.String(), " ")
	s := r.Summary
	for _, want := range []string{
		fmt.Sprintf("41 submissions: %d right, %d wrong, 1 not graded; 1 missing", s.Pass, s.Fail),
		"Hardest step: report, right in " + fmt.Sprint(s.Steps[4].Pass) + " of 40",
		"Title of LG-STREAM-006", "for example", "expected", "00003, 00009", "97 %", "the same run of Flink",
		"40 as before, 1 changed.", "outcome: wrong to right; right now: stream; other files", "The archive is damaged", "made from the data of 00009",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.ContainsAny(string(b), "\x1b\u202e") {
		t.Error("the page holds invisible characters")
	}
	// The bars of the distribution count every graded submission once.
	total := 0
	for _, bar := range r.distribution() {
		total += bar.Count
	}
	if total != 40 {
		t.Errorf("the bars count %d submissions", total)
	}
}

// TestPageOfNothing: an empty class, and a lab without points, are pages, too.
func TestPageOfNothing(t *testing.T) {
	r := &Result{Lab: report.Lab{ID: "x"}}
	r.Total()
	if _, err := Emit("html", r); err != nil {
		t.Fatal(err)
	}
	r = sample()
	for i := range r.Steps {
		r.Steps[i].Max = 12.5
	}
	r.Total()
	b, err := Emit("html", r)
	if err != nil || !strings.Contains(string(b), "2.5 to 5") {
		t.Errorf("%v", err)
	}
}
