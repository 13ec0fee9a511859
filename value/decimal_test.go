package value

import (
	"bufio"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"
	"pgregory.net/rapid"
)

// decimalOf makes a DECIMAL from an unscaled value.
func decimalOf(u *big.Int) Value {
	m := new(big.Int).Abs(u)
	lo := new(big.Int).And(m, new(big.Int).SetUint64(^uint64(0))).Uint64()
	d := Dec128{new(big.Int).Rsh(m, 64).Int64(), lo}
	if u.Sign() < 0 {
		d = d.Neg()
	}
	return Decimal(d)
}

func decimalResult(op string, a Value, sa int, b Value, sb, p, s int) string {
	var v Value
	ok := true
	switch op {
	case "+":
		v = DecimalAdd(a, sa, b, sb, p, s)
	case "-":
		v = DecimalSub(a, sa, b, sb, p, s)
	case "*":
		v = DecimalMul(a, sa, b, sb, p, s)
	case "/":
		v, ok = DecimalDiv(a, sa, b, sb, p, s)
	case "%":
		v, ok = DecimalMod(a, sa, b, sb, p, s)
	case "cast":
		v = DecimalRescale(a, sa, p, s)
	}
	switch {
	case !ok:
		return "!"
	case v.IsNull():
		return "null"
	}
	return string(AppendDecimal(nil, v.Dec(), 0))
}

func TestDecimalAnswersOfFlink(t *testing.T) {
	f, err := os.Open("testdata/decimals.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	operand := func(s string) (Value, int) {
		digits, scale, _ := strings.Cut(s, "e-")
		u, _ := new(big.Int).SetString(digits, 10)
		n, err := strconv.Atoi(scale)
		if u == nil || err != nil {
			t.Fatalf("bad operand %q", s)
		}
		return decimalOf(u), n
	}
	cases := 0
	for sc := bufio.NewScanner(f); sc.Scan(); {
		line := sc.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		cases++
		w := strings.Fields(line)
		a, sa := operand(w[1])
		b, sb := operand(w[2])
		p, _ := strconv.Atoi(w[3])
		s, _ := strconv.Atoi(w[4])
		if got := decimalResult(w[0], a, sa, b, sb, p, s); got != w[6] {
			t.Errorf("%s: got %s", line, got)
		}
	}
	if cases < 500 {
		t.Errorf("only %d cases", cases)
	}
}

// Sums, products and quotients are those of a general decimal library, rounded half up.
func TestDecimalArithmeticIsExact(t *testing.T) {
	exact := apd.BaseContext.WithPrecision(200)
	exact.Rounding = apd.RoundDown
	significant := apd.BaseContext.WithPrecision(MaxDecimalPrecision)
	significant.Rounding = apd.RoundHalfUp
	unscaled := rapid.Custom(func(t *rapid.T) *big.Int {
		u, _ := new(big.Int).SetString(rapid.StringMatching(`-?[0-9]{1,38}`).Draw(t, "digits"), 10)
		return u
	})
	scales := rapid.IntRange(0, MaxDecimalPrecision)
	rapid.Check(t, func(t *rapid.T) {
		x, y := unscaled.Draw(t, "x"), unscaled.Draw(t, "y")
		sa, sb, s := scales.Draw(t, "sa"), scales.Draw(t, "sb"), scales.Draw(t, "s")
		p := rapid.IntRange(max(s, 1), MaxDecimalPrecision).Draw(t, "p")
		op := rapid.SampledFrom([]string{"+", "-", "*", "/"}).Draw(t, "op")
		a := apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(x), int32(-sa))
		b := apd.NewWithBigInt(new(apd.BigInt).SetMathBigInt(y), int32(-sb))
		want := new(apd.Decimal)
		var err error
		switch op {
		case "+":
			_, err = exact.Add(want, a, b)
		case "-":
			_, err = exact.Sub(want, a, b)
		case "*":
			_, err = exact.Mul(want, a, b)
		case "/":
			if y.Sign() == 0 {
				return
			}
			q := new(apd.Decimal)
			if _, err = exact.Quo(q, a, b); err == nil {
				_, err = significant.Round(want, q)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		half := *exact
		half.Rounding = apd.RoundHalfUp
		if _, err := half.Quantize(want, want, int32(-s)); err != nil {
			t.Fatal(err)
		}
		text := "null"
		if want.NumDigits() <= int64(p) || want.IsZero() {
			text = want.Coeff.String()
			if want.Negative && !want.IsZero() {
				text = "-" + text
			}
		}
		got := decimalResult(op, decimalOf(x), sa, decimalOf(y), sb, p, s)
		if got != text {
			t.Fatalf("%s %s %s as DECIMAL(%d, %d): got %s, want %s", a, op, b, p, s, got, text)
		}
	})
}

// The short way through plain numbers gives what the general parser gives.
func TestPlainDecimals(t *testing.T) {
	text := rapid.StringMatching(`[-+]?[0-9]{0,12}(\.[0-9]{0,9})?( |e[0-9])?`)
	rapid.Check(t, func(t *rapid.T) {
		s := text.Draw(t, "text")
		scale := rapid.IntRange(0, 20).Draw(t, "scale")
		p := rapid.IntRange(max(1, scale), MaxDecimalPrecision).Draw(t, "precision")
		got, ok := parsePlainDecimal(s, p, scale)
		if !ok {
			return
		}
		d, err := parseBigDecimal(s, true)
		if err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if want := d.toDecimal(p, scale); got != want {
			t.Fatalf("%q as DECIMAL(%d, %d): got %v, want %v", s, p, scale, got, want)
		}
	})
}
