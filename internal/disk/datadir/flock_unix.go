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

// glance finds out whether another process holds a lock, beside others who do the same.
func glance(f *os.File) error {
	if err := flock(f, syscall.LOCK_SH|syscall.LOCK_NB); err != nil {
		return err
	}
	return unlock(f)
}

// unlock lets go at once. To close the file would do that only when no child has it open
// any more, and for a moment each one has that is being started.
func unlock(f *os.File) error { return flock(f, syscall.LOCK_UN) }

func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
