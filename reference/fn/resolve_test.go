package fn

import (
	"testing"

	"github.com/labgrade/labgrade/reference/rex"
)

// The types, casts and error texts below were printed by Flink 2.3.0.
func TestResolve(t *testing.T) {
	tests := []struct {
		expr, digest, typ string
	}{
		{"i + 1", "+($2, 1)", "INT"},
		{"l + i", "+($3, $2)", "BIGINT"},
		{"f + i", "+($4, $2)", "FLOAT"},
		{"f + d", "+($4, $5)", "FLOAT"},
		{"d + c", "+($5, $6)", "DOUBLE"},
		{"c + e", "+($6, $7)", "DECIMAL(12, 3)"},
		{"c * e", "*($6, $7)", "DECIMAL(16, 5)"},
		{"c / e", "/($6, $7)", "DECIMAL(19, 8)"},
		{"i / c", "/($2, $6)", "DECIMAL(23, 11)"},
		{"nni + nni", "+($24, $24)", "INT NOT NULL"},
		{"MOD(l, i)", "MOD($3, $2)", "INT"},
		{"i % 3", "MOD($2, 3)", "INT"},
		{"MOD(c, e)", "MOD($6, $7)", "DECIMAL(5, 3)"},
		{"-nnc", "-($28)", "DECIMAL(10, 2) NOT NULL"},
		{"+ i", "$2", "INT"},
		{"i > s", ">(CAST($2):BIGINT, CAST($9):BIGINT)", "BOOLEAN"},
		{"c > s", ">(CAST($6):DECIMAL(21, 2), CAST($9):DECIMAL(21, 2))", "BOOLEAN"},
		{"i = l", "=(CAST($2):BIGINT, $3)", "BOOLEAN"},
		{"c = d", "=(CAST($6):DOUBLE, $5)", "BOOLEAN"},
		{"c > i", ">($6, $2)", "BOOLEAN"},
		{"f = 1.5", "=(CAST($4):DOUBLE, 1.5)", "BOOLEAN"},
		{"tz = ts", "=($17, CAST($15):TIMESTAMP_WITH_LOCAL_TIME_ZONE(3))", "BOOLEAN"},
		{"NULLIF(i, l)", "CASE(=(CAST($2):BIGINT, $3), null:INTEGER, $2)", "INT"},
		{"CASE WHEN b THEN 'a' ELSE s END", `CASE($12, _UTF-16LE'a':VARCHAR(2147483647) CHARACTER SET "UTF-16LE", $9)`, "STRING"},
		{"CASE i WHEN 1 THEN 'a' WHEN 2 THEN 'bcd' END", `CASE(=($2, 1), _UTF-16LE'a':VARCHAR(3) CHARACTER SET "UTF-16LE", =($2, 2), _UTF-16LE'bcd':VARCHAR(3) CHARACTER SET "UTF-16LE", null:VARCHAR(3) CHARACTER SET "UTF-16LE")`, "VARCHAR(3)"},
		{"CASE WHEN b THEN 1 WHEN i=1 THEN 2.5 END", "CASE($12, 1:DECIMAL(11, 1), =($2, 1), 2.5:DECIMAL(11, 1), null:DECIMAL(11, 1))", "DECIMAL(11, 1)"},
		{"CASE WHEN b THEN 1 ELSE d END", "CASE($12, 1:DOUBLE, $5)", "DOUBLE"},
		{"COALESCE(c, 0)", "COALESCE(CAST($6):DECIMAL(12, 2), 0:DECIMAL(12, 2))", "DECIMAL(12, 2) NOT NULL"},
		{"COALESCE(i, l)", "COALESCE(CAST($2):BIGINT, $3)", "BIGINT"},
		{"COALESCE(NULL, i)", "COALESCE(null:INTEGER, $2)", "INT"},
		{"COALESCE(v, 'xyzxyzxyzxyz')", "COALESCE($10, _UTF-16LE'xyzxyzxyzxyz')", "VARCHAR(12) NOT NULL"},
		{"IFNULL(nni, i)", "IFNULL($24, $2)", "INT NOT NULL"},
		{"IF(b, 1, 2.5)", "IF($12, 1, 2.5:DECIMAL(2, 1))", "DECIMAL(11, 1)"},
		{"GREATEST(i, 1.5)", "GREATEST($2, 1.5:DECIMAL(2, 1))", "DECIMAL(11, 1)"},
		{"CAST(b AS INT)", "CASE(IS NOT NULL($12), CASE($12, 1, 0), null:INTEGER)", "INT"},
		{"CAST(i AS BOOLEAN)", "<>($2, 0)", "BOOLEAN"},
		{"CAST(1.25 AS DOUBLE)", "1.25:DOUBLE", "DOUBLE NOT NULL"},
		{"CAST(1 AS DECIMAL(10,2))", "1:DECIMAL(10, 2)", "DECIMAL(10, 2) NOT NULL"},
		{"TRY_CAST(nni AS STRING)", "TRY_CAST($24)", "STRING"},
		{"ARRAY[1, 2.5]", "ARRAY(1:DECIMAL(11, 1), 2.5:DECIMAL(11, 1))", "ARRAY<DECIMAL(11, 1) NOT NULL> NOT NULL"},
		{"ARRAY[i, NULL]", "ARRAY($2, null:INTEGER)", "ARRAY<INT> NOT NULL"},
		{"MAP['a', 1, 'bc', 2]", `MAP(_UTF-16LE'a':VARCHAR(2) CHARACTER SET "UTF-16LE", 1, _UTF-16LE'bc':VARCHAR(2) CHARACTER SET "UTF-16LE", 2)`, "MAP<VARCHAR(2) NOT NULL, INT NOT NULL> NOT NULL"},
		{"r[1]", "$23.x", "INT"},
		{"ts + INTERVAL '1' DAY", "+($15, 86400000:INTERVAL DAY)", "TIMESTAMP(3)"},
		{"dt + INTERVAL '1' HOUR", "+($13, 3600000:INTERVAL HOUR)", "DATE"},
	}
	for _, tt := range tests {
		e, err := bind(tt.expr)
		if err != nil {
			t.Errorf("%s: %v", tt.expr, err)
			continue
		}
		if got := rex.Digest(e); got != tt.digest {
			t.Errorf("%s\n got %s\nwant %s", tt.expr, got, tt.digest)
		}
		if got := e.Type().String(); got != tt.typ {
			t.Errorf("%s: type %s, want %s", tt.expr, got, tt.typ)
		}
	}
}

func TestResolveErrors(t *testing.T) {
	const sve, ve = "org.apache.calcite.sql.validate.SqlValidatorException: ", "org.apache.flink.table.api.ValidationException: "
	const plus = "'<NUMERIC> + <NUMERIC>'\n'<DATETIME_INTERVAL> + <DATETIME_INTERVAL>'\n'<DATETIME> + <DATETIME_INTERVAL>'\n'<DATETIME_INTERVAL> + <DATETIME>'"
	tests := []struct{ expr, want string }{
		{"i + s", sve + "Cannot apply '+' to arguments of type '<INTEGER> + <VARCHAR(2147483647)>'. Supported form(s): " + plus},
		{"b + 1", sve + "Cannot apply '+' to arguments of type '<BOOLEAN> + <INTEGER>'. Supported form(s): " + plus},
		{"b = 1", sve + "Cannot apply '=' to arguments of type '<BOOLEAN> = <INTEGER>'. Supported form(s): '<COMPARABLE_TYPE> = <COMPARABLE_TYPE>'"},
		{"b AND i", sve + "Cannot apply 'AND' to arguments of type '<BOOLEAN> AND <INTEGER>'. Supported form(s): '<BOOLEAN> AND <BOOLEAN>'"},
		{"NOT i", sve + "Cannot apply 'NOT' to arguments of type 'NOT<INTEGER>'. Supported form(s): 'NOT<BOOLEAN>'"},
		{"i IS TRUE", sve + "Cannot apply 'IS TRUE' to arguments of type '<INTEGER> IS TRUE'. Supported form(s): '<BOOLEAN> IS TRUE'"},
		{"MOD(d, 2)", sve + "Cannot apply 'MOD' to arguments of type 'MOD(<DOUBLE>, <INTEGER>)'. Supported form(s): 'MOD(<EXACT_NUMERIC>, <EXACT_NUMERIC>)'"},
		{"median(i)", sve + "No match found for function signature median(<NUMERIC>)"},
		{"s = i", ve + "implicit type conversion between VARCHAR and INTEGER is not supported now"},
		{"i + NULL", sve + "Illegal use of 'NULL'"},
		{"CASE WHEN i THEN 1 END", sve + "Expected a boolean type"},
		{"CASE WHEN b THEN 1 ELSE 'a' END", sve + "Illegal mixing of types in CASE or COALESCE statement"},
		{"COALESCE(i, s)", ve + "Invalid input arguments."},
		{"IFNULL('a')", sve + "No match found for function signature IFNULL(<CHARACTER>).\nSupported signatures are:\nIFNULL(input <COMMON>, null_replacement <COMMON>)"},
		{"GREATEST(i, s)", ve + "All types in a comparison should support both 'EQUALS' and 'ORDER' comparison with each other. Can not compare INT with STRING"},
		{"CAST(dt AS INT)", sve + "Cast function cannot convert value of type DATE to type INTEGER"},
		{"ts = dt", sve + "Cannot apply '=' to arguments of type '<TIMESTAMP(3)> = <DATE>'. Supported form(s): '<COMPARABLE_TYPE> = <COMPARABLE_TYPE>'"},
		{"ARRAY[1, 'a']", sve + "Parameters must be of the same type"},
		{"MAP['a']", sve + "Map requires an even number of arguments"},
	}
	for _, tt := range tests {
		e, err := bind(tt.expr)
		if err == nil {
			t.Errorf("%s: resolved to %s", tt.expr, rex.Digest(e))
		} else if err.Error() != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.expr, err, tt.want)
		}
	}
}

func TestResolveAggregate(t *testing.T) {
	tests := []struct {
		name, arg, want string
		use             AggregateUse
	}{
		{"COUNT", "i", "BIGINT NOT NULL", AggregateUse{Global: true}},
		{"SUM", "nni", "INT NOT NULL", AggregateUse{}},
		{"SUM", "nni", "INT", AggregateUse{Global: true}},
		{"SUM", "c", "DECIMAL(38, 2)", AggregateUse{}},
		{"AVG", "nnc", "DECIMAL(38, 6) NOT NULL", AggregateUse{}},
		{"AVG", "f", "FLOAT", AggregateUse{}},
		{"MIN", "nns", "STRING", AggregateUse{Filter: true}},
		{"STDDEV", "c", "DECIMAL(38, 6)", AggregateUse{}},
		{"COLLECT", "nni", "MULTISET<INT NOT NULL> NOT NULL", AggregateUse{Global: true}},
		{"ARRAY_AGG", "s", "ARRAY<STRING>", AggregateUse{}},
		{"LAG", "nni", "INT", AggregateUse{Over: true}},
		{"ROW_NUMBER", "", "BIGINT NOT NULL", AggregateUse{Over: true}},
	}
	for _, tt := range tests {
		var args []rex.Expr
		if tt.arg != "" {
			args = []rex.Expr{mustBind(t, tt.arg)}
		}
		a, err := ResolveAggregate(nil, tt.name, args, tt.use)
		if err != nil {
			t.Errorf("%s(%s): %v", tt.name, tt.arg, err)
			continue
		}
		if got := a.T.String(); got != tt.want {
			t.Errorf("%s(%s): type %s, want %s", tt.name, tt.arg, got, tt.want)
		}
	}
}
