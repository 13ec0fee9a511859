package stream

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/labgrade/labgrade/value"
)

// Long lists of arrivals are what short ones would be.
func TestArrivals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l arrivals[int]
		type item struct {
			key string
			v   int
		}
		var want []item
		adds := rapid.IntRange(1, 9).Draw(t, "adds in ten")
		for v, r := range rapid.SliceOfN(rapid.Uint16(), 1, 600).Draw(t, "steps") {
			key := string(rune('a' + r%23))
			if int(r/23%10) < adds || v < 60 {
				l.add(key, v)
				want = append(want, item{key, v})
			} else {
				i := slices.IndexFunc(want, func(x item) bool { return x.key == key })
				if l.remove(key) != (i >= 0) {
					t.Fatalf("step %d: removal of %q", v, key)
				}
				if i >= 0 {
					want = slices.Delete(want, i, i+1)
				}
			}
			if l.len() != len(want) {
				t.Fatalf("step %d: %d values, not %d", v, l.len(), len(want))
			}
			if len(want) > 0 && (l.first() != want[0].v || l.last() != want[len(want)-1].v) {
				t.Fatalf("step %d: from %d to %d, not %d to %d", v, l.first(), l.last(), want[0].v, want[len(want)-1].v)
			}
		}
		var got []item
		l.all(func(key string, v int) { got = append(got, item{key, v}) })
		if !slices.Equal(got, want) {
			t.Fatalf("%v, not %v", got, want)
		}
	})
}

// The extremum after a retraction is that of the values which are left, wherever they came from.
func TestExtremumOfWhatIsLeft(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := &extremumRetract{t: value.TBigInt, max: rapid.Bool().Draw(t, "max")}
		var a acc
		f.init(&a)
		var have []int64
		for step, r := range rapid.SliceOfN(rapid.Uint16(), 1, 500).Draw(t, "steps") {
			i := slices.Index(have, int64(r%50))
			if i >= 0 && r/50%2 == 0 {
				f.retract(&a, value.Row{value.Int(have[i])})
				have = slices.Delete(have, i, i+1)
			} else {
				have = append(have, int64(r%50))
				f.add(&a, value.Row{value.Int(int64(r % 50))})
			}
			want := value.Null
			if len(have) > 0 && f.max {
				want = value.Int(slices.Max(have))
			} else if len(have) > 0 {
				want = value.Int(slices.Min(have))
			}
			if got := f.result(&a); got != want {
				t.Fatalf("step %d: %v, not %v of %v", step, got, want, have)
			}
		}
	})
}

// LISTAGG joins texts with the delimiter of the last row.
func TestListAggJoins(t *testing.T) {
	f := &listAgg{arg: 0, sep: 1}
	var a acc
	f.init(&a)
	for i := range 100 {
		f.add(&a, value.Row{value.String(strings.Repeat("x", i%3)), value.String("--")})
	}
	for i := range 97 {
		f.retract(&a, value.Row{value.String(strings.Repeat("x", i%3)), value.String("--")})
	}
	if got := f.result(&a).Str(); got != "x--xx--" {
		t.Errorf("%q", got)
	}
}
