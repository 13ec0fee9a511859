package parse

import (
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestData reads the texts of testdata/transcript: one "read" a text, its facts below.
// Its texts are forms in which people paste Flink's output.
func TestData(t *testing.T) {
	datadriven.Walk(t, "testdata/transcript", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "read":
				return facts(readText(t, d.Input+"\n"), true)
			case "plan":
				p, problems := ParsePlan(d.Input, 1)
				b := &Block{Kind: KindPlan, Plan: p, Problems: problems, NProblems: len(problems)}
				var out strings.Builder
				out.WriteString(facts(&Transcript{Blocks: []*Block{b}, Runs: 1}, false))
				for i := range p.Sections {
					for _, n := range p.Sections[i].Nodes() {
						for _, a := range n.Attrs {
							out.WriteString("  " + n.Name + " " + a.Key + " = " + a.Value + "\n")
						}
						if n.Cost != "" {
							out.WriteString("  " + n.Name + " cost " + n.Cost + "\n")
						}
					}
				}
				return out.String()
			}
			t.Fatalf("unknown command %q", d.Cmd)
			return ""
		})
	})
}
