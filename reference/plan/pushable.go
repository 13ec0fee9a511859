package plan

import (
	"strings"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/value"
)

// pushableFunctions are the names in Flink's BuiltInFunctionDefinitions that
// RexNodeToExpressionConverter can find: it asks for the name of a function, or of the kind
// of another operator, without blanks and underscores. So a definition whose own name has an
// underscore (JSON_VALUE, ARRAY_CONTAINS, CONCAT_WS) is never found, but for TRY_CAST,
// which has a case of its own; TRIM fails on its flag.
var pushableFunctions = nameSet(`
	ABS ACOS AND ASCII ASIN ATAN ATAN2 BIN BTRIM CARDINALITY CAST CEIL CHARLENGTH CHR COALESCE CONCAT CONVERTTZ
	COS COSH COT CURRENTDATABASE CURRENTDATE CURRENTROWTIMESTAMP CURRENTTIME CURRENTTIMESTAMP DATEFORMAT DECODE
	DEGREES DIVIDE E ELEMENT ELT ENCODE ENDSWITH EQUALS EXP EXTRACT FLOOR FROMBASE64 FROMUNIXTIME GREATEST
	GREATERTHAN GREATERTHANOREQUAL HEX IFNULL INITCAP INSTR ISFALSE ISNOTFALSE ISNOTNULL ISNOTTRUE ISNULL ISTRUE
	LEAST LEFT LESSTHAN LESSTHANOREQUAL LIKE LN LOCALTIME LOCALTIMESTAMP LOCATE LOG LOG10 LOG2 LOWER LPAD LTRIM
	MD5 MINUS MINUSPREFIX MOD NOT NOTEQUALS NOW OR OVERLAY PARSEURL PI PLUS POSITION POWER PRINTF PROCTIME
	RADIANS RAND RANDINTEGER REGEXP REGEXPEXTRACT REGEXPREPLACE REPEAT REPLACE REVERSE RIGHT ROUND RPAD RTRIM
	SHA1 SHA2 SHA224 SHA256 SHA384 SHA512 SIGN SIMILAR SIN SINH SPLIT SPLITINDEX SQRT STARTSWITH STRTOMAP SUBSTR
	SUBSTRING TAN TANH TIMES TIMESTAMPDIFF TOBASE64 TODATE TOTIMESTAMP TRANSLATE3 TRYCAST TRUNCATE TYPEOF UNHEX
	UNIXTIMESTAMP UPPER UUID`)

func nameSet(names string) map[string]bool {
	set := map[string]bool{}
	for _, n := range strings.Fields(names) {
		set[n] = true
	}
	return set
}

// kindNames are the kinds of the operators that are no functions.
var kindNames = map[*rex.Op]string{
	rex.And: "AND", rex.Or: "OR", rex.Not: "NOT", rex.Eq: "EQUALS", rex.Ne: "NOTEQUALS", rex.Lt: "LESSTHAN", rex.Le: "LESSTHANOREQUAL",
	rex.Gt: "GREATERTHAN", rex.Ge: "GREATERTHANOREQUAL", rex.Plus: "PLUS", rex.Minus: "MINUS", rex.Times: "TIMES", rex.Divide: "DIVIDE",
	rex.UnaryMinus: "MINUSPREFIX", rex.Like: "LIKE", rex.SimilarTo: "SIMILAR", rex.Search: "OR",
}

// convertible tells whether a condition can be offered to a source.
func convertible(e rex.Expr) bool {
	ok := true
	rex.Walk(e, func(x rex.Expr) bool {
		switch c := x.(type) {
		case *rex.Call:
			name, is := kindNames[c.Op]
			if !is {
				name = strings.NewReplacer(" ", "", "_", "").Replace(strings.ToUpper(c.Op.Name))
			}
			ok = ok && pushableFunctions[name]
		case *rex.Field, *rex.CorrelVar:
			ok = false
		}
		return ok
	})
	return ok
}

// retell gives literals the text that they have after the way to the source and back:
// approximate numbers are Java doubles (0E-1, 1.0E0), and an interval has forgotten its units.
func retell(e rex.Expr) rex.Expr {
	l, ok := e.(*rex.Literal)
	if !ok || l.V.IsNull() {
		return e
	}
	n := *l
	switch {
	case l.T.IsApprox():
		n.Text = rex.DoubleText(l.V, l.T)
	case l.T.Kind == value.KindIntervalDayTime:
		n.T.Unit = "DAY TO SECOND"
	case l.T.Kind == value.KindIntervalYearMonth:
		n.T.Unit = "YEAR TO MONTH"
	default:
		return e
	}
	return &n
}
