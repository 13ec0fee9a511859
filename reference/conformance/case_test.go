package conformance

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"

	"github.com/labgrade/labgrade/fixtures"
)

// The recorded cases: those that the project began with, and those found since.
const (
	corpus     = "../../fixtures/recorded/corpus"
	moreCorpus = "../../fixtures/recorded-more"
)

// recordedCase is one folder of the corpus.
type recordedCase struct {
	family, name, dir string
	ddl, config       []string
	query             []string
	modes             map[string]bool
	stable            bool
}

func loadCases(t testing.TB) []*recordedCase {
	t.Helper()
	var dirs []string
	for _, root := range caseRoots() {
		found, err := filepath.Glob(root + "/*/*")
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, found...)
	}
	sort.Strings(dirs)
	var cases []*recordedCase
	for _, d := range dirs {
		if _, err := os.Stat(filepath.Join(d, "query.sql")); err != nil {
			continue
		}
		c := &recordedCase{family: filepath.Base(filepath.Dir(d)), name: filepath.Base(d), dir: d, stable: true}
		c.ddl, c.config, c.query = fixtures.Statements(read(d, "ddl.sql")), fixtures.Statements(read(d, "config.sql")), fixtures.Statements(read(d, "query.sql"))
		c.modes = map[string]bool{}
		words := strings.Fields(read(d, "modes"))
		if len(words) == 0 {
			words = []string{"stream", "batch", "explain", "explain-batch"}
		}
		for _, w := range words {
			c.modes[w] = true
		}
		var meta struct {
			StreamStable *bool `json:"stream_stable"`
		}
		if err := json.Unmarshal([]byte(read(d, "meta.json")), &meta); err == nil && meta.StreamStable != nil {
			c.stable = *meta.StreamStable
		}
		cases = append(cases, c)
	}
	return cases
}

func read(dir, name string) string {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return ""
	}
	return string(b)
}

var (
	isExplain = regexp.MustCompile(`(?i)^EXPLAIN`)
	isInsert  = regexp.MustCompile(`(?i)^(INSERT|EXECUTE STATEMENT|BEGIN)`)
	isPlanned = regexp.MustCompile(`(?i)^(SELECT|WITH|INSERT|\(|VALUES)`)
	isQuery   = regexp.MustCompile(`(?i)^(SELECT|WITH|\(|VALUES)`)
	madeName  = regexp.MustCompile("(?i)^CREATE\\s+(TEMPORARY\\s+)?(TABLE|VIEW|FUNCTION|MATERIALIZED TABLE)\\s+(IF NOT EXISTS\\s+)?(`[^`]+`|\\w+)")
)

// drops are the statements that remove what the DDL made, last first.
func drops(ddl []string) []string {
	var out []string
	for i := len(ddl) - 1; i >= 0; i-- {
		if m := madeName.FindStringSubmatch(ddl[i]); m != nil {
			out = append(out, "DROP "+m[1]+m[2]+" IF EXISTS "+m[4])
		}
	}
	return out
}
