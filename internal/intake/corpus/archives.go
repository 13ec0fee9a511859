package corpus

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// Archives lists the hostile archives.
func Archives() []Archive {
	return []Archive{
		{"right.zip", zipped(nil), Right, ""},
		{"right.tar", tarred(nil), Right, ""},
		{"right.tar.gz", packed(tarred(nil)), Right, ""},
		{"right-in-a-folder.zip", zipped(func(z *zip.Writer) error { return add(z, "__MACOSX/._stream.out", "x") }), Right, ""},

		// Names.
		{"slip.zip", zipped(entry("../../evil", "x")), Refused, "leads out of it"},
		{"slip-backslash.zip", zipped(entry(`..\..\evil`, "x")), Refused, "leads out of it"},
		{"absolute.zip", zipped(entry("/etc/cron.d/evil", "x")), Refused, "absolute path"},
		{"drive.zip", zipped(entry(`C:\evil`, "x")), Refused, "absolute path"},
		{"control.zip", zipped(entry("a\x1b[2Jb", "x")), Refused, "control characters"},
		{"twice.zip", zipped(entry("stream.out", "x")), Refused, "two files of this name"},
		{"case.zip", zipped(entry("STREAM.out", "x")), Refused, "upper and lower case"},
		{"file-and-folder.zip", zipped(entry("stream.out/x", "x")), Refused, "a file and a folder of one name"},
		{"deep.zip", zipped(entry(strings.Repeat("d/", 100)+"x", "x")), Refused, "nested too deep"},
		{"long-name.zip", zipped(entry(strings.Repeat("n", 60_000), "x")), Right, ""},
		{"not-utf8.zip", zipped(entry("\xff\xfe", "x")), Right, ""},

		// What is no file.
		{"link.zip", zipped(special(fs.ModeSymlink|0o777, "/etc/passwd")), Refused, "link"},
		{"pipe.zip", zipped(special(fs.ModeNamedPipe|0o644, "")), Refused, "no file and no folder"},
		{"link.tar", tarred(&tar.Header{Typeflag: tar.TypeSymlink, Name: "extra", Linkname: "/etc/passwd"}), Refused, "link"},
		{"hard-link.tar", tarred(&tar.Header{Typeflag: tar.TypeLink, Name: "extra", Linkname: "/etc/shadow"}), Refused, "link"},
		{"device.tar", tarred(&tar.Header{Typeflag: tar.TypeChar, Name: "extra", Devmajor: 1, Devminor: 5}), Refused, "no file and no folder"},
		{"pipe.tar", tarred(&tar.Header{Typeflag: tar.TypeFifo, Name: "extra"}), Refused, "no file and no folder"},
		{"sparse.tar", tarred(&tar.Header{Typeflag: tar.TypeReg, Name: "extra", PAXRecords: map[string]string{"LABGRADE.x": "1"}}), Right, ""},
		{"slip.tar", tarred(&tar.Header{Typeflag: tar.TypeReg, Name: "../evil"}), Refused, "leads out of it"},

		// Bombs.
		{"bomb.zip", zipped(bombEntry), Refused, "become"},
		{"lie.zip", lie, Refused, ""},
		{"overlap.zip", overlap, Refused, "overlap"},
		{"bomb.tar.gz", gzipBomb, Refused, "become more than"},
		{"nested.zip", nested, Refused, "nested too deep"},
		{"many.zip", zipped(manyEntries), Refused, "entries"},

		// Broken.
		{"cut.zip", half(zipped(nil)), Refused, "damaged"},
		{"cut.tar", half(tarred(nil)), Refused, ""},
		{"cut.tar.gz", half(packed(tarred(nil))), Refused, "damaged"},
		{"encrypted.zip", encrypted, Refused, "password"},
		{"empty.zip", func(fs.FS) ([]byte, error) { return nil, nil }, Refused, "empty"},
		{"text.zip", func(fs.FS) ([]byte, error) { return []byte("this is no archive"), nil }, Refused, "no zip and no tar"},
		{"rar.zip", func(fs.FS) ([]byte, error) { return []byte("Rar!\x1a\x07\x01\x00 and more"), nil }, Refused, "ar archives are not read"},
		{"crc.zip", flipped, Refused, ""},
	}
}

func add(z *zip.Writer, name, text string) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate})
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

func entry(name, text string) func(*zip.Writer) error {
	return func(z *zip.Writer) error { return add(z, name, text) }
}

func special(m fs.FileMode, text string) func(*zip.Writer) error {
	return func(z *zip.Writer) error {
		h := &zip.FileHeader{Name: "extra"}
		h.SetMode(m)
		w, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		_, err = io.WriteString(w, text)
		return err
	}
}

// files lists the regular files of a submission.
func files(right fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(right, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// zipped packs the right submission and adds something to it.
func zipped(more func(*zip.Writer) error) func(fs.FS) ([]byte, error) {
	return func(right fs.FS) ([]byte, error) {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		names, err := files(right)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			text, err := fs.ReadFile(right, n)
			if err != nil {
				return nil, err
			}
			if err := add(z, n, string(text)); err != nil {
				return nil, err
			}
		}
		if more != nil {
			if err := more(z); err != nil {
				return nil, err
			}
		}
		err = z.Close()
		return b.Bytes(), err
	}
}

func tarred(more *tar.Header) func(fs.FS) ([]byte, error) {
	return func(right fs.FS) ([]byte, error) {
		var b bytes.Buffer
		t := tar.NewWriter(&b)
		names, err := files(right)
		if err != nil {
			return nil, err
		}
		for _, n := range names {
			text, err := fs.ReadFile(right, n)
			if err != nil {
				return nil, err
			}
			if err := t.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: n, Size: int64(len(text)), Mode: 0o644}); err != nil {
				return nil, err
			}
			if _, err := t.Write(text); err != nil {
				return nil, err
			}
		}
		if more != nil {
			if err := t.WriteHeader(more); err != nil {
				return nil, err
			}
		}
		err = t.Close()
		return b.Bytes(), err
	}
}

func packed(inner func(fs.FS) ([]byte, error)) func(fs.FS) ([]byte, error) {
	return func(right fs.FS) ([]byte, error) {
		text, err := inner(right)
		if err != nil {
			return nil, err
		}
		var b bytes.Buffer
		g := gzip.NewWriter(&b)
		if _, err := g.Write(text); err != nil {
			return nil, err
		}
		err = g.Close()
		return b.Bytes(), err
	}
}

func half(whole func(fs.FS) ([]byte, error)) func(fs.FS) ([]byte, error) {
	return func(right fs.FS) ([]byte, error) {
		b, err := whole(right)
		return b[:len(b)/2], err
	}
}

// bombEntry is 64 MB of blanks, packed to a thousandth.
func bombEntry(z *zip.Writer) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: "extra", Method: zip.Deflate})
	if err != nil {
		return err
	}
	block := bytes.Repeat([]byte(" "), 1<<20)
	for range 64 {
		if _, err := w.Write(block); err != nil {
			return err
		}
	}
	return nil
}

func gzipBomb(fs.FS) ([]byte, error) {
	var b bytes.Buffer
	g := gzip.NewWriter(&b)
	block := make([]byte, 1<<20)
	for range 64 {
		if _, err := g.Write(block); err != nil {
			return nil, err
		}
	}
	err := g.Close()
	return b.Bytes(), err
}

// lie says that stream.out, the entry that is read, holds 10 bytes.
func lie(right fs.FS) ([]byte, error) {
	b, err := zipped(nil)(right)
	if err != nil {
		return nil, err
	}
	return onDirectory(b, "stream.out", func(h []byte) { binary.LittleEndian.PutUint32(h[24:], 10) }), nil
}

// encrypted marks an entry as one with a password.
func encrypted(right fs.FS) ([]byte, error) {
	b, err := zipped(nil)(right)
	if err != nil {
		return nil, err
	}
	return onDirectory(b, "stream.out", func(h []byte) { h[8] |= 1 }), nil
}

// onDirectory edits the entry of a file in the zip's directory.
func onDirectory(b []byte, name string, edit func([]byte)) []byte {
	for at := 0; ; {
		i := bytes.Index(b[at:], []byte("PK\x01\x02"))
		if i < 0 {
			return b
		}
		at += i
		n := int(binary.LittleEndian.Uint16(b[at+28:]))
		if string(b[at+46:at+46+n]) == name {
			edit(b[at:])
			return b
		}
		at += 46
	}
}

// overlap has a thousand entries that all mean the same packed data.
func overlap(fs.FS) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if err := add(z, "stream.out", strings.Repeat("a line of text\n", 1<<16)); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	all := b.Bytes()
	start := bytes.Index(all, []byte("PK\x01\x02"))
	end := bytes.Index(all, []byte("PK\x05\x06"))
	one, tail := all[start:end], bytes.Clone(all[end:])
	out := bytes.Clone(all[:start])
	const n = 1000
	for i := range n {
		e := bytes.Clone(one)
		copy(e[46:], fmt.Sprintf("f%09d", i)) // the name has as many bytes as "stream.out"
		out = append(out, e...)
	}
	binary.LittleEndian.PutUint16(tail[8:], n)
	binary.LittleEndian.PutUint16(tail[10:], n)
	binary.LittleEndian.PutUint32(tail[12:], uint32(len(one)*n))
	return append(out, tail...), nil
}

// nested is an archive in an archive, ten times.
func nested(right fs.FS) ([]byte, error) {
	inner, err := zipped(nil)(right)
	for i := 0; i < 10 && err == nil; i++ {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		if err = add(z, fmt.Sprintf("a%d.zip", i), string(inner)); err == nil {
			err = z.Close()
		}
		inner = b.Bytes()
	}
	return inner, err
}

func manyEntries(z *zip.Writer) error {
	for i := range 20_000 {
		if err := add(z, fmt.Sprintf("changelog/part-%d", i), ""); err != nil {
			return err
		}
	}
	return nil
}

// flipped changes a byte of packed data, so that the sum does not fit.
func flipped(right fs.FS) ([]byte, error) {
	b, err := zipped(nil)(right)
	if err != nil {
		return nil, err
	}
	i := bytes.Index(b, []byte("stream.out"))
	b[i+60] ^= 0xff
	return b, nil
}
