package app

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"discoclaw/internal/status"
	"discoclaw/internal/store"
	"discoclaw/internal/test/disk/smalldisk"
)

// TestAFailedDiskCheckReportsNothing: operators who were told that the disk is full are told once
// that there is room again, and not while the disk cannot be checked.
func TestAFailedDiskCheckReportsNothing(t *testing.T) {
	t.Parallel()
	folder, ok := smalldisk.New(t, 16<<20)
	if !ok {
		return
	}
	path := filepath.Join(folder, store.FileName)
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var told []string
	d := &disk{db: db, log: slog.New(slog.DiscardHandler), report: func(_ context.Context, _ status.Kind, what string) { told = append(told, what) }}
	d.look(t.Context())
	ballast, hindrance, room := filepath.Join(folder, "ballast"), filepath.Join(folder, "hindrance"), path+"-room" // the file that Reserve probes the disk with
	for _, become := range []func() error{
		func() error { return os.MkdirAll(filepath.Join(hindrance, "in the way"), 0o700) },
		func() error { _ = os.WriteFile(ballast, make([]byte, 16<<20), 0o600); return nil }, // fills the disk
		func() error { return os.Rename(hindrance, room) },                                  // the probe fails for another reason
		func() error { return os.Remove(ballast) },
		func() error { return os.RemoveAll(room) },
	} {
		if err := become(); err != nil {
			t.Fatal(err)
		}
		d.look(t.Context())
	}
	if len(told) != 2 || !strings.Contains(told[0], "The disk is full") || !strings.Contains(told[1], "There is room") {
		t.Errorf("%q", told)
	}
}
