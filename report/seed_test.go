package report

import (
	"flag"
	"os"
	"testing"
)

// TestMain fixes the seed of the random results, so that a run can be repeated; another
// one is tried with -rapid.seed N.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("rapid.seed"); f != nil && f.Value.String() == "0" {
		if err := f.Value.Set("1"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
