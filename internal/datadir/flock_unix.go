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
