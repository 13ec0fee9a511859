package config

import (
	"strings"
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	cases := []struct {
		in   string
		want time.Duration
		err  string
	}{
		{in: "5 s", want: 5 * time.Second},
		{in: " 7min ", want: 7 * time.Minute},
		{in: "1000", want: time.Second},
		{in: "2 D", want: 48 * time.Hour},
		{in: "3 Hours", want: 3 * time.Hour},
		{in: "1500 micros", want: 1500 * time.Microsecond},
		{in: "PT1H30M", want: 90 * time.Minute},
		{in: "P1DT2S", want: 24*time.Hour + 2*time.Second},
		{in: "", err: "argument is an empty- or whitespace-only string"},
		{in: "s", err: "text does not start with a number, and is not a valid ISO-8601 duration format: s"},
		{in: "5 fortnights", err: "Time interval unit label 'fortnights' does not match any of the recognized units"},
		{in: "99999999999999999999 s", err: "numeric overflow"},
		{in: "PX", err: "text does not start with a number, and is not a valid ISO-8601 duration format: PX"},
	}
	for _, c := range cases {
		t.Run(c.in, func(t *testing.T) {
			got, err := ParseDuration(c.in)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil || got != c.want {
				t.Errorf("%v, %v; want %v", got, err, c.want)
			}
		})
	}
}

func TestParseZone(t *testing.T) {
	at := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	for id, want := range map[string]string{
		"UTC": "12:00", "Asia/Seoul": "21:00", "America/Los_Angeles": "05:00", "GMT+08:00": "20:00", "GMT-03:30": "08:30", "GMT+9": "21:00", "GMT+0530": "17:30",
	} {
		z, err := ParseZone(id)
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		if got := at.In(z).Format("15:04"); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
	for _, id := range []string{"", "Local", "Mars/Base", "GMT+x", "GMT+19:00", "GMT+5:30", "GMT+05:60", "+09:00", "UTC-03:30", "EST"} {
		if _, err := ParseZone(id); err == nil || !strings.Contains(err.Error(), "Invalid time zone.") {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestSettings(t *testing.T) {
	s := New(map[string]string{KeyRuntimeMode: "batch"})
	if !s.Batch() {
		t.Error("-D does not hold")
	}
	steps := []struct{ key, value, err string }{
		{KeyRuntimeMode, "streaming", ""},
		{KeyRuntimeMode, "fast", "Expected one of: [[STREAMING, BATCH, AUTOMATIC]]"},
		{KeyParallelism, "two", `For input string: "two"`},
		{KeyDmlSync, "yes", ""}, // read only by INSERT
		{KeyMaxColumnWidth, "50", ""},
		{KeyStateTTL, "1 h", ""},
	}
	for _, st := range steps {
		err := s.Set(st.key, st.value)
		if (err == nil) != (st.err == "") || err != nil && !strings.Contains(err.Error(), st.err) {
			t.Errorf("SET %s = %s: %v", st.key, st.value, err)
		}
	}
	if s.Batch() {
		t.Error("a refused value changed the mode")
	}
	if _, err := s.Bool(KeyDmlSync, false); err == nil || !strings.Contains(err.Error(), "Unrecognized option for boolean: yes.") {
		t.Errorf("dml-sync: %v", err)
	}
	if n, err := s.Int(KeyMaxColumnWidth, 30); n != 50 || err != nil {
		t.Error(n, err)
	}
	if n, err := s.Millis(KeyStateTTL, 0); n != 3600_000 || err != nil {
		t.Error(n, err)
	}
	if n, err := s.Long("unset", 7); n != 7 || err != nil {
		t.Error(n, err)
	}
	c := s.Clone()
	if err := s.Reset(KeyRuntimeMode); err != nil || !s.Batch() {
		t.Error("RESET does not restore what -D gave", err)
	}
	s.ResetAll()
	if got := strings.Join(s.Keys(), " "); got != KeyRuntimeMode {
		t.Errorf("after RESET: %s", got)
	}
	if c.Batch() || len(c.Keys()) != 4 {
		t.Errorf("the copy changed: %v", c.Keys())
	}
}
