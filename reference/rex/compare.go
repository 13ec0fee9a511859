package rex

import (
	"cmp"
	"math/big"
	"strings"

	"github.com/labgrade/labgrade/value"
)

// compareValues orders two non-NULL constants as Calcite compares literal values:
// numbers by value whatever their types, text by UTF-16 units. ok is false for
// values that have no order here.
func compareValues(a value.Value, ta value.Type, b value.Value, tb value.Type) (n int, ok bool) {
	switch {
	case ta.IsInteger() && tb.IsInteger():
		return cmpInt(a.Int(), b.Int()), true
	case ta.Kind == value.KindDecimal && tb.Kind == ta.Kind && ta.Scale == tb.Scale:
		ah, al := a.Decimal128()
		bh, bl := b.Decimal128()
		if ah != bh {
			return cmpInt(ah, bh), true
		}
		return cmp.Compare(al, bl), true
	}
	if ra, isNum := rational(a, ta); isNum {
		rb, also := rational(b, tb)
		if !also {
			return 0, false
		}
		return ra.Cmp(rb), true
	}
	switch ta.Kind {
	case value.KindBoolean:
		if tb.Kind != value.KindBoolean {
			return 0, false
		}
		switch {
		case a.Bool() == b.Bool():
			return 0, true
		case b.Bool():
			return -1, true
		}
		return 1, true
	case value.KindChar, value.KindVarchar:
		if tb.Kind != value.KindChar && tb.Kind != value.KindVarchar {
			return 0, false
		}
		return compareUTF16(a.Str(), b.Str()), true
	case value.KindDate, value.KindTime, value.KindIntervalDayTime, value.KindIntervalYearMonth:
		if tb.Kind != ta.Kind {
			return 0, false
		}
		return cmpInt(a.Int(), b.Int()), true
	case value.KindTimestamp, value.KindTimestampLTZ:
		if tb.Kind != ta.Kind {
			return 0, false
		}
		if c := cmpInt(a.Millis(), b.Millis()); c != 0 {
			return c, true
		}
		return cmpInt(int64(a.NanoOfMilli()), int64(b.NanoOfMilli())), true
	}
	return 0, false
}

func cmpInt(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// beyondBMP: the text has characters that UTF-16 writes as two units.
func beyondBMP(s string) bool {
	for i := range len(s) {
		if s[i] >= 0xF0 {
			return true
		}
	}
	return false
}

func compareUTF16(a, b string) int {
	if !beyondBMP(a) && !beyondBMP(b) {
		return strings.Compare(a, b) // the order of bytes is that of code points
	}
	ua, ub := utf16Units(a), utf16Units(b)
	for i := 0; i < len(ua) && i < len(ub); i++ {
		if ua[i] != ub[i] {
			return cmpInt(int64(ua[i]), int64(ub[i]))
		}
	}
	return cmpInt(int64(len(ua)), int64(len(ub)))
}

func utf16Units(s string) []uint16 {
	out := make([]uint16, 0, len(s))
	for _, r := range s {
		if r > 0xFFFF {
			r -= 0x10000
			out = append(out, uint16(0xD800+(r>>10)), uint16(0xDC00+(r&0x3FF)))
			continue
		}
		out = append(out, uint16(r))
	}
	return out
}

// rational is the exact number in a numeric constant.
func rational(v value.Value, t value.Type) (*big.Rat, bool) {
	switch t.Kind {
	case value.KindTinyInt, value.KindSmallInt, value.KindInt, value.KindBigInt:
		return new(big.Rat).SetInt64(v.Int()), true
	case value.KindDecimal:
		den := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Scale)), nil)
		return new(big.Rat).SetFrac(Unscaled(v), den), true
	case value.KindDouble:
		r := new(big.Rat)
		if r.SetFloat64(v.Double()) == nil {
			return nil, false
		}
		return r, true
	case value.KindFloat:
		r := new(big.Rat)
		if r.SetFloat64(float64(v.Float())) == nil {
			return nil, false
		}
		return r, true
	}
	return nil, false
}
