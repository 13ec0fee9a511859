package report

import (
	"bytes"
	"fmt"
	"strings"
)

// Forms are the forms in which a result of type R can be written for people or platforms,
// in the order of the help text.
type Forms[R any] []Form[R]

// Form is one of them.
type Form[R any] struct {
	Name  string
	Write func(R) ([]byte, error)
}

// Names lists the names of the forms.
func (f Forms[R]) Names() []string {
	names := make([]string, len(f))
	for i, form := range f {
		names[i] = form.Name
	}
	return names
}

// Emit writes a result in the form of that name.
func (f Forms[R]) Emit(name string, result R) ([]byte, error) {
	for _, form := range f {
		if form.Name == name {
			return form.Write(result)
		}
	}
	return nil, fmt.Errorf("there is no such format %q; the formats are %s", name, strings.Join(f.Names(), ", "))
}

// forms lists the forms of a submission's result, and who reads them.
func forms() Forms[*Result] {
	return Forms[*Result]{
		{"text", plainText},                   // people, on a terminal
		{"json", (*Result).JSON},              // programs (docs/schema/result.schema.json)
		{"markdown", markdown},                // people, in pull requests and step summaries
		{"html", page},                        // people, in a browser or on paper
		{"junit", junit},                      // nearly every CI (JUnit XML)
		{"tap", tap},                          // TAP consumers (version 14)
		{"sarif", sarif},                      // code scanning (SARIF 2.1.0)
		{"github", github},                    // GitHub Actions: annotations
		{"gitlab", gitlab},                    // GitLab: Code Quality report
		{"gradescope", gradescope},            // Gradescope: results.json
		{"github-classroom", githubClassroom}, // the autograding reporter of GitHub Classroom
		{"classroom50", classroom50},          // Classroom 50: result.json
		{"exercism", exercism},                // Exercism: results.json of a test runner, version 3
		{"prairielearn", prairieLearn},        // PrairieLearn: results.json of an external grader
		{"autolab", autolab},                  // Autolab: standard output of an autograder
		{"submitty", submitty},                // Submitty: validation_results.json of a custom validator
		{"dodona", dodona},                    // Dodona: the updates that a judge prints
	}
}

// Formats lists the names of the formats that Emit writes.
func Formats() []string { return forms().Names() }

// Emit writes the result in a format. It is a pure function of the result: points and
// outcomes are copied, never computed again.
func Emit(format string, r *Result) ([]byte, error) { return forms().Emit(format, r) }

func plainText(r *Result) ([]byte, error) {
	var b bytes.Buffer
	err := Text(&b, r, Style{}, Normal)
	return b.Bytes(), err
}
