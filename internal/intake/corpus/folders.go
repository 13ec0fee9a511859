//go:build unix

package corpus

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf16"
)

// Folders lists the hostile folders for the lab dynamic.
func Folders() []Folder {
	link := func(to string) func(string) error {
		return func(dir string) error {
			p, err := in(dir, "stream.out")
			if err != nil {
				return err
			}
			return os.Symlink(to, p)
		}
	}
	repeat := func(s string, n int) func() []byte {
		return func() []byte { return bytes.Repeat([]byte(s), n) }
	}
	const stream = "stream"
	return []Folder{
		// What stands in a file's place.
		{"an absolute link out", stream, link("/etc/passwd"), Refused, "leads out of the folder"},
		{"a relative link out", stream, link("../secret"), Refused, "leads out of the folder"},
		{"a link to itself", stream, link("stream.out"), Refused, "link"},
		{"a link that loops", stream, loop, Refused, "link"},
		{"a link to a device", stream, link("/dev/zero"), Refused, "leads out of the folder"},
		{"a link to a process's memory", stream, link("/proc/self/mem"), Refused, "leads out of the folder"},
		{"a folder of links", "to-changelog", linkedFolder, Refused, ""},
		{"a pipe", stream, pipe, Refused, "named pipe"},
		{"a socket", stream, socket, Refused, "socket"},
		{"a device", stream, device, Refused, "device"},
		{"a folder", stream, folder, Refused, "a folder, not a file"},
		{"a file in a folder's place", "to-changelog", replace("changelog", repeat("x\n", 3)), Refused, ""},

		// Sizes.
		{"a sparse terabyte", stream, sparse, Refused, "bytes"},
		{"a line of 17 MB", stream, replace("stream.out", repeat("x", 17<<20)), Refused, "bytes"},
		{"lines without end", stream, replace("stream.out", repeat("\n", 8<<20)), Refused, ""},
		{"a million columns", stream, replace("stream.out", millionColumns), Wrong, ""},
		{"a table of a million dashes", stream, change("stream.out", func(b []byte) []byte { return append(bytes.Repeat([]byte("-"), 1<<20), b...) }), Right, ""},
		{"10,001 files", "to-changelog", manyFiles, Refused, "too many files"},
		{"folders in folders", "to-changelog", deepFolders, Refused, "too deep"},
		{"an empty file", stream, replace("stream.out", repeat("", 0)), Refused, ""},

		// Text that is none.
		{"NUL bytes", stream, change("stream.out", func(b []byte) []byte { return bytes.Replace(b, []byte("u07"), []byte("u\x007"), 1) }), Refused, "NUL"},
		{"UTF-16", stream, change("stream.out", utf16LE), Right, ""},
		{"bytes that are no UTF-8", stream, change("stream.out", func(b []byte) []byte { return bytes.Replace(b, []byte("u07"), []byte("\xff\xfe\x80"), 1) }), Wrong, ""},
		{"escape sequences in cells", stream, change("stream.out", func(b []byte) []byte { return bytes.Replace(b, []byte("u07"), []byte("\x1b]0;x\x07\x1b[2J\u202e"), 1) }), Wrong, ""},
		{"a cell of 3 MB", stream, change("stream.out", func(b []byte) []byte { return bytes.Replace(b, []byte("u07"), bytes.Repeat([]byte("x"), 3<<20), 1) }), Wrong, ""},
		{"a report of fifty thousand numbers", "report", replace("report.json", func() []byte { return []byte("{" + numbered("\"n%d\": 1, ", 50_000) + "\"users\": 11}") }), Wrong, ""},
		{"random bytes", stream, replace("stream.out", noise), Refused, ""},

		// Depth.
		{"JSON a million deep", "report", replace("report.json", repeat("[", 1<<20)), Refused, ""},
		{"JSON objects a million deep", "report", replace("report.json", repeat(`{"a":`, 200_000)), Wrong, ""},
		{"JSON objects some hundred deep", "report", replace("report.json", repeat(`{"a":`, 900)), Wrong, ""},
		{"a number of a million digits", "report", change("report.json", func(b []byte) []byte {
			return bytes.Replace(b, []byte(": "), append([]byte(": "), bytes.Repeat([]byte("9"), 1<<20)...), 1)
		}), Refused, "larger than any report"},
		{"a number beyond all exponents", "report", replace("report.json", func() []byte { return []byte(`{"users": 1e999999999}`) }), Wrong, ""},
		{"SQL of a hundred thousand brackets", stream, badSQL("SELECT " + strings.Repeat("(", 100_000) + "1"), Wrong, ""},
		{"SQL of a hundred thousand NOTs", stream, badSQL("SELECT " + strings.Repeat("NOT ", 100_000) + "TRUE"), Wrong, ""},
		{"SQL of nested queries", stream, badSQL("SELECT * FROM " + strings.Repeat("(SELECT * FROM ", 20_000) + "clicks"), Wrong, ""},
		{"SQL that sums a hundred thousand times", stream, badSQL("SELECT 1" + strings.Repeat("+1", 100_000)), Wrong, ""},
		{"SQL of five hundred alternatives", stream, badSQL(clicks + "SELECT * FROM clicks WHERE dwell = 1" + strings.Repeat(" OR dwell = 2", 500)), Wrong, ""},
		{"SQL of ten thousand values", stream, badSQL(clicks + "SELECT * FROM clicks WHERE dwell IN (1" + numbered(", %d", 10_000) + ")"), Wrong, ""},
		{"SQL that multiplies decimals", stream, badSQL("SELECT 1.23456789" + strings.Repeat(" * 1.23456789", 1000)), Wrong, ""},
		{"SQL of views over views", stream, badSQL(clicks + "CREATE VIEW v0 AS SELECT user_id FROM clicks;\n" +
			numbered("CREATE VIEW v%[1]d AS SELECT * FROM v%[2]d UNION ALL SELECT * FROM v%[2]d;\n", 50) + "SELECT * FROM v50"), Wrong, ""},
		{"SQL of queries over queries", stream, badSQL(clicks + "WITH c0 AS (SELECT user_id FROM clicks)" +
			numbered(", c%[1]d AS (SELECT a.user_id FROM c%[2]d a, c%[2]d b)", 50) + " SELECT * FROM c50"), Wrong, ""},
		{"SQL of five thousand unions", stream, badSQL(clicks + "SELECT user_id FROM clicks" + strings.Repeat(" UNION ALL SELECT user_id FROM clicks", 2500)), Wrong, ""},
		{"SQL of a product of tables", "batch", product, Wrong, ""},
		{"SQL with a string without end", stream, badSQL("SELECT '" + strings.Repeat("x", 1<<20)), Wrong, ""},
		{"a plan three thousand deep", "explain", replace("explain.out", deepPlan), Wrong, ""},
	}
}

const clicks = "CREATE TABLE clicks (click_id BIGINT, user_id STRING, url STRING, dwell INT, ts TIMESTAMP(3)) WITH " +
	"('connector' = 'filesystem', 'path' = '/opt/lab/fixtures/data/dynamic_clicks.csv', 'format' = 'csv');\n"

// numbered repeats a text with the numbers from 1 to n, and the number before each.
func numbered(format string, n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		if strings.Contains(format, "[2]") {
			fmt.Fprintf(&b, format, i, i-1)
		} else {
			fmt.Fprintf(&b, format, i)
		}
	}
	return b.String()
}

// badSQL puts SQL beside an output that is wrong, so that labgrade looks into the SQL.
func badSQL(text string) func(string) error {
	return func(dir string) error {
		lost := change("stream.out", func(b []byte) []byte {
			lines := bytes.SplitAfter(b, []byte("\n"))
			return bytes.Join(append(lines[:60:60], lines[62:]...), nil)
		})
		if err := lost(dir); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "stream.sql"), []byte(text+";\n"), 0o644)
	}
}

// product is a comma in FROM too many, four times: 25 billion rows.
func product(dir string) error {
	if err := change("batch.out", func(b []byte) []byte { return bytes.Replace(b, []byte("u07"), []byte("u77"), 1) })(dir); err != nil {
		return err
	}
	return replace("batch.sql", func() []byte {
		return []byte("SET 'execution.runtime-mode' = 'batch';\n" + clicks + "SELECT a.* FROM clicks a, clicks b, clicks c, clicks d, clicks e;\n")
	})(dir)
}

func loop(dir string) error {
	p, err := in(dir, "stream.out")
	if err != nil {
		return err
	}
	if err := os.Symlink("two", filepath.Join(dir, "one")); err != nil {
		return err
	}
	if err := os.Symlink("one", filepath.Join(dir, "two")); err != nil {
		return err
	}
	return os.Symlink("one/stream.out", p)
}

// linkedFolder has a folder that leads to itself, and a part that leads out.
func linkedFolder(dir string) error {
	p, err := in(dir, "changelog")
	if err != nil {
		return err
	}
	if err := os.Mkdir(p, 0o755); err != nil {
		return err
	}
	if err := os.Symlink(".", filepath.Join(p, "again")); err != nil {
		return err
	}
	return os.Symlink("/etc/passwd", filepath.Join(p, "part-0"))
}

func pipe(dir string) error {
	p, err := in(dir, "stream.out")
	if err != nil {
		return err
	}
	return syscall.Mkfifo(p, 0o644)
}

func socket(dir string) error {
	p, err := in(dir, "stream.out")
	if err != nil {
		return err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: p, Net: "unix"})
	if err != nil {
		return ErrNotHere{err} // the path is too long
	}
	l.SetUnlinkOnClose(false)
	return l.Close()
}

// device makes /dev/zero anew, which takes a superuser.
func device(dir string) error {
	p, err := in(dir, "stream.out")
	if err != nil {
		return err
	}
	if err := syscall.Mknod(p, syscall.S_IFCHR|0o644, 1<<8|5); err != nil {
		return ErrNotHere{err}
	}
	return nil
}

func folder(dir string) error {
	p, err := in(dir, "stream.out")
	if err != nil {
		return err
	}
	return os.Mkdir(p, 0o755)
}

func sparse(dir string) error {
	p, err := in(dir, "stream.out")
	if err != nil {
		return err
	}
	f, err := os.Create(p)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := f.Truncate(1 << 40); err != nil {
		return ErrNotHere{err} // a file system without sparse files
	}
	return nil
}

func millionColumns() []byte {
	border := "+" + strings.Repeat("-+", 1_000_000) + "\n"
	return []byte(border + "|" + strings.Repeat("a|", 1_000_000) + "\n" + border + "|" + strings.Repeat("1|", 1_000_000) + "\n" + border + "1 row in set\n")
}

func manyFiles(dir string) error {
	p, err := in(dir, "changelog")
	if err != nil {
		return err
	}
	if err := os.Mkdir(p, 0o755); err != nil {
		return err
	}
	for i := range 10_001 {
		if err := os.WriteFile(filepath.Join(p, fmt.Sprintf("part-%d", i)), nil, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func deepFolders(dir string) error {
	p, err := in(dir, "changelog")
	if err != nil {
		return err
	}
	p += strings.Repeat("/d", 100)
	if err := os.MkdirAll(p, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(p, "part-0"), []byte("+I,u07,1\n"), 0o644)
}

func utf16LE(b []byte) []byte {
	out := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(string(b))) {
		out = append(out, byte(u), byte(u>>8))
	}
	return out
}

// noise is a fixed sequence of bytes without zeros.
func noise() []byte {
	b := make([]byte, 1<<20)
	x := uint32(2463534242)
	for i := range b {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b[i] = byte(x)
		if b[i] == 0 {
			b[i] = 1
		}
	}
	return b
}

func deepPlan() []byte {
	var b bytes.Buffer
	b.WriteString("== Optimized Physical Plan With Advice ==\n")
	for i := range 3000 {
		fmt.Fprintf(&b, "%s+- Calc(select=[a])\n", strings.Repeat("   ", i))
	}
	return b.Bytes()
}
