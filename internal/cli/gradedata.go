package cli

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/checks"
	"github.com/labgrade/labgrade/fixtures"
	"github.com/labgrade/labgrade/internal/grade"
	"github.com/labgrade/labgrade/labs"
	"github.com/labgrade/labgrade/report"
)

// classData finds the source data of a class: the same for all, made for each from the
// course's secret, or files for each in a folder.
func classData(c *cli.Context, lab *labs.Lab) (grade.Data, error) {
	named, secret, folder := c.StringSlice("source"), c.String("secret"), c.String("sources")
	n := 0
	for _, set := range []bool{len(named) > 0, secret != "", folder != ""} {
		if set {
			n++
		}
	}
	if n > 1 {
		return nil, Usagef("--source, --sources and --secret each say where the data come from; give one")
	}
	for _, f := range dataFlags() {
		if c.IsSet(f.Names()[0]) && secret == "" {
			return nil, Usagef("--%s shapes the data that are made for each student; it needs --secret FILE", f.Names()[0])
		}
	}
	switch {
	case secret != "":
		return newMadeData(c, lab, secret)
	case folder != "":
		i, err := os.Stat(folder)
		if err != nil || !i.IsDir() {
			return nil, Usagef("--sources needs a folder with a file for each student, ID.csv; %s is none", folder)
		}
		return &folderData{lab, folder}, nil
	}
	src, err := openSources(lab, named)
	if err != nil {
		return nil, err
	}
	return &commonData{lab, src}, nil
}

// commonData are the same for all.
type commonData struct {
	lab *labs.Lab
	src *labSources
}

func (d *commonData) PerStudent() bool { return false }

func (d *commonData) Open(string) (checks.Source, []report.Source, error) {
	var list []report.Source
	for _, t := range d.lab.Tables {
		s, err := d.src.describe(t.Name)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, s)
	}
	return d.src.open, list, nil
}

// madeData are made for each student from the course's secret.
type madeData struct {
	lab    *labs.Lab
	make   func(seed uint64) ([]madeTable, error)
	secret []byte
}

func newMadeData(c *cli.Context, lab *labs.Lab, file string) (*madeData, error) {
	maker, err := makerOf(c, lab)
	if err != nil {
		return nil, err
	}
	secret, err := readSecret(file)
	if err != nil {
		return nil, err
	}
	if _, err := maker(0); err != nil {
		return nil, Usagef("%w", err)
	}
	return &madeData{lab, maker, secret}, nil
}

func (d *madeData) PerStudent() bool { return true }

func (d *madeData) Open(id string) (checks.Source, []report.Source, error) {
	tables, err := d.make(fixtures.StudentSeed(d.secret, d.lab.ID, id))
	if err != nil {
		return nil, nil, err
	}
	data := map[string]*dataFile{}
	var list []report.Source
	for _, t := range tables {
		var b bytes.Buffer
		if err := t.write(&b); err != nil {
			return nil, nil, err
		}
		sum := sha256.Sum256(b.Bytes())
		data[t.name] = &dataFile{bytes.NewReader(b.Bytes()), t.file, int64(b.Len())}
		list = append(list, report.Source{Table: t.name, Path: t.file, Digest: "sha256:" + hex.EncodeToString(sum[:])})
	}
	return func(table string) (fs.File, error) {
		f := data[table]
		if f == nil {
			return nil, fs.ErrNotExist
		}
		return &dataFile{bytes.NewReader(f.all()), f.name, f.size}, nil
	}, list, nil
}

// dataFile is made data as a file.
type dataFile struct {
	*bytes.Reader
	name string
	size int64
}

// all is the whole content, wherever the reader stands.
func (f *dataFile) all() []byte {
	b := make([]byte, f.size)
	n, _ := f.ReadAt(b, 0) // a reader of memory gives all of it
	return b[:n]
}

func (f *dataFile) Close() error               { return nil }
func (f *dataFile) Stat() (fs.FileInfo, error) { return dataInfo{f}, nil }

type dataInfo struct{ f *dataFile }

func (i dataInfo) Name() string       { return i.f.name }
func (i dataInfo) Size() int64        { return i.f.size }
func (i dataInfo) Mode() fs.FileMode  { return 0o444 }
func (i dataInfo) ModTime() time.Time { return time.Time{} }
func (i dataInfo) IsDir() bool        { return false }
func (i dataInfo) Sys() any           { return nil }

// folderData are files for each student: DIR/ID.csv for a lab with one table, or
// DIR/ID/FILE with the lab's own names of files.
type folderData struct {
	lab *labs.Lab
	dir string
}

func (d *folderData) PerStudent() bool { return true }

func (d *folderData) Open(id string) (checks.Source, []report.Source, error) {
	// An id is a stranger's text: it may name no other place.
	if id == "" || id == "." || id == ".." || strings.ContainsAny(id, "/\\\x00") {
		return nil, nil, errNoData(id)
	}
	paths := map[string]string{}
	var list []report.Source
	for _, t := range d.lab.Tables {
		p := filepath.Join(d.dir, id, t.File)
		if i, err := os.Stat(p); err != nil || !i.Mode().IsRegular() {
			p = filepath.Join(d.dir, id+".csv")
			if i, err := os.Stat(p); err != nil || !i.Mode().IsRegular() || len(d.lab.Tables) > 1 {
				return nil, nil, errNoData(id)
			}
		}
		paths[t.Name] = p
		digest, err := digestOf(p)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, report.Source{Table: t.Name, Path: filepath.ToSlash(p), Digest: digest})
	}
	return func(table string) (fs.File, error) {
		if paths[table] == "" {
			return nil, fs.ErrNotExist
		}
		return os.Open(paths[table])
	}, list, nil
}

func digestOf(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}
