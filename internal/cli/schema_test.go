package cli

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestJSONFollowsItsSchema validates the JSON of parse, replay and diff on recorded files.
func TestJSONFollowsItsSchema(t *testing.T) {
	rec := "../../fixtures/recorded/"
	var files []string
	for _, glob := range []string{"labs/dynamic/right-120/submission/*.out", "versions/1.17.2/*.out", "versions/2.3.0/*.out", "corpus/sink/transcript-*/transcript.out", "corpus/sink/print-*/print.txt"} {
		m, err := filepath.Glob(rec + glob)
		if err != nil || len(m) == 0 {
			t.Fatal(glob, err)
		}
		files = append(files, m...)
	}
	compile := func(name string) *jsonschema.Schema {
		s, err := jsonschema.NewCompiler().Compile("../../docs/schema/" + name + ".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	validate := func(s *jsonschema.Schema, args ...string) {
		t.Helper()
		var out, errs bytes.Buffer
		code := Main(args, Streams{In: strings.NewReader(""), Out: &out, Err: &errs, Getenv: func(string) string { return "" }})
		if (code == ExitUngradable || code == ExitUsage) && out.Len() == 0 {
			return
		}
		v, err := jsonschema.UnmarshalJSON(&out)
		if err != nil {
			t.Fatalf("%v: %v (exit %d, %s)", args, err, code, errs.String())
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
	p, r, d := compile("parse"), compile("replay"), compile("diff")
	for i, f := range files {
		validate(p, "parse", "--json", "--rows", f)
		validate(p, "parse", "--json", f)
		validate(r, "replay", "--json", "--at", "1", f)
		validate(d, "diff", "--json", f, files[(i+1)%len(files)])
	}
}
