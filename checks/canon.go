package checks

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/labgrade/labgrade/sql"
)

// canon writes an expression in one form, whatever its spelling: no qualifiers, no
// backquotes, functions in capitals, brackets around every operation. env gives the
// meaning of column names that an inner query defines.
type canon struct {
	env map[string]string
	// text is the script, for what has no form of its own.
	text string
}

func (c canon) expr(x sql.Expr) string {
	switch x := x.(type) {
	case nil:
		return ""
	case *sql.ColumnRef:
		name := lastPart(x.Name)
		if def, ok := c.env[name]; ok {
			return def
		}
		return name
	case *sql.Star:
		return "*"
	case *sql.NumberLit:
		return x.Text
	case *sql.StringLit:
		return sql.QuoteText(x.Value)
	case *sql.BoolLit:
		return strings.ToUpper(fmt.Sprint(x.Value))
	case *sql.NullLit:
		return "NULL"
	case *sql.Unary:
		if strings.HasPrefix(x.Op, "IS ") {
			return "(" + c.expr(x.X) + " " + x.Op + ")"
		}
		return "(" + x.Op + " " + c.expr(x.X) + ")"
	case *sql.Binary:
		return c.binary(x)
	case *sql.Between:
		s := "(" + c.expr(x.X) + " BETWEEN " + c.expr(x.Lo) + " AND " + c.expr(x.Hi) + ")"
		if x.Not {
			return "(NOT " + s + ")"
		}
		return s
	case *sql.Cast:
		return "CAST(" + c.expr(x.X) + " AS " + strings.ToUpper(x.Type.Name) + ")"
	case *sql.Call:
		return c.call(x)
	}
	return strings.Join(strings.Fields(textOf(c.text, x.At())), " ")
}

// binary turns 60 < dwell into dwell > 60, so that both are one condition.
func (c canon) binary(x *sql.Binary) string {
	a, b, op := c.expr(x.X), c.expr(x.Y), x.Op
	_, literalLeft := x.X.(*sql.NumberLit)
	if flipped, ok := map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<=", "=": "=", "<>": "<>"}[op]; ok && literalLeft {
		a, b, op = b, a, flipped
	}
	return "(" + a + " " + op + " " + b + ")"
}

// belowCount is "< n" or ">= n" behind a function that counts.
var belowCount = regexp.MustCompile(`((?:ROW_NUMBER|RANK|DENSE_RANK)\(\) OVER|COUNT\((?:DISTINCT )?[\w*]+\)) (<|>=) (\d{1,9})\)`)

// wholeNumbers writes < 3 as <= 2, and >= 3 as > 2, where a condition is about ranks and
// counts, which are whole numbers.
func wholeNumbers(condition string) string {
	return belowCount.ReplaceAllStringFunc(condition, func(s string) string {
		m := belowCount.FindStringSubmatch(s)
		n, _ := strconv.Atoi(m[3])
		return fmt.Sprintf("%s %s %d)", m[1], map[string]string{"<": "<=", ">=": ">"}[m[2]], n-1)
	})
}

func (c canon) call(x *sql.Call) string {
	name := strings.ToUpper(lastPart(x.Name))
	var args []string
	if x.Star {
		args = append(args, "*")
	}
	for _, a := range x.Args {
		args = append(args, c.expr(a))
	}
	s := name + "("
	if x.Distinct {
		s += "DISTINCT "
	}
	s += strings.Join(args, ", ") + ")"
	// COUNT(1) counts rows, as COUNT(*) does.
	if name == "COUNT" && !x.Distinct && len(x.Args) == 1 {
		if _, ok := x.Args[0].(*sql.NumberLit); ok {
			s = "COUNT(*)"
		}
	}
	if x.Filter != nil {
		s += " FILTER " + c.expr(x.Filter)
	}
	if x.Over != nil || x.OverName != "" {
		s += " OVER"
	}
	return s
}

// aggregates are the functions whose presence makes a SELECT an aggregation.
const aggregates = " COUNT SUM AVG MIN MAX SUM0 STDDEV_POP STDDEV_SAMP STDDEV VAR_POP VAR_SAMP VARIANCE COLLECT LISTAGG FIRST_VALUE LAST_VALUE ARRAY_AGG SINGLE_VALUE JSON_OBJECTAGG JSON_ARRAYAGG "

// aggregateOf finds the aggregate call in an expression, or nil.
func aggregateOf(x sql.Expr) *sql.Call {
	switch x := x.(type) {
	case *sql.Call:
		if x.Over == nil && x.OverName == "" && strings.Contains(aggregates, " "+strings.ToUpper(lastPart(x.Name))+" ") {
			return x
		}
		for _, a := range x.Args {
			if c := aggregateOf(a); c != nil {
				return c
			}
		}
	case *sql.Cast:
		return aggregateOf(x.X)
	case *sql.Binary:
		if c := aggregateOf(x.X); c != nil {
			return c
		}
		return aggregateOf(x.Y)
	case *sql.Unary:
		return aggregateOf(x.X)
	}
	return nil
}
