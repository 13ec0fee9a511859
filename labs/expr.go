package labs

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/changelog"
)

// Expr is the value of a number in a report: sums and differences of integers and of
// calls over the results of steps, such as
//
//	count(stream, '+I') + count(nested, '-D') - 1
//	count(stream, '+U', user_id = 'u07')
//	final(stream)
//	distinct(batch, user_id)
//	sum(batch, clicks)
type Expr struct {
	terms []term
}

type term struct {
	minus  bool
	number int64
	call   *Call
}

// Call is a function over the rows of a step's expected result. Kinds and Where restrict
// the rows that it sees.
type Call struct {
	// Func is one of Functions.
	Func string
	Step string
	// Column is what distinct, sum, min and max look at.
	Column string
	Kinds  []changelog.RowKind
	// Where are the values that columns must have, as printed.
	Where []Condition
}

// Condition is COLUMN = 'text'.
type Condition struct{ Column, Text string }

// Functions lists the functions of expressions: count is the number of rows, final that
// of the rows that the log leaves, distinct the number of different values of a column;
// sum, min and max are over the integers of a column.
func Functions() []string { return []string{"count", "final", "distinct", "sum", "min", "max"} }

// ParseExpr reads an expression.
func ParseExpr(text string) (*Expr, error) {
	p := exprParser{rest: text, all: text}
	x := &Expr{}
	minus := false
	for {
		t, err := p.term()
		if err != nil {
			return nil, err
		}
		t.minus = minus
		x.terms = append(x.terms, t)
		switch {
		case p.eat("+"):
			minus = false
		case p.eat("-"):
			minus = true
		case p.done():
			return x, nil
		default:
			return nil, p.errorf("expected '+', '-' or the end")
		}
	}
}

// Calls lists the calls of the expression.
func (x *Expr) Calls() []Call {
	var out []Call
	for _, t := range x.terms {
		if t.call != nil {
			out = append(out, *t.call)
		}
	}
	return out
}

// Eval computes the expression; call gives the value of a Call.
func (x *Expr) Eval(call func(Call) (int64, error)) (int64, error) {
	var sum int64
	for _, t := range x.terms {
		v := t.number
		if t.call != nil {
			n, err := call(*t.call)
			if err != nil {
				return 0, err
			}
			v = n
		}
		if t.minus {
			v = -v
		}
		sum += v
	}
	return sum, nil
}

type exprParser struct{ rest, all string }

// errorf makes an error at the current place.
func (p *exprParser) errorf(format string, args ...any) error {
	at := len(p.all) - len(p.rest) + 1
	return fmt.Errorf("%s at character %d of %q", fmt.Sprintf(format, args...), at, p.all)
}

func (p *exprParser) space() { p.rest = strings.TrimLeft(p.rest, " \t\n") }

func (p *exprParser) done() bool { p.space(); return p.rest == "" }

func (p *exprParser) eat(s string) bool {
	p.space()
	rest, ok := strings.CutPrefix(p.rest, s)
	if ok {
		p.rest = rest
	}
	return ok
}

func (p *exprParser) word(letters string) string {
	p.space()
	i := 0
	for i < len(p.rest) && strings.ContainsRune(letters, rune(p.rest[i])) {
		i++
	}
	w := p.rest[:i]
	p.rest = p.rest[i:]
	return w
}

const (
	digits  = "0123456789"
	letters = "abcdefghijklmnopqrstuvwxyz-"
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
)

func (p *exprParser) term() (term, error) {
	if d := p.word(digits); d != "" {
		n, err := strconv.ParseInt(d, 10, 64)
		if err != nil {
			return term{}, p.errorf("the number %s is too large", d)
		}
		return term{number: n}, nil
	}
	name := p.word(letters)
	if !slices.Contains(Functions(), name) {
		return term{}, p.errorf("expected a number or one of %s(STEP)", strings.Join(Functions(), ", "))
	}
	if !p.eat("(") {
		return term{}, p.errorf("expected '(' behind %s", name)
	}
	c := &Call{Func: name, Step: p.word(letters + digits)}
	if c.Step == "" {
		return term{}, p.errorf("expected the id of a step")
	}
	if name != "count" && name != "final" {
		if !p.eat(",") {
			return term{}, p.errorf("expected ',' and the column of %s", name)
		}
		if c.Column = p.column(); c.Column == "" {
			return term{}, p.errorf("expected the name of a column")
		}
	}
	for p.eat(",") {
		if err := p.filter(c); err != nil {
			return term{}, err
		}
	}
	if !p.eat(")") {
		return term{}, p.errorf("expected ')'")
	}
	if name == "final" && len(c.Kinds) > 0 {
		return term{}, p.errorf("the rows of final have no kinds")
	}
	return term{call: c}, nil
}

// filter reads a row kind or COLUMN = 'text'.
func (p *exprParser) filter(c *Call) error {
	p.space()
	if !strings.HasPrefix(p.rest, "'") {
		column := p.column()
		if column == "" || !p.eat("=") {
			return p.errorf("expected a row kind such as '+I', or COLUMN = 'text'")
		}
		text, ok := p.text()
		if !ok {
			return p.errorf("expected a text in single quotes")
		}
		c.Where = append(c.Where, Condition{column, text})
		return nil
	}
	at := *p
	text, ok := p.text()
	k, known := changelog.ParseRowKind(text)
	if !ok || !known {
		at.eat("'")
		return at.errorf("the row kinds are '+I', '-U', '+U' and '-D'")
	}
	c.Kinds = append(c.Kinds, k)
	return nil
}

// text reads a text in single quotes; two of them stand for one.
func (p *exprParser) text() (string, bool) {
	if !p.eat("'") {
		return "", false
	}
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(p.rest, "'")
		if !ok {
			return "", false
		}
		b.WriteString(before)
		p.rest = rest
		if !strings.HasPrefix(rest, "'") {
			return b.String(), true
		}
		b.WriteByte('\'')
		p.rest = rest[1:]
	}
}

// column reads a name, in back quotes where it is none.
func (p *exprParser) column() string {
	if p.eat("`") {
		name, rest, ok := strings.Cut(p.rest, "`")
		if !ok {
			return ""
		}
		p.rest = rest
		return name
	}
	return p.word(letters + upper + digits + "_")
}
