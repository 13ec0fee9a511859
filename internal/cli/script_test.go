package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"labgrade": func() { os.Exit(Main(os.Args[1:], System())) },
	})
}

// TestScripts runs testdata/script/*.txtar: the command line as a user meets it.
// $RECORDED is the folder of recorded Flink outputs.
func TestScripts(t *testing.T) {
	recorded, err := filepath.Abs("../../fixtures/recorded")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("RECORDED", recorded)
			return nil
		},
	})
}
