package fn

import (
	"strings"
)

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }

// The predefined classes, as the inside of a bracketed class.
var regexClasses = map[rune]string{
	'd': `0-9`, 'w': `0-9A-Za-z_`, 's': ` \t\n\x0b\f\r`,
}

var regexProperties = map[string]string{
	"Alpha": `A-Za-z`, "Digit": `0-9`, "Alnum": `0-9A-Za-z`, "Upper": `A-Z`, "Lower": `a-z`,
	"Punct": `!-/:-@\[-` + "`" + `{-~`, "Space": ` \t\n\x0b\f\r`, "XDigit": `0-9A-Fa-f`, "Blank": ` \t`,
}

// property parses \p{Name} and gives the inside of a class.
func (p *regexParser) property() (string, error) {
	if p.at(2) != '{' {
		return "", p.refuse(`\p without brackets`)
	}
	end := p.i + 3
	for end < len(p.src) && p.src[end] != '}' {
		end++
	}
	if end >= len(p.src) {
		return "", errBadPattern
	}
	name := string(p.src[p.i+3 : end])
	p.i = end + 1
	if s, ok := regexProperties[strings.TrimPrefix(name, "Is")]; ok && !strings.HasPrefix(name, "Is") {
		return s, nil
	}
	return "", p.refuse(`\p{` + name + `}`)
}

func hexValue(r rune) int {
	switch {
	case r >= '0' && r <= '9':
		return int(r - '0')
	case r >= 'a' && r <= 'f':
		return int(r-'a') + 10
	case r >= 'A' && r <= 'F':
		return int(r-'A') + 10
	}
	return -1
}

// class parses [...]: characters, ranges, predefined classes.
func (p *regexParser) class() error {
	p.i++
	var b strings.Builder
	b.WriteByte('[')
	if p.at(0) == '^' {
		p.i++
		b.WriteByte('^')
	}
	first := true
	for {
		switch r := p.at(0); {
		case r == -1:
			return errBadPattern
		case r == ']' && !first:
			p.i++
			b.WriteByte(']')
			p.out.WriteString(b.String())
			return nil
		case r == ']' || r == '[' || r == '&' && p.at(1) == '&' || r == '^':
			return p.refuse(string(r) + " inside a class")
		case r == '\\' && strings.ContainsRune("dws", p.at(1)):
			b.WriteString(regexClasses[p.at(1)])
			p.i += 2
			if p.at(0) == '-' && p.at(1) != ']' {
				return p.refuse("- behind a predefined class")
			}
		case r == '\\' && p.at(1) == 'p':
			in, err := p.property()
			if err != nil {
				return err
			}
			b.WriteString(in)
		case r == '\\' && strings.ContainsRune("DWSPbBQE", p.at(1)):
			return p.refuse(`\` + string(p.at(1)) + " inside a class")
		default:
			if err := p.classRange(&b); err != nil {
				return err
			}
		}
		first = false
	}
}

func (p *regexParser) classRange(b *strings.Builder) error {
	lo, err := p.classRune()
	if err != nil {
		return err
	}
	writeClassRune(b, lo)
	if p.at(0) != '-' || p.at(1) == ']' || p.at(1) == -1 {
		return nil
	}
	if p.at(1) == '[' || p.at(1) == '\\' && isLetter(p.at(2)) {
		return p.refuse("this range of a class")
	}
	p.i++
	hi, err := p.classRune()
	if err != nil {
		return err
	}
	if hi < lo {
		return errBadPattern
	}
	b.WriteByte('-')
	writeClassRune(b, hi)
	return nil
}

func (p *regexParser) classRune() (rune, error) {
	if p.at(0) == '\\' {
		if p.at(1) == -1 {
			return 0, errBadPattern
		}
		return p.escapedRune()
	}
	r := p.at(0)
	p.i++
	return r, nil
}

func writeClassRune(b *strings.Builder, r rune) {
	if strings.ContainsRune(`\]^-[`, r) {
		b.WriteByte('\\')
	}
	b.WriteRune(r)
}
