package client

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"regexp"
	"testing"
)

// sinkNames remembers the names of the files that sinks write.
type sinkNames struct{ names []string }

func (s *sinkNames) Open(string) (fs.File, error)          { return nil, fs.ErrNotExist }
func (s *sinkNames) ReadDir(string) ([]fs.DirEntry, error) { return nil, fs.ErrNotExist }
func (s *sinkNames) MkdirAll(string) error                 { return nil }
func (s *sinkNames) RemoveAll(string) error                { return nil }
func (s *sinkNames) Create(p string) (io.WriteCloser, error) {
	s.names = append(s.names, path.Base(p))
	return nopWriter{}, nil
}

type nopWriter struct{}

func (nopWriter) Write(p []byte) (int, error) { return len(p), nil }
func (nopWriter) Close() error                { return nil }

// TestIsOwnID: the ids of what the engine writes are known as its own; Flink's are not.
func TestIsOwnID(t *testing.T) {
	var out bytes.Buffer
	files := &sinkNames{}
	s := New(Options{Out: &out, Files: files})
	script := "CREATE TABLE s (a INT) WITH ('connector' = 'filesystem', 'path' = '/out', 'format' = 'csv');\nINSERT INTO s VALUES (1);\nINSERT INTO s VALUES (2);\n"
	if err := s.Run(script, true); err != nil {
		t.Fatal(err, out.String())
	}
	jobs := regexp.MustCompile(`Job ID: ([0-9a-f]{32})`).FindAllStringSubmatch(out.String(), -1)
	if len(jobs) != 2 || len(files.names) != 2 {
		t.Fatalf("%d jobs, %d files\n%s", len(jobs), len(files.names), out.String())
	}
	for _, j := range jobs {
		if !IsOwnID(j[1]) {
			t.Errorf("the job %s is not known", j[1])
		}
	}
	uuid := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	for _, n := range files.names {
		if !IsOwnID(uuid.FindString(n)) {
			t.Errorf("the file %s is not known", n)
		}
	}
	for _, id := range []string{"", "df855dbe-5fe0-4c8d-bd20-ec921e6f432e", "0123456789abcdef0123456789abcdef", "x"} {
		if IsOwnID(id) {
			t.Errorf("%q is taken for the engine's own", id)
		}
	}
}
