package report

import (
	"testing"

	"pgregory.net/rapid"
)

// TestFormatsAgreeOnAnything: whatever text stands in a result, every format can be read
// back and says the same.
func TestFormatsAgreeOnAnything(t *testing.T) {
	text := rapid.OneOf(rapid.SampledFrom(nasty), rapid.String(), rapid.StringMatching("[-+|`*_:#%<>&\\[\\]{}\"'\\\\\n\r\t =@!.]{0,12}"))
	finding := rapid.Custom(func(t *rapid.T) Finding {
		f := Finding{
			Code:     rapid.SampledFrom([]string{"LG-STREAM-001", "LG-STREAM-002", "LG-SQL-001"}).Draw(t, "code"),
			Severity: rapid.SampledFrom([]Severity{Warning, Error}).Draw(t, "severity"),
			Message:  text.Draw(t, "message"), Hint: text.Draw(t, "hint"), File: text.Draw(t, "file"), Line: rapid.IntRange(0, 9).Draw(t, "line"),
			Key: text.Draw(t, "key"), Expected: text.Draw(t, "expected"), Actual: text.Draw(t, "actual"),
		}
		if rapid.Bool().Draw(t, "source") {
			f.SourceRows = []SourceRow{{text.Draw(t, "source"), 1, text.Draw(t, "row")}}
			f.More = []string{text.Draw(t, "more")}
		}
		return f
	})
	rapid.Check(t, func(rt *rapid.T) {
		r := &Result{Tool: Tool{"labgrade", "1", "2.3.0"}, Lab: Lab{ID: "lab", Title: text.Draw(rt, "lab"), Version: "1"}, Submission: Submission{Root: text.Draw(rt, "root")}}
		for i := range rapid.IntRange(1, 3).Draw(rt, "steps") {
			c := Check{ID: string(rune('a'+i)) + "-step", Title: text.Draw(rt, "title"), Max: float64(rapid.IntRange(1, 3).Draw(rt, "max")),
				Outcome: rapid.SampledFrom([]Outcome{Pass, Fail, Skip, Ungradable}).Draw(rt, "outcome"), Facts: text.Draw(rt, "facts"), Next: text.Draw(rt, "next")}
			switch c.Outcome {
			case Pass:
				c.Points = c.Max
			case Fail, Ungradable:
				c.Findings = rapid.SliceOfN(finding, 1, 3).Draw(rt, "findings")
			}
			r.Checks = append(r.Checks, c)
		}
		r.Total()
		for _, format := range Formats() {
			b, err := Emit(format, r)
			if err != nil {
				rt.Fatal(err)
			}
			t.Run(format, func(t *testing.T) { agrees(t, r, readers()[format](t, b)) })
			if t.Failed() {
				rt.Fatalf("%s:\n%s", format, b)
			}
		}
	})
}
