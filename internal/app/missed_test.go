package app

import (
	"fmt"
	"testing"

	"discoclaw/internal/store"
)

// refuse makes the bot's database one that refuses some changes.
func (b *Bot) refuse(t *testing.T, changes ...string) {
	t.Helper()
	for _, what := range changes {
		trigger := fmt.Sprintf("CREATE TRIGGER \"%s\" BEFORE %[1]s BEGIN SELECT RAISE(FAIL, 'there is no room'); END", what)
		if _, err := b.core.db.ExecContext(t.Context(), trigger); err != nil {
			t.Fatal(err)
		}
	}
}

// takesAgain lets a database take what it refused.
func takesAgain(t *testing.T, path string, changes ...string) {
	t.Helper()
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range changes {
		if _, err := db.ExecContext(t.Context(), fmt.Sprintf("DROP TRIGGER %q", what)); err != nil {
			t.Error(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
