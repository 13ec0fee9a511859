package parse

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// answersOf are the cores of the blocks that answer statements.
func answersOf(tr *Transcript) (cores []string, blocks []*Block) {
	for _, b := range tr.Blocks {
		if b.Kind != KindOther {
			cores = append(cores, core([]*Block{b}))
			blocks = append(blocks, b)
		}
	}
	return cores, blocks
}

// checkCut reads the beginning of a file: every answer but the last is the same as in
// the whole file; the last one is, too, or it is visibly unfinished: its rows are the
// first rows of the whole one, it has no footer, or a problem says so.
func checkCut(t *testing.T, name, whole string, want []string, wantBlocks []*Block, n int) {
	t.Helper()
	tr := readText(t, whole[:n])
	got, blocks := answersOf(tr)
	for i, g := range got {
		if i < len(want) && g == want[i] {
			continue
		}
		if i != len(got)-1 || i >= len(want) {
			t.Fatalf("%s cut at byte %d: answer %d\nwant %.300s\ngot  %.300s", name, n, i, at(want, i), g)
		}
		b, w := blocks[i], wantBlocks[i]
		switch {
		case b.IsResult():
			if len(b.Rows) > len(w.Rows) {
				t.Fatalf("%s cut at byte %d: more rows than there are", name, n)
			}
			for k := range b.Rows {
				if !bytes.Equal(bytes.Join(b.Rows[k].Cells, []byte("|")), bytes.Join(w.Rows[k].Cells, []byte("|"))) {
					t.Fatalf("%s cut at byte %d: row %d is %s, not %s", name, n, k+1, b.Rows[k].Cells, w.Rows[k].Cells)
				}
			}
			if b.Complete() && b.NRows != w.NRows {
				t.Fatalf("%s cut at byte %d: rows are lost and nothing tells", name, n)
			}
			if b.Footer == nil && len(b.Notes) == 0 {
				t.Fatalf("%s cut at byte %d: no word about the missing end", name, n)
			}
		case b.Kind == KindPlan:
			if b.Footer == nil && len(b.Notes) == 0 && b.NProblems == 0 {
				t.Fatalf("%s cut at byte %d: no word about the missing end of the plan", name, n)
			}
		}
	}
}

func at(s []string, i int) string {
	if i < len(s) {
		return s[i]
	}
	return "(nothing)"
}

func TestCutAnywhere(t *testing.T) {
	for _, c := range []struct {
		glob  string
		bytes bool // at every ninth byte, too; always at every line
	}{
		{"labs/dynamic/right-one-user/submission/*.out", true},
		{"labs/dynamic/right-120/submission/[bu]*.out", false},
		{"versions/2.3.0/types.out", false},
		{"versions/1.17.2/sinks.out", false},
		{"versions/2.0.0/empty.out", false},
		{"corpus/sink/transcript-*/transcript.out", false},
		{"corpus/sink/client-show-and-describe/stream.txt", false},
	} {
		files, err := filepath.Glob(filepath.Join(recorded, c.glob))
		if err != nil || len(files) == 0 {
			t.Fatal(c.glob, err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			whole := string(data)
			want, blocks := answersOf(readText(t, whole))
			for i := range whole {
				if c.bytes && i%9 == 0 || strings.HasSuffix(whole[:i], "\n") {
					checkCut(t, f, whole, want, blocks, i)
				}
			}
		}
	}
}
