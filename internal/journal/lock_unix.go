//go:build darwin || linux || freebsd || netbsd || openbsd

package journal

import (
	"os"
	"syscall"
)

// lock keeps a second run out; the system releases it when the process ends, however.
func lock(f *os.File) error {
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == syscall.EWOULDBLOCK {
		return ErrBusy
	}
	return nil // a file system without locks does not keep anybody from grading
}
