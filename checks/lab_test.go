package checks

import (
	"io/fs"
	"os"
	"testing"

	"github.com/labgrade/labgrade/labs"
)

const recorded = "../fixtures/recorded/labs/dynamic/"

func dynamicLab(t testing.TB) *labs.Lab {
	t.Helper()
	lab, err := labs.Open("dynamic")
	if err != nil {
		t.Fatal(err)
	}
	return lab
}

// recordedGrader grades over the source of a recorded submission.
func recordedGrader(t testing.TB, name string) *Grader {
	t.Helper()
	return New(dynamicLab(t), func(string) (fs.File, error) { return os.Open(recorded + name + "/dynamic_clicks.csv") }, Reference())
}
