package fn

import (
	"strings"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

const (
	javaSpecials    = `[]()|^-+*?{}$\.`
	similarSpecials = `[]()|^-+*_%?{}`
)

// similarClasses are the named classes of SIMILAR TO, as Java writes them.
var similarClasses = [][2]string{
	{"[:ALPHA:]", `\p{Alpha}`}, {"[:UPPER:]", `\p{Upper}`}, {"[:LOWER:]", `\p{Lower}`}, {"[:DIGIT:]", `\d`},
	{"[:SPACE:]", ` `}, {"[:WHITESPACE:]", `\s`}, {"[:ALNUM:]", `\p{Alnum}`},
}

// similarRegex rewrites a SIMILAR TO pattern as a Java regular expression, in the
// way Flink does. The escape character is -1 for none.
func similarRegex(pattern string, escape rune) (string, error) {
	invalid := flinkerr.New("java.lang.RuntimeException", "Invalid regular expression '%s'", pattern)
	src := []rune(pattern)
	var b strings.Builder
	inClass := false
	for i := 0; i < len(src); i++ {
		r := src[i]
		switch {
		case r == escape:
			if i+1 >= len(src) {
				return "", flinkerr.Validation("Invalid escape sequence '%s', %d", pattern, i)
			}
			i++
			switch next := src[i]; {
			case strings.ContainsRune(similarSpecials, next):
				if strings.ContainsRune(javaSpecials, next) {
					b.WriteByte('\\')
				}
				b.WriteRune(next)
			case next == escape:
				b.WriteRune(next)
			default:
				return "", flinkerr.Validation("Invalid escape sequence '%s', %d", pattern, i-1)
			}
		case r == '_':
			b.WriteByte('.')
		case r == '%':
			b.WriteString("(?s:.*)")
		case r == '[':
			b.WriteByte('[')
			inClass = true
			end, err := similarClass(src, &b, i, escape, invalid)
			if err != nil {
				return "", err
			}
			i = end
		case r == ']':
			if !inClass {
				return "", invalid
			}
			inClass = false
			b.WriteByte(']')
		case r == '\\':
			b.WriteString(`\\`)
		case r == '$':
			b.WriteString(`\$`)
		default:
			b.WriteRune(r)
		}
	}
	if inClass {
		return "", invalid
	}
	return b.String(), nil
}

// similarClass copies the inside of [...] and returns the index before its end.
func similarClass(src []rune, b *strings.Builder, at int, escape rune, invalid error) (int, error) {
	i := at + 1
	for ; i < len(src); i++ {
		switch r := src[i]; {
		case r == ']':
			return i - 1, nil
		case r == escape:
			i++
			if i >= len(src) {
				return 0, invalid
			}
			switch next := src[i]; {
			case strings.ContainsRune(similarSpecials, next):
				if strings.ContainsRune(javaSpecials, next) {
					b.WriteByte('\\')
				}
				b.WriteRune(next)
			case next == escape:
				b.WriteRune(next)
			default:
				return 0, invalid
			}
		case r == '-' || r == '^':
			b.WriteRune(r)
		case r == '[' && i+1 < len(src) && src[i+1] == ':':
			found := false
			rest := string(src[i:])
			for _, c := range similarClasses {
				for _, name := range []string{c[0], strings.ToLower(c[0])} {
					if !found && strings.HasPrefix(rest, name) {
						b.WriteString(c[1])
						i += len(name) - 1
						found = true
					}
				}
			}
			if !found {
				return 0, invalid
			}
		case strings.ContainsRune(similarSpecials, r):
			return 0, invalid
		default:
			b.WriteRune(r)
		}
	}
	return i - 1, nil
}

func evalSimilar(c *compiler, call *rex.Call) (Eval, error) {
	return cachedPattern(c, call, func(c *Ctx, vs []value.Value) (*javaRegex, error) {
		escape := rune(-1)
		if len(vs) == 3 {
			e := vs[2].Str()
			if value.UTF16Len(e) != 1 || e == "\x00" {
				return nil, flinkerr.Validation("Invalid escape character '%s'", e)
			}
			escape = []rune(e)[0]
		}
		text, err := similarRegex(vs[1].Str(), escape)
		if err != nil {
			return nil, err
		}
		return compileJavaRegex(text)
	}, func(c *Ctx, re *javaRegex, vs []value.Value) value.Value {
		return value.Bool(re.whole.MatchString(vs[0].Str()))
	}, nil)
}
