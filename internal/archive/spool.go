package archive

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// Spooled is data that can be read anywhere: a little in memory, much in a temporary file
// whose name is gone at once, so that nothing is left behind however the process ends.
type Spooled struct {
	io.ReaderAt
	size int64
	file *os.File
}

// Size is the number of bytes.
func (s *Spooled) Size() int64 { return s.size }

// Close frees the data.
func (s *Spooled) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	os.Remove(s.file.Name()) // where an open file cannot be removed before
	return err
}

// overError says that there was more to read than allowed.
type overError struct{ max int64 }

func (e *overError) Error() string { return fmt.Sprintf("more than %d bytes", e.max) }

// Spool reads r to its end, at most max bytes (0: any number), of which it keeps up to
// memory bytes in memory.
func Spool(r io.Reader, max, memory int64) (*Spooled, error) {
	var head bytes.Buffer
	n, err := io.CopyN(&head, r, memory+1)
	if err != nil && err != io.EOF {
		return nil, err
	}
	if max > 0 && n > max {
		return nil, &overError{max}
	}
	if n <= memory {
		return &Spooled{ReaderAt: bytes.NewReader(head.Bytes()), size: n}, nil
	}
	f, err := os.CreateTemp("", "labgrade-*")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name())
	s := &Spooled{ReaderAt: f, file: f}
	if max > 0 {
		r = io.LimitReader(r, max-n+1)
	}
	if s.size, err = io.Copy(f, io.MultiReader(&head, r)); err != nil {
		s.Close()
		return nil, err
	}
	if max > 0 && s.size > max {
		s.Close()
		return nil, &overError{max}
	}
	return s, nil
}
