package class

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/labgrade/labgrade/report"
)

// hostile is a class whose names and reasons are written by an attacker.
func hostile() *Result {
	r := sample()
	for i, s := range []string{`=HYPERLINK("http://x","y")`, "+I", "-U", "@SUM(A1)"} {
		r.Submissions[i].ID = s
		r.Submissions[i].Name = "\t" + s + "\r\n,\"<script>"
		r.Submissions[i].Person = Person{Email: " =1+1", Login: "＝1", Section: "\u00a0-1", CanvasID: "+1", MoodleID: "x"}
		r.Submissions[i].Path = "-x"
		r.Submissions[i].Reason = strings.TrimPrefix(r.Submissions[i].Reason+"=cmd|' /C calc'!A0", "x")
		r.Submissions[i].Codes = nil
	}
	r.Lab.Title = "@lab"
	r.Total()
	return r
}

// TestNoFormulas: a spreadsheet runs no cell, whatever people are called, and every file
// is read back whole by a CSV parser.
func TestNoFormulas(t *testing.T) {
	for _, format := range []string{"wide", "long", "canvas", "moodle"} {
		for name, r := range map[string]*Result{"sample": sample(), "hostile": hostile()} {
			b, err := Emit(format, r)
			if err != nil {
				t.Fatal(err)
			}
			rows, err := csv.NewReader(strings.NewReader(string(b))).ReadAll()
			if err != nil {
				t.Fatalf("%s of %s: %v", format, name, err)
			}
			for i, row := range rows {
				for j, c := range row {
					if x := strings.TrimLeft(c, " \t\r\n\u00a0\u3000"); x != "" && strings.ContainsRune("=+-@＝＋－＠", []rune(x)[0]) {
						t.Errorf("%s of %s: row %d, cell %d is a formula: %q", format, name, i, j, c)
					}
					if strings.ContainsAny(c, "\r\n\t\x1b") {
						t.Errorf("%s of %s: row %d, cell %d has control characters: %q", format, name, i, j, c)
					}
				}
			}
		}
	}
}

func TestGradebooks(t *testing.T) {
	r := sample()
	r.Submissions[0].Person = Person{CanvasID: "501", MoodleID: "9001", Login: "alee", Email: "a@x.edu", Section: "A"}
	r.Submissions[1].ID, r.Submissions[1].Person.CanvasID = "502", "502" // known by Canvas's number alone
	r.Steps[1].Hidden = true
	for _, c := range []struct{ format, want string }{
		{"wide", `id,name,email,section,outcome,points,max,batch,stream,codes,reason,path,digest
01,Ann,a@x.edu,A,pass,2,2,1,1,,,01,
502,Bo,,,fail,1,2,1,0,LG-STREAM-006,,02,
03,Cy,,,ungradable,,2,,,,The archive is damaged.,03.zip,
04,Di,,,missing,,0,,,,,,
`},
		{"long", `id,name,section,step,outcome,points,max,codes,digest
01,Ann,A,batch,pass,1,1,,
01,Ann,A,stream,pass,1,1,,
502,Bo,,batch,pass,1,1,,
502,Bo,,stream,fail,0,1,LG-STREAM-006,
03,Cy,,,ungradable,,2,,
04,Di,,,missing,,0,,
`},
		{"canvas", `Student,ID,SIS User ID,SIS Login ID,Section,Dynamic tables
    Points Possible,,,,,2
Ann,501,01,alee,A,2
Bo,502,,,,1
Cy,,03,,,
Di,,04,,,
`},
		{"moodle", `Identifier,Full name,ID number,Email address,Status,Grade,Maximum Grade,Last modified (grade),Feedback comments
Participant 9001,Ann,01,a@x.edu,pass,2,2,,batch: right
,Bo,502,,fail,1,2,,batch: right
,Cy,03,,ungradable,,2,,The archive is damaged.
,Di,04,,missing,,0,,
`},
	} {
		t.Run(c.format, func(t *testing.T) {
			b, err := Emit(c.format, r)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(c.want, strings.ReplaceAll(string(b), "\"    Points Possible\"", "    Points Possible")); d != "" {
				t.Errorf("%s\n%s", d, b)
			}
		})
	}
}

// TestSeveralSubmissions: of several submissions of one person no platform gets a grade.
func TestSeveralSubmissions(t *testing.T) {
	r := sample()
	r.Submissions[1].ID = "01"
	r.Total()
	for format, column := range map[string]int{"canvas": 5, "moodle": 5} {
		b, err := Emit(format, r)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(string(b))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, row := range rows {
			if row[0] == "Ann" || row[1] == "Ann" || row[0] == "Bo" || row[1] == "Bo" {
				if n++; row[column] != "" {
					t.Errorf("%s gives the grade %s", format, row[column])
				}
			}
		}
		if n != 1 {
			t.Errorf("%s has %d rows for one person", format, n)
		}
	}
}

func TestCompare(t *testing.T) {
	before, now := sample(), sample()
	for i := range now.Submissions {
		s := &now.Submissions[i]
		switch s.ID {
		case "01": // no change
		case "02":
			s.Checks[1].Outcome, s.Checks[1].Points, s.Checks[1].Findings = report.Pass, 1, nil
			s.Outcome, s.Score.Points, s.Digest = report.Pass, 2, "sha256:x"
		case "03":
			s.ID, s.Name = "05", "Ed"
		case "04":
			s.Outcome = report.Ungradable
		}
	}
	now.Total()
	a := Compare(now, before)
	var got []string
	for i := range a.Changes {
		got = append(got, a.Changes[i].What+" "+a.Changes[i].Words())
	}
	want := []string{
		"outcome 02: right, was wrong; 2 points, had 1; right now: stream; other files",
		"gone 03: gone; it was not graded, 0 points",
		"outcome 04: not graded, was nothing handed in; the same files",
		"new 05: new, not graded, 0 points",
	}
	if d := cmp.Diff(want, got); d != "" || a.Same != 1 || a.Lab || a.Tool {
		t.Errorf("%d the same\n%s", a.Same, d)
	}
	if b := Compare(before, before); len(b.Changes) > 0 || b.Same != 4 {
		t.Errorf("a result and itself: %+v", b)
	}
}

func TestRead(t *testing.T) {
	b, err := sample().JSON()
	if err != nil {
		t.Fatal(err)
	}
	r, err := Read(b)
	if err != nil {
		t.Fatal(err)
	}
	again, err := r.JSON()
	if err != nil || string(again) != string(b) {
		t.Errorf("read and written again it is another result: %v\n%s", err, cmp.Diff(string(b), string(again)))
	}
	for _, text := range []string{"", "{}", "[]", `{"schema_version":99,"lab":{"id":"x"},"steps":[]}`} {
		if _, err := Read([]byte(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

// TestAgree: totals, labels and codes are the same in every format.
func TestAgree(t *testing.T) {
	r := sample()
	r.Submissions[0].Codes = nil
	r.Total()
	for _, f := range Formats() {
		b, err := Emit(f, r)
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		if f != "canvas" && f != "text" && !strings.Contains(text, "LG-STREAM-006") {
			t.Errorf("%s lacks the code of the mistake", f)
		}
		if f != "text" {
			for _, name := range []string{"Ann", "Bo", "Cy", "Di"} {
				if !strings.Contains(text, name) {
					t.Errorf("%s lacks %s", f, name)
				}
			}
		}
	}
	b, err := Emit("text", r)
	if err != nil || !strings.Contains(string(b), "3 submissions: 1 right, 1 wrong, 1 not graded, 1 missing; mean 1.5, median 1.5 of 2 points\n") {
		t.Errorf("text: %v\n%s", err, b)
	}
	if _, err := Emit("xlsx", r); err == nil {
		t.Error("an unknown format was written")
	}
}
