package value

import "strconv"

// AppendInt appends an integer in decimal.
func AppendInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// AppendDecimal appends an unscaled value with all the digits of its scale: 12.50.
func AppendDecimal(dst []byte, d Dec128, scale int) []byte {
	if d.Hi < 0 {
		dst = append(dst, '-')
		d = d.Neg()
	}
	var buf [40]byte
	digits := appendDigits(buf[:0], d)
	if scale <= 0 {
		return append(dst, digits...)
	}
	if len(digits) <= scale {
		dst = append(dst, '0', '.')
		for i := len(digits); i < scale; i++ {
			dst = append(dst, '0')
		}
		return append(dst, digits...)
	}
	dst = append(dst, digits[:len(digits)-scale]...)
	dst = append(dst, '.')
	return append(dst, digits[len(digits)-scale:]...)
}

// appendDigits appends a magnitude in decimal.
func appendDigits(dst []byte, d Dec128) []byte {
	if d.Hi == 0 {
		return strconv.AppendUint(dst, d.Lo, 10)
	}
	w, low := wideOf(d).divWord(pow10Low[19])
	dst = appendDigits(dst, Dec128{int64(w[1]), w[0]})
	var buf [20]byte
	s := strconv.AppendUint(buf[:0], low, 10)
	for i := len(s); i < 19; i++ {
		dst = append(dst, '0')
	}
	return append(dst, s...)
}

// AppendBigDecimal appends a decimal as java.math.BigDecimal.toString does: with an
// exponent when the scale is negative or the number is below 10^-6.
func AppendBigDecimal(dst []byte, d Dec128, scale int) []byte {
	var buf [40]byte
	digits := appendDigits(buf[:0], d.Abs())
	adjusted := len(digits) - 1 - scale
	if scale >= 0 && adjusted >= -6 {
		return AppendDecimal(dst, d, scale)
	}
	if d.Hi < 0 {
		dst = append(dst, '-')
	}
	dst = append(dst, digits[0])
	if len(digits) > 1 {
		dst = append(dst, '.')
		dst = append(dst, digits[1:]...)
	}
	if adjusted != 0 {
		dst = append(dst, 'E')
		if adjusted > 0 {
			dst = append(dst, '+')
		}
		dst = AppendInt(dst, int64(adjusted))
	}
	return dst
}

// StripZeros drops trailing zeros of the unscaled value and lowers the scale with
// them, below zero too, as BigDecimal.stripTrailingZeros: 100 is 1 of scale -2.
func StripZeros(d Dec128, scale int) (Dec128, int) {
	if d.Sign() == 0 {
		return Dec128{}, 0
	}
	neg := d.Hi < 0
	w := wideOf(d.Abs())
	for {
		q, r := w.divWord(10)
		if r != 0 {
			break
		}
		w = q
		scale--
	}
	out := Dec128{int64(w[1]), w[0]}
	if neg {
		out = out.Neg()
	}
	return out, scale
}
