package sql

import (
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"comments and case", "select a -- GROUP BY\nfrom t /* x */ group  by a", "SELECT A FROM T GROUP BY A"},
		{"quotes stay", "x = 'Group By' + `a b`", "X = 'Group By' + `a b`"},
		{"brackets", "NOW()", "NOW ( )"},
		{"ends at a bad character", "a ~ b", "A"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []string
			for _, w := range Words(c.text) {
				got = append(got, w.Text)
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("got %s, want %s", s, c.want)
			}
		})
	}
	if w := Words("a\n\nb"); w[1].Line != 3 {
		t.Errorf("line %d", w[1].Line)
	}
}
