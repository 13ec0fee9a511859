package fn

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/labgrade/labgrade/reference/rex"
	"github.com/labgrade/labgrade/reference/unsupported"
	"github.com/labgrade/labgrade/sql"
)

// TestRecordedTypes checks types and validation errors of testdata/types.txt, over
// the columns testColumns. Its lines A hold the plans that Flink showed, which it
// simplifies after resolution.
func TestRecordedTypes(t *testing.T) {
	same, other := 0, 0
	for _, b := range readRecorded(t, filepath.Join("testdata", "types.txt")) {
		q, err := sql.ParseQuery("SELECT " + b.query + " FROM t")
		if err != nil {
			t.Errorf("%s: %v", b.query, err)
			continue
		}
		types, failed := strings.Split(b.types, " | "), ""
		for i, item := range q.Body.(*sql.Select).Items {
			e, err := (&testBinder{columns: testColumns}).expr(item.X)
			switch {
			case unsupported.Is(err):
				t.Logf("refused: %s: %v", b.query, err)
				failed = b.err
			case err != nil && failed == "":
				failed = err.Error()
			case err != nil:
			case b.err == "" && i < len(types) && shownType(e.Type()) != types[i]:
				t.Errorf("%s: column %d has type %s, want %s", b.query, i, shownType(e.Type()), types[i])
			case strings.Contains(b.plan, "=["+rex.Digest(e)+"]"):
				same++
			default:
				other++
				t.Logf("plan of column %d: %s, recorded %s", i, rex.Digest(e), b.plan)
			}
		}
		if failed != b.err {
			t.Errorf("%s:\n got error %q\nwant error %q", b.query, failed, b.err)
		}
	}
	t.Logf("%d expressions in recorded plans, %d shown otherwise there", same, other)
}
