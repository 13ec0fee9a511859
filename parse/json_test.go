package parse

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadJSON(t *testing.T) {
	for _, c := range []struct {
		name, in string
		want     string // name=state:number lines, then problems
	}{
		{"right", "{\n \"users\": 11, \"n\": -3\n}", "users=ok:11 n=ok:-3"},
		{"other spellings", `{"text":"11","frac":11.0,"exp":1.1e1,"half":1.5,"big":99999999999999999999,"null":null,"no":true,"words":"eleven","huge":1e999999999}`,
			"text=text:11 frac=fraction:11 exp=fraction:11 half=wrong:0 big=huge:0 null=wrong:0 no=wrong:0 words=wrong:0 huge=huge:0"},
		{"named twice", "{\"users\": 1,\n\"users\": 2}", "users=ok:2 users=ok:2\n2 duplicate-key: the member \"users\" is named twice, first at line 1"},
		{"comments and commas", "{ // the users\n\"users\": 1,\n}", "users=ok:1\n1 json: JSON has no comments\n2 json: a comma before } is not allowed"},
		{"comma missing", "{\"a\": 1\n\"b\": 2}", "a=ok:1 b=ok:2\n2 json: a comma is missing before this member"},
		{"cut off", "{\"a\": 1,\n\"b\":", "a=ok:1\n2 unclosed: the file ends where a value should stand"},
		{"single quotes", "{'a': 1}", "\n1 json: here should stand a member's name in double quotes, or }"},
		{"leading zero", "{\"a\": 011}", "\n1 json: \"011\" is no number in JSON"},
		{"rest", "{\"a\": 1} {\"a\": 2}", "a=ok:1\n1 json: text behind the end of the JSON value"},
		{"empty", "\n", "\n2 json: the file is empty"},
		{"NaN", "{\"a\": NaN}", "\n1 json: here should stand a value (a number, a string in double quotes, an object, an array, true, false or null)"},
		{"byte order mark", "\ufeff{\"a\": 1}", "a=ok:1\nnote encoding"},
		{"UTF-16", "\xff\xfe{\x00\"\x00a\x00\"\x00:\x001\x00}\x00", "a=ok:1\nnote encoding"},
		{"escapes", `{"\u0061\n\ud83d\ude00": 1}`, "a\n😀=ok:1"},
		{"deep", strings.Repeat("[", 200), "\n1 json: the JSON is nested deeper than 100 levels"},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := ReadJSON("report.json", []byte(c.in))
			var b strings.Builder
			if d.Root != nil {
				for i, m := range d.Root.Members {
					n, s, _ := d.Int(m.Name)
					if i > 0 {
						b.WriteByte(' ')
					}
					fmt.Fprintf(&b, "%s=%s:%d", m.Name, [...]string{"ok", "missing", "text", "fraction", "huge", "wrong"}[s], n)
				}
			}
			for _, p := range d.Problems {
				fmt.Fprintf(&b, "\n%d %s: %s", p.Line, p.Code, p.Reason)
			}
			for _, n := range d.Notes {
				fmt.Fprintf(&b, "\nnote %s", n.Code)
			}
			if diff := cmp.Diff(c.want, b.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, s, v := ReadJSON("", []byte(`{}`)).Int("x"); s != IntMissing || v != nil {
		t.Error("a missing member is not told")
	}
}

func FuzzReadJSON(f *testing.F) {
	for _, s := range []string{`{"a":1,}`, `[1,2,{"x":null}]`, "{\"a\":\"\\ud83d\"}", "\ufeff{}", "{/*", "{\"a\":1 \"b\":2}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		d := ReadJSON("", b)
		if d.Root == nil && len(d.Problems) == 0 {
			t.Error("neither a value nor a problem")
		}
	})
}
