package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/labgrade/labgrade/internal/journal"
	"github.com/labgrade/labgrade/labs"
)

// openJournal opens the journal of a run: the named one, or one in the user's cache folder
// that goes with the lab and the paths. nil where there is to be none, or no place for one.
func openJournal(c *cli.Context, s Streams, lab *labs.Lab, paths []string) (*journal.Journal, error) {
	name := c.String("journal")
	if c.Bool("no-journal") {
		if name != "" || c.Bool("fresh") {
			return nil, Usagef("--no-journal does not go with --journal or --fresh")
		}
		return nil, nil
	}
	named := name != ""
	if !named {
		if name = defaultJournal(s, lab, paths); name == "" {
			return nil, nil
		}
	}
	if c.Bool("fresh") {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, Usagef("the journal cannot be removed: %w", err)
		}
	}
	j, err := journal.Open(name)
	switch {
	case err == nil:
		return j, nil
	case errors.Is(err, journal.ErrBusy):
		return nil, Usagef("%w: %s\nWait for it, or name another with --journal FILE", err, name)
	case named:
		return nil, Usagef("the journal cannot be opened: %w", err)
	}
	fmt.Fprintf(s.Err, "no journal is kept: %v (name a place with --journal FILE)\n", err)
	return nil, nil
}

// defaultJournal is "" where the system has no place for it.
func defaultJournal(s Streams, lab *labs.Lab, paths []string) string {
	dir := cacheDir(s.Getenv)
	if dir == "" {
		return ""
	}
	var all []string
	for _, p := range paths {
		if abs, err := filepath.Abs(p); err == nil {
			p = abs
		}
		all = append(all, p)
	}
	slices.Sort(all)
	sum := sha256.Sum256([]byte(strings.Join(all, "\x00")))
	return filepath.Join(dir, "labgrade", "journal", lab.ID+"-"+hex.EncodeToString(sum[:8])+".jsonl")
}

func cacheDir(getenv func(string) string) string {
	if d := getenv("XDG_CACHE_HOME"); d != "" {
		return d
	}
	switch home := getenv("HOME"); {
	case runtime.GOOS == "windows":
		return getenv("LocalAppData")
	case home == "":
		return ""
	case runtime.GOOS == "darwin":
		return filepath.Join(home, "Library", "Caches")
	default:
		return filepath.Join(home, ".cache")
	}
}

// salt changes whenever labgrade does: records of another build do not count.
func salt() string {
	out := Version
	if exe, err := os.Executable(); err == nil {
		if i, err := os.Stat(exe); err == nil {
			out += fmt.Sprintf(" %d %d", i.Size(), i.ModTime().UnixNano())
		}
	}
	return out
}
