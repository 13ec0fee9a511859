package conformance

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/labgrade/labgrade/changelog"
	"github.com/labgrade/labgrade/reference/client"
	"github.com/labgrade/labgrade/reference/merge"
	"github.com/labgrade/labgrade/reference/stream"
	"github.com/labgrade/labgrade/value"
)

// printedLog is the rows of a recorded table, for the search of a merge that gives them.
type printedLog struct {
	lines []string
	cols  []value.Field
	buf   bytes.Buffer
	w     *value.TableWriter
}

func newPrintedLog(text string, cols []value.Field) *printedLog {
	l := &printedLog{cols: cols}
	for _, line := range strings.Split(text, "\n") {
		if isLogLine(line) {
			l.lines = append(l.lines, line)
		}
	}
	return l
}

func isLogLine(line string) bool {
	return len(line) > 6 && line[0] == '|' && strings.Contains("+I -U +U -D", line[2:4])
}

func (l *printedLog) Len() int { return len(l.lines) }

func (l *printedLog) Equal(i int, kind changelog.RowKind, row value.Row) bool {
	if l.w == nil {
		l.w = value.NewTableWriter(&l.buf, l.cols, value.TableOptions{Op: true})
	}
	l.buf.Reset()
	l.w.Row(kind.String(), row)
	if err := l.w.Flush(); err != nil {
		return false
	}
	return strings.TrimSuffix(l.buf.String(), "\n") == l.lines[i]
}

// around is what is printed above and below the rows of a log, without their number.
func around(text string) string {
	var rest []string
	for _, line := range strings.Split(text, "\n") {
		if !isLogLine(line) && !strings.HasPrefix(line, "Received a total of") {
			rest = append(rest, line)
		}
	}
	return strings.Join(rest, "\n")
}

// TestMergesOfUnstableLogs: where Flink gave two logs in two runs, both are those of a merge
// of the inputs; what an editor makes of them is not.
func TestMergesOfUnstableLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of searches on one goroutine: nothing for the race detector, which takes minutes for them")
	}
	var recorded, accepted, rejected, open, undecided int
	for _, c := range loadCases(t) {
		if c.stable || !c.modes["stream"] || read(c.dir, "stream-2.txt") == "" {
			continue
		}
		t.Run(c.family+"/"+c.name, func(t *testing.T) {
			r := newRunner(t, c)
			r.runAll(append(slices.Clone(c.config), c.ddl...))
			var run []string
			for _, q := range c.query {
				if !isExplain.MatchString(q) {
					run = append(run, q)
				}
			}
			for i, q := range run {
				r.again = func(res *client.Result, again func(stream.Order, stream.Out) error) error {
					for n, text := range recordedAnswers(c, i, len(run)) {
						log := newPrintedLog(text, res.Columns)
						recorded++
						switch got := searchLog(t, again, log, merge.Limits{Elements: 60_000, States: 30_000}); {
						case got.GaveUp:
							open++
							t.Logf("run %d of %s: no answer within the limits", n+1, q)
						case !got.Found:
							t.Errorf("run %d of %s: no merge gives row %d: %s", n+1, q, got.At+1, log.line(got.At))
						}
						for what, lines := range editedLogs(log.lines) {
							got := searchLog(t, again, &printedLog{lines: lines, cols: log.cols}, merge.Limits{Elements: 1_500, States: 750})
							switch {
							case got.GaveUp:
								undecided++
							case !got.Found:
								rejected++
							case follow(t, again, got.Path, log.cols) != strings.Join(lines, "\n"):
								t.Errorf("run %d of %s, %s: the order that was found gives another log", n+1, q, what)
							default:
								accepted++
							}
						}
					}
					return nil
				}
				r.run(q)
			}
		})
	}
	t.Logf("%d recorded logs, %d without an answer; edited logs: %d rejected, %d are those of another merge, %d without an answer", recorded, open, rejected, accepted, undecided)
	if open*10 > recorded {
		t.Errorf("%d of %d recorded logs are too much for the search", open, recorded)
	}
	if accepted*4 > rejected {
		t.Errorf("%d of %d edited logs are accepted: the test sees little", accepted, accepted+rejected)
	}
}

func searchLog(t *testing.T, again merge.Run, log merge.Log, limits merge.Limits) merge.Result {
	got, err := merge.Search(again, log, limits)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func (l *printedLog) line(i int) string {
	if i < len(l.lines) {
		return l.lines[i]
	}
	return "(the end)"
}

// editedLogs drops, doubles, swaps and changes rows.
func editedLogs(lines []string) map[string][]string {
	out := map[string][]string{}
	for i := 0; i < len(lines); i += max(2, len(lines)/2) {
		out[fmt.Sprint("without row ", i+1)] = slices.Delete(slices.Clone(lines), i, i+1)
		out[fmt.Sprint("row twice ", i+1)] = slices.Insert(slices.Clone(lines), i, lines[i])
		if i+1 < len(lines) && lines[i] != lines[i+1] {
			s := slices.Clone(lines)
			s[i], s[i+1] = s[i+1], s[i]
			out[fmt.Sprint("swapped rows ", i+1)] = s
		}
		s := slices.Clone(lines)
		s[i] = strings.Replace(s[i], lines[i][2:4], map[string]string{"+I": "-D", "-D": "+U", "+U": "-U", "-U": "+I"}[lines[i][2:4]], 1)
		out[fmt.Sprint("another kind in row ", i+1)] = s
	}
	return out
}

// follow is the log that an order gives.
func follow(t *testing.T, again merge.Run, path []int, cols []value.Field) string {
	var b bytes.Buffer
	w := value.NewTableWriter(&b, cols, value.TableOptions{Op: true})
	err := again(merge.Follow(path), func(k changelog.RowKind, row value.Row, _ stream.Cause) error {
		w.Row(k.String(), row)
		return nil
	})
	if err == nil {
		err = w.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
