//go:build unix

package datadir_test

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestWhoLooksKeepsNobodyOut: a process that starts while somebody finds out whether the lock
// is held must not think that it is the second one.
func TestWhoLooksKeepsNobodyOut(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"discoclaw.lock", "."} {
		synctest.Test(t, func(t *testing.T) {
			path := t.TempDir()
			put(t, path, "")
			f, err := os.Open(filepath.Join(path, name))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if err := syscall.Flock(int(f.Fd()), syscall.LOCK_SH); err != nil {
				t.Fatal(err)
			}
			var looking sync.WaitGroup
			looking.Go(func() {
				time.Sleep(time.Millisecond)
				if err := syscall.Flock(int(f.Fd()), syscall.LOCK_UN); err != nil {
					t.Error(err)
				}
			})
			defer looking.Wait()
			if err := open(t, path).Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
