// Package reference is the engine's face: it runs Flink SQL scripts and tells what Flink
// 2.3 would answer - as the sql-client's text, and as typed events with rows, plans and errors.
//
//	s := reference.NewSession(reference.Options{
//		Files:  reference.ReadOnly(os.DirFS("data"), reference.Mapping{{From: "/opt/lab/fixtures/data", To: "."}}),
//		Events: reference.Events{Row: func(...) error { ... }},
//	})
//	err := s.Run(script, true)
//
// What the engine cannot answer exactly is refused: the error is then an *unsupported.Error
// (see IsUnsupported), never a guess. The package reads no files and asks no clock by itself.
package reference

import (
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/labgrade/labgrade/reference/client"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// The session and what it is made of; see package client.
type (
	Session = client.Session
	Options = client.Options
	Events  = client.Events
	Result  = client.Result
	Files   = client.Files
	Echo    = client.Echo
)

// The kinds of echo.
const (
	EchoFull   = client.EchoFull
	EchoNone   = client.EchoNone
	EchoClient = client.EchoClient
)

// ErrFailed says that a statement failed as it would in Flink.
var ErrFailed = client.ErrFailed

// NewSession begins a session.
func NewSession(o Options) *Session { return client.New(o) }

// IsUnsupported tells a refusal of the engine from an error of Flink's.
func IsUnsupported(err error) bool { return unsupported.Is(err) }

// Mapping redirects paths: one at or below From is read at or below To.
type Mapping []struct{ From, To string }

// Apply maps a path.
func (m Mapping) Apply(p string) string {
	for _, r := range m {
		from := strings.TrimSuffix(r.From, "/")
		if p == from || strings.HasPrefix(p, from+"/") {
			return path.Join(r.To, p[len(from):])
		}
	}
	return p
}

// ReadOnly shows a file system to a session. Absolute paths are taken from its root after
// mapping. What sinks write is dropped.
func ReadOnly(fsys fs.FS, m Mapping) Files { return &readOnly{fsys, m} }

type readOnly struct {
	fsys fs.FS
	m    Mapping
}

func (f *readOnly) name(p string) string {
	p = strings.TrimPrefix(path.Clean(f.m.Apply(p)), "/")
	if p == "" {
		return "."
	}
	return p
}

func (f *readOnly) Open(p string) (fs.File, error)          { return f.fsys.Open(f.name(p)) }
func (f *readOnly) ReadDir(p string) ([]fs.DirEntry, error) { return fs.ReadDir(f.fsys, f.name(p)) }
func (f *readOnly) Create(string) (io.WriteCloser, error)   { return dropped{}, nil }
func (f *readOnly) MkdirAll(string) error                   { return nil }
func (f *readOnly) RemoveAll(string) error                  { return nil }

type dropped struct{}

func (dropped) Write(b []byte) (int, error) { return len(b), nil }
func (dropped) Close() error                { return nil }
