package recall_test

import (
	"os"
	"path/filepath"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/memory/recall"
	"discoclaw/internal/store"
)

// TestACopyHasTheIndex: a restored database finds what the lost one knew, and neither is taken for damaged.
func TestACopyHasTheIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), store.FileName)
	db := opened(t, path)
	engine := recall.New(recall.Options{DB: db, Server: &archive{rooms: archived}, Outsider: func(chat.Message) bool { return false }})
	for _, text := range []string{"wombats dig", "echidnas climb"} {
		id := chat.MessageID(text)
		engine.Heard(chat.Message{ID: id, Place: chat.Place{Guild: "1", Channel: room(1), Message: id}, Author: chat.User{ID: "2"}, Text: text})
	}
	for _, err := range []error{engine.Flush(t.Context()), db.Copy(t.Context())} {
		if err != nil {
			t.Fatal(err)
		}
	}
	requireSound(t, path)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	requireSound(t, path)
	if err := os.WriteFile(path, []byte("torn"), 0o600); err != nil {
		t.Fatal(err)
	}
	db = opened(t, path)
	defer db.Close()
	if db.Beginning().Copied.IsZero() {
		t.Errorf("it began with %+v", db.Beginning())
	}
	_, err := db.ExecContext(t.Context(), "INSERT INTO recall_words (recall_words, rank) VALUES ('integrity-check', 1)")
	if err != nil {
		t.Error(err)
	}
	var n int
	if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM recall_words WHERE recall_words MATCH 'wombat OR climbing'").Scan(&n); err != nil || n != 2 {
		t.Errorf("%d rows are found, %v", n, err)
	}
}

func requireSound(t *testing.T, path string) {
	t.Helper()
	c, err := store.Examine(t.Context(), path)
	if err != nil || c.Trouble != "" || c.CopyTrouble != "" || c.Copied.IsZero() {
		t.Errorf("examined: %+v, %v", c, err)
	}
}
