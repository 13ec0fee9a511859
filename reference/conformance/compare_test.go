package conformance

import (
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// The outcomes of a comparison, best first.
const (
	exact         = "exact"
	sameRows      = "same rows"   // batch without ORDER BY at the top, files of a folder: the rows as a bag
	aMerge        = "a merge"     // stream over several sources: the log of another merge of the inputs
	isUnsupported = "unsupported" // refused
	isWrong       = "wrong"
)

// verdict compares one statement's answer.
type verdict struct {
	stmt, got, want string
	outcome, reason string
}

var (
	seconds   = regexp.MustCompile(` \([\d.]+ seconds?\)`)
	loaderID  = regexp.MustCompile(`ClassLoader @[0-9a-f]+`)
	jobID     = regexp.MustCompile(`Job ID: [0-9a-f]{32}`)
	runs      = regexp.MustCompile(`[-+ |]{2,}`)
	codeSet   = regexp.MustCompile(`(Valid values are|Defined op codes are): \[([^\]]*)\]`)
	usesClock = regexp.MustCompile(`(?i)PROCTIME|NOW\(|CURRENT_|LOCALTIME|UNIX_TIMESTAMP`)
	clock     = regexp.MustCompile(`2026-11-30 \d\d:\d\d:\d\d(\.\d+)?|\b17960\d{5}\b`)
	firstGap  = regexp.MustCompile(`\n\n([-+]-|\[INFO\]|\[ERROR\]|Empty set|NO ANSWER|The following commands)`)
)

// pieces cuts a recorded file into the answers of its statements.
func pieces(text string) []string {
	var out []string
	for {
		m := firstGap.FindStringIndex(text)
		if m == nil {
			return append(out, strings.Trim(text, "\n")+"\n")
		}
		out = append(out, strings.Trim(text[:m[0]], "\n")+"\n")
		text = text[m[0]+2:]
	}
}

// The numbers of operators in JSON plans count what the client has planned since it started.
var (
	stepNumber = regexp.MustCompile(`("id" : )(\d+)()`)
	nodeNumber = regexp.MustCompile(`(\[)(\d+)(\](?:"|:|: Writer"))`)
)

// relative counts the numbers that a pattern finds from the least of them.
func relative(text string, number *regexp.Regexp) string {
	least := -1
	for _, m := range number.FindAllStringSubmatch(text, -1) {
		if n, err := strconv.Atoi(m[2]); err == nil && (least < 0 || n < least) {
			least = n
		}
	}
	return number.ReplaceAllStringFunc(text, func(s string) string {
		m := number.FindStringSubmatch(s)
		n, _ := strconv.Atoi(m[2])
		return m[1] + strconv.Itoa(n-least) + m[3]
	})
}

// normal removes what no engine can repeat: seconds, ids, the list of expected tokens, counters.
func normal(text string) string {
	text = seconds.ReplaceAllString(text, "")
	text = loaderID.ReplaceAllString(text, "ClassLoader @X")
	text = jobID.ReplaceAllString(text, "Job ID: X")
	text = codeSet.ReplaceAllStringFunc(text, func(s string) string {
		i, j := strings.Index(s, "["), strings.Index(s, "]")
		words := strings.Split(s[i+1:j], ", ")
		sort.Strings(words)
		return s[:i] + strings.Join(words, ", ")
	})
	if strings.HasPrefix(text, "[ERROR]") {
		if i := strings.Index(text, "\nWas expecting"); i > 0 {
			text = text[:i+1]
		}
		if strings.Contains(text, "CannotPlanException") {
			// the planner's state follows
			lines := strings.SplitN(text, "\n", 3)
			text = strings.Join(lines[:min(2, len(lines))], "\n") + "\n"
		}
		if i := strings.Index(text, "\t... "); i > 0 {
			text = text[:i]
		}
	}
	if i := strings.Index(text, "== Physical Execution Plan =="); i >= 0 {
		text = runs.ReplaceAllString(text[:i]+relative(relative(text[i:], stepNumber), nodeNumber), " ")
	}
	if strings.Contains(text, "{data}") || strings.Contains(text, "{out}") {
		// the widths were those of the recording's own paths
		text = runs.ReplaceAllString(text, " ")
	}
	return text
}

// judge compares the answers of one file.
func judge(c *recordedCase, file string, got []answer, recorded string) []verdict {
	want := pieces(recorded)
	if len(want) != len(got) {
		return judgeWhole(got, recorded)
	}
	// where a second run of Flink gave another log, that one is right, too
	second := pieces(read(c.dir, strings.TrimSuffix(file, ".txt")+"-2.txt"))
	out := make([]verdict, len(got))
	for i := range got {
		out[i] = judgeOne(c, file, got[i], want[i])
		if len(second) == len(got) && out[i].outcome != exact {
			if v := judgeOne(c, file, got[i], second[i]); rank(v.outcome) < rank(out[i].outcome) {
				out[i] = v
			}
		}
	}
	return out
}

// judgeWhole compares a file whose answers cannot be told apart.
func judgeWhole(got []answer, recorded string) []verdict {
	var texts, stmts []string
	v := verdict{}
	for _, a := range got {
		texts = append(texts, a.text)
		stmts = append(stmts, a.stmt)
		if a.unsupported != "" {
			v.outcome, v.reason = isUnsupported, a.unsupported
		}
	}
	v.stmt, v.got, v.want = strings.Join(stmts, ";\n"), strings.Join(texts, "\n"), recorded
	if v.outcome == "" {
		v.outcome = isWrong
		if normal(v.got) == normal(v.want) {
			v.outcome = exact
		}
	}
	return []verdict{v}
}

func judgeOne(c *recordedCase, file string, a answer, want string) verdict {
	v := verdict{stmt: a.stmt, got: a.text, want: want, outcome: isWrong}
	g, w := normal(a.text), normal(want)
	if usesClock.MatchString(a.stmt) {
		g, w = clock.ReplaceAllString(g, "CLOCK"), clock.ReplaceAllString(w, "CLOCK")
	}
	if strings.Contains(w, "java.io.FileNotFoundException") || strings.Contains(w, "UnsupportedFileSystemSchemeException") {
		// whether the header of a missing file's table is still printed is a race in Flink
		g, w = onlyError(g), onlyError(w)
	}
	switch {
	case a.unsupported != "":
		v.outcome, v.reason = isUnsupported, a.unsupported
	case g == w:
		v.outcome = exact
	case file == "batch.txt" && !topOrder(a.stmt) && bag(g) == bag(w):
		v.outcome = sameRows
	case file == "stream.txt" && !c.stable && a.scans == 1 && bag(g) == bag(w):
		v.outcome = sameRows // Flink reads the files of a folder in any order
	case file == "stream.txt" && slices.Contains(a.merged, want) && around(g) == around(w):
		v.outcome = aMerge
	}
	return v
}

// onlyError drops a table header before an error.
func onlyError(text string) string {
	if i := strings.Index(text, "[ERROR]"); i >= 0 {
		return text[i:]
	}
	return text
}

// topOrder tells whether a query's rows have an order.
func topOrder(stmt string) bool {
	i := strings.LastIndex(strings.ToUpper(stmt), "ORDER BY")
	return i >= 0 && !strings.Contains(stmt[i:], ")")
}

func bag(text string) string {
	lines := strings.Split(text, "\n")
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}
