package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// tap writes TAP version 14: a test point for each step, with a YAML block for those
// that did not pass. Texts in the block are double-quoted YAML, which JSON strings are.
func tap(r *Result) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "TAP version 14\n1..%d\n", len(r.Checks))
	for i := range r.Checks {
		c := &r.Checks[i]
		mark, directive := "ok", ""
		switch c.Outcome {
		case Pass:
		case Skip:
			directive = " # SKIP " + tapText(c.headline())
		default:
			mark = "not ok"
		}
		fmt.Fprintf(&b, "%s %d - %s%s\n", mark, i+1, tapText(c.label()), directive)
		if err := tapBlock(&b, c); err != nil {
			return nil, err
		}
	}
	fmt.Fprintf(&b, "# %s\n", tapText(r.Summary()))
	return b.Bytes(), nil
}

// tapText escapes what would begin a directive.
func tapText(s string) string {
	return strings.NewReplacer(`\`, `\\`, "#", `\#`).Replace(Plain(s))
}

func tapBlock(b *bytes.Buffer, c *Check) error {
	q := func(s string) string {
		j, err := json.Marshal(Plain(s))
		if err != nil {
			return `""` // cannot be: Plain gives UTF-8
		}
		return string(j)
	}
	fmt.Fprintf(b, "  ---\n  outcome: %s\n  points: %s\n  max: %s\n", c.Outcome, points(c.Points), points(c.Max))
	head := "  findings:\n"
	for _, f := range c.Findings {
		if f.Severity == Note {
			continue
		}
		b.WriteString(head)
		head = ""
		fmt.Fprintf(b, "    - code: %s\n      severity: %s\n      message: %s\n", f.Code, f.Severity, q(f.Message))
		for _, x := range []struct{ name, text string }{{"at", f.Place()}, {"whose", f.Key}, {"expected", f.Expected}, {"found", f.Actual}, {"hint", f.Hint}} {
			if x.text != "" {
				fmt.Fprintf(b, "      %s: %s\n", x.name, q(x.text))
			}
		}
		if len(f.SourceRows) > 0 {
			fmt.Fprintf(b, "      made_by: %s\n", q(sourceLines(f.SourceRows, true)))
		}
	}
	if c.Outcome != Pass && c.Next != "" {
		fmt.Fprintf(b, "  next: %s\n", q(c.Next))
	}
	b.WriteString("  ...\n")
	return nil
}
