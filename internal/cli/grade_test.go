package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/labgrade/labgrade/labs"
)

// manyOf writes a class of n different submissions, right and wrong mixed.
func manyOf(t testing.TB, n int) string {
	t.Helper()
	dir := t.TempDir()
	right := os.DirFS("../../fixtures/recorded/labs/dynamic/right-120/submission")
	l, err := labs.Open("dynamic")
	if err != nil {
		t.Fatal(err)
	}
	wrongs, err := l.Wrongs()
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		to := filepath.Join(dir, "s"+strings.Repeat("0", 3-len(itoa(i)))+itoa(i))
		files := right
		if i%3 == 1 {
			files = wrongs[i%len(wrongs)].FS
		}
		if err := os.CopyFS(to, files); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(to, "batch.sql")
		b, _ := os.ReadFile(name) // some wrong submissions have none
		if err := os.WriteFile(name, append([]byte("-- student "+itoa(i)+"\n"), b...), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func itoa(i int) string {
	b, _ := json.Marshal(i)
	return string(b)
}

// TestKilledAndResumed kills a run without warning when about half is done: the second
// run gives the gradebook of a run that was never killed, and grades nothing again.
func TestKilledAndResumed(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a process")
	}
	const n = 60
	class := manyOf(t, n)
	work := t.TempDir()
	file := func(name string) string { return filepath.Join(work, name) }
	grade := func(journal, out string) *exec.Cmd {
		c := exec.Command(os.Args[0], "grade", "dynamic", class, "--journal", file(journal), "-j", "2", "--report", "json="+file(out+".json"), "--report", "wide="+file(out+".csv"))
		c.Args[0] = "labgrade" // the test's own binary is the command under this name
		return c
	}
	keys := func() []string {
		b, err := os.ReadFile(file("killed.j"))
		if err != nil {
			return nil
		}
		var out []string
		for _, line := range strings.Split(string(b), "\n") {
			var r struct{ Key string }
			if json.Unmarshal([]byte(line), &r) == nil && r.Key != "" {
				out = append(out, r.Key)
			}
		}
		return out
	}
	exitCode := func(c *exec.Cmd) int {
		c.Run()
		return c.ProcessState.ExitCode()
	}
	whole := exitCode(grade("whole.j", "whole"))
	if whole != ExitUnsupported && whole != ExitFailed {
		t.Fatalf("exit %d", whole)
	}
	victim := grade("killed.j", "killed")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	for begin := time.Now(); len(keys()) < n/2 && time.Since(begin) < 30*time.Second; {
		time.Sleep(time.Millisecond)
	}
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	victim.Wait()
	before := keys()
	if len(before) < n/4 || len(before) == n {
		t.Skipf("the run was killed with %d of %d done", len(before), n)
	}
	if got := exitCode(grade("killed.j", "killed")); got != whole {
		t.Errorf("exit %d, want %d", got, whole)
	}
	for _, name := range []string{".json", ".csv"} {
		a, err := os.ReadFile(file("whole" + name))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(file("killed" + name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s of the resumed run is another", name)
		}
	}
	seen := map[string]bool{}
	for _, k := range keys() {
		if seen[k] {
			t.Errorf("%s was graded twice", k)
		}
		seen[k] = true
	}
	for _, k := range before {
		if !seen[k] {
			t.Errorf("the record %s of the killed run was lost", k)
		}
	}
	if len(seen) != n {
		t.Errorf("%d records, want %d", len(seen), n)
	}
}

// TestClassJSONFollowsTheSchema: what grade prints is what docs/schema promises.
func TestClassJSONFollowsTheSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../docs/schema/class.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := manyOf(t, 12)
	if err := os.WriteFile(filepath.Join(dir, "broken.zip"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	file := func(name, text string) string {
		p := filepath.Join(work, name)
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return p
	}
	run := func(args ...string) []byte {
		t.Helper()
		var out, errs bytes.Buffer
		code := Main(append([]string{"grade", "dynamic", dir, "--no-journal", "--json"}, args...), Streams{In: &bytes.Buffer{}, Out: &out, Err: &errs, Getenv: func(string) string { return "" }})
		if code != ExitUnsupported {
			t.Fatalf("exit %d, stderr %q", code, errs.String())
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Error(err)
		}
		return out.Bytes()
	}
	first := run()
	roster := file("roster.csv", "id,name,email,login,section,canvas_id,moodle_id\ns001,Ann,a@x,al,A,1,2\nzz,Di,,,,,\n")
	run("--roster", roster, "--against", file("first.json", string(first)), "--step", "stream")
	run("--secret", file("key", "a secret that nobody guesses"), "--as", "learner")
}
