package report

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestFormatsFollowTheirSchema validates the formats of platforms against what the
// platforms' documents require (testdata/schema, in our words).
func TestFormatsFollowTheirSchema(t *testing.T) {
	split := func(b []byte) [][]byte { return bytes.Split(bytes.TrimSuffix(b, []byte("\n")), []byte("\n")) }
	whole := func(b []byte) [][]byte { return [][]byte{b} }
	for _, c := range []struct {
		format string
		parts  func([]byte) [][]byte
	}{
		{"sarif", whole}, {"gitlab", whole}, {"gradescope", whole}, {"classroom50", whole}, {"exercism", whole}, {"prairielearn", whole}, {"submitty", whole},
		{"dodona", split},
		{"github-classroom", func(b []byte) [][]byte {
			raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(b)))
			if err != nil {
				t.Error(err)
			}
			return [][]byte{raw}
		}},
	} {
		schema, err := jsonschema.NewCompiler().Compile("testdata/schema/" + c.format + ".json")
		if err != nil {
			t.Fatal(err)
		}
		for name, r := range map[string]*Result{"example": example(), "hostile": hostile(), "errored": errored(), "ungraded": ungraded()} {
			if c.format == "classroom50" && r.Context == nil {
				r.Context = hostile().Context
			}
			t.Run(c.format+"/"+name, func(t *testing.T) {
				b, err := Emit(c.format, r)
				if err != nil {
					t.Fatal(err)
				}
				for _, part := range c.parts(b) {
					v, err := jsonschema.UnmarshalJSON(bytes.NewReader(part))
					if err != nil {
						t.Fatalf("%v\n%s", err, part)
					}
					if err := schema.Validate(v); err != nil {
						t.Errorf("%v\n%.500s", err, part)
					}
				}
			})
		}
		v, _ := jsonschema.UnmarshalJSON(strings.NewReader(`{"x":1}`))
		if schema.Validate(v) == nil {
			t.Errorf("the schema of %s accepts anything", c.format)
		}
	}
}

// junitElements is the schema that Jenkins publishes for JUnit XML, for the elements in
// use: allowed children in their order, attributes, required ones marked with "!".
var junitElements = map[string]struct{ children, attributes string }{
	"testsuites": {"testsuite*", "name tests failures errors time disabled"},
	"testsuite":  {"properties? testcase* system-out? system-err?", "name! tests! failures! errors! skipped time group timestamp hostname id package file log url version"},
	"properties": {"property*", ""},
	"property":   {"", "name! value!"},
	"testcase":   {"skipped? error* failure* system-out* system-err*", "name! classname time group"},
	"skipped":    {"", "type message"},
	"error":      {"", "type message"},
	"failure":    {"", "type message"},
	"system-out": {"", ""},
}

// TestJUnitFollowsTheSchema walks the tokens, so it is a second parser besides the
// decoding into structures.
func TestJUnitFollowsTheSchema(t *testing.T) {
	for name, r := range map[string]*Result{"example": example(), "hostile": hostile(), "errored": errored(), "ungraded": ungraded()} {
		t.Run(name, func(t *testing.T) {
			b, err := Emit("junit", r)
			if err != nil {
				t.Fatal(err)
			}
			d := xml.NewDecoder(bytes.NewReader(b))
			type open struct {
				name string
				at   int // position in the list of children
			}
			stack := []open{}
			counts := map[string]int{}
			for {
				tok, err := d.Token()
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				switch x := tok.(type) {
				case xml.StartElement:
					n := x.Name.Local
					counts[n]++
					spec, known := junitElements[n]
					if !known {
						t.Fatalf("element %s", n)
					}
					if len(stack) > 0 {
						top := &stack[len(stack)-1]
						allowed := strings.Fields(junitElements[top.name].children)
						i := slices.IndexFunc(allowed, func(a string) bool { return strings.TrimRight(a, "?*") == n })
						if i < top.at {
							t.Fatalf("%s stands at the wrong place in %s", n, top.name)
						}
						if top.at = i; strings.HasSuffix(allowed[i], "?") {
							top.at++
						}
					}
					for _, a := range strings.Fields(spec.attributes) {
						if name, must := strings.CutSuffix(a, "!"); must && !slices.ContainsFunc(x.Attr, func(a xml.Attr) bool { return a.Name.Local == name }) {
							t.Errorf("%s lacks %s", n, name)
						}
					}
					for _, a := range x.Attr {
						if !slices.Contains(strings.Fields(strings.ReplaceAll(spec.attributes, "!", "")), a.Name.Local) {
							t.Errorf("%s has the attribute %s", n, a.Name.Local)
						}
					}
					stack = append(stack, open{name: n})
				case xml.EndElement:
					stack = stack[:len(stack)-1]
				case xml.CharData:
					if len(stack) > 0 && strings.TrimSpace(string(x)) != "" && !slices.Contains([]string{"failure", "error", "system-out"}, stack[len(stack)-1].name) {
						t.Errorf("text in %s", stack[len(stack)-1].name)
					}
				case xml.Comment, xml.Directive:
					t.Errorf("%T", x)
				}
			}
			var s junitSuites
			if err := xml.Unmarshal(b, &s); err != nil {
				t.Fatal(err)
			}
			if got, want := fmt.Sprint(s.Suite.Tests, s.Suite.Failures, s.Suite.Errors, s.Suite.Skipped), fmt.Sprint(counts["testcase"], counts["failure"], counts["error"], counts["skipped"]); got != want {
				t.Errorf("counts %s, there are %s", got, want)
			}
		})
	}
}

// TestNothingInvisible: no format writes control characters, bytes that are no UTF-8, or
// characters that turn the direction of writing, outside of JSON escapes.
func TestNothingInvisible(t *testing.T) {
	for _, format := range Formats() {
		if format == "json" {
			continue // data for programs; its strings are the originals
		}
		b, err := Emit(format, hostile())
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(b) {
			t.Errorf("%s is no UTF-8", format)
		}
		for i, r := range string(b) {
			if r != '\n' && isControl(r) || isFormat(r) {
				t.Errorf("%s holds %U: %q", format, r, b[max(0, i-40):min(len(b), i+20)])
				break
			}
		}
		var v any
		if json.Unmarshal(b, &v) == nil {
			walkStrings(v, func(s string) {
				for _, r := range s {
					if r != '\n' && isControl(r) || isFormat(r) {
						t.Errorf("%s holds %U in %.60q", format, r, s)
						return
					}
				}
			})
		}
	}
}

func walkStrings(v any, f func(string)) {
	switch x := v.(type) {
	case string:
		f(x)
	case []any:
		for _, y := range x {
			walkStrings(y, f)
		}
	case map[string]any:
		for k, y := range x {
			f(k)
			walkStrings(y, f)
		}
	}
}
