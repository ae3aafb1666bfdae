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

// TestAProbeKeepsNoProcessOut: a process that starts while another one probes the lock must not take
// it for held.
func TestAProbeKeepsNoProcessOut(t *testing.T) {
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
