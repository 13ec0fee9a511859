package checks

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/labgrade/labgrade/report"
)

// TestNotRun: what labgrade could not run is no fault of the learner, whatever the step asks for.
func TestNotRun(t *testing.T) {
	const text = "Flink SQL> \n> SELECT 1;\n[UNSUPPORTED] an aggregate over a cross join\n\nShutting down the session...\ndone.\n"
	lab := dynamicLab(t)
	files := fstest.MapFS{}
	for i := range lab.Steps {
		if out := lab.Steps[i].Out; out != "" {
			files[out] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	got, err := shippedGrader(lab).Check(context.Background(), files, nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i, c := range got {
		if lab.Steps[i].Out == "" {
			continue
		}
		n++
		if c.Outcome != report.Ungradable {
			t.Errorf("%s: %s", c.ID, c.Outcome)
		}
		f := c.Findings[len(c.Findings)-1]
		for _, x := range c.Findings {
			if x.Code == "LG-RUN-021" {
				f = x
			}
		}
		if f.Code != "LG-RUN-021" || f.Line != 3 || !strings.Contains(f.Message, "(an aggregate over a cross join)") || strings.Contains(f.Message, "Flink reported") {
			t.Errorf("%s: %+v", c.ID, f)
		}
	}
	if n < 3 {
		t.Errorf("%d steps with an output", n)
	}
}
