package report

import (
	"bytes"
	"fmt"
	"strings"
)

// Format is a form in which a result can be written for a person or a platform.
type Format struct {
	Name string
	// Reads says who reads it, in a few words.
	Reads string
	write func(*Result) ([]byte, error)
}

// formats lists the formats in the order of the help text.
func formats() []Format {
	return []Format{
		{"text", "people, on a terminal", plainText},
		{"json", "programs (docs/schema/result.schema.json)", (*Result).JSON},
		{"markdown", "people, in pull requests and step summaries", markdown},
		{"html", "people, in a browser or on paper", page},
		{"junit", "nearly every CI (JUnit XML)", junit},
		{"tap", "TAP consumers (version 14)", tap},
		{"sarif", "code scanning (SARIF 2.1.0)", sarif},
		{"github", "GitHub Actions: annotations", github},
		{"gitlab", "GitLab: Code Quality report", gitlab},
		{"gradescope", "Gradescope: results.json", gradescope},
		{"github-classroom", "the autograding reporter of GitHub Classroom", githubClassroom},
		{"classroom50", "Classroom 50: result.json", classroom50},
		{"exercism", "Exercism: results.json of a test runner, version 3", exercism},
		{"prairielearn", "PrairieLearn: results.json of an external grader", prairieLearn},
		{"autolab", "Autolab: standard output of an autograder", autolab},
		{"submitty", "Submitty: validation_results.json of a custom validator", submitty},
		{"dodona", "Dodona: the updates that a judge prints", dodona},
	}
}

// Formats lists the names of the formats that Emit writes.
func Formats() []string {
	var names []string
	for _, f := range formats() {
		names = append(names, f.Name)
	}
	return names
}

// AllFormats lists the formats with their readers.
func AllFormats() []Format { return formats() }

// Emit writes the result in a format. It is a pure function of the result: points and
// outcomes are copied, never computed again.
func Emit(format string, r *Result) ([]byte, error) {
	for _, f := range formats() {
		if f.Name == format {
			return f.write(r)
		}
	}
	return nil, fmt.Errorf("there is no report format %q; the formats are %s", format, strings.Join(Formats(), ", "))
}

func plainText(r *Result) ([]byte, error) {
	var b bytes.Buffer
	err := Text(&b, r, Style{}, Normal)
	return b.Bytes(), err
}
