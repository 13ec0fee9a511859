package handin

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/labgrade/labgrade/internal/intake"
	"github.com/labgrade/labgrade/labs"
)

// want is what a small lab asks for.
func want() *Want {
	return WantOf(&labs.Lab{Steps: []labs.Step{{SQL: "a.sql", Out: "a.out"}, {Folder: "sink", File: "report.json"}}})
}

// tree is files by path.
type tree map[string]string

// work is a submission in a folder.
func work(dir string) tree {
	return tree{path.Join(dir, "a.sql"): "SELECT 1;\n", path.Join(dir, "a.out"): "one\n", path.Join(dir, "sink/part-1"): "x,1\n"}
}

func join(list ...tree) tree {
	out := tree{}
	for _, t := range list {
		for k, v := range t {
			out[k] = v
		}
	}
	return out
}

func zipped(t testing.TB, files tree) string {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	m := fstest.MapFS{}
	for k, v := range files {
		m[k] = &fstest.MapFile{Data: []byte(v), Mode: 0o644}
	}
	if err := w.AddFS(m); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func tgz(t testing.TB, files tree) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for k, v := range files {
		if err := w.WriteHeader(&tar.Header{Name: k, Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(v))}); err != nil {
			t.Fatal(err)
		}
		io.WriteString(w, v)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func onDisk(t testing.TB, files tree) string {
	t.Helper()
	dir := t.TempDir()
	for k, v := range files {
		p := filepath.Join(dir, filepath.FromSlash(k))
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(v), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func find(t testing.TB, paths ...string) *Set {
	t.Helper()
	s, err := Find(paths, want(), intake.DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// seen is a submission in a line: path, id, name, and its files or its problem.
func seen(s *Submission, root string) string {
	p, _ := filepath.Rel(root, filepath.FromSlash(s.Path))
	line := fmt.Sprintf("%s id=%s", filepath.ToSlash(p), s.ID())
	if n := s.Name(); n != "" {
		line += fmt.Sprintf(" name=%q", n)
	}
	c, problem := s.Open(1 << 20)
	if problem != nil {
		return line + " " + string(problem.Code)
	}
	defer c.Close()
	line += " " + strings.Join(c.Names(), ",")
	for _, n := range c.Notes {
		if n == leftBehind {
			continue // of a folder it is told where it lies, of an archive as a whole
		}
		line += " (" + n + ")"
	}
	return line
}

const all = "a.out,a.sql,sink/part-1"

// TestShapes: what platforms hand out.
func TestShapes(t *testing.T) {
	ann := zipped(t, work(""))
	moodle := "_assignsubmission_file_"
	for _, c := range []struct {
		name  string
		files tree
		want  []string
		notes string
	}{
		{"folders", join(work("0042"), work("bo")), []string{"0042 id=0042 " + all, "bo id=bo " + all}, ""},
		{"one submission", work(""), []string{". id=ROOT " + all}, ""},
		{"a class of one", work("ann"), []string{"ann id=ann " + all}, ""},
		{"archives", tree{"ann.zip": ann, "bo.tar.gz": tgz(t, work("")), "readme.txt": "x"}, []string{"ann.zip id=ann " + all, "bo.tar.gz id=bo " + all}, "passed over readme.txt"},
		{"a folder around the files", join(work("ann/lab/work"), work("bo")), []string{"ann id=ann " + all + " (the files lie in lab) (the files lie in lab/work)", "bo id=bo " + all}, ""},
		{"an archive in the folder", tree{"ann/x.zip": ann, "bo/y.zip": zipped(t, work("y"))}, []string{"ann id=ann " + all + " (the files lie in x.zip)", "bo id=bo " + all + " (the files lie in y.zip) (the files lie in y.zip/y)"}, ""},
		{"what systems leave behind", join(work("ann"), work("bo"), tree{"__MACOSX/ann/._a.out": "j", "ann/._a.sql": "j", ".DS_Store": "j"}),
			[]string{"ann id=ann " + all, "bo id=bo " + all}, leftBehind},
		{"Moodle's folders", join(work("Ann Lee_9001"+moodle), tree{"Bo Chen_9002" + moodle + "/x.zip": ann, "Bo Chen_9002_assignsubmission_onlinetext_/onlinetext.html": "hi"}),
			[]string{`Ann Lee_9001` + moodle + ` id=9001 name="Ann Lee" ` + all, `Bo Chen_9002` + moodle + ` id=9002 name="Bo Chen" ` + all + " (the files lie in x.zip)"}, "onlinetext"},
		{"Moodle's files", tree{"Ann Lee_9001" + moodle + "x.zip": ann, "Bo_9002" + moodle + "a.out": "one\n", "Bo_9002" + moodle + "a.sql": "x;\n"},
			[]string{`Ann Lee_9001` + moodle + `x.zip id=9001 name="Ann Lee" ` + all + " (the files lie in x.zip)", `Bo_9002 id=9002 name="Bo" a.out,a.sql`}, ""},
		{"Canvas's files", tree{"leeann_501_77_x.zip": ann, "chenbo_LATE_502_78_a.out": "one\n", "chenbo_LATE_502_79_a-1.sql": "x;\n", "zhao_503_80_a-2.out": "old\n"},
			[]string{`chenbo_502 id=502 name="chenbo" a.out,a.sql`, `leeann_501_77_x.zip id=501 name="leeann" ` + all + " (the files lie in x.zip)", `zhao_503_80_a-2.out id=503 name="zhao" a.out`}, ""},
		{"Gradescope's export", join(work("assignment_5_export/submission_7"), work("assignment_5_export/submission_8"), tree{"assignment_5_export/submission_metadata.yml": "submission_7:\n  :submitters:\n  - :name: Ann Lee\n    :sid: 0042\n    :email: a@x.edu\n  - :name: Bo\n    :sid: '0043'\n    :email: b@x.edu\n  :score: 1.0\n"}),
			[]string{`assignment_5_export/submission_7 id=0042 name="Ann Lee" ` + all, `assignment_5_export/submission_7 id=0043 name="Bo" ` + all, "assignment_5_export/submission_8 id=submission_8 " + all}, ""},
		{"two archives", tree{"ann/x.zip": ann, "ann/y.zip": ann, "bo.zip": ann}, []string{"ann id=ann duplicate-name", "bo.zip id=bo " + all}, ""},
		{"two folders", join(work("ann/old"), work("ann/new"), work("bo")), []string{"ann id=ann duplicate-name", "bo id=bo " + all}, ""},
		{"the one folder with the files", join(work("ann/lab"), tree{"ann/pictures/x.png": "p", "ann/notes.txt": "n"}, work("bo")), []string{"ann id=ann " + all + " (the files lie in lab)", "bo id=bo " + all}, ""},
		{"broken archives", tree{"ann.zip": ann, "bo.zip": "no archive", "cy.rar": "Rar!\x1a\x07\x00", "di.zip": ann[:len(ann)-9], "ed.zip": ""},
			[]string{"ann.zip id=ann " + all, "bo.zip id=bo no-archive", "cy.rar id=cy no-archive", "di.zip id=di damaged", "ed.zip id=ed damaged"}, ""},
		{"archives in archives in archives", tree{"ann.zip": zipped(t, tree{"1.zip": zipped(t, tree{"2.zip": zipped(t, tree{"3.zip": zipped(t, tree{"4.zip": ann})})})}), "bo.zip": ann},
			[]string{"ann.zip id=ann too-nested", "bo.zip id=bo " + all}, ""},
		{"nothing", tree{"readme.txt": "x"}, []string{". id=ROOT "}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := onDisk(t, c.files)
			pack := filepath.Join(t.TempDir(), filepath.Base(dir)+".zip")
			if err := os.WriteFile(pack, []byte(zipped(t, c.files)), 0o644); err != nil {
				t.Fatal(err)
			}
			for _, root := range []string{dir, pack} {
				s := find(t, root)
				var got []string
				for _, x := range s.Submissions {
					got = append(got, strings.TrimRight(seen(x, root), " "))
				}
				var w []string
				for _, line := range c.want {
					w = append(w, strings.TrimRight(strings.ReplaceAll(line, "ROOT", filepath.Base(dir)), " "))
				}
				if d := cmp.Diff(w, got); d != "" {
					t.Errorf("%s:\n%s", root, d)
				}
				if notes := strings.Join(s.Notes, "\n"); !strings.Contains(notes, c.notes) || c.notes == "" && root == dir && notes != "" {
					t.Errorf("%s: notes %q, want %q", root, notes, c.notes)
				}
			}
		})
	}
}

// TestSeveralPaths: what a shell makes of class/* is each a submission, in any order.
func TestSeveralPaths(t *testing.T) {
	dir := onDisk(t, join(work("ann"), work("bo/lab"), tree{"cy/notes.txt": "x", "di.zip": zipped(t, work("di"))}))
	paths := []string{filepath.Join(dir, "di.zip"), filepath.Join(dir, "bo"), filepath.Join(dir, "cy"), filepath.Join(dir, "ann"), filepath.Join(dir, "ann") + "/"}
	var got []string
	for _, s := range find(t, paths...).Submissions {
		got = append(got, strings.TrimRight(seen(s, dir), " "))
	}
	wanted := []string{"ann id=ann " + all, "bo id=bo " + all + " (the files lie in lab)", "cy id=cy", "di.zip id=di " + all + " (the files lie in di)"}
	if d := cmp.Diff(wanted, got); d != "" {
		t.Error(d)
	}
	if _, err := Find([]string{filepath.Join(dir, "nobody")}, want(), intake.DefaultLimits()); err == nil {
		t.Error("a path that is not there was taken")
	}
}

// TestDigest: the same files have the same digest however they are packed and named; any
// change of a file that the lab asks for changes it, and nothing else does.
func TestDigest(t *testing.T) {
	digest := func(files tree, packed bool) string {
		dir := onDisk(t, files)
		if packed {
			dir = filepath.Join(t.TempDir(), "x.zip")
			if err := os.WriteFile(dir, []byte(zipped(t, files)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		s := find(t, dir)
		c, p := s.Submissions[0].Open(1 << 20)
		if p != nil {
			t.Fatal(p)
		}
		defer c.Close()
		return c.Digest
	}
	base := digest(work(""), false)
	for name, same := range map[string]string{
		"a zip": digest(work(""), true), "a folder in a zip": digest(work("x/y"), true),
		"another file beside": digest(join(work(""), tree{"notes.txt": "n", "._a.sql": "j"}), false),
	} {
		if same != base {
			t.Errorf("%s has another digest", name)
		}
	}
	for name, other := range map[string]tree{
		"a changed file": join(work(""), tree{"a.out": "two\n"}), "a further part file": join(work(""), tree{"sink/part-2": ""}),
		"a copy of the data": join(work(""), tree{"clicks.csv": "1\n"}), "an unreadable file": join(work(""), tree{"report.json": "\x00\x00"}),
	} {
		if digest(other, false) == base {
			t.Errorf("%s has the same digest", name)
		}
	}
	// Different reasons are different digests, and an empty folder is not none.
	bare := tree{"a.out": "one\n"}
	seen := map[string]string{digest(bare, false): "nothing"}
	for name, make := range map[string]func(dir string) error{
		"an empty folder": func(dir string) error { return os.Mkdir(filepath.Join(dir, "sink"), 0o755) },
		"a folder":        func(dir string) error { return os.Mkdir(filepath.Join(dir, "report.json"), 0o755) },
		"NUL bytes":       func(dir string) error { return os.WriteFile(filepath.Join(dir, "report.json"), []byte{0}, 0o644) },
		"a long line": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "report.json"), longLine(17<<20), 0o644)
		},
		"a loose link": func(dir string) error { return os.Symlink("nowhere", filepath.Join(dir, "report.json")) },
	} {
		dir := onDisk(t, bare)
		if err := make(dir); err != nil {
			t.Fatal(err)
		}
		c, p := find(t, dir).Submissions[0].Open(32 << 20)
		if p != nil {
			t.Fatal(p)
		}
		if other, ok := seen[c.Digest]; ok {
			t.Errorf("%s and %s have the same digest", name, other)
		}
		seen[c.Digest] = name
		c.Close()
	}
	// A submission that is not held in memory has the same digest and the same files.
	s := find(t, onDisk(t, work("")))
	c, p := s.Submissions[0].Open(3)
	if p != nil {
		t.Fatal(p)
	}
	defer c.Close()
	if b, err := fs.ReadFile(c.FS, "sink/part-1"); c.Digest != base || string(b) != "x,1\n" || err != nil {
		t.Errorf("read in pieces: digest %s, %q, %v", c.Digest, b, err)
	}
}

// TestHostileArchiveInAClass: a hostile submission is refused, the others are read.
func TestHostileArchiveInAClass(t *testing.T) {
	evil := func(entries ...string) string {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		for _, e := range entries {
			f, err := w.Create(e)
			if err != nil {
				t.Fatal(err)
			}
			io.WriteString(f, "x\n")
		}
		w.Close()
		return b.String()
	}
	files := tree{"slip.zip": evil("a.out", "../../a.sql"), "twice.zip": evil("a.out", "a.out"), "case.zip": evil("a.out", "A.OUT"), "good.zip": zipped(t, work(""))}
	var many []string
	for i := range 10_001 {
		many = append(many, fmt.Sprintf("sink/part-%d", i))
	}
	files["many.zip"] = evil(many...)
	got := map[string]string{}
	for _, s := range find(t, onDisk(t, files)).Submissions {
		c, p := s.Open(1 << 20)
		if p != nil {
			got[s.ID()] = string(p.Code)
			continue
		}
		got[s.ID()] = strings.Join(c.Names(), ",")
		c.Close()
	}
	want := map[string]string{"slip": "unsafe-name", "twice": "duplicate-name", "case": "duplicate-name", "many": "too-many-files", "good": all}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// longLine is n bytes of text without a line end.
func longLine(n int) []byte { return bytes.Repeat([]byte("x"), n) }
