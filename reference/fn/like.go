package fn

import (
	"strings"
	"unicode/utf8"

	"github.com/labgrade/labgrade/reference/flinkerr"
	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

var likeForms = []form{
	{operands: []operand{stringLike, stringLike}, text: []string{"STRING", "STRING", "STRING"}},
	takes(stringLike, stringLike, stringLike),
}

var patternOperators = []function{
	{name: "LIKE", op: rex.Like, isOperator: true, doc: "string1 [NOT] LIKE string2 [ ESCAPE char ]", check: checkLike, result: orNull(value.TBoolean), eval: evalLike},
	{name: "SIMILAR TO", op: rex.SimilarTo, isOperator: true, doc: "string1 [NOT] SIMILAR TO string2 [ ESCAPE char ]", check: checkLike, result: orNull(value.TBoolean), eval: evalSimilar},
}

// checkLike: the error lists the form with three operands alone.
// A bare NULL counts as a text of the type of the first operand, which no form takes.
func checkLike(r *resolution) error {
	null := false
	args := append([]rex.Expr(nil), r.args...)
	for i := range args {
		if args[i].Type().Kind == value.KindNull {
			null = true
			args[i] = &rex.Literal{T: args[0].Type()}
		}
	}
	if !null {
		for _, f := range likeForms {
			if f.fits(args) {
				return nil
			}
		}
	}
	op := r.fn.op
	if r.ctx != nil && r.ctx.Written == "NOT "+op.Name {
		negated := *op
		negated.Name = r.ctx.Written
		op = &negated
	}
	return cannotApply(op, args, []string{signature(op, []string{"STRING", "STRING", "STRING"})})
}

// likeToken is a piece of a LIKE pattern: a literal text, _ or %.
type likeToken struct {
	text string
	kind byte // 0, '_', '%'
}

// likePattern is a parsed LIKE pattern.
type likePattern []likeToken

// parseLike splits a pattern; escape is "" for none. The error is Flink's ValidationException.
func parseLike(pattern, escape string) (likePattern, error) {
	esc := rune(-1)
	if escape != "" {
		r, n := utf8.DecodeRuneInString(escape)
		if n != len(escape) || value.UTF16Len(escape) != 1 || r == 0 {
			return nil, flinkerr.Validation("Invalid escape character '%s'", escape)
		}
		esc = r
	}
	var p likePattern
	var lit strings.Builder
	flush := func() {
		if lit.Len() > 0 {
			p = append(p, likeToken{text: lit.String()})
			lit.Reset()
		}
	}
	src := []rune(pattern)
	for i := 0; i < len(src); i++ {
		switch r := src[i]; {
		case r == esc:
			if i+1 >= len(src) || src[i+1] != '_' && src[i+1] != '%' && src[i+1] != esc {
				return nil, flinkerr.Validation("Invalid escape sequence '%s', %d", pattern, value.UTF16Len(string(src[:i])))
			}
			i++
			lit.WriteRune(src[i])
		case r == '_' || r == '%':
			flush()
			p = append(p, likeToken{kind: byte(r)})
		default:
			lit.WriteRune(r)
		}
	}
	flush()
	return p, nil
}

// match follows Java's regular expressions: _ matches no line break, % matches anything.
func (p likePattern) match(s string) bool {
	back, from := -1, ""
	i := 0
	for {
		switch {
		case i == len(p):
			if s == "" {
				return true
			}
		case p[i].kind == '%':
			back, from = i, s
			i++
			continue
		case p[i].kind == '_':
			if r, n := utf8.DecodeRuneInString(s); n > 0 && !isLineBreak(r) {
				s = s[n:]
				i++
				continue
			}
		case strings.HasPrefix(s, p[i].text):
			s = s[len(p[i].text):]
			i++
			continue
		}
		if back < 0 || from == "" {
			return false
		}
		_, n := utf8.DecodeRuneInString(from)
		from = from[n:]
		s, i = from, back+1
	}
}

func isLineBreak(r rune) bool {
	return r == '\n' || r == '\r' || r == 0x85 || r == 0x2028 || r == 0x2029
}

// matcher picks a short form for the common shapes: abc, abc%, %abc, %abc%.
func (p likePattern) matcher() func(string) bool {
	shape := ""
	text := ""
	for _, t := range p {
		if t.kind == 0 {
			shape += "a"
			text = t.text
		} else {
			shape += string(rune(t.kind))
		}
	}
	switch shape {
	case "a":
		return func(s string) bool { return s == text }
	case "a%":
		return func(s string) bool { return strings.HasPrefix(s, text) }
	case "%a":
		return func(s string) bool { return strings.HasSuffix(s, text) }
	case "%a%":
		return func(s string) bool { return strings.Contains(s, text) }
	}
	return p.match
}

// literalText reads a text literal.
func literalText(x rex.Expr) (string, bool) {
	l, ok := x.(*rex.Literal)
	if !ok || l.V.IsNull() || !l.T.IsCharacter() {
		return "", false
	}
	return l.V.Str(), true
}

func evalLike(c *compiler, call *rex.Call) (Eval, error) {
	escape, literal := "", true
	if len(call.Args) == 3 {
		escape, literal = literalText(call.Args[2])
	}
	pattern, ok := literalText(call.Args[1])
	if !ok || !literal {
		return evalDynamicLike(c, call)
	}
	p, err := parseLike(pattern, escape)
	if err != nil {
		return nil, err
	}
	x, err := c.compile(call.Args[0])
	if err != nil {
		return nil, err
	}
	match := p.matcher()
	return func(ctx *Ctx, row value.Row) value.Value {
		v := x(ctx, row)
		if v.IsNull() {
			return value.Null
		}
		return value.Bool(match(v.Str()))
	}, nil
}

func evalDynamicLike(c *compiler, call *rex.Call) (Eval, error) {
	return strictN(func(c *Ctx, vs []value.Value) value.Value {
		escape := ""
		if len(vs) == 3 {
			if escape = vs[2].Str(); value.UTF16Len(escape) != 1 {
				return c.Fail(flinkerr.Runtime(flinkerr.ClassValidation, "Invalid escape character '%s'", escape))
			}
		}
		p, err := parseLike(vs[1].Str(), escape)
		if err != nil {
			return c.Fail(atRuntime(err))
		}
		return value.Bool(p.match(vs[0].Str()))
	})(c, call)
}

// atRuntime marks an error of Flink as one of the running job.
func atRuntime(err error) error {
	if e, ok := err.(*flinkerr.Error); ok {
		return &flinkerr.Error{Class: e.Class, Message: e.Message, AtRuntime: true}
	}
	return err
}
