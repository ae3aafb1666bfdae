package app

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"discoclaw/internal/store"
)

// TestADiskOfWhichNobodyKnowsIsAsItWas: who was told that it is full is told once more,
// when there is room, and not before.
func TestADiskOfWhichNobodyKnowsIsAsItWas(t *testing.T) {
	t.Parallel()
	const full = "/dev/full" // takes nothing
	if _, err := os.Stat(full); err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), store.FileName)
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var told []string
	d := &disk{db: db, log: slog.New(slog.DiscardHandler), report: func(_ context.Context, what string) { told = append(told, what) }}
	d.look(t.Context())
	room := path + "-room" // is where it tries
	for _, become := range []func() error{
		func() error { return os.Symlink(full, room) },
		func() error { return os.Mkdir(room, 0o700) }, // which says nothing about the disk
		func() error { return os.Remove(room) },
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
