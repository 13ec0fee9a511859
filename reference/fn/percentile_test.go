package fn

import (
	"testing"

	"github.com/labgrade/labgrade/value"
)

// The answers are those of a Flink 2.3.0.
func TestPercentiles(t *testing.T) {
	group := func(vs ...int64) *Percentiles {
		p := &Percentiles{}
		if err := p.Open(value.Double(0.5), value.TDouble); err != nil {
			t.Fatal(err)
		}
		for _, v := range vs {
			p.Add(value.Int(v), value.TInt, 1)
		}
		return p
	}
	for _, tt := range []struct {
		name string
		p    *Percentiles
		want string
	}{
		{"middle value", group(5, 7, -1, 5, 100000), "5.0"},
		{"between two", group(1, 2), "1.5"},
		{"no value", group(), ""},
	} {
		v := tt.p.Result()
		got := ""
		if !v.IsNull() {
			got = string(value.AppendDouble(nil, v.Double()))
		}
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if err := new(Percentiles).Open(value.Double(1.5), value.TDouble); err == nil {
		t.Error("a share above 1 is accepted")
	}
}
