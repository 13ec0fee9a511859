package labs

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"
)

// Every folder here that holds a lab file is a lab, so that a new one needs no code.
//
//go:embed all:*
var shipped embed.FS

// Shipped lists the ids of the labs that come with labgrade, sorted.
func Shipped() []string {
	entries, _ := shipped.ReadDir(".")
	var ids []string
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		if _, err := fs.Stat(shipped, e.Name()+"/"+FileName); err == nil {
			ids = append(ids, e.Name())
		}
	}
	return ids
}

// Open loads a lab that comes with labgrade.
func Open(id string) (*Lab, error) {
	ids := Shipped()
	for _, known := range ids {
		if known == id {
			sub, err := fs.Sub(shipped, id)
			if err != nil {
				return nil, err
			}
			return Load(sub)
		}
	}
	return nil, &UnknownError{ID: id, Known: ids}
}

// UnknownError says that there is no such lab.
type UnknownError struct {
	ID    string
	Known []string
}

func (e *UnknownError) Error() string {
	s := suggest(e.ID, append([]string{}, e.Known...))
	if strings.HasPrefix(s, "; known") {
		s = "; the labs are: " + strings.Join(e.Known, ", ")
	}
	return fmt.Sprintf("there is no lab %q%s", e.ID, s)
}
