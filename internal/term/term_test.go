package term

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSafe(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "user_id = 'u01'", "user_id = 'u01'"},
		{"letters of the world", "수진 中文 😀 👩‍💻 é", "수진 中文 😀 👩‍💻 é"},
		{"colour", "\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"window title", "\x1b]0;x\a", `\x1b]0;x\x07`},
		{"one-byte CSI", "\u009b31m", `\u009b31m`},
		{"carriage return", "ok\rfail", `ok\rfail`},
		{"line break", "a\nb\tc", `a\nb c`},
		{"direction", "\u202egnp.exe\u2066", `\u202egnp.exe\u2066`},
		{"zero width", "a\u200bb\ufeff", `a\u200bb\ufeff`},
		{"tags", "\U000e0041", `\U000e0041`},
		{"no UTF-8", "a\xff\xfe", `a\xff\xfe`},
		{"NUL", "a\x00b", `a\x00b`},
		{"replacement character", "\ufffd", "\ufffd"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := Safe(c.in); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	if got := SafeLines("a\r\nb\x1b"); got != "a\nb\\x1b" {
		t.Errorf("%q", got)
	}
}

func TestSafeJSON(t *testing.T) {
	in := "{\"a\":\"수진 \u009b31m\u202e\x7f \U000e0041\"}"
	want := "{\"a\":\"수진 \\u009b31m\\u202e\\u007f \\udb40\\udc41\"}"
	if got := string(SafeJSON([]byte(in))); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzSafe(f *testing.F) {
	f.Add("\x1b[2J\u202e\x9b")
	f.Fuzz(func(t *testing.T, s string) {
		out := Safe(s)
		if !utf8.ValidString(out) || strings.ContainsFunc(out, func(r rune) bool { return r < ' ' || r >= 0x7f && r <= 0x9f || hidden(r) }) {
			t.Errorf("%q becomes %q", s, out)
		}
	})
}

func TestPalette(t *testing.T) {
	none := func(string) string { return "" }
	for _, c := range []struct {
		name string
		mode Mode
		want string
	}{
		{"a file", Auto, "x"}, {"never", Never, "x"}, {"always", Always, "\x1b[31;1mx\x1b[22;0;0m"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := NewPalette(&bytes.Buffer{}, c.mode, none)
			got := p.Bad("x")
			if p.On() != (c.mode == Always) || p.On() != strings.Contains(got, "\x1b[31;1m") || !strings.Contains(got, "x") {
				t.Errorf("%q", got)
			}
		})
	}
	if _, err := ParseMode("sometimes"); err == nil {
		t.Error("a wrong mode is taken")
	}
	if m, err := ParseMode(""); m != Auto || err != nil {
		t.Error(m, err)
	}
}

func TestWidths(t *testing.T) {
	if Pad("수진", 6) != "수진  " || PadLeft("1", 3) != "  1" || Shorten("수진수진", 5) != "수진…" {
		t.Errorf("%q %q %q", Pad("수진", 6), PadLeft("1", 3), Shorten("수진수진", 5))
	}
	if Width(&bytes.Buffer{}, func(string) string { return "120" }) != 120 || Width(&bytes.Buffer{}, nil) != DefaultWidth {
		t.Error("width")
	}
}
