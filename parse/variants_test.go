package parse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"
)

// core is what a file says, without line numbers and remarks.
func core(blocks []*Block) string {
	var b strings.Builder
	for _, x := range blocks {
		if x.Kind == KindOther && x.What != WhatEcho {
			continue
		}
		fmt.Fprintf(&b, "%s rows=%d op=%v counts=%v elided=%d problems=%d job=%s echo=%q messages=%q\n", x.Kind, x.NRows, x.HasOp, x.Counts, len(x.Elided), x.NProblems, x.JobID, squeeze(x.Echo), x.Messages)
		for _, c := range x.Columns {
			fmt.Fprintf(&b, " column %s\n", c.Name)
		}
		if x.Footer != nil {
			fmt.Fprintf(&b, " footer %s %d %v\n", x.Footer.Kind, x.Footer.Rows, x.Footer.Seconds)
		}
		if x.Err != nil {
			fmt.Fprintf(&b, " error %s: %s\n", x.Err.Class, squeeze(x.Err.Message))
		}
		if x.Plan != nil {
			for _, s := range x.Plan.Sections {
				fmt.Fprintf(&b, " section %s advice=%d json=%d\n", s.Title, len(s.Advice), len(s.JSON))
				for _, n := range s.Nodes() {
					fmt.Fprintf(&b, "  %d %s %s\n", n.Depth, n.Mode, n.Text)
				}
			}
		}
		for _, r := range x.Rows {
			fmt.Fprintf(&b, " %s", r.Kind)
			for i, c := range r.Cells {
				for _, l := range strings.Split(string(c), "\n") {
					fmt.Fprintf(&b, "|%s", strings.TrimRight(l, " "))
				}
				fmt.Fprintf(&b, " %v", r.Cut(i))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), " ") }

// perLine makes every line another one.
func perLine(f func(i int, l string) string) func(string) string {
	return func(text string) string {
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		for i, l := range lines {
			lines[i] = f(i, l)
		}
		return strings.Join(lines, "\n") + "\n"
	}
}

func prefixed(p string) func(string) string {
	return perLine(func(_ int, l string) string { return p + l })
}

var echoes = regexp.MustCompile(`echo=.*|(?m)^ error .*$`)

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// variants are what tools and people make of a saved output. All of them must be read
// as the original is.
var variants = []struct {
	name string
	make func(string) string
}{
	{"CRLF", func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }},
	{"CR alone", func(s string) string { return strings.ReplaceAll(s, "\n", "\r") }},
	{"byte order mark", func(s string) string { return "\ufeff" + s }},
	{"UTF-16LE", func(s string) string { return utf16Text("\ufeff"+s, false) }},
	{"UTF-16BE", func(s string) string { return utf16Text("\ufeff"+s, true) }},
	{"UTF-16LE without mark", func(s string) string { return utf16Text(s, false) }},
	{"no colours", func(s string) string { return colours.ReplaceAllString(s, "") }},
	{"trailing blanks", perLine(func(_ int, l string) string { return l + "   " })},
	{"trailing blanks cut", perLine(func(_ int, l string) string { return strings.TrimRight(l, " ") })},
	{"docker logs -t", perLine(func(i int, l string) string { return fmt.Sprintf("2026-11-30T05:17:%02d.%09dZ %s", i%60, i*7919, l) })},
	{"docker compose", prefixed("jobmanager-1  | ")},
	{"docker compose with timestamps", perLine(func(i int, l string) string {
		return fmt.Sprintf("jobmanager_1 | 2026-11-30T05:17:05.%dZ %s", 1000+i, l)
	})},
	{"kubectl --prefix", prefixed("[pod/flink-client-7d9f/client] ")},
	{"CRI log", perLine(func(i int, l string) string { return fmt.Sprintf("2026-11-30T05:17:05.%09dZ stdout F %s", i, l) })},
	{"json-file log", perLine(func(i int, l string) string {
		j, _ := json.Marshal(l + "\n")
		return `{"log":` + string(j) + `,"stream":"stdout","time":"2026-11-30T05:17:05.1Z"}`
	})},
	{"syslog", prefixed("Nov 30 05:17:05 host flink[123]: ")},
	{"ts", prefixed("[05:17:05] ")},
	{"mail", prefixed("> ")},
	{"mail twice", prefixed("> > ")},
	{"comment #", prefixed("# ")},
	{"comment --", prefixed("-- ")},
	{"comment //", prefixed("// ")},
	{"comment *", prefixed(" * ")},
	{"commented mail", prefixed("> # ")},
	{"comment # without blanks at ends", perLine(func(_ int, l string) string { return strings.TrimRight("# "+l, " ") })},
	{"cat -n", perLine(func(i int, l string) string { return fmt.Sprintf("%6d\t%s", i+1, l) })},
	{"grep -n", perLine(func(i int, l string) string { return fmt.Sprintf("%d:%s", i+1, l) })},
	{"grep -Hn", perLine(func(i int, l string) string { return fmt.Sprintf("out/stream.out:%d:%s", i+1, l) })},
	{"editor", perLine(func(i int, l string) string { return fmt.Sprintf("%4d │ %s", i+1, l) })},
	{"indentation", prefixed("    ")},
	{"tab", prefixed("\t")},
	{"patch", prefixed("+")},
	{"fence", func(s string) string { return "Here it is:\n\n```text\n" + s + "```\n\nthat was it\n" }},
	{"details", func(s string) string { return "<details>\n<pre>\n" + s + "</pre>\n</details>\n" }},
	{"typescript", func(s string) string {
		return "Script started on 2026-11-30 05:17:05+00:00 [TERM=\"xterm\"]\r\n\x1b]0;me@host: ~\x07\x1b[?2004h$ sql-client.sh -f x.sql\r\n\x1b[?2004l\r" + strings.ReplaceAll(s, "\n", "\r\n") + "$ exit\r\n\r\nScript done on 2026-11-30 05:18:05+00:00 [COMMAND_EXIT_CODE=\"0\"]\r\n"
	}},
	{"no-break spaces", func(s string) string { return strings.ReplaceAll(s, "| ", "|\u00a0") }},
	{"terminal of 60 columns", wrapTables(60, false)},
	{"terminal of 47 columns, blanks lost", wrapTables(47, true)},
	{"appended to another run", func(s string) string {
		return "[INFO] Executing SQL from file.\n\nFlink SQL> [INFO] Execute statement succeeded.\n\nFlink SQL> \nShutting down the session...\ndone.\n" + s
	}},
	{"appended to itself", func(s string) string { return s + s }},
}

// wrapTables breaks the lines of tables and plans as a terminal does.
func wrapTables(width int, trim bool) func(string) string {
	return func(text string) string {
		if !ascii(text) || !strings.Contains(text, "\n| op |") && !strings.Contains(text, "\n| == ") || strings.Contains(text, "Empty set") || strings.Contains(text, "illegal reflective") {
			return text // a terminal's widths are not Flink's
		}
		var out []string
		for _, l := range strings.Split(text, "\n") {
			for len(l) > width && !strings.Contains(l, "\x1b") {
				piece := l[:width]
				if trim {
					piece = strings.TrimRight(piece, " ")
				}
				out = append(out, piece)
				l = l[width:]
			}
			out = append(out, l)
		}
		return strings.Join(out, "\n")
	}
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] > 127 {
			return false
		}
	}
	return true
}

func utf16Text(s string, big bool) string {
	var b bytes.Buffer
	for _, u := range utf16.Encode([]rune(s)) {
		if big {
			b.WriteByte(byte(u >> 8))
			b.WriteByte(byte(u))
		} else {
			b.WriteByte(byte(u))
			b.WriteByte(byte(u >> 8))
		}
	}
	return b.String()
}

func variantFiles(t testing.TB) []string {
	var files []string
	for _, g := range []string{"labs/dynamic/right-*/submission/*.out", "versions/*/*.out", "corpus/sink/transcript-*/transcript.out"} {
		m, err := filepath.Glob(filepath.Join(recorded, g))
		if err != nil || len(m) == 0 {
			t.Fatal(g, err)
		}
		files = append(files, m...)
	}
	return files
}

func readText(t testing.TB, text string) *Transcript {
	t.Helper()
	tr, err := Read(strings.NewReader(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestVariants(t *testing.T) {
	files := variantFiles(t)
	stride := 11
	if os.Getenv("PARSE_ALL") != "" {
		stride = 1
	}
	for k, v := range variants {
		t.Run(v.name, func(t *testing.T) {
			for i, file := range files {
				// Each variant of some files: all of all would take a quarter of a minute.
				if info, _ := os.Stat(file); (i+k)%stride != 0 || info.Size() > 200_000 || info.Size() == 0 {
					continue
				}
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				text := string(data)
				if strings.Contains(text, "▓") && (v.name == "CR alone") {
					continue
				}
				want, got := core(readText(t, text).Last()), core(readText(t, v.make(text)).Last())
				if strings.HasPrefix(v.name, "terminal") {
					// Echoes and messages are broken, too, and nothing says where.
					want, got = echoes.ReplaceAllString(want, ""), echoes.ReplaceAllString(got, "")
				}
				if got != want {
					t.Errorf("%s:\n%s", file, firstDiff(want, got))
					return
				}
			}
		})
	}
}

// TestSmallReads reads byte by byte, so that every look at the next line moves the
// memory of the last one.
func TestSmallReads(t *testing.T) {
	for i, file := range variantFiles(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(data) > 60_000 || i%3 != 0 {
			continue
		}
		for _, text := range []string{string(data), prefixed("-- ")(string(data)), wrapTables(60, false)(string(data))} {
			want := readText(t, text)
			got, err := Read(iotest.OneByteReader(strings.NewReader(text)), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if w, g := facts(want, true), facts(got, true); w != g {
				t.Fatalf("%s:\n%s", file, firstDiff(w, g))
			}
		}
	}
}

func firstDiff(want, got string) string {
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		a, b := "(end)", "(end)"
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b {
			return fmt.Sprintf("fact %d\nwant %.300s\ngot  %.300s", i, a, b)
		}
	}
	return ""
}
