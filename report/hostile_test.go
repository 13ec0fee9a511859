package report

import "strings"

// nasty are cells that mean something to the consumer of one format or another:
// formulas, diff marks, table cells, code spans, workflow commands, ends of CDATA,
// markup, mentions, YAML, escape sequences, characters that turn the text around.
var nasty = []string{
	"+I", "-U", "=1+1", "@SUM(1)",
	"a|b", "`code` ``two``", "::error::taken", "::set-output name=x::y", "##[error]taken", "%0A::warning::taken",
	"]]>", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "&lt;b&gt;", "--> <!--",
	"@everyone #1 https://example.org www.example.org [x](javascript:alert(1))",
	"---\n...\nnot ok 9 - forged", "# SKIP forged", "TAP version 14", `{"scores": {"batch": 100}}`,
	"\x1b[31mred\x1b[0m", "\x1b]8;;http://example.org\x07link", "\u202eevil\u202c", "\u2066\u2069", "\x00\x07", "\xff\xfe", "\ufeff", "\u2028", "\r\n::error::second line",
	"{{.Lab.ID}} ${{ secrets.TOKEN }} $(id) `id`", "'\"\\", "名前 é 👩‍💻", strings.Repeat("long ", 60),
}

// hostile is a result of all outcomes and severities whose texts are nasty.
func hostile() *Result {
	all := strings.Join(nasty, " ; ")
	finding := func(code string, s Severity, text string) Finding {
		return Finding{Code: code, Severity: s, Message: text, Hint: "Do " + text, File: "dir/a b," + text[:1] + ":%.out", Line: 7, Key: "k " + text,
			Expected: "insert: " + text, Actual: text, SourceRows: []SourceRow{{"t.csv", 3, text}, {"t.csv", 5, text}}, More: []string{text}}
	}
	r := &Result{
		Tool:       Tool{"labgrade", "1.2.3", "2.3.0"},
		Lab:        Lab{ID: "dynamic", Title: "A lab <b>&</b> more", Version: "1", Digest: "sha256:" + strings.Repeat("0a", 32)},
		Submission: Submission{Root: "work/sub", Sources: []Source{{Table: "t", Path: "data/t.csv", Shipped: true}}},
		Notes:      []string{all},
		Checks: []Check{
			{ID: "good", Title: "Right # 1", Outcome: Pass, Points: 2, Max: 2, Facts: all,
				Findings: []Finding{{Code: "LG-FILE-003", Severity: Note, Message: "good.sql is missing.", File: "good.sql"}}},
			{ID: "warned", Title: "Right, but", Outcome: Pass, Points: 0.5, Max: 0.5, Findings: []Finding{finding("LG-FILE-009", Warning, nasty[0])}},
			{ID: "bad", Title: "Wrong | `x`", Outcome: Fail, Points: 0.25, Max: 1, Facts: all, Next: all},
			{ID: "open", Title: "Not there", Outcome: Ungradable, Max: 1, Next: "Run it.",
				Findings: []Finding{{Code: "LG-FILE-001", Severity: Error, Message: "open.out is missing.", File: "open.out", Hint: "Run it."}}},
			{ID: "later", Title: "Not yet", Outcome: Skip, Max: 1, Needs: []string{"open"}, Next: "Get the step open right first."},
		},
	}
	codes := []string{"LG-STREAM-009", "LG-STREAM-010", "LG-SQL-001"}
	for i, text := range nasty {
		r.Checks[2].Findings = append(r.Checks[2].Findings, finding(codes[i%len(codes)], Error, text))
	}
	r.Checks[2].Findings[1].More = []string{all}
	r.Total()
	r.Context = &Context{
		Env: func(name string) string {
			return map[string]string{"CLASSROOM": "room", "ASSIGNMENT": "dynamic", "ASSIGNMENT_TYPE": "individual", "OWNER": "somebody",
				"SUBMISSION_TAG": "submit/2026-06-01T14-32-05Z-a1b2c3d", "COMMIT_URL": "https://example.org/c", "RELEASE_URL": "https://example.org/r"}[name]
		},
		Title: func(code string) string { return "Title of " + code },
	}
	return r
}

// errored is a result whose fault is ours; empty has no steps at all.
func errored() *Result {
	r := example()
	r.Checks[0].Outcome, r.Checks[0].Points = Errored, 0
	r.Checks[0].Findings = []Finding{{Code: "LG-INTERNAL-001", Severity: Error, Message: "it broke"}}
	r.Total()
	return r
}

func ungraded() *Result {
	r := example()
	r.Checks = r.Checks[2:]
	r.Total()
	return r
}
