package archive

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/labgrade/labgrade/internal/intake"
)

// entry is an entry of an archive that a test builds.
type entry struct {
	name, text string
	mode       fs.FileMode
	flags      uint16
	typ        byte
	link       string
	pax        map[string]string
}

func zipOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate, Flags: e.flags}
		if e.mode == 0 {
			e.mode = 0o644
		}
		h.SetMode(e.mode)
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, e.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func tarOf(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		if e.typ == 0 {
			e.typ = tar.TypeReg
		}
		h := &tar.Header{Name: e.name, Mode: 0o644, Typeflag: e.typ, Linkname: e.link, PAXRecords: e.pax}
		if e.typ == tar.TypeReg {
			h.Size = int64(len(e.text))
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, e.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gz(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(data []byte, l Limits) (*Archive, error) {
	return Open("a.zip", bytes.NewReader(data), int64(len(data)), l)
}

// TestReads: the same tree comes out of every format, and is a proper file system.
func TestReads(t *testing.T) {
	entries := []entry{
		{name: "./ann/batch.out", text: "one\n"}, {name: `ann\changelog\part-1`, text: "two\n"}, {name: "bo/x.sql", text: "three\n"},
		{name: "__MACOSX/ann/._batch.out", text: "junk"}, {name: "ann/.DS_Store", text: "junk"}, {name: "bo/Thumbs.db", text: "junk"},
	}
	for name, data := range map[string][]byte{
		"zip": zipOf(t, entries...), "tar": tarOf(t, entries...), "tar.gz": gz(t, tarOf(t, entries...)),
	} {
		t.Run(name, func(t *testing.T) {
			a, err := open(data, DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			if err := fstest.TestFS(a.FS(), "ann/batch.out", "ann/changelog/part-1", "bo/x.sql"); err != nil {
				t.Error(err)
			}
			b, err := fs.ReadFile(a.FS(), "ann/changelog/part-1")
			if string(b) != "two\n" || err != nil {
				t.Errorf("got %q, %v", b, err)
			}
			if p := a.Problem("."); p != nil || len(a.Loose()) > 0 {
				t.Errorf("problem %v", p)
			}
			if a.Junk() != 3 {
				t.Errorf("%d junk entries", a.Junk())
			}
		})
	}
}

// TestHostileEntries: what is wrong with an entry is a problem of its own folder, and of no other.
func TestHostileEntries(t *testing.T) {
	deep := strings.Repeat("d/", 40) + "x"
	good := entry{name: "good/batch.out", text: "fine\n"}
	zeros := strings.Repeat("\x00", ratioFloor+1)
	for _, c := range []struct {
		name  string
		data  []byte
		code  intake.Code
		loose bool
	}{
		{"leads out", zipOf(t, good, entry{name: "bad/../../etc/passwd"}), intake.UnsafeName, false},
		{"leads out at the top", zipOf(t, good, entry{name: "../evil"}), intake.UnsafeName, true},
		{"absolute", zipOf(t, good, entry{name: "/etc/passwd"}), intake.UnsafeName, true},
		{"a drive", zipOf(t, good, entry{name: `C:\evil`}), intake.UnsafeName, true},
		{"backslashes lead out", zipOf(t, good, entry{name: `bad\..\..\evil`}), intake.UnsafeName, false},
		{"control characters", zipOf(t, good, entry{name: "bad/a\x00b"}), intake.UnsafeName, false},
		{"twice", zipOf(t, good, entry{name: "bad/a"}, entry{name: "bad/a", text: "other"}), intake.DuplicateName, false},
		{"twice after cleaning", zipOf(t, good, entry{name: "bad/a"}, entry{name: "bad/./a"}), intake.DuplicateName, false},
		{"a file and a folder", zipOf(t, good, entry{name: "bad/a"}, entry{name: "bad/a/b"}), intake.DuplicateName, false},
		{"a folder and a file", zipOf(t, good, entry{name: "bad/a/b"}, entry{name: "bad/a"}), intake.DuplicateName, false},
		{"case alone", zipOf(t, good, entry{name: "bad/a.out"}, entry{name: "bad/A.out"}), intake.DuplicateName, false},
		{"a link", zipOf(t, good, entry{name: "bad/a", text: "/etc/passwd", mode: fs.ModeSymlink | 0o777}), intake.LinkInside, false},
		{"a pipe", zipOf(t, good, entry{name: "bad/a", mode: fs.ModeNamedPipe | 0o644}), intake.LinkInside, false},
		{"a password", zipOf(t, good, entry{name: "bad/a", flags: 1}), intake.Encrypted, false},
		{"a bomb", zipOf(t, good, entry{name: "bad/a", text: zeros}), intake.Bomb, false},
		{"deep", zipOf(t, good, entry{name: "bad/" + deep}), intake.TooDeep, false},
		{"tar: leads out", tarOf(t, good, entry{name: "bad/../../x"}), intake.UnsafeName, false},
		{"tar: a link", tarOf(t, good, entry{name: "bad/a", typ: tar.TypeSymlink, link: "/etc/passwd"}), intake.LinkInside, false},
		{"tar: a hard link", tarOf(t, good, entry{name: "bad/a", typ: tar.TypeLink, link: "good/batch.out"}), intake.LinkInside, false},
		{"tar: a device", tarOf(t, good, entry{name: "bad/a", typ: tar.TypeChar}), intake.LinkInside, false},
		{"tar: a pipe", tarOf(t, good, entry{name: "bad/a", typ: tar.TypeFifo}), intake.LinkInside, false},
		{"tar: twice", tarOf(t, good, entry{name: "bad/a"}, entry{name: "bad/a"}), intake.DuplicateName, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := open(c.data, DefaultLimits())
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			if p := a.Problem("good"); p != nil {
				t.Errorf("the other folder has the problem %v", p)
			}
			if b, err := fs.ReadFile(a.FS(), "good/batch.out"); string(b) != "fine\n" || err != nil {
				t.Errorf("the other folder's file: %q, %v", b, err)
			}
			p := a.Problem("bad")
			if c.loose {
				if len(a.Loose()) != 1 || a.Problem(".") == nil {
					t.Fatalf("loose problems %v", a.Loose())
				}
				p = a.Loose()[0]
			}
			if p == nil || p.Code != c.code || p.Reason == "" {
				t.Errorf("problem %+v, want %s", p, c.code)
			}
		})
	}
}

// TestHostileArchives: what cannot be trusted as a whole is not opened.
func TestHostileArchives(t *testing.T) {
	good := zipOf(t, entry{name: "a/batch.out", text: strings.Repeat("text ", 1000)})
	tarball := tarOf(t, entry{name: "a", text: strings.Repeat("x", 5000)})
	small := DefaultLimits()
	small.TotalBytes, small.Files = 4000, 2
	// Two entries that share their packed data: the second's offset is the first's.
	shared := zipOf(t, entry{name: "a", text: random(4000)}, entry{name: "b", text: "x"})
	at := bytes.LastIndex(shared, []byte("PK\x01\x02"))
	first := bytes.Index(shared, []byte("PK\x01\x02"))
	copy(shared[at+20:at+28], shared[first+20:first+28])
	binary.LittleEndian.PutUint32(shared[at+42:], 0)
	for _, c := range []struct {
		name string
		data []byte
		l    Limits
		code intake.Code
	}{
		{"empty", nil, DefaultLimits(), intake.Damaged},
		{"text", []byte("hello"), DefaultLimits(), intake.NoArchive},
		{"rar", []byte("Rar!\x1a\x07\x00...."), DefaultLimits(), intake.NoArchive},
		{"7z", []byte("7z\xbc\xaf\x27\x1c...."), DefaultLimits(), intake.NoArchive},
		{"a cut zip", good[:len(good)-30], DefaultLimits(), intake.Damaged},
		{"a cut tar", tarball[:3000], DefaultLimits(), intake.Damaged},
		{"a cut tar.gz", gz(t, tarball)[:60], DefaultLimits(), intake.Damaged},
		{"a gz of no tar", gz(t, []byte("hello")), DefaultLimits(), intake.NoArchive},
		{"more than the total", good, small, intake.Bomb},
		{"tar: more than the total", tarball, small, intake.Bomb},
		{"tar.gz: more than the total", gz(t, tarball), small, intake.Bomb},
		{"too many entries", zipOf(t, entry{name: "a"}, entry{name: "b"}, entry{name: "c"}), small, intake.TooManyFiles},
		{"a gzip bomb", gz(t, make([]byte, 20<<20)), DefaultLimits(), intake.Bomb},
		{"entries overlap", shared, DefaultLimits(), intake.Bomb},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, err := open(c.data, c.l)
			if err == nil {
				a.Close()
				t.Fatal("it was opened")
			}
			var p *intake.Problem
			if !errors.As(err, &p) || p.Code != c.code {
				t.Errorf("%v, want %s", err, c.code)
			}
		})
	}
}

// random is text that cannot be packed.
func random(n int) string {
	b := make([]byte, n)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return string(b)
}

// TestLies: an entry that holds more than it said, or other bytes, ends in a problem.
func TestLies(t *testing.T) {
	data := zipOf(t, entry{name: "a", text: strings.Repeat("text ", 1000)})
	size := bytes.Index(data, []byte("PK\x01\x02")) + 24
	binary.LittleEndian.PutUint32(data[size:], 100)
	a, err := open(data, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	_, err = fs.ReadFile(a.FS(), "a")
	var p *intake.Problem
	if !errors.As(err, &p) {
		t.Errorf("reading gave %v", err)
	}
}

func TestNames(t *testing.T) {
	a, err := open(tarOf(t, entry{name: "J\xfcrgen/batch.out", text: "x", pax: nil}), DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if _, err := fs.Stat(a.FS(), "J%FCrgen/batch.out"); err != nil {
		t.Error(err)
	}
	for _, c := range [][2]string{{"a.zip", "a"}, {"a.tar.gz", "a"}, {"A.TGZ", "A"}, {"a.b", "a.b"}, {".zip", ".zip"}} {
		if got := TrimExt(c[0]); got != c[1] {
			t.Errorf("TrimExt(%q) = %q", c[0], got)
		}
	}
}

func TestSpool(t *testing.T) {
	text := strings.Repeat("0123456789", 100)
	for _, memory := range []int64{10, 999, 1000, 2000} {
		s, err := Spool(strings.NewReader(text), 0, memory)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(io.NewSectionReader(s, 0, s.Size()))
		if string(b) != text || err != nil {
			t.Errorf("memory %d: %d bytes, %v", memory, len(b), err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := Spool(strings.NewReader(text), 999, memory); err == nil {
			t.Errorf("memory %d: more than the most was read", memory)
		}
	}
}

// FuzzOpen: no archive crashes, hangs, or gives a name that leads out.
func FuzzOpen(f *testing.F) {
	f.Add(zipOf(f, entry{name: "a/b", text: "x"}, entry{name: "../c"}))
	f.Add(tarOf(f, entry{name: "a/b", text: "x"}, entry{name: "l", typ: tar.TypeSymlink, link: "a"}))
	f.Add(gz(f, tarOf(f, entry{name: "a", text: "x"})))
	l := DefaultLimits()
	l.TotalBytes, l.FileBytes, l.Files = 1<<20, 1<<20, 100
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := open(data, l)
		if err != nil {
			var p *intake.Problem
			if !errors.As(err, &p) {
				t.Fatalf("not a problem: %v", err)
			}
			return
		}
		defer a.Close()
		err = fs.WalkDir(a.FS(), ".", func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if !fs.ValidPath(p) {
				t.Fatalf("the name %q", p)
			}
			if d.Type().IsRegular() {
				file, err := a.FS().Open(p)
				if err != nil {
					return nil
				}
				io.Copy(io.Discard, file)
				file.Close()
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
