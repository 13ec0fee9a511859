package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestWatch: a change runs again, quiet does not, and the end of the context ends it.
func TestWatch(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	runs := 0
	err := watch(ctx, Streams{Err: &bytes.Buffer{}}, dir, func() error {
		runs++
		if runs == 2 {
			cancel()
			return nil
		}
		time.AfterFunc(100*time.Millisecond, func() {
			if err := os.WriteFile(filepath.Join(dir, "x.out"), []byte("x"), 0o644); err != nil {
				t.Error(err)
			}
		})
		return nil
	})
	if err != nil || runs != 2 {
		t.Errorf("%d runs, %v", runs, err)
	}
}
