package alike

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/labgrade/labgrade/report/class"
)

const starterSQL = "SET 'execution.runtime-mode' = 'streaming';\nCREATE TABLE clicks (click_id BIGINT, user_id STRING, url STRING, dwell INT) WITH ('connector' = 'filesystem', 'path' = '/data/clicks.csv', 'format' = 'csv');\n"

const solutionSQL = starterSQL + "SELECT user_id, COUNT(*) AS clicks, SUM(dwell) AS dwell FROM clicks GROUP BY user_id;\n"

func reader() *Reader {
	return NewReader(func(id string) bool { return strings.HasPrefix(id, "0001") },
		fstest.MapFS{"q.sql": {Data: []byte(solutionSQL)}, "sink/part-aaaaaaaa-0000-4000-8000-000000000000-0-0": {}},
		nil)
}

// of makes a print of files.
func of(r *Reader, id string, files map[string]string) Print {
	var names []string
	for n := range files {
		names = append(names, n)
	}
	slices.Sort(names)
	return r.Print(id, "class/"+id, names, func(n string) []byte { return []byte(files[n]) })
}

// essay is an answer in somebody's own words.
const essay = `
WITH per_user AS (SELECT c.user_id AS who, COUNT(c.click_id) AS how_many, SUM(COALESCE(c.dwell, 0)) AS stayed FROM clicks AS c GROUP BY c.user_id),
checked AS (SELECT who, how_many, stayed, CASE WHEN how_many > 0 THEN stayed / how_many ELSE 0 END AS average FROM per_user)
SELECT who AS user_id, how_many AS clicks, stayed AS dwell FROM checked WHERE how_many >= 1;
`

func TestGroups(t *testing.T) {
	disguised := strings.ToUpper(strings.Join(strings.Fields(essay), "\n\t")) + "-- all of it is mine\n"
	part := "sink/part-12345678-1234-4234-8234-123456789abc-0-0"
	for _, c := range []struct {
		name  string
		files map[string]map[string]string
		want  []class.Alike
	}{
		{"the usual answer", map[string]map[string]string{
			"ann": {"q.sql": solutionSQL}, "bo": {"q.sql": strings.ToLower(solutionSQL)}, "cy": {"q.sql": strings.ReplaceAll(solutionSQL, " ", "  ")}}, nil},
		{"a copy in disguise", map[string]map[string]string{
			"ann": {"q.sql": starterSQL + essay}, "bo": {"q.sql": starterSQL + disguised}, "cy": {"q.sql": solutionSQL}},
			[]class.Alike{{IDs: []string{"ann", "bo"}, Paths: []string{"class/ann", "class/bo"}, Similarity: 1, Files: []string{"q.sql"}, Why: "their statements or comments agree beyond what the lab gives and others write"}}},
		{"two submissions of one person", map[string]map[string]string{"ann": {"q.sql": essay}}, nil},
		{"one run of Flink", map[string]map[string]string{
			"ann": {part: "x"}, "bo": {part: "x"}, "cy": {"sink/part-22345678-1234-4234-8234-123456789abc-0-0": "x"}},
			[]class.Alike{{IDs: []string{"ann", "bo"}, Paths: []string{"class/ann", "class/bo"}, Similarity: 1, Files: []string{"sink"}, Why: "their files come from one run of Flink: 12345678-1234-4234-8234-123456789abc"}}},
		{"one job", map[string]map[string]string{
			"ann": {"x.out": "Job ID: 0123456789abcdef0123456789abcdef\n"}, "bo": {"y.out": "[INFO] Job ID: 0123456789abcdef0123456789abcdef\n"}},
			[]class.Alike{{IDs: []string{"ann", "bo"}, Paths: []string{"class/ann", "class/bo"}, Similarity: 1, Files: []string{"y.out"}, Why: "their files come from one run of Flink: 0123456789abcdef0123456789abcdef"}}},
		{"files that everybody can have", map[string]map[string]string{
			"ann": {"sink/part-aaaaaaaa-0000-4000-8000-000000000000-0-0": "x", "sink/part-00010000-0000-4000-8000-000000000000-0-0": "y"},
			"bo":  {"sink/part-aaaaaaaa-0000-4000-8000-000000000000-0-0": "x", "sink/part-00010000-0000-4000-8000-000000000000-0-0": "y"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := reader()
			var prints []Print
			for id, files := range c.files {
				prints = append(prints, of(r, id, files))
			}
			if c.name == "two submissions of one person" {
				prints = append(prints, of(r, "ann", map[string]string{"q.sql": essay}))
			}
			rand.Shuffle(len(prints), func(i, j int) { prints[i], prints[j] = prints[j], prints[i] })
			if d := cmp.Diff(c.want, Groups(prints)); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestCommonKnowledge: what many write is no sign of copying, and a ring in a large class is.
func TestCommonKnowledge(t *testing.T) {
	r := reader()
	var prints []Print
	for i := range 200 {
		text := solutionSQL
		switch {
		case i < 40:
			text += essay // a fifth of the class has it from the lecture
		case i < 43:
			text += strings.NewReplacer("per_user", "each_one", "how_many", "n", "stayed", "t", "who", "u", "checked", "done").Replace(essay)
		}
		prints = append(prints, of(r, fmt.Sprintf("s%03d", i), map[string]string{"q.sql": text}))
	}
	got := Groups(prints)
	if len(got) != 1 || !cmp.Equal(got[0].IDs, []string{"s040", "s041", "s042"}) {
		t.Errorf("got %+v", got)
	}
}

func TestWords(t *testing.T) {
	code, comments := words("SELECT 'It''s' -- the Name\nFROM `A b`/* x\ny */, \"q\" 'open")
	if want := []string{"select", "'It'", "'s'", "from", "`A b`", ",", `"q"`, "'open"}; !cmp.Equal(code, want) {
		t.Errorf("code %q", code)
	}
	if want := []string{"the", "name", "x", "y"}; !cmp.Equal(comments, want) {
		t.Errorf("comments %q", comments)
	}
}

func FuzzWords(f *testing.F) {
	f.Add("'")
	f.Add("/*")
	f.Fuzz(func(t *testing.T, s string) { words(s) })
}
