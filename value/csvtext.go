package value

// CSVStyle is how the csv format writes: the csv.* options of a sink.
type CSVStyle struct {
	Delimiter byte
	// Quote is the quote character, 0 with csv.disable-quote-character.
	Quote byte
	// Escape is the escape character, 0 without.
	Escape byte
	// NullLiteral stands for NULL, unquoted.
	NullLiteral string
	// ArrayDelimiter joins the elements of ARRAY and ROW.
	ArrayDelimiter string
}

// DefaultCSVStyle is that of a sink without options.
func DefaultCSVStyle() CSVStyle { return CSVStyle{Delimiter: ',', Quote: '"', ArrayDelimiter: ";"} }

// maxBareText is the length in UTF-16 units up to which a text is looked through
// before it is quoted; a longer one is quoted unseen.
const maxBareText = 24

// AppendCSV appends a field as the csv format writes it. Numbers, booleans and NULL
// are never quoted, texts (also dates, times, base64 and joined arrays) by the rule of needsQuotes.
func (s *CSVStyle) AppendCSV(dst []byte, t *Type, v Value) []byte {
	if !v.set {
		return append(dst, s.NullLiteral...)
	}
	switch t.Kind {
	case KindChar, KindVarchar:
		return s.appendQuoted(dst, v.s)
	case KindArray, KindRow:
		var buf [128]byte
		b := buf[:0]
		for i, e := range v.c.Elems {
			if i > 0 {
				b = append(b, s.ArrayDelimiter...)
			}
			et := t.Elem
			if t.Kind == KindRow {
				et = &t.Fields[i].Type
			}
			if !e.set {
				b = append(b, s.NullLiteral...)
			} else {
				b = appendFileText(b, et, e, ' ')
			}
		}
		return s.appendQuoted(dst, string(b))
	}
	if !isFileText(t.Kind) {
		return appendFileText(dst, t, v, ' ')
	}
	at := len(dst)
	dst = appendFileText(dst, t, v, ' ')
	if !s.needsQuotes(dst[at:]) {
		return dst
	}
	var buf [64]byte
	text := append(buf[:0], dst[at:]...)
	return s.quote(dst[:at], text)
}

// isFileText tells the types that csv and json write as texts.
func isFileText(k Kind) bool {
	switch k {
	case KindChar, KindVarchar, KindBinary, KindVarbinary, KindDate, KindTime, KindTimestamp, KindTimestampLTZ:
		return true
	}
	return false
}

// appendFileText appends a value as csv and json files hold it, without quotes. sep
// stands between date and time.
func appendFileText(dst []byte, t *Type, v Value, sep byte) []byte {
	switch t.Kind {
	case KindBoolean:
		if v.n != 0 {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case KindDecimal:
		// Written from a number without trailing zeros: 12.50 is 12.5, 100 is 1E+2.
		d, scale := StripZeros(v.Dec(), t.Scale)
		return AppendBigDecimal(dst, d, scale)
	case KindFloat:
		return AppendFloat(dst, v.Float())
	case KindDouble:
		return AppendDouble(dst, v.Double())
	case KindChar, KindVarchar:
		return append(dst, v.s...)
	case KindBinary, KindVarbinary:
		return AppendBase64(dst, v.s)
	case KindDate:
		return appendISODate(dst, v.n)
	case KindTime:
		ofDay := (v.n%MillisPerDay + MillisPerDay) % MillisPerDay
		return appendShortFraction(appendHMS(dst, ofDay), int(ofDay%1000)*1e6)
	case KindTimestamp, KindTimestampLTZ:
		days, ofDay := SplitMillis(v.n)
		dst = append(appendISODate(dst, days), sep)
		dst = appendShortFraction(appendHMS(dst, ofDay), int(ofDay%1000)*1e6+int(v.hi))
		if t.Kind == KindTimestampLTZ {
			dst = append(dst, 'Z')
		}
		return dst
	}
	return AppendInt(dst, v.n)
}

// appendShortFraction appends a fraction without trailing zeros, nothing for zero.
func appendShortFraction(dst []byte, nanos int) []byte {
	if nanos == 0 {
		return dst
	}
	dst = appendFraction(dst, nanos, 9)
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// AppendBase64 appends the padded base64 of bytes.
func AppendBase64(dst []byte, s string) []byte {
	for ; len(s) >= 3; s = s[3:] {
		n := uint(s[0])<<16 | uint(s[1])<<8 | uint(s[2])
		dst = append(dst, base64Digits[n>>18], base64Digits[n>>12&63], base64Digits[n>>6&63], base64Digits[n&63])
	}
	switch len(s) {
	case 1:
		dst = append(dst, base64Digits[s[0]>>2], base64Digits[s[0]&3<<4], '=', '=')
	case 2:
		dst = append(dst, base64Digits[s[0]>>2], base64Digits[s[0]&3<<4|s[1]>>4], base64Digits[s[1]&15<<2], '=')
	}
	return dst
}

func (s *CSVStyle) appendQuoted(dst []byte, text string) []byte {
	at := len(dst)
	dst = append(dst, text...)
	if !s.needsQuotes(dst[at:]) {
		return dst
	}
	return s.quote(dst[:at], []byte(text))
}

// needsQuotes is Jackson's loose rule: a text is quoted that is longer than 24
// characters, holds a character not above the greater of separator and quote, or
// the escape character (a backslash where none is set).
func (s *CSVStyle) needsQuotes(text []byte) bool {
	if s.Quote == 0 {
		return false
	}
	if len(text) > maxBareText && UTF16Len(string(text)) > maxBareText {
		return true
	}
	safe := max(s.Delimiter, s.Quote, '\n')
	escape := s.Escape
	if escape == 0 {
		escape = '\\'
	}
	for _, c := range text {
		if c <= safe || c == escape {
			return true
		}
	}
	return false
}

// quote wraps a text; quotes inside are doubled, and so are escape characters.
func (s *CSVStyle) quote(dst, text []byte) []byte {
	dst = append(dst, s.Quote)
	for _, c := range text {
		if c == s.Quote {
			dst = append(dst, c)
		} else if s.Escape != 0 && c == s.Escape {
			dst = append(dst, c)
		}
		dst = append(dst, c)
	}
	return append(dst, s.Quote)
}
