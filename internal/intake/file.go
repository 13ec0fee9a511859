package intake

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

// File is an open regular file whose limits are watched while it is read.
type File struct {
	guard
	f    *os.File
	info fs.FileInfo
}

// Close closes the file.
func (f *File) Close() error { return f.f.Close() }

// Stat describes the file.
func (f *File) Stat() (fs.FileInfo, error) { return f.info, nil }

// OpenFile opens a file that the user named, with links followed. "-" and the names of
// standard input are for the caller. The error is a *Problem.
func OpenFile(name string, l Limits) (*File, error) {
	i, err := os.Stat(name)
	if err != nil {
		return nil, systemProblem(name, err)
	}
	// A shell's <(command) is a pipe by that name, and meant.
	piped := strings.HasPrefix(name, "/dev/fd/") || strings.HasPrefix(name, "/proc/self/fd/") || name == "/dev/stdin"
	if p := notRegular(name, i.Mode()); p != nil && !(piped && !i.IsDir()) {
		if p.Reason == "this is a named pipe, not a file" {
			p.Hint = "read it on standard input instead: labgrade ... - < " + name
		}
		return nil, p
	}
	flags := os.O_RDONLY
	if !piped {
		flags |= nonblock
	}
	f, err := os.OpenFile(name, flags, 0)
	if err != nil {
		return nil, systemProblem(name, err)
	}
	j, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, systemProblem(name, err)
	}
	if p := notRegular(name, j.Mode()); p != nil && !piped {
		f.Close()
		return nil, p
	}
	if p := l.tooLarge(name, j.Size()); p != nil {
		f.Close()
		return nil, p
	}
	return &File{f: f, guard: guard{r: f, name: name, limits: l}, info: j}, nil
}

// Reader watches the limits of a stream such as standard input.
func Reader(r io.Reader, name string, l Limits) io.Reader {
	return &guard{r: r, name: name, limits: l}
}

func (l Limits) tooLarge(name string, size int64) *Problem {
	if l.FileBytes > 0 && size > l.FileBytes {
		return &Problem{Code: TooLarge, Path: name, Reason: fmt.Sprintf("the file has %d bytes; at most %d are read", size, l.FileBytes), Hint: "raise --max-bytes if it is meant"}
	}
	return nil
}

// guard counts bytes, lines and line lengths on the way, and finds NUL bytes.
type guard struct {
	r      io.Reader
	name   string
	limits Limits
	folder *Folder

	bytes   int64
	lines   int64
	current int64 // bytes of the line at hand
	utf16   bool  // zero bytes are part of the encoding
	started bool
	err     error
}

// Read implements io.Reader; the error of a passed limit is a *Problem.
func (g *guard) Read(p []byte) (int, error) {
	if g.err != nil {
		return 0, g.err
	}
	n, err := g.r.Read(p)
	if n > 0 {
		if pr := g.check(p[:n]); pr != nil {
			g.err = pr
			return 0, pr
		}
	}
	if err != nil && err != io.EOF {
		err = systemProblem(g.name, err)
	}
	return n, err
}

func (g *guard) check(b []byte) *Problem {
	if !g.started {
		g.started = true
		g.utf16 = looksUTF16(b)
	}
	if i := bytes.IndexByte(b, 0); i >= 0 && !g.utf16 {
		return &Problem{Code: NULBytes, Path: g.name, Line: g.lines + 1 + int64(bytes.Count(b[:i], []byte{'\n'})), Reason: "this is no text: it holds NUL bytes", Hint: "save the output of sql-client.sh again, as plain text"}
	}
	g.bytes += int64(len(b))
	if max := g.limits.FileBytes; max > 0 && g.bytes > max {
		return &Problem{Code: TooLarge, Path: g.name, Reason: fmt.Sprintf("more than %d bytes", max), Hint: "raise --max-bytes if it is meant"}
	}
	if g.folder != nil {
		g.folder.mu.Lock()
		g.folder.bytes += int64(len(b))
		total := g.folder.bytes
		g.folder.mu.Unlock()
		if max := g.folder.limits.TotalBytes; max > 0 && total > max {
			return &Problem{Code: TooLarge, Path: g.name, Reason: fmt.Sprintf("the files of the folder have more than %d bytes together", max)}
		}
	}
	if p := g.lineLengths(b); p != nil {
		return p
	}
	g.lines += int64(bytes.Count(b, []byte{'\n'}))
	if max := g.limits.Lines; max > 0 && g.lines > max {
		return &Problem{Code: TooManyLines, Path: g.name, Reason: fmt.Sprintf("more than %d lines", max), Hint: "raise --max-lines if it is meant"}
	}
	return nil
}

func (g *guard) lineLengths(b []byte) *Problem {
	max := g.limits.LineBytes
	if max <= 0 || g.current+int64(len(b)) <= max {
		// No line can be too long yet.
		if i := bytes.LastIndexByte(b, '\n'); i >= 0 {
			g.current = int64(len(b) - i - 1)
		} else {
			g.current += int64(len(b))
		}
		return nil
	}
	line := g.lines
	for {
		i := bytes.IndexByte(b, '\n')
		n := int64(i)
		if i < 0 {
			n = int64(len(b))
		}
		if g.current += n; g.current > max {
			return &Problem{Code: LongLine, Path: g.name, Line: line + 1, Reason: fmt.Sprintf("the line has more than %d bytes", max), Hint: "raise --max-line if it is meant"}
		}
		if i < 0 {
			return nil
		}
		g.current = 0
		b = b[i+1:]
		line++
	}
}

// looksUTF16: a byte order mark, or zeros at every other place of the first bytes.
func looksUTF16(b []byte) bool {
	if len(b) >= 2 && (b[0] == 0xff && b[1] == 0xfe || b[0] == 0xfe && b[1] == 0xff) {
		return true
	}
	b = b[:min(len(b), 512)]
	var zeros [2]int
	for i, c := range b {
		if c == 0 {
			zeros[i%2]++
		}
	}
	most := len(b) / 2 * 6 / 10
	return len(b) >= 16 && (zeros[0] == 0 && zeros[1] > most || zeros[1] == 0 && zeros[0] > most)
}

// OpenRaw opens a regular file of any kind that the user named, such as an archive.
// The error is a *Problem.
func OpenRaw(name string) (*os.File, error) {
	f, err := OpenFile(name, Limits{})
	if err != nil {
		return nil, err
	}
	return f.f, nil
}
