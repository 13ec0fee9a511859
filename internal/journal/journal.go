// Package journal keeps what has been computed in a file, so that a run that was killed
// goes on where it ended. Records are found by a key that says all that the value depends
// on, so that a record can be out of use but never wrong.
package journal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
)

// version is the first line of a journal.
const version = `{"labgrade_journal":1}`

// Journal is an open journal. It may be used from several goroutines.
type Journal struct {
	mu      sync.Mutex
	file    *os.File
	name    string
	records map[string]json.RawMessage
	used    map[string]bool
	lost    int
}

// ErrBusy says that another run writes the journal.
var ErrBusy = errors.New("another run of labgrade writes this journal")

type record struct {
	Key   string          `json:"key"`
	Value json.RawMessage `json:"value"`
}

// Open opens a journal, or makes one. What cannot be read of it, such as the line that was
// being written when the process was killed, is left out.
func Open(name string) (*Journal, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(f); err != nil {
		f.Close()
		return nil, err
	}
	j := &Journal{file: f, name: name, records: map[string]json.RawMessage{}, used: map[string]bool{}}
	if err := j.read(); err != nil {
		f.Close()
		return nil, err
	}
	return j, nil
}

// read loads the records and cuts off what stands behind the last whole one.
func (j *Journal) read() error {
	r := bufio.NewReaderSize(j.file, 1<<16)
	head, err := r.ReadBytes('\n')
	if err != nil || string(bytes.TrimSpace(head)) != version {
		if len(head) > 0 && !bytes.HasPrefix([]byte(version), bytes.TrimSpace(head)) {
			return fmt.Errorf("%s is no journal of this version of labgrade", j.name)
		}
		return j.restart()
	}
	end := int64(len(head))
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			if len(line) > 0 {
				j.lost++
			}
			if err != io.EOF {
				return err
			}
			break
		}
		end += int64(len(line))
		var rec record
		if json.Unmarshal(line, &rec) != nil || rec.Key == "" {
			j.lost++
			continue
		}
		j.records[rec.Key] = rec.Value
	}
	if err := j.file.Truncate(end); err != nil {
		return err
	}
	_, err = j.file.Seek(end, io.SeekStart)
	return err
}

func (j *Journal) restart() error {
	if err := j.file.Truncate(0); err != nil {
		return err
	}
	_, err := j.file.WriteAt([]byte(version+"\n"), 0)
	if err == nil {
		_, err = j.file.Seek(0, io.SeekEnd)
	}
	return err
}

// Len is the number of records.
func (j *Journal) Len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.records)
}

// Get reads the value of a key into v and reports whether there is one.
func (j *Journal) Get(key string, v any) bool {
	j.mu.Lock()
	raw, ok := j.records[key]
	j.used[key] = j.used[key] || ok
	j.mu.Unlock()
	return ok && json.Unmarshal(raw, v) == nil
}

// Put writes the value of a key. When it returns, the record outlives the process.
func (j *Journal) Put(key string, v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	line, err := json.Marshal(record{key, raw})
	if err != nil {
		return err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.records[key], j.used[key] = raw, true
	_, err = j.file.Write(append(line, '\n')) // one call: a kill leaves at most one line cut
	return err
}

// Close closes the journal. After a whole run, done leaves out what it did not use, once
// that is more than what it did.
func (j *Journal) Close(done bool) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	var err error
	if done && len(j.records) > 2*len(j.used) {
		err = j.compact()
	}
	return errors.Join(err, j.file.Close())
}

// compact rewrites the journal beside itself and puts it into its place in one step.
func (j *Journal) compact() error {
	f, err := os.CreateTemp(filepath.Dir(j.name), filepath.Base(j.name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, version)
	for key, raw := range j.records {
		if !j.used[key] {
			continue
		}
		line, err := json.Marshal(record{key, raw})
		if err != nil {
			f.Close()
			return err
		}
		w.Write(append(line, '\n'))
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), j.name)
}
