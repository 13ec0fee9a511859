package conformance

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var (
	update    = flag.Bool("update", false, "write docs/conformance.md")
	otherRoot = flag.String("cases", "", "folder of <family>/<case> folders to run instead of the recorded corpus; prints its figures")
)

// caseRoots are the folders of families.
func caseRoots() []string {
	if *otherRoot != "" {
		return []string{*otherRoot}
	}
	return []string{corpus, moreCorpus}
}

const docFile = "../../docs/conformance.md"

// The recorded files and the modes that they stand for.
var files = []struct{ file, mode string }{
	{"stream.txt", "stream"},
	{"batch.txt", "batch"},
	{"explain.txt", "explain"},
	{"explain-batch.txt", "explain-batch"},
	{"errors.txt", "ddl-errors"},
	{"print.txt", "print"},
	{"sink", "sink"},
	{"", "corpus"},
	{"", "lab"},
	{"", "versions"},
}

// TestConformance runs every recorded case. It fails when docs/conformance.md is stale; a
// single case shows its differences with -v -run 'Conformance/agg/rollup'.
func TestConformance(t *testing.T) {
	tally := newTally()
	for _, c := range loadCases(t) {
		t.Run(c.family+"/"+c.name, func(t *testing.T) {
			for _, f := range checkCase(t, c) {
				tally.add(c, f)
				if testing.Verbose() {
					logVerdicts(t, f)
				}
			}
		})
	}
	if *otherRoot != "" {
		t.Log("\n" + tally.document())
		return
	}
	for _, tr := range loadTranscripts(t) {
		t.Run("transcript/"+tr.name, func(t *testing.T) {
			f := fileVerdict{tr.group, []verdict{judgeTranscript(tr)}}
			tally.add(&recordedCase{family: "transcript", name: tr.name}, f)
			if testing.Verbose() {
				logVerdicts(t, f)
			}
		})
	}
	if pattern := flag.Lookup("test.run").Value.String(); strings.Contains(pattern, "/") {
		return // a part of the cases says nothing about the document
	}
	checkSupported(t, tally)
	doc := tally.document()
	if *update {
		if err := os.WriteFile(docFile, []byte(doc), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	have, err := os.ReadFile(docFile)
	if err != nil {
		t.Fatal(err)
	}
	if worse := tally.worseThan(string(have)); worse != "" {
		t.Errorf("worse than docs/conformance.md says:\n%s", worse)
	} else if string(have) != doc {
		t.Logf("docs/conformance.md is stale; run: go test ./reference/conformance -update")
	}
}

// fileVerdict is the comparison of one recorded file.
type fileVerdict struct {
	mode     string
	verdicts []verdict
}

// outcome of a file is the worst of its statements.
func (f fileVerdict) outcome() string {
	worst := exact
	for _, v := range f.verdicts {
		if rank(v.outcome) > rank(worst) {
			worst = v.outcome
		}
	}
	return worst
}

func rank(outcome string) int {
	for i, o := range outcomes {
		if o == outcome {
			return i
		}
	}
	return len(outcomes)
}

var outcomes = []string{exact, sameRows, aMerge, isUnsupported, isWrong}

func checkCase(t testing.TB, c *recordedCase) []fileVerdict {
	out, r := runCase(t, c)
	var fs []fileVerdict
	for _, f := range files {
		switch f.file {
		case "": // transcripts are run by themselves
			continue
		case "print.txt":
			if want := read(c.dir, f.file); want != "" {
				fs = append(fs, fileVerdict{f.mode, judgePrint(out, r, want)})
			}
			continue
		case "sink":
			if v := judgeSink(out, r); v != nil {
				fs = append(fs, fileVerdict{f.mode, v})
			}
			continue
		}
		want, got := read(c.dir, f.file), out[f.file]
		if want == "" && len(got) == 0 {
			continue
		}
		fs = append(fs, fileVerdict{f.mode, judge(c, f.file, got, want)})
	}
	return fs
}

func logVerdicts(t *testing.T, f fileVerdict) {
	for _, v := range f.verdicts {
		switch v.outcome {
		case exact:
		case isUnsupported:
			t.Logf("%s: unsupported: %s\n%s", f.mode, v.reason, v.stmt)
		default:
			t.Logf("%s: %s\n%s\n%s", f.mode, v.outcome, v.stmt, difference(v.want, v.got))
		}
	}
}
