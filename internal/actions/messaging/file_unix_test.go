//go:build unix

package messaging

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestAPipeIsRefusedWithoutWaiting: the pipe has no writer, so a plain open would block.
func TestAPipeIsRefusedWithoutWaiting(t *testing.T) {
	t.Parallel()
	tr := newTree(t, "workspace/link.txt -> pipe.txt")
	if err := syscall.Mkfifo(filepath.Join(tr.workspace, "pipe.txt"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"pipe.txt", "link.txt", filepath.Join(tr.workspace, "pipe.txt")} {
		_, err := tr.folders().open(path, 1000)
		if err == nil || !strings.HasSuffix(err.Error(), "(not a regular file)") {
			t.Errorf("%s: %v, want that it is not a regular file", path, err)
		}
	}
}
