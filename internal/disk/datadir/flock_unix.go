//go:build unix

package datadir

import (
	"errors"
	"os"
	"syscall"
)

// errHeld means that another process holds the lock.
var errHeld = syscall.EWOULDBLOCK

func lock(f *os.File) error { return flock(f, syscall.LOCK_EX|syscall.LOCK_NB) }

// probe returns errHeld if another process holds the lock. Its own lock is shared, so that
// probes do not see each other.
func probe(f *os.File) error {
	if err := flock(f, syscall.LOCK_SH|syscall.LOCK_NB); err != nil {
		return err
	}
	return unlock(f)
}

// unlock releases the lock at once. Closing the file would release it only when no child process
// has it open, and each child does between fork and exec.
func unlock(f *os.File) error { return flock(f, syscall.LOCK_UN) }

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
