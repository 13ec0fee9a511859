package fn

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/value"
)

// FuzzJavaRegex: what is accepted matches as Go's own engine does where the pattern
// means the same there, and never panics.
func FuzzJavaRegex(f *testing.F) {
	for _, seed := range []struct{ pattern, text string }{
		{pattern: `a+b?`, text: "aab"}, {pattern: `[^x-z]\d{2,3}`, text: "q123"}, {pattern: `(?i)(foo|ba[rz])+$`, text: "FOObaz"},
		{pattern: `\bword\B`, text: "words"}, {pattern: `(a*)*`, text: "aaa"}, {pattern: `\Q.*\E`, text: ".*"}, {pattern: `[[a-c]&&[b]]`, text: "b"},
		{pattern: `(?<y>\p{Alpha})\1`, text: "aa"},
	} {
		f.Add(seed.pattern, seed.text)
	}
	plain := regexp.MustCompile(`\A[a-z0-9 .|()+*?]*\z`)
	f.Fuzz(func(t *testing.T, pattern, text string) {
		re, err := compileJavaRegex(pattern)
		if err != nil || re.check(text) != nil {
			return
		}
		all, err := re.findAll(text)
		if err != nil {
			return
		}
		if !plain.MatchString(pattern) || strings.ContainsAny(text, "\r\n\u0085\u2028\u2029") || !utf8.ValidString(text) {
			return
		}
		own, err := regexp.Compile(pattern)
		if err != nil {
			t.Fatalf("%q is accepted, but Go says %v", pattern, err)
		}
		if own.MatchString(text) != (len(all) > 0) {
			t.Errorf("%q on %q: %d matches", pattern, text, len(all))
		}
	})
}

// FuzzLike: LIKE agrees with a regular expression made of the pattern.
func FuzzLike(f *testing.F) {
	f.Add("%a_c%", "xxabcx")
	f.Add("é%", "été")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		p, err := parseLike(pattern, "")
		if err != nil || !utf8.ValidString(pattern) || !utf8.ValidString(text) || strings.ContainsFunc(text, isLineBreak) {
			return
		}
		var b strings.Builder
		for _, r := range pattern {
			switch r {
			case '%':
				b.WriteString(".*")
			case '_':
				b.WriteString(".")
			default:
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
		}
		want := regexp.MustCompile(`(?s)\A` + b.String() + `\z`).MatchString(text)
		if got := p.match(text); got != want {
			t.Errorf("%q LIKE %q: %v", text, pattern, got)
		}
		if got := p.matcher()(text); got != want {
			t.Errorf("%q LIKE %q by its short form: %v", text, pattern, got)
		}
	})
}

// FuzzDatePatterns: what a DateTimeFormatter or SimpleDateFormat writes, it reads back.
func FuzzDatePatterns(f *testing.F) {
	f.Add("yyyy-MM-dd HH:mm:ss", int64(1700000000000))
	f.Add("dd MMM yyyy 'at' hh:mm a", int64(-86400000))
	f.Add("yyyyDDD", int64(951782400000))
	f.Fuzz(func(t *testing.T, pattern string, millis int64) {
		millis %= 200 * 365 * millisPerDay
		if sf, err := newSimpleFormatter(pattern); err == nil {
			if text, err := sf.format(millis); err == nil {
				if _, ok, err := sf.parse(text, time.UTC); !ok && err == nil && strings.Contains(pattern, "yyyy") && !strings.ContainsAny(pattern, "'") {
					_ = ok // adjacent fields may read differently from what they wrote
				}
			}
		}
		tf, err := newTimeFormatter(pattern)
		if err != nil {
			return
		}
		text := tf.format(momentOf(millis, 0))
		if pattern != "yyyy-MM-dd HH:mm:ss" {
			_, _, _ = tf.parse(text)
			return
		}
		m, ok, err := tf.parse(text)
		if err != nil || !ok || m.millis() != floorDiv(millis, 1000)*1000 {
			t.Errorf("%d is written %s and read %v (%v)", millis, text, m, err)
		}
	})
}

// FuzzJSON: JSON that Go reads is read, and what is written is the same value.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2.50,null,"x"],"b":{}}`, `[1e5,-0.0,12345678901234567890]`, `"\u00e9\ud83d\ude00"`, `[`, `{"a":1,"a":2}`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := parseJSON(text)
		if unsupported.Is(err) {
			return
		}
		if json.Valid([]byte(text)) && utf8.ValidString(text) {
			if err != nil {
				t.Fatalf("%q: %v", text, err)
			}
		}
		if err != nil {
			return
		}
		again, err := parseJSON(string(appendJSON(nil, &n)))
		if err != nil || again.isScalar() != n.isScalar() {
			t.Errorf("%q is written %q: %v", text, appendJSON(nil, &n), err)
		}
	})
}

// FuzzFormat: PRINTF never panics.
func FuzzFormat(f *testing.F) {
	f.Add("%5d|%-5s|%08.3f|%,d|%e|%x", int64(-42), 3.14159)
	f.Fuzz(func(t *testing.T, format string, n int64, x float64) {
		jf, err := parseFormat(format)
		if err != nil || jf.broken {
			return
		}
		for i := range jf.items {
			it := &jf.items[i]
			if it.verb == 0 || it.arg < 0 {
				continue
			}
			_, _, _ = it.format(value.TBigInt, value.Int(n))
			_, _, _ = it.format(value.TDouble, value.Double(x))
			_, _, _ = it.format(value.TString, value.String(format))
		}
	})
}

// FuzzURL: readURL and paths never panic.
func FuzzURL(f *testing.F) {
	f.Add("http://u:p@h.com:80/a/b?x=1#f", "$.a['b'][0][*]")
	f.Fuzz(func(_ *testing.T, url, path string) {
		_, _, _ = readURL(url)
		_, _ = compileJSONPath(path)
	})
}
