package checks

import (
	"slices"
	"strings"
)

// canonPlanExpr brings a condition of a physical plan, which is written with functions
// before their arguments, into one form: constants behind columns, the arguments of AND,
// OR and = sorted. So "60 < dwell" and "dwell > 60" are one condition.
func canonPlanExpr(s string) string {
	s = strings.TrimSpace(s)
	open := strings.IndexByte(s, '(')
	if open <= 0 || !strings.HasSuffix(s, ")") || strings.ContainsAny(s[:open], "'[ ,") {
		return s
	}
	name := s[:open]
	args := splitTop(s[open+1 : len(s)-1])
	for i := range args {
		args[i] = canonPlanExpr(args[i])
	}
	switch name {
	case "AND", "OR", "=", "<>":
		slices.Sort(args)
	case "<", ">", "<=", ">=":
		if len(args) == 2 && isPlanLiteral(args[0]) && !isPlanLiteral(args[1]) {
			args[0], args[1] = args[1], args[0]
			name = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<="}[name]
		}
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// isPlanLiteral recognises numbers and texts: 60, -1.5:DECIMAL(2, 1), _UTF-16LE'a'.
func isPlanLiteral(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && (s[0] >= '0' && s[0] <= '9' || s[0] == '-' && len(s) > 1 || s[0] == '\'' || strings.HasPrefix(s, "_UTF-16LE'"))
}
