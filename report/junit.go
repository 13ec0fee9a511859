package report

import "encoding/xml"

// The elements of JUnit XML as Jenkins, GitLab and most others read them. A step is a
// test case; one that could not be graded is an error, one whose needs are not met is
// skipped. JUnit knows no points: they stand in the properties and in the output.
type (
	junitSuites struct {
		XMLName  xml.Name   `xml:"testsuites"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Suite    junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Time       string          `xml:"time,attr"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Name      string        `xml:"name,attr"`
		Class     string        `xml:"classname,attr"`
		Time      string        `xml:"time,attr"`
		Skipped   *junitSkipped `xml:"skipped"`
		Error     *junitProblem `xml:"error"`
		Failure   *junitProblem `xml:"failure"`
		SystemOut string        `xml:"system-out,omitempty"`
	}
	junitSkipped struct {
		Message string `xml:"message,attr"`
	}
	junitProblem struct {
		Type    string `xml:"type,attr"`
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

func junit(r *Result) ([]byte, error) {
	s := junitSuite{Name: "labgrade " + r.Lab.ID, Tests: len(r.Checks), Time: "0", Properties: []junitProperty{
		{"lab", r.Lab.ID + " " + Plain(r.Lab.Version)},
		{"lab.digest", r.Lab.Digest},
		{"tool", r.Tool.Name + " " + Plain(r.Tool.Version)},
		{"submission", Plain(r.Submission.Root)},
		{"outcome", string(r.Outcome)},
		{"points", points(r.Score.Points)},
		{"max", points(r.Score.Max)},
	}}
	for i := range r.Checks {
		c := &r.Checks[i]
		t := junitCase{Name: c.label(), Class: "labgrade." + r.Lab.ID, Time: "0"}
		p := &junitProblem{Type: append(c.codes(), string(c.Outcome))[0], Message: c.headline(), Text: c.body()}
		switch c.Outcome {
		case Pass:
			t.SystemOut = c.body()
		case Fail:
			t.Failure = p
			s.Failures++
		case Skip:
			t.Skipped = &junitSkipped{Message: c.headline()}
			s.Skipped++
		default:
			t.Error = p
			s.Errors++
		}
		s.Cases = append(s.Cases, t)
	}
	b, err := xml.MarshalIndent(junitSuites{Name: s.Name, Tests: s.Tests, Failures: s.Failures, Errors: s.Errors, Suite: s}, "", "  ")
	if err != nil {
		return nil, err
	}
	return append([]byte(xml.Header), append(b, '\n')...), nil
}
