package rex

import (
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/value"
)

// Digest prints an expression as Calcite does in logical and physical plans:
// $0 for input columns, prefix calls, the type only behind CAST and behind
// literals whose type is not obvious.
func Digest(e Expr) string {
	var b strings.Builder
	writeDigest(&b, e)
	return b.String()
}

func writeDigest(b *strings.Builder, e Expr) {
	switch e := e.(type) {
	case *InputRef:
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(e.Index))
	case *PatternRef:
		b.WriteString(e.Var)
		b.WriteString(".$")
		b.WriteString(strconv.Itoa(e.Index))
	case *Literal:
		b.WriteString(literalDigest(e, typeOptional))
	case *Call:
		b.WriteString(e.Op.Name)
		if len(e.Args) == 0 && e.Op.Bare {
			return
		}
		b.WriteByte('(')
		writeOperands(b, e.Op, e.Args)
		b.WriteByte(')')
		if e.Op == Cast {
			b.WriteByte(':')
			b.WriteString(TypeText(e.T, true))
		}
	case *Flag:
		b.WriteString("FLAG(" + e.Text + ")")
	case *Sarg:
		writeSarg(b, e)
	case *CorrelVar:
		b.WriteString("$cor")
		b.WriteString(strconv.Itoa(e.ID))
	case *Field:
		writeDigest(b, e.X)
		b.WriteByte('.')
		b.WriteString(e.Name)
	case *SubQuery:
		b.WriteString(e.Op.Name)
		b.WriteByte('(')
		for _, a := range e.Args {
			writeDigest(b, a)
			b.WriteString(", ")
		}
		b.WriteString("{\n")
		b.WriteString(e.Text)
		b.WriteString("})")
	case *TableInput:
		b.WriteString("TABLE(#" + strconv.Itoa(e.Index) + ")")
		if len(e.PartitionBy) > 0 {
			b.WriteString(" PARTITION BY(")
			for i, c := range e.PartitionBy {
				if i > 0 {
					b.WriteString(", ")
				}
				b.WriteString("$" + strconv.Itoa(c))
			}
			b.WriteString(")")
		}
	case *Over:
		writeOver(b, e)
	}
}

// writeOperands leaves a literal's type out where its neighbour tells it.
func writeOperands(b *strings.Builder, op *Op, args []Expr) {
	for i, a := range args {
		if i > 0 {
			b.WriteString(", ")
		}
		l, ok := a.(*Literal)
		if !ok {
			writeDigest(b, a)
			continue
		}
		mode := typeOptional
		if (op == And || op == Or) && l.T.Kind == value.KindBoolean {
			mode = typeNever
		}
		if len(args) == 2 && simpleBinary(op) {
			other := args[1-i]
			ol, isLit := other.(*Literal)
			if (!isLit || !literalNeedsType(ol)) && sameSansNullability(l.T, other.Type()) {
				mode = typeNever
			}
		}
		b.WriteString(literalDigest(l, mode))
	}
}

func simpleBinary(op *Op) bool {
	switch op {
	case Plus, Minus, Times, Divide, Eq, Ne, Lt, Le, Gt, Ge, IsDistinctFrom, IsNotDistinctFrom:
		return true
	}
	return false
}

// sameSansNullability compares types as Calcite prints them, apart from the outer NOT NULL.
func sameSansNullability(a, b value.Type) bool {
	a.Nullable, b.Nullable = true, true
	return TypeText(a, true) == TypeText(b, true)
}

func writeOver(b *strings.Builder, e *Over) {
	b.WriteString(e.Agg.Name)
	b.WriteByte('(')
	if e.Distinct {
		b.WriteString("DISTINCT ")
	}
	writeOperands(b, e.Agg, e.Args)
	b.WriteByte(')')
	if e.IgnoreNulls {
		b.WriteString(" IGNORE NULLS")
	}
	b.WriteString(" OVER (")
	sep := ""
	for i, p := range e.PartitionBy {
		if i == 0 {
			b.WriteString("PARTITION BY ")
		} else {
			b.WriteString(", ")
		}
		writeDigest(b, p)
		sep = " "
	}
	for i, k := range e.OrderBy {
		if i == 0 {
			b.WriteString(sep + "ORDER BY ")
		} else {
			b.WriteString(", ")
		}
		writeDigest(b, k.X)
		if k.Desc {
			b.WriteString(" DESC")
		}
		if k.NullsLast {
			b.WriteString(" NULLS LAST")
		} else {
			b.WriteString(" NULLS FIRST")
		}
		sep = " "
	}
	// The frame is left out where the function takes none, where there is no order,
	// and where it is the default RANGE UNBOUNDED PRECEDING.
	def := !e.Rows && e.Lower.Kind == "UNBOUNDED PRECEDING" && e.Upper.Kind == "CURRENT ROW"
	if !e.Agg.NoFrame && len(e.OrderBy) > 0 && !def {
		b.WriteString(sep)
		if e.Rows {
			b.WriteString("ROWS ")
		} else {
			b.WriteString("RANGE ")
		}
		if e.Upper.Kind == "CURRENT ROW" {
			writeBound(b, e.Lower)
		} else {
			b.WriteString("BETWEEN ")
			writeBound(b, e.Lower)
			b.WriteString(" AND ")
			writeBound(b, e.Upper)
		}
	}
	b.WriteByte(')')
}

func writeBound(b *strings.Builder, x Bound) {
	if x.X != nil {
		writeDigest(b, x.X)
		b.WriteByte(' ')
	}
	b.WriteString(x.Kind)
}

func writeSarg(b *strings.Builder, s *Sarg) {
	writeRanges(b, s, func(v *value.Value, text string) string {
		// A number that a source has handed back is a Java double and keeps that text.
		if s.T.IsApprox() && !strings.Contains(text, "E") {
			text = ""
		}
		l := &Literal{V: *v, T: s.T, Text: text}
		l.T.Nullable = false
		if s.T.Kind == value.KindBigInt {
			return ValueText(*v, s.T) + "L:BIGINT"
		}
		return literalDigest(l, typeOptional)
	})
	t := s.T
	if t.Kind == value.KindInt || t.Kind == value.KindBoolean {
		return
	}
	if (t.Kind == value.KindDate) || (t.Kind == value.KindTime || t.Kind == value.KindTimestamp) && t.Precision == 0 {
		return
	}
	t.Nullable = true
	b.WriteByte(':')
	b.WriteString(TypeText(t, true))
}

// writeRanges prints Sarg[..] with lit for the bounds.
func writeRanges(b *strings.Builder, s *Sarg, lit func(*value.Value, string) string) {
	b.WriteString("Sarg[")
	for i, r := range s.Ranges {
		if i > 0 {
			b.WriteString(", ")
		}
		if r.Low != nil && r.High != nil && !r.LowOpen && !r.HighOpen && lit(r.Low, r.LowText) == lit(r.High, r.HighText) {
			b.WriteString(lit(r.Low, r.LowText))
			continue
		}
		if r.Low == nil && r.High == nil {
			b.WriteString("(-∞..+∞)")
			continue
		}
		switch {
		case r.Low == nil:
			b.WriteString("(-∞")
		case r.LowOpen:
			b.WriteString("(" + lit(r.Low, r.LowText))
		default:
			b.WriteString("[" + lit(r.Low, r.LowText))
		}
		b.WriteString("..")
		switch {
		case r.High == nil:
			b.WriteString("+∞)")
		case r.HighOpen:
			b.WriteString(lit(r.High, r.HighText) + ")")
		default:
			b.WriteString(lit(r.High, r.HighText) + "]")
		}
	}
	switch s.NullAs {
	case "TRUE":
		b.WriteString("; NULL AS TRUE")
	case "FALSE":
		b.WriteString("; NULL AS FALSE")
	}
	b.WriteByte(']')
}
