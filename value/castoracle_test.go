package value

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// testType reads the types that testdata/casts.txt names.
func testType(s string) Type {
	nn := strings.HasSuffix(s, " NOT NULL")
	s = strings.TrimSuffix(s, " NOT NULL")
	var a, b int
	name := s
	if i := strings.IndexByte(s, '('); i >= 0 {
		name = s[:i]
		if n, _ := fmt.Sscanf(s[i:], "(%d, %d)", &a, &b); n < 1 {
			panic(s)
		}
	}
	t := map[string]Type{"BOOLEAN": TBoolean, "TINYINT": TTinyInt, "SMALLINT": TSmallInt, "INT": TInt, "BIGINT": TBigInt, "FLOAT": TFloat, "DOUBLE": TDouble,
		"STRING": TString, "BYTES": TBytes, "DATE": TDate, "DECIMAL": DecimalType(a, b), "CHAR": CharType(a), "VARCHAR": VarcharType(a), "BINARY": BinaryType(a), "VARBINARY": VarbinaryType(a),
		"TIME": TimeType(a), "TIMESTAMP": TimestampType(a), "TIMESTAMP_LTZ": TimestampLTZType(a)}[name]
	if nn {
		t = t.NotNull()
	}
	return t
}

// TestCastsAgainstFlink compares with the answers of Flink's own cast rules.
func TestCastsAgainstFlink(t *testing.T) {
	f, err := os.Open("testdata/casts.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unescape := strings.NewReplacer(`\n`, "\n", `\t`, "\t")
	n := 0
	for sc := bufio.NewScanner(f); sc.Scan(); {
		q := strings.Split(sc.Text(), "|")
		if len(q) != 5 || q[0][0] == '#' {
			continue
		}
		zone, err := time.LoadLocation(q[3])
		if err != nil {
			t.Skip("no time zone data")
		}
		n++
		if got := castForTest(t, testType(q[0]), testType(q[1]), unescape.Replace(q[2]), zone); got != q[4] {
			t.Errorf("%s -> %s, %q in %s: got %q, want %q", q[0], q[1], q[2], q[3], got, q[4])
		}
	}
	if n < 4000 {
		t.Errorf("%d cases only", n)
	}
}

func castForTest(t *testing.T, from, to Type, text string, zone *time.Location) string {
	t.Helper()
	opt := CastOptions{Zone: zone}
	read, err := Caster(TString, from, opt)
	if err != nil {
		t.Fatal(err)
	}
	v, err := read(String(text))
	if err != nil {
		t.Fatal(err)
	}
	cast, err := Caster(from, to, opt)
	if err != nil {
		return "ERR " + err.Error()
	}
	if v, err = cast(v); err != nil {
		return "ERR " + strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(err.Error())
	}
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(string(AppendCell(nil, &to, v, zone)))
}
