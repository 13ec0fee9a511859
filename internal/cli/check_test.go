package cli

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestCheckJSONFollowsTheSchema: what the command prints is what docs/schema promises.
func TestCheckJSONFollowsTheSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/schema/result.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	const recorded = "../../fixtures/recorded/labs/dynamic/"
	for _, c := range []struct {
		name string
		args []string
		code int
	}{
		{"right", []string{"check", "dynamic", recorded + "right-120/submission", "--json"}, ExitOK},
		{"another source", []string{"check", "dynamic", recorded + "right-5000/submission", "--json"}, ExitFailed},
		{"nothing there", []string{"check", "dynamic", t.TempDir(), "--json"}, ExitUngradable},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			code := Main(c.args, Streams{In: &bytes.Buffer{}, Out: &out, Err: &errs, Getenv: func(string) string { return "" }})
			if code != c.code {
				t.Fatalf("exit %d, stderr %q", code, errs.String())
			}
			v, err := jsonschema.UnmarshalJSON(&out)
			if err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(v); err != nil {
				t.Error(err)
			}
		})
	}
}
