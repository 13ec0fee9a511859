package rex

import (
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/value"
)

// Printer writes expressions as the optimized plans show them: FlinkRexUtil.getExpressionString.
type Printer struct {
	// Names are the names of the input columns.
	Names []string
	// Infix is the format of the Optimized Execution Plan: ((a > 1) AND b IS NULL).
	Infix bool
	// Short writes values and cast targets without types' details: batch plans and
	// the Optimized Execution Plan. Otherwise literals and types print their digest.
	Short bool
}

// Text prints e.
func (p *Printer) Text(e Expr) string {
	var b strings.Builder
	p.write(&b, e)
	return b.String()
}

func (p *Printer) name(i int) string {
	if i < len(p.Names) {
		return p.Names[i]
	}
	return "$" + strconv.Itoa(i)
}

func (p *Printer) write(b *strings.Builder, e Expr) {
	switch e := e.(type) {
	case *InputRef:
		b.WriteString(p.name(e.Index))
	case *Literal:
		if p.Short {
			b.WriteString(shortLiteral(e))
		} else {
			b.WriteString(literalDigest(e, typeOptional))
		}
	case *Flag:
		if p.Short {
			b.WriteString(e.Text)
		} else {
			b.WriteString("FLAG(" + e.Text + ")")
		}
	case *Sarg:
		if p.Short {
			writeRanges(b, e, func(v *value.Value, text string) string {
				if text != "" && !(e.T.IsApprox() && strings.Contains(text, "E")) {
					return text
				}
				return plainValue(*v, e.T)
			})
		} else {
			writeSarg(b, e)
		}
	case *Call:
		p.call(b, e)
	case *Field:
		p.write(b, e.X)
		b.WriteByte('.')
		b.WriteString(e.Name)
	case *PatternRef:
		b.WriteString(e.Var + "." + p.name(e.Index))
	default:
		writeDigest(b, e)
	}
}

// isInfixKind lists the operators that the execution plan writes between their
// operands; /INT and the datetime operators are of the same kinds.
func isInfixKind(op *Op) bool {
	switch op {
	case Plus, Minus, Times, Divide, DivideInt, Eq, Ne, Lt, Le, Gt, Ge, And, Or:
		return true
	}
	return false
}

func isPostfixKind(op *Op) bool {
	switch op {
	case IsNull, IsNotNull, IsTrue, IsNotTrue, IsFalse, IsNotFalse:
		return true
	}
	return false
}

func (p *Printer) call(b *strings.Builder, e *Call) {
	switch {
	case e.Op == Cast || e.Op == TryCast:
		b.WriteString(e.Op.Name)
		b.WriteByte('(')
		p.write(b, e.Args[0])
		b.WriteString(" AS ")
		b.WriteString(TypeText(e.T, !p.Short))
		b.WriteByte(')')
		return
	case p.Infix && len(e.Args) == 1 && isPostfixKind(e.Op):
		p.write(b, e.Args[0])
		b.WriteByte(' ')
		b.WriteString(e.Op.Name)
		return
	case p.Infix && len(e.Args) > 1 && isInfixKind(e.Op):
		b.WriteByte('(')
		for i, a := range e.Args {
			if i > 0 {
				b.WriteString(" " + e.Op.Name + " ")
			}
			p.write(b, a)
		}
		b.WriteByte(')')
		return
	}
	b.WriteString(e.Op.Name)
	b.WriteByte('(')
	for i, a := range e.Args {
		if i > 0 {
			b.WriteString(", ")
		}
		p.write(b, a)
	}
	b.WriteByte(')')
}

// shortLiteral is ExpressionDetail.Explain: the bare value, with its type only for
// NULL and intervals.
func shortLiteral(l *Literal) string {
	switch {
	case l.V.IsNull():
		return "null:" + TypeText(l.T, false)
	case l.T.Kind == value.KindIntervalDayTime || l.T.Kind == value.KindIntervalYearMonth:
		return literalDigest(l, typeOptional)
	case l.T.Kind == value.KindChar || l.T.Kind == value.KindVarchar:
		return "'" + l.V.Str() + "'"
	}
	return literalBody(l)
}

// plainValue is Java's toString of the value inside a Sarg.
func plainValue(v value.Value, t value.Type) string {
	if t.Kind == value.KindDouble || t.Kind == value.KindFloat {
		f := v.Double()
		if t.Kind == value.KindFloat {
			f = float64(v.Float())
		}
		s := strconv.FormatFloat(f, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		return s
	}
	return ValueText(v, t)
}

// UntypedText is a literal without its type, as the tuples of Values show it.
func UntypedText(l *Literal) string { return literalDigest(l, typeNever) }
