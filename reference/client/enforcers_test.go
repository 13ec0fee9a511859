package client

import (
	"testing"

	"github.com/labgrade/labgrade/reference/unsupported"
)

// TestEnforcers: settings that change values are refused where a column is concerned.
func TestEnforcers(t *testing.T) {
	for _, test := range []struct {
		name, key, val, query string
		refused               bool
	}{
		{"no setting", "a", "b", "SELECT CAST('ab' AS CHAR(5))", false},
		{"default", keyLengthEnforcer, "ignore", "SELECT CAST('ab' AS CHAR(5))", false},
		{"length", keyLengthEnforcer, "TRIM_PAD", "SELECT CAST('ab' AS CHAR(5))", true},
		{"no length", keyLengthEnforcer, "TRIM_PAD", "SELECT CAST('ab' AS STRING), 1", false},
		{"nested length", keyLengthEnforcer, "ERROR", "SELECT ARRAY[CAST('ab' AS VARCHAR(5))]", true},
		{"nested", keyNestedEnforcer, "ERROR", "SELECT ROW(1, 2)", true},
		{"flat", keyNestedEnforcer, "ERROR", "SELECT 1", false},
		{"unknown", keyNullEnforcer, "nope", "SELECT 1", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := New(Options{})
			for _, stmt := range []string{"SET 'sql-client.execution.result-mode' = 'tableau'", "SET '" + test.key + "' = '" + test.val + "'"} {
				if _, err := s.Exec(stmt); err != nil {
					t.Fatal(err)
				}
			}
			_, err := s.Exec(test.query)
			if unsupported.Is(err) != test.refused || err != nil && !test.refused {
				t.Errorf("refused %t: %v", test.refused, err)
			}
		})
	}
}
