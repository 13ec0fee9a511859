package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func example() *Result {
	r := &Result{
		Tool:       Tool{"labgrade", "1.2.3", "2.3.0"},
		Lab:        Lab{ID: "x", Title: "A lab", Version: "1", Digest: "sha256:" + strings.Repeat("0a", 32)},
		Submission: Submission{Root: "there", Sources: []Source{{Table: "t", Path: "data/t.csv", Shipped: true}}},
		Notes:      []string{"no folder was named"},
		Checks: []Check{
			{ID: "good", Title: "Right", Outcome: Pass, Points: 2, Max: 2, Facts: "3 rows",
				Findings: []Finding{{Code: "LG-FILE-003", Severity: Note, Message: "good.sql is missing.", File: "good.sql"}}},
			{ID: "bad", Title: "Wrong", Outcome: Fail, Max: 1, Facts: "4 rows", Next: "Do it again.",
				Findings: []Finding{{Code: "LG-STREAM-009", Severity: Error, Message: "1 row has another value, at line 7.", Hint: "Copy it whole.",
					File: "bad.out", Line: 7, Key: "k a", Expected: "insert: k a, n 1", Actual: "insert: k a, n 2\x1b[31m",
					SourceRows: []SourceRow{{"t.csv", 3, "a,1"}, {"t.csv", 5, "a,9"}}, More: []string{"more"}}}},
			{ID: "open", Title: "Not there", Outcome: Ungradable, Max: 1,
				Findings: []Finding{{Code: "LG-FILE-001", Severity: Error, Message: "open.out is missing.", File: "open.out", Hint: "Run it."}}},
		},
	}
	r.Total()
	return r
}

func TestTotal(t *testing.T) {
	r := example()
	if r.Outcome != Fail || r.Score != (Score{2, 4}) {
		t.Errorf("outcome %s, score %v", r.Outcome, r.Score)
	}
	if d := cmp.Diff([]string{"LG-STREAM-009", "LG-FILE-001"}, r.Codes()); d != "" {
		t.Error(d)
	}
	for _, c := range []struct {
		outcomes []Outcome
		want     Outcome
	}{
		{nil, Pass},
		{[]Outcome{Pass, Pass}, Pass},
		{[]Outcome{Pass, Skip}, Ungradable},
		{[]Outcome{Ungradable, Fail}, Fail},
		{[]Outcome{Fail, Errored}, Errored},
	} {
		var r Result
		for _, o := range c.outcomes {
			r.Checks = append(r.Checks, Check{Outcome: o})
		}
		r.Total()
		if r.Outcome != c.want {
			t.Errorf("%v: %s, want %s", c.outcomes, r.Outcome, c.want)
		}
	}
}

func TestJSONFollowsTheSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../docs/schema/result.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*Result{"example": example(), "no findings": {
		Tool: Tool{"labgrade", "1", "2.3.0"}, Lab: Lab{ID: "x", Version: "1", Digest: "sha256:" + strings.Repeat("00", 32)},
		SchemaVersion: 1, Outcome: Pass, Checks: []Check{{ID: "a", Outcome: Pass}}}} {
		b, err := r.JSON()
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%s: %v\n%s", name, err, b)
		}
		var back Result
		if err := json.Unmarshal(b, &back); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	v, _ := jsonschema.UnmarshalJSON(strings.NewReader(`{"schema_version":1}`))
	if schema.Validate(v) == nil {
		t.Error("the schema accepts anything")
	}
}

const wantText = `x  A lab
submission  there
source      the data that ships with the lab (--source FILE takes another)
note        no folder was named

ok     good  Right                                      3 rows
WRONG  bad   Wrong                                      4 rows
       error  bad.out:7  1 row has another value, at line 7.
              expected  insert: k a, n 1
              found     insert: k a, n 2` + "\ufffd" + `[31m
              made by   t.csv lines 3, 5 (5: a,9)
              more      more
              hint      Copy it whole.
              labgrade explain LG-STREAM-009
?      open  Not there                                  not graded
       error  open.out  open.out is missing.
              hint      Run it.
              labgrade explain LG-FILE-001

1 of 3 steps right, 1 wrong, 1 not graded; 2 of 4 points
next  bad: Do it again.
`

func TestText(t *testing.T) {
	var b bytes.Buffer
	if err := Text(&b, example(), Style{}, Normal); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(wantText, b.String()); d != "" {
		t.Error(d)
	}
	b.Reset()
	if err := Text(&b, example(), Style{}, Quiet); err != nil {
		t.Fatal(err)
	}
	if b.String() != "1 of 3 steps right, 1 wrong, 1 not graded; 2 of 4 points\n" {
		t.Errorf("quiet: %q", b.String())
	}
}
