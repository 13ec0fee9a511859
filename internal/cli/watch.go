package cli

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"
)

// watchEvery is how often a folder is looked at.
const watchEvery = 500 * time.Millisecond

// maxWatched bounds the files that are looked at.
const maxWatched = 10_000

// watchCheck grades a folder again after each change of its files.
func watchCheck(c *cli.Context, s Streams) error {
	lab, err := openLab(c, c.Args().First())
	if err != nil {
		return err
	}
	dir := c.Args().Get(1)
	switch {
	case dir != "":
	case isDir(lab.Folder):
		dir = lab.Folder
	default:
		dir = "."
	}
	return watch(c.Context, s, dir, func() error { return runCheck(c, s) })
}

// watch runs again each time something in a folder changes, until the context ends. An
// error of run does not end it: a half-written file is no reason to stop.
func watch(ctx context.Context, s Streams, dir string, run func() error) error {
	for {
		if err := run(); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			if e := (*Error)(nil); !errors.As(err, &e) || e.Err != nil {
				fmt.Fprintf(s.Err, "labgrade: %v\n", err)
			}
		}
		// Looked at behind the run: a report that it writes into the folder is no change.
		before := stateOf(dir)
		fmt.Fprintf(s.Err, "\nwatching %s (Ctrl-C ends)\n", dir)
		// Two equal looks one after another: nothing is being written any more.
		for last := before; ; {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(watchEvery):
			}
			now := stateOf(dir)
			if now != before && now == last {
				break
			}
			last = now
		}
		fmt.Fprintln(s.Err)
	}
}

// stateOf is a number that changes when a file of the folder is written, added or removed.
func stateOf(dir string) uint64 {
	h := fnv.New64a()
	n := 0
	// What cannot be read is as if it were not there: the next look tells.
	_ = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if n++; n > maxWatched {
			return fs.SkipAll
		}
		i, err := d.Info()
		if err != nil || d.IsDir() {
			return nil
		}
		fmt.Fprintf(h, "%s\x00%d\x00%d\x00", name, i.Size(), i.ModTime().UnixNano())
		return nil
	})
	return h.Sum64()
}
