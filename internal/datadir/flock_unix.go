//go:build unix

package datadir

import (
	"errors"
	"os"
	"syscall"
)

// errHeld means that another process holds the lock.
var errHeld = syscall.EWOULDBLOCK

func lock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
