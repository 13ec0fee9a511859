package fn

import (
	"bufio"
	"flag"
	"fmt"
	"math"
	"os"
	"testing"
)

var mathSamples = flag.String("java-math", "testdata/java-math.txt", "samples of java.lang.Math: a name and the bits of x, y and the result")

// TestJavaMath compares with results of java.lang.Math (17, x86-64): what is not
// refused must have the same bits.
func TestJavaMath(t *testing.T) {
	one := map[string]mathFunction{
		"exp": javaExp, "log": javaLog, "log10": javaLog10, "sin": javaSin, "cos": javaCos, "tan": javaTan,
		"asin": certain(javaAsin), "acos": certain(javaAcos), "atan": certain(javaAtan),
		"sinh": certain(javaSinh), "cosh": certain(javaCosh), "tanh": certain(javaTanh),
	}
	two := map[string]func(x, y float64) (float64, bool){
		"pow":   javaPow,
		"atan2": func(y, x float64) (float64, bool) { return javaAtan2(y, x), true },
	}
	file, err := os.Open(*mathSamples)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	type tally struct{ exact, refused, wrong int }
	tallies := map[string]*tally{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var name string
		var xb, yb, want int64
		if _, err := fmt.Sscan(lines.Text(), &name, &xb, &yb, &want); err != nil {
			t.Fatal(err)
		}
		x, y := math.Float64frombits(uint64(xb)), math.Float64frombits(uint64(yb))
		var got float64
		var ok bool
		if f := one[name]; f != nil {
			got, ok = f(x)
		} else {
			got, ok = two[name](x, y)
		}
		n := tallies[name]
		if n == nil {
			n = &tally{}
			tallies[name] = n
		}
		switch w := math.Float64frombits(uint64(want)); {
		case !ok:
			n.refused++
		case math.Float64bits(got) == uint64(want), math.IsNaN(got) && math.IsNaN(w):
			n.exact++
		default:
			n.wrong++
			if n.wrong < 5 {
				t.Errorf("%s(%v, %v) = %v, want %v", name, x, y, got, w)
			}
		}
	}
	for name, n := range tallies {
		t.Logf("%s: %d exact, %d refused, %d wrong", name, n.exact, n.refused, n.wrong)
	}
}
