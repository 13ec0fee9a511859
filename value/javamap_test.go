package value

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Small maps, which have no table, iterate as a table of 16 slots and more would.
func TestJavaMapOrder(t *testing.T) {
	type entry struct {
		key  string
		hash int32
	}
	rapid.Check(t, func(t *rapid.T) {
		var m JavaMap[int]
		var slots [16][]entry // the model never has more keys than 12
		n := 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			k := rapid.IntRange(0, 30).Draw(t, "key")
			e := entry{string(rune('A' + k)), int32(k*k*2654435 + k<<29)}
			s := &slots[spread(e.hash)%16]
			at := slices.Index(*s, e)
			if rapid.IntRange(0, 2).Draw(t, "remove") == 0 {
				if m.Remove([]byte(e.key)) != (at >= 0) {
					t.Fatalf("removal of %q", e.key)
				}
				if at >= 0 {
					*s = slices.Delete(*s, at, at+1)
					n--
				}
				continue
			}
			if n == 12 || len(*s) == 8 {
				continue
			}
			v, had := m.Put([]byte(e.key), e.hash)
			if had != (at >= 0) {
				t.Fatalf("%q was there: %v", e.key, had)
			}
			*v = k
			if !had {
				*s = append(*s, e)
				n++
			}
		}
		var got, want []string
		place := int64(-1)
		for key, v := range m.All() {
			if p := m.Place([]byte(key)); p <= place {
				t.Fatalf("%q is at %d, behind %d", key, p, place)
			} else {
				place = p
			}
			got = append(got, key)
			if int(key[0]) != 'A'+*v {
				t.Fatalf("%q has %d", key, *v)
			}
		}
		for _, s := range slots {
			for _, e := range s {
				want = append(want, e.key)
			}
		}
		if !slices.Equal(got, want) || m.Len() != n {
			t.Fatalf("%q, not %q", got, want)
		}
	})
}
