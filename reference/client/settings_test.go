package client

import (
	"bytes"
	"strings"
	"testing"
)

// TestListSettings: the listing has the session's settings in their places.
func TestListSettings(t *testing.T) {
	var buf bytes.Buffer
	s := New(Options{Out: &buf})
	for _, stmt := range []string{"SET 'table.local-time-zone' = 'UTC'", "SET 'a' = 'x'", "SET"} {
		if _, err := s.Exec(stmt); err != nil {
			t.Fatal(err)
		}
	}
	text := buf.String()
	order := []string{" $internal.deployment.config-dir |", " a |", " execution.attached |", " table.local-time-zone |", " taskmanager.bind-host |", "22 rows in set"}
	at := 0
	for _, want := range order {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Fatalf("%q is not behind what comes before it:\n%s", want, text)
		}
		at += i
	}
	if strings.Contains(text, "execution.runtime-mode") {
		t.Error("a setting that nobody made is listed")
	}
}
