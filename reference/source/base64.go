package source

import (
	"fmt"
	"unicode"

	"github.com/labgrade/labgrade/reference/flinkerr"
)

const classInvalidFormat = "org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.exc.InvalidFormatException"

// decodeBase64 reads base64 by Jackson's default variant: padding is required, blanks may
// stand between groups of four. The error is Flink's for a BYTES field.
func decodeBase64(text string) ([]byte, error) {
	out := make([]byte, 0, len(text)/4*3)
	chars := []rune(trimJava(text))
	for i := 0; i < len(chars); {
		if chars[i] <= ' ' {
			i++
			continue
		}
		bits, pads := 0, 0
		for k := 0; k < 4; k++ {
			if i == len(chars) {
				return nil, base64Error("Unexpected end of base64-encoded String: base64 variant 'MIME-NO-LINEFEEDS' expects padding (one or more '=' characters) at the end. This Base64Variant might have been incorrectly configured")
			}
			c := chars[i]
			i++
			v := base64Digit(c)
			switch {
			case c == '=' && k >= 2:
				pads++
				v = 0
			case pads > 0:
				return nil, base64Error(base64Illegal(c, k) + ": expected padding character '='")
			case v < 0:
				return nil, base64Error(base64Illegal(c, k))
			}
			bits = bits<<6 | v
		}
		out = append(out, byte(bits>>16), byte(bits>>8), byte(bits))[:len(out)+3-pads]
	}
	return out, nil
}

func base64Digit(c rune) int {
	switch {
	case c >= 'A' && c <= 'Z':
		return int(c - 'A')
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 26
	case c >= '0' && c <= '9':
		return int(c-'0') + 52
	case c == '+':
		return 62
	case c == '/':
		return 63
	}
	return -1
}

func base64Illegal(c rune, k int) string {
	if c > 0xffff {
		// Java sees the first half of the pair.
		c = 0xd800 + (c-0x10000)>>10
		return fmt.Sprintf("Illegal character '?' (code 0x%x) in base64 content", c)
	}
	switch {
	case c <= ' ':
		return fmt.Sprintf("Illegal white space character (code 0x%x) as character #%d of 4-char base64 unit: can only used between units", c, k+1)
	case c == '=':
		return fmt.Sprintf("Unexpected padding character ('=') as character #%d of 4-char base64 unit: padding only legal as 3rd or 4th character", k+1)
	case unicode.IsControl(c):
		return fmt.Sprintf("Illegal character (code 0x%x) in base64 content", c)
	}
	return fmt.Sprintf("Illegal character '%c' (code 0x%x) in base64 content", c, c)
}

func base64Error(message string) error {
	return flinkerr.Runtime(classInvalidFormat, "Cannot access contents of TextNode as binary due to broken Base64 encoding: %s", message)
}
