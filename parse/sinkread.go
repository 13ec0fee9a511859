package parse

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// ReadSink reads the folder dir of fsys. The error is the file system's or OnRow's.
//
// Hidden files, _SUCCESS, checksums and what desktops leave behind are noted and not
// read; so are the files of a job that did not end. Every other regular file counts,
// as Flink itself would read it back.
func ReadSink(fsys fs.FS, dir string, o SinkOptions) (*SinkFolder, error) {
	f := &SinkFolder{}
	if o.MaxProblems <= 0 {
		o.MaxProblems = 1000
	}
	if err := f.list(fsys, dir); err != nil {
		return f, err
	}
	f.order()
	var keep arena
	for i := range f.Files {
		if err := f.read(fsys, dir, i, o, &keep); err != nil {
			return f, err
		}
	}
	return f, nil
}

func (f *SinkFolder) note(code, format string, args ...any) {
	f.Notes = append(f.Notes, Note{Code: code, Text: fmt.Sprintf(format, args...)})
}

func (f *SinkFolder) problem(o SinkOptions, p Problem) {
	f.NProblems++
	if len(f.Problems) < o.MaxProblems {
		f.Problems = append(f.Problems, p)
	}
}

func (f *SinkFolder) list(fsys fs.FS, dir string) error {
	return fs.WalkDir(fsys, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(strings.TrimPrefix(name, dir), "/")
		base := path.Base(name)
		if d.IsDir() {
			if rel != "" && hiddenName(base) {
				f.note(NoteHidden, "the folder %s is no part of the table", rel)
				return fs.SkipDir
			}
			return nil
		}
		if strings.Contains(base, ".inprogress.") && strings.HasPrefix(base, ".part-") {
			f.InProgress = append(f.InProgress, rel)
			f.note(NoteHidden, "%s was left by a job that did not end: its rows do not count", rel)
			return nil
		}
		if hiddenName(base) || strings.HasSuffix(base, ".crc") || base == "Thumbs.db" || base == "desktop.ini" || strings.HasSuffix(base, "~") {
			f.note(NoteHidden, "%s is no part of the table", rel)
			return nil
		}
		if !d.Type().IsRegular() {
			f.note(NoteHidden, "%s is no regular file and is not read", rel)
			return nil
		}
		s := SinkFile{Name: rel}
		s.parseName(base)
		for _, p := range strings.Split(path.Dir(rel), "/") {
			if k, v, ok := strings.Cut(p, "="); ok {
				s.Partition = append(s.Partition, Attr{Key: k, Value: v})
			}
		}
		if info, err := d.Info(); err == nil {
			s.Bytes = info.Size()
			s.modTime = info.ModTime().UnixNano()
		}
		f.Files = append(f.Files, s)
		return nil
	})
}

// hiddenName: Flink's file source skips names that begin so.
func hiddenName(base string) bool { return base[0] == '.' || base[0] == '_' }

// parseName reads part-<uuid>-<subtask>-<counter> (streaming) and
// part-<uuid>-task-<subtask>-file-<counter> (batch; some versions put an attempt
// between).
func (s *SinkFile) parseName(base string) {
	rest, ok := strings.CutPrefix(base, "part-")
	if !ok || len(rest) < 37 || !isUUID(rest[:36]) || rest[36] != '-' {
		return
	}
	uuid := rest[:36]
	rest = rest[37:]
	if i := strings.IndexByte(rest, '.'); i >= 0 {
		rest = rest[:i] // an extension
	}
	p := strings.Split(rest, "-")
	sub, counter := "", ""
	switch {
	case len(p) == 2:
		sub, counter = p[0], p[1]
	case len(p) >= 4 && p[0] == "task" && p[len(p)-2] == "file":
		sub, counter, s.Batch = p[1], p[len(p)-1], true
	default:
		return
	}
	a, err1 := strconv.Atoi(sub)
	b, err2 := strconv.Atoi(counter)
	if err1 == nil && err2 == nil && a >= 0 && b >= 0 {
		s.UUID, s.Subtask, s.Counter = uuid, a, b
	}
}

func isUUID(s string) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F':
		default:
			return false
		}
	}
	return true
}

// order sorts the files as they were written: runs by time, then partitions as they
// stand, subtasks and counters as numbers.
func (f *SinkFolder) order() {
	first := map[string]int64{} // a run's oldest file
	for _, s := range f.Files {
		if t, ok := first[s.UUID]; !ok || s.modTime < t {
			first[s.UUID] = s.modTime
		}
	}
	ids := make([]string, 0, len(first))
	for id := range first {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(first[a], first[b]), cmp.Compare(a, b))
	})
	f.Runs = len(ids)
	if _, ok := first[""]; ok && len(ids) > 1 {
		f.note(NoteAmbiguous, "some files do not have the name of a part file; they are read as a run of their own")
	}
	if len(ids) > 1 {
		f.note(NoteSeveralRuns, "the folder holds the files of %d runs: an INSERT adds to what is there", len(ids))
		for i := 1; i < len(ids); i++ {
			if first[ids[i]] == first[ids[i-1]] {
				f.note(NoteAmbiguous, "the files are equally old: which run came first cannot be told")
				break
			}
		}
	}
	for i := range f.Files {
		f.Files[i].Run = slices.Index(ids, f.Files[i].UUID)
	}
	// With streaming the counter runs through all partitions of a subtask, so it gives
	// the order of writing.
	slices.SortFunc(f.Files, func(a, b SinkFile) int {
		return cmp.Or(cmp.Compare(a.Run, b.Run), cmp.Compare(a.Subtask, b.Subtask), cmp.Compare(a.Counter, b.Counter), cmp.Compare(a.Name, b.Name))
	})
}

// ReadSinkFile reads one part file, or any CSV or JSON-lines text, as a folder of one
// file. The error is the reader's or OnRow's.
func ReadSinkFile(r io.Reader, name string, o SinkOptions) (*SinkFolder, error) {
	if o.MaxProblems <= 0 {
		o.MaxProblems = 1000
	}
	f := &SinkFolder{Runs: 1, Files: []SinkFile{{Name: name}}}
	f.Files[0].parseName(path.Base(name))
	return f, f.readFile(r, 0, o, &arena{})
}

func (f *SinkFolder) read(fsys fs.FS, dir string, i int, o SinkOptions, keep *arena) error {
	file, err := fsys.Open(path.Join(dir, f.Files[i].Name))
	if err != nil {
		return err
	}
	defer file.Close()
	return f.readFile(file, i, o, keep)
}

func (f *SinkFolder) readFile(file io.Reader, i int, o SinkOptions, keep *arena) error {
	s := &f.Files[i]
	r, enc, err := decoded(file)
	if err != nil {
		return err
	}
	if enc != "UTF-8" {
		f.note(NoteEncoding, "%s is %s", s.Name, enc)
	}
	c := newCSVReader(r, o)
	json := o.Format == "json"
	if json {
		c.quote = 0
	}
	var row SinkRow
	for {
		first, last, reason, ok := c.next()
		if !ok {
			return c.lr.err
		}
		row = SinkRow{File: i, Line: first, LastLine: last, Fields: c.fields, Quoted: c.quoted}
		if json {
			line := c.line
			if len(trimSpace(line)) == 0 {
				continue
			}
			v, problems := ParseJSONLine(line, first)
			for _, p := range problems {
				p.File = s.Name
				f.problem(o, p)
			}
			if v == nil {
				continue
			}
			row.JSON, row.Fields, row.Quoted = v, nil, nil
		} else if len(c.fields) == 1 && len(c.fields[0]) == 0 && !c.quoted[0] && reason == "" {
			// An empty line: a row of one NULL or empty column, or a blank line that an editor
			// left. It is a row for the file; the reader knows how many columns there are.
			row.Blank = true
		}
		if reason != "" {
			f.problem(o, Problem{File: s.Name, Line: first, Code: ProblemCSV, Reason: reason, Text: shortText(c.fields)})
		}
		s.NRows++
		f.NRows++
		if o.OnRow != nil {
			if err := o.OnRow(f, &row); err != nil {
				return err
			}
			continue
		}
		k := keep.row(&Row{Cells: row.Fields})
		row.Fields, row.Quoted = k.Cells, append([]bool(nil), row.Quoted...)
		f.Rows = append(f.Rows, row)
	}
}

func shortText(fields [][]byte) string {
	var b strings.Builder
	for i, f := range fields {
		if i > 0 {
			b.WriteByte(',')
		}
		if b.Len()+len(f) > 200 {
			break
		}
		b.Write(f)
	}
	return b.String()
}

// PartUUID is the UUID in the name of a part file, "" for other names.
func PartUUID(base string) string {
	var s SinkFile
	s.parseName(base)
	return s.UUID
}
