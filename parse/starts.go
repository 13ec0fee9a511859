package parse

import "bytes"

type start uint8

const (
	startNothing start = iota
	startInfo
	startError
	startException
	startBorder
	startEmptySet
	startPlan
	startFooter
	startPrint
	startBar
	startWarning
	startBanner
	startFence
)

// answers: the start of a block that is no mere text.
func (w start) answers() bool {
	switch w {
	case startNothing, startWarning, startBanner, startFence:
		return false
	}
	return true
}

// answerAt finds what begins in a line, and where. Behind an echo it may begin in the
// middle of the line.
func (s *Scanner) answerAt(b []byte) (start, int) {
	if len(b) == 0 {
		return startNothing, 0
	}
	if isBanner(b) {
		return startBanner, 0
	}
	if i := marker(b, "[ERROR] "); i >= 0 {
		return startError, i
	}
	if i := marker(b, "[UNSUPPORTED] "); i >= 0 {
		return startError, i
	}
	if i := marker(b, "[INFO] "); i >= 0 {
		return startInfo, i
	}
	if i := marker(b, "[WARNING] "); i >= 0 {
		return startInfo, i
	}
	if _, at, _, ok := findBorder(b); ok {
		return startBorder, at
	}
	if i := bytes.Index(b, []byte("== Abstract Syntax Tree ==")); i >= 0 {
		return startPlan, i
	}
	if i := bytes.Index(b, []byte("== Optimized ")); i >= 0 && bytes.HasSuffix(b, []byte(" ==")) {
		return startPlan, i
	}
	if _, i, ok := parseEmptySet(b); ok && (i == 0 || s.echo.open || onlySigns(b[:i])) {
		return startEmptySet, i
	}
	if b[0] == '|' || onlySigns(b[:max(bytes.IndexByte(b, '|'), 0)]) && bytes.IndexByte(b, '|') >= 0 {
		if t := b[bytes.IndexByte(b, '|'):]; len(t) > 3 && t[len(t)-1] == '|' || isOpRow(t) {
			return startBar, 0
		}
	}
	if _, i, ok := parseFooter(b); ok && (i == 0 || onlySigns(b[:i]) || bytes.HasPrefix(b, []byte("^C"))) {
		return startFooter, i
	}
	if _, ok := printKindAt(b); ok {
		if _, ok := ParsePrintLine(b, nil); ok {
			return startPrint, 0
		}
	}
	if t := trimLeftSpace(b); bytes.HasPrefix(t, []byte("```")) || bytes.HasPrefix(t, []byte("~~~")) {
		return startFence, 0
	}
	if i := exceptionAt(b); i >= 0 {
		return startException, i
	}
	if bytes.HasPrefix(b, []byte("Job ID: ")) {
		return startInfo, 0
	}
	if i := warningAt(b); i >= 0 {
		return startWarning, i
	}
	return startNothing, 0
}

// marker finds "[INFO] " and the like. In a plan conflictStrategy=[ERROR] may stand,
// but never with a blank behind the bracket and a letter.
func marker(b []byte, m string) int {
	i := bytes.Index(b, []byte(m))
	if i > 0 && b[i-1] == '=' {
		return -1
	}
	return i
}

// onlySigns: a prefix of quotation, comment or list signs and blanks.
func onlySigns(b []byte) bool { return len(bytes.Trim(b, " \t>#*-/;%")) == 0 }

// isOpRow: a row of a changelog that lacks its end.
func isOpRow(b []byte) bool {
	if len(b) < 6 || b[0] != '|' || b[1] != ' ' || b[4] != ' ' || b[5] != '|' {
		return false
	}
	_, ok := rowKind(b[2:4])
	return ok
}

// warningAt: lines that the JVM and loggers put between answers (2>&1).
func warningAt(b []byte) int {
	for _, p := range [...]string{"WARNING: ", "SLF4J: ", "SLF4J(W): ", "log4j:", "OpenJDK 64-Bit Server VM warning", "Java HotSpot(TM)", "Picked up JAVA_TOOL_OPTIONS", "Picked up _JAVA_OPTIONS", "Hive Session ID = "} {
		if i := bytes.Index(b, []byte(p)); i == 0 || i > 0 && p == "WARNING: " && (bytes.Contains(b[i:], []byte("illegal reflective")) || b[i-1] == ')' || b[i-1] == ']' || b[i-1] == '}') {
			return i
		}
	}
	if len(b) > 30 {
		if r, ok := cutTimestamp(b); ok {
			r = trimLeftSpace(r)
			for _, lv := range [...]string{"INFO ", "WARN ", "ERROR ", "DEBUG ", "[main] "} {
				if bytes.HasPrefix(r, []byte(lv)) {
					return 0
				}
			}
		}
	}
	return -1
}

// isBanner: what the client says when it starts.
func isBanner(b []byte) bool {
	t := trimSpace(b)
	switch {
	case bytes.HasSuffix(t, []byte("org.jline.utils.Log logr")),
		bytes.HasPrefix(t, []byte("WARNING: Unable to create a system terminal")),
		bytes.HasSuffix(t, []byte("[INFO] Executing SQL from file.")),
		bytes.HasPrefix(t, []byte("Command history file path: ")),
		bytes.HasPrefix(t, []byte("Unable to create history file: ")),
		bytes.HasPrefix(t, []byte("Successfully initialized from sql script: ")),
		bytes.HasPrefix(t, []byte("Failed to initialize from sql script: ")),
		bytes.HasPrefix(t, []byte("Welcome! Enter ")),
		bytes.HasPrefix(t, []byte("Searching for '")) && bytes.Contains(t, []byte("found")),
		bytes.HasPrefix(t, []byte("Reading default environment from: ")),
		bytes.HasPrefix(t, []byte("No session environment specified")),
		bytes.HasPrefix(t, []byte("Setting HBASE_CONF_DIR=")), bytes.HasPrefix(t, []byte("Setting HADOOP_CONF_DIR=")),
		bytes.HasPrefix(t, []byte("WARNING: Unknown module: jdk.compiler")),
		bytes.HasPrefix(t, []byte("______ _ _       _")), bytes.HasPrefix(t, []byte("|  ____| (_)")), bytes.HasPrefix(t, []byte("| |__  | |_ _ __")),
		bytes.HasPrefix(t, []byte("|  __| | | | '_")), bytes.HasPrefix(t, []byte("| |    | | | | |")), bytes.HasPrefix(t, []byte("|_|    |_|_|_| |_")):
		return true
	}
	n := 0
	for _, r := range string(t) {
		if r >= 0x2590 && r <= 0x2593 || r == 0x2588 {
			n++
		}
	}
	return n >= 2
}
