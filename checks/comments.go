package checks

import "strings"

// withoutComments takes out of a script the comments that say nothing to Flink, so that
// scripts that differ in nothing else are run once. All else stays at its line and column.
// A comment that holds a quote or a semicolon stays, since the client may end a statement
// there, and so does a hint.
func withoutComments(script string) string {
	if !strings.Contains(script, "--") && !strings.Contains(script, "/*") {
		return script
	}
	var b strings.Builder
	for i := 0; i < len(script); {
		rest := script[i:]
		n := 1
		switch {
		case strings.HasPrefix(rest, "--"):
			if n = strings.IndexByte(rest, '\n'); n < 0 {
				n = len(rest)
			}
			if strings.ContainsAny(rest[2:n], "'\"`;") || strings.Contains(rest[2:n], "/*") {
				return script // what it does to the rest is the client's to say
			}
			i += n
			continue
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 || strings.ContainsAny(rest[:end+2], "'\"`;") {
				return script
			}
			n = end + 4
			if !strings.HasPrefix(rest, "/*+") {
				b.WriteString(strings.Map(func(r rune) rune {
					if r == '\n' {
						return r
					}
					return ' '
				}, rest[:n]))
				i += n
				continue
			}
		case rest[0] == '\'' || rest[0] == '"' || rest[0] == '`':
			end := strings.IndexByte(rest[1:], rest[0])
			if end < 0 {
				return script
			}
			n = end + 2
		}
		b.WriteString(rest[:n])
		i += n
	}
	return b.String()
}
