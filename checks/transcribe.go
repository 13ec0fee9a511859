package checks

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/labgrade/labgrade/reference/client"
	"github.com/labgrade/labgrade/reference/unsupported"
)

// transcribe runs a script in the stand-in for the client.
func transcribe(ctx context.Context, script string, files Files) (*Written, error) {
	w := &written{left: MaxWritten, files: map[string]*bytes.Buffer{}}
	out, printed := &boundedBuffer{w: w}, &boundedBuffer{w: w}
	var tooMuch error
	s := client.New(client.Options{
		Out: out, Echo: client.EchoNone, NoTimeCost: true, Context: ctx,
		Files: &keptFiles{clientFiles{files}, w},
		Print: func(line string) {
			if _, err := io.WriteString(printed, strings.TrimRight(line, "\n")+"\n"); err != nil {
				tooMuch = err
			}
		},
	})
	err := s.RunFile(script)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case tooMuch != nil || errors.Is(err, ErrTooMuch) || w.left < 0:
		return nil, ErrTooMuch
	case err != nil && !errors.Is(err, client.ErrFailed):
		return nil, err
	}
	if reason, ok := unsupportedIn(out.Bytes()); ok {
		return nil, unsupported.New("%s", reason)
	}
	res := &Written{Client: out.Bytes(), Print: printed.Bytes(), Files: map[string][]byte{}}
	for p, b := range w.files {
		res.Files[p] = b.Bytes()
	}
	return res, nil
}

// unsupportedIn finds the client's own mark of a statement that it does not run.
func unsupportedIn(out []byte) (string, bool) {
	_, rest, ok := bytes.Cut(out, []byte("\n[UNSUPPORTED] "))
	if !ok {
		return "", false
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	return string(line), true
}

// keptFiles keeps in memory what sinks write.
type keptFiles struct {
	clientFiles
	w *written
}

func (f *keptFiles) Create(p string) (io.WriteCloser, error) {
	b := &boundedBuffer{w: f.w}
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	f.w.files[p] = &b.Buffer
	return b, nil
}

func (f *keptFiles) RemoveAll(p string) error {
	f.w.mu.Lock()
	defer f.w.mu.Unlock()
	for k := range f.w.files {
		if k == p || strings.HasPrefix(k, strings.TrimSuffix(p, "/")+"/") {
			delete(f.w.files, k)
		}
	}
	return nil
}
