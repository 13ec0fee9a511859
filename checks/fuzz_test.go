package checks

import (
	"context"
	"testing"
	"testing/fstest"

	"github.com/labgrade/labgrade/report"
)

// FuzzFiles puts arbitrary text into one file of a right submission: the check ends,
// and a fault is never labgrade's own.
func FuzzFiles(f *testing.F) {
	lab := dynamicLab(f)
	g := recordedGrader(f, "right-one-user") // short files fuzz faster
	base := memoryOf(f, recorded+"right-one-user/submission")
	var names []string
	for _, s := range lab.Steps {
		for _, n := range []string{s.SQL, s.Out, s.File} {
			if n != "" {
				names = append(names, n)
				f.Add(uint8(len(names)-1), base[n].Data)
			}
		}
	}
	for name, file := range base {
		if len(name) > 10 && name[:10] == "changelog/" {
			names = append(names, name)
			f.Add(uint8(len(names)-1), file.Data)
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		if len(data) > 1<<14 {
			return
		}
		name := names[int(which)%len(names)]
		files := fstest.MapFS{}
		for k, v := range base {
			files[k] = v
		}
		files[name] = &fstest.MapFile{Data: data}
		got, err := g.Check(context.Background(), files, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range got {
			if c.Outcome == report.Errored {
				t.Errorf("%s: %s is our own fault: %+v", name, c.ID, c.Findings)
			}
		}
	})
}
