package report

import (
	"bytes"
	"fmt"
	"strings"
)

// github writes workflow commands of GitHub Actions. Every line is a command of ours;
// what comes from a submission is escaped, so it can neither end the command nor begin
// another. GitHub shows ten errors and ten warnings of a step, so the first finding of
// each step of the lab comes first.
func github(r *Result) ([]byte, error) {
	var first, rest bytes.Buffer
	for i := range r.Checks {
		c := &r.Checks[i]
		if c.Outcome == Pass {
			for j := range c.Findings {
				if c.Findings[j].Severity == Warning {
					annotate(&rest, r, c, &c.Findings[j])
				}
			}
			continue
		}
		to := &first
		for _, want := range []Severity{Error, Warning} {
			for j := range c.Findings {
				if c.Findings[j].Severity == want {
					annotate(to, r, c, &c.Findings[j])
					to = &rest
				}
			}
		}
		if to == &first {
			command(to, "warning", "title", c.label()+" - "+c.Outcome.word(), c.headline())
		}
	}
	out := append(first.Bytes(), rest.Bytes()...)
	var b bytes.Buffer
	command(&b, "notice", "title", "labgrade "+r.Lab.ID, r.Summary())
	return append(out, b.Bytes()...), nil
}

func annotate(b *bytes.Buffer, r *Result, c *Check, f *Finding) {
	kind := "error"
	if f.Severity == Warning {
		kind = "warning"
	}
	props := []string{"title", c.label() + " - " + f.Code}
	if f.File != "" {
		props = append(props, "file", r.repositoryPath(Plain(f.File)))
		if f.Line > 0 {
			props = append(props, "line", fmt.Sprint(f.Line))
		}
	}
	lines := f.lines()
	lines[0] = Plain(f.Message)
	b.WriteString(workflowCommand(kind, props, strings.Join(lines, "\n")))
}

func command(b *bytes.Buffer, kind, name, value, text string) {
	b.WriteString(workflowCommand(kind, []string{name, value}, text))
}

// workflowCommand is "::kind name=value,...::text" with the escapes of the runner:
// percent sign and line breaks everywhere, colon and comma in properties.
func workflowCommand(kind string, props []string, text string) string {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	var p []string
	for i := 0; i+1 < len(props); i += 2 {
		p = append(p, props[i]+"="+property.Replace(props[i+1]))
	}
	return "::" + kind + " " + strings.Join(p, ",") + "::" + data.Replace(text) + "\n"
}
