//go:build unix

package workspace_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestAPipeDoesNotBlock(t *testing.T) {
	t.Parallel()
	w, o := open(t)
	path := filepath.Join(o.Folder, "SOUL.md")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := persona(t, w)[0]; got.Text != "(SOUL.md cannot be read)" {
		t.Errorf("the model is told %q", got.Text)
	}
}
