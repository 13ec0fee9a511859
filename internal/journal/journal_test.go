package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func mustOpen(t *testing.T, name string) *Journal {
	t.Helper()
	j, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// TestResume cuts a journal at every byte, as a kill can: what was written whole is found,
// what was not can be written again, and nothing is taken for what it is not.
func TestResume(t *testing.T) {
	name := filepath.Join(t.TempDir(), "new", "j.jsonl")
	j := mustOpen(t, name)
	for i := range 3 {
		if err := j.Put(fmt.Sprint("key", i), i); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(false); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) + 1 {
		if err := os.WriteFile(name, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		j := mustOpen(t, name)
		lines := max(0, strings.Count(string(whole[:cut]), "\n")-1)
		if j.Len() != lines {
			t.Fatalf("cut at %d: %d records, want %d", cut, j.Len(), lines)
		}
		for i := range 3 {
			var v int
			if j.Get(fmt.Sprint("key", i), &v) != (i < lines) || i < lines && v != i {
				t.Fatalf("cut at %d: record %d is %d", cut, i, v)
			}
			if i >= lines {
				if err := j.Put(fmt.Sprint("key", i), i); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := j.Close(true); err != nil {
			t.Fatal(err)
		}
		again, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if string(again) != string(whole) {
			t.Fatalf("cut at %d, the resumed journal is\n%s", cut, again)
		}
	}
}

func TestDamagedLine(t *testing.T) {
	name := filepath.Join(t.TempDir(), "j.jsonl")
	text := version + "\n" + `{"key":"a","value":1}` + "\n" + `{"key":"b","va` + "\n" + `{"key":"c","value":3}` + "\n"
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	j := mustOpen(t, name)
	defer j.Close(false)
	var v int
	if !j.Get("a", &v) || j.Get("b", &v) || !j.Get("c", &v) || v != 3 {
		t.Errorf("%d records", j.Len())
	}
}

func TestForeignFileIsLeftAlone(t *testing.T) {
	name := filepath.Join(t.TempDir(), "thesis.txt")
	if err := os.WriteFile(name, []byte("my work\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(name); err == nil {
		t.Error("a file that is no journal was opened")
	}
	if b, _ := os.ReadFile(name); string(b) != "my work\n" {
		t.Errorf("it is %q now", b)
	}
}

func TestOneRunAtATime(t *testing.T) {
	name := filepath.Join(t.TempDir(), "j.jsonl")
	j := mustOpen(t, name)
	if _, err := Open(name); !errors.Is(err, ErrBusy) {
		t.Errorf("the second run: %v", err)
	}
	if err := j.Close(false); err != nil {
		t.Fatal(err)
	}
	mustOpen(t, name).Close(false)
}

// TestCompact: after a whole run, what it did not use goes once that is most of the journal.
func TestCompact(t *testing.T) {
	name := filepath.Join(t.TempDir(), "j.jsonl")
	j := mustOpen(t, name)
	for i := range 10 {
		if err := j.Put(fmt.Sprint(i), i); err != nil {
			t.Fatal(err)
		}
	}
	j.Close(true)
	j = mustOpen(t, name)
	var v int
	if j.Len() != 10 || !j.Get("3", &v) {
		t.Fatalf("%d records", j.Len())
	}
	if err := j.Close(true); err != nil {
		t.Fatal(err)
	}
	j = mustOpen(t, name)
	defer j.Close(false)
	if j.Len() != 1 || !j.Get("3", &v) || v != 3 {
		t.Errorf("%d records are left", j.Len())
	}
}
