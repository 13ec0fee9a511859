package labs

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/changelog"
)

// Expr is the value of a number in a report: sums and differences of counts and
// integers, such as count(stream, '+I') + count(nested, '-D') - 1.
type Expr struct {
	terms []term
}

type term struct {
	minus  bool
	number int64
	call   *Count
}

// Count is count(STEP) or count(STEP, 'kind', ...): how many rows the step's result
// has, of these kinds.
type Count struct {
	Step  string
	Kinds []changelog.RowKind
}

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

// Calls lists the counts of the expression.
func (x *Expr) Calls() []Count {
	var out []Count
	for _, t := range x.terms {
		if t.call != nil {
			out = append(out, *t.call)
		}
	}
	return out
}

// Eval computes the expression; count gives the value of a Count.
func (x *Expr) Eval(count func(Count) (int64, error)) (int64, error) {
	var sum int64
	for _, t := range x.terms {
		v := t.number
		if t.call != nil {
			n, err := count(*t.call)
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
)

func (p *exprParser) term() (term, error) {
	if d := p.word(digits); d != "" {
		n, err := strconv.ParseInt(d, 10, 64)
		if err != nil {
			return term{}, p.errorf("the number %s is too large", d)
		}
		return term{number: n}, nil
	}
	if !p.eat("count") {
		return term{}, p.errorf("expected count(STEP) or a number")
	}
	if !p.eat("(") {
		return term{}, p.errorf("expected '(' behind count")
	}
	c := &Count{Step: p.word(letters + digits)}
	if c.Step == "" {
		return term{}, p.errorf("expected the id of a step")
	}
	for p.eat(",") {
		if !p.eat("'") {
			return term{}, p.errorf("expected a row kind such as '+I'")
		}
		kind, rest, ok := strings.Cut(p.rest, "'")
		k, known := changelog.ParseRowKind(kind)
		if !ok || !known {
			return term{}, p.errorf("the row kinds are '+I', '-U', '+U' and '-D'")
		}
		p.rest = rest
		c.Kinds = append(c.Kinds, k)
	}
	if !p.eat(")") {
		return term{}, p.errorf("expected ')'")
	}
	return term{call: c}, nil
}
