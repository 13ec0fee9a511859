package conformance

import (
	"bytes"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/labgrade/labgrade/reference/client"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// transcript is a whole recorded run of sql-client.sh: a script and what it printed.
type transcript struct {
	// group is "corpus", "lab" or "versions".
	group, name, script, init, want string
	stdin                           bool
	files                           pathFiles
}

// pathFiles maps folders that the scripts name to folders of this machine.
type pathFiles struct{ maps [][2]string }

func (f pathFiles) real(path string) string {
	for _, m := range f.maps {
		if path == m[0] || strings.HasPrefix(path, m[0]+"/") {
			return m[1] + path[len(m[0]):]
		}
	}
	return "/nowhere" + path
}

func (f pathFiles) Open(path string) (fs.File, error)          { return os.Open(f.real(path)) }
func (f pathFiles) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(f.real(path)) }
func (f pathFiles) MkdirAll(path string) error                 { return os.MkdirAll(f.real(path), 0o777) }
func (f pathFiles) RemoveAll(path string) error                { return os.RemoveAll(f.real(path)) }
func (f pathFiles) Create(path string) (io.WriteCloser, error) {
	p := f.real(path)
	if err := os.MkdirAll(filepath.Dir(p), 0o777); err != nil {
		return nil, err
	}
	return os.Create(p)
}

// The recordings that show the machine and not the client.
var outside = map[string]string{
	"transcript-cluster-down":         "no cluster",
	"transcript-file-not-found":       "a stack trace of the JVM",
	"transcript-posix-locale-cjk":     "the locale",
	"transcript-sigint-running-query": "a signal",
	"transcript-verbose-error":        "a stack trace of the JVM",
}

func loadTranscripts(t *testing.T) []transcript {
	t.Helper()
	var out []transcript
	dirs, err := filepath.Glob(corpus + "/sink/transcript-*")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no transcripts")
	}
	for _, d := range dirs {
		name := filepath.Base(d)
		if outside[name] != "" {
			continue
		}
		abs, _ := filepath.Abs(d)
		out = append(out, transcript{
			group: "corpus", name: name, script: read(d, "lab.sql"), init: read(d, "init.sql"), want: read(d, "transcript.out"),
			stdin: strings.Contains(name, "stdin"),
			// some scripts write next to their data
			files: pathFiles{[][2]string{{dataPath + "/out", t.TempDir()}, {dataPath, abs}, {outPath, t.TempDir()}}},
		})
	}
	labs, _ := filepath.Glob("../../fixtures/recorded/labs/dynamic/*")
	for _, d := range labs {
		scripts, _ := filepath.Glob(d + "/submission/*.sql")
		abs, _ := filepath.Abs(d)
		for _, s := range scripts {
			out = append(out, transcript{
				group: "lab", name: "lab-" + filepath.Base(d) + "-" + strings.TrimSuffix(filepath.Base(s), ".sql"), script: read("", s), want: read("", strings.TrimSuffix(s, ".sql")+".out"),
				files: pathFiles{[][2]string{{"/opt/lab/fixtures/data", abs}, {"/root/flink/dynamic", t.TempDir()}}},
			})
		}
	}
	data, _ := filepath.Abs("../../fixtures/recorded/versions/data")
	clicks, _ := filepath.Abs("../../fixtures/recorded/labs/dynamic/right-120/dynamic_clicks.csv")
	outs, _ := filepath.Glob("../../fixtures/recorded/versions/2.3.0/*.out")
	for _, o := range outs {
		name := strings.TrimSuffix(filepath.Base(o), ".out")
		if name == "batch" || name == "stream" || name == "nested" {
			continue // their data are not among the recorded files
		}
		out = append(out, transcript{
			group: "versions", name: "versions-" + name, script: read("../../fixtures/recorded/versions/2.3.0/sql", name+".sql"), want: read("", o),
			stdin: name == "stdin",
			files: pathFiles{[][2]string{{"/opt/lab/fixtures/data/dynamic_clicks.csv", clicks}, {"/opt/lab/fixtures/data", data}, {"/root/flink", t.TempDir()}, {"/tmp", t.TempDir()}}},
		})
	}
	return out
}

var jlineDate = regexp.MustCompile(`(?m)^\w{3} \d{1,2}, \d{4} \d{1,2}:\d\d:\d\d [AP]M org\.jline`)

// bare removes what differs between two runs of the same script.
func bare(text string) string {
	text = jlineDate.ReplaceAllString(text, "DATE org.jline")
	text = seconds.ReplaceAllString(text, "")
	text = jobID.ReplaceAllString(text, "Job ID: X")
	for {
		i := strings.Index(text, "\nWas expecting")
		if i < 0 {
			break
		}
		j := strings.Index(text[i:], "\x1b[0m")
		if j < 0 {
			break
		}
		text = text[:i] + text[i+j:]
	}
	if strings.Contains(text, "{data}") || strings.Contains(text, "{out}") {
		text = runs.ReplaceAllString(text, " ")
	}
	return text
}

func runTranscript(tr transcript, lead int) (string, error) {
	var buf bytes.Buffer
	s := client.New(client.Options{Out: &buf, Echo: client.EchoClient, Color: true, Home: "/root", Files: tr.files})
	s.Lead(lead)
	warning := "DATE org.jline.utils.Log logr\nWARNING: Unable to create a system terminal, creating a dumb terminal (enable debug logging for more information)\n"
	var err error
	head := ""
	if tr.init != "" {
		err = s.RunInit(place(tr.init), "{data}/init.sql")
		head = buf.String()
		buf.Reset()
	}
	if err == nil {
		head += warning
		if tr.stdin {
			err = s.RunInput(place(tr.script))
		} else {
			err = s.RunFile(place(tr.script))
		}
	}
	text := head + buf.String()
	return strings.NewReplacer(dataPath, "{data}", outPath, "{out}").Replace(text), err
}

// judgeTranscript runs a recorded script whole, with prompts, echoes and colours.
func judgeTranscript(tr transcript) verdict {
	got, err := runTranscript(tr, 0)
	v := verdict{stmt: tr.name, got: bare(got), want: bare(tr.want), outcome: exact}
	if err == nil && v.got != v.want {
		for _, lead := range leads() {
			if other, err := runTranscript(tr, lead); err == nil && bare(other) == v.want {
				v.got = v.want
				break
			}
		}
	}
	switch {
	case unsupported.Is(err):
		v.outcome, v.reason = isUnsupported, err.Error()
	case v.got != v.want:
		v.outcome = isWrong
	}
	return v
}
