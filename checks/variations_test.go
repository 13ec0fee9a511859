package checks

import (
	"strings"
	"testing"

	"github.com/labgrade/labgrade/sql"
)

// TestVariations: each change is the text of a query of its own.
func TestVariations(t *testing.T) {
	const query = "SELECT a.id, COUNT(DISTINCT b.x) FROM a LEFT JOIN b ON a.id = b.id AND b.ts < a.ts + INTERVAL '5' SECOND WHERE a.n > 3 GROUP BY a.id"
	var says []string
	for _, m := range append(variations(query), withoutConditions(query)...) {
		says = append(says, m.says)
		if m.text == query {
			t.Errorf("%s changes nothing", m.says)
		}
		if _, err := sql.ParseQuery(m.text); err != nil {
			t.Errorf("%s: %v\n%s", m.says, err, m.text)
		}
	}
	all := strings.Join(says, "\n")
	for _, want := range []string{"nothing instead of DISTINCT", "JOIN instead of LEFT JOIN", "<> instead of =", "<= instead of <", "'11' instead of '5'", ">= instead of >", "4 instead of 3",
		"OR instead of AND", "the condition a.id = b.id is missing", "the condition b.ts < a.ts + INTERVAL '5' SECOND is missing", "the condition a.n > 3 is missing"} {
		if !strings.Contains(all, want) {
			t.Errorf("no change %q in\n%s", want, all)
		}
	}
}
