package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"discoclaw/internal/store"
)

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// TestRoomIsReservedOnce: neither the database nor its WAL grows when rows are written after that,
// and used room is reserved again.
func TestRoomIsReservedOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	db := open(t, path)
	for range 2 {
		if err := db.Reserve(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	before, log := size(t, path), size(t, path+"-wal")
	for n := range 300 {
		run(t, db, "INSERT INTO words (word, said) VALUES (?, ?)", strings.Repeat("x", 500)+string(rune('A'+n)), n)
	}
	if now := size(t, path); before < 1<<20 || now != before {
		t.Errorf("the database has %d bytes, and then %d", before, now)
	}
	if now := size(t, path+"-wal"); log < 1<<20 || now != log {
		t.Errorf("its log has %d bytes, and then %d", log, now)
	}
	run(t, db, "UPDATE words SET word = word || ?", strings.Repeat("y", 2000))
	if err := db.Reserve(t.Context()); err != nil {
		t.Fatal(err)
	}
	if free := count(t, db, "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size"); free < 1<<20 {
		t.Errorf("%d bytes are free", free)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*room*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v is left behind, %v", left, err)
	}
}

// TestTheLogIsReservedAtEachStart: it is removed when a process ends, unlike the free
// pages of the database.
func TestTheLogIsReservedAtEachStart(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	for range 2 {
		db, err := store.Open(t.Context(), path)
		if err == nil {
			err = db.Reserve(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
		if log := size(t, path+"-wal"); log < 1<<20 {
			t.Errorf("the log has %d bytes", log)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheReserveTableOfAKilledProcessIsDropped(t *testing.T) {
	t.Parallel()
	db := fresh(t)
	run(t, db, "CREATE TABLE reserve AS SELECT zeroblob(1000000) AS filler")
	if err := db.Reserve(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := count(t, db, "SELECT COUNT(*) FROM sqlite_master WHERE name = 'reserve'"); n != 0 {
		t.Error("it is still there")
	}
}

// TestNothingIsWrittenThroughALink: a link or pipe beside the database neither has another file
// overwritten nor blocks the bot.
func TestNothingIsWrittenThroughALink(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	letter := filepath.Join(t.TempDir(), "letter")
	write(t, letter, []byte("dear ada"))
	db := open(t, path)
	for _, draft := range []string{path + "-room", filepath.Join(filepath.Dir(path), "discoclaw-copy.db"), filepath.Join(filepath.Dir(path), "discoclaw-copy.db.new")} {
		if err := os.Symlink(letter, draft); err != nil {
			t.Skip(err)
		}
	}
	if err := db.Reserve(t.Context()); err != nil {
		t.Error(err)
	}
	if err := db.Copy(t.Context()); err != nil {
		t.Error(err)
	}
	if got := string(read(t, letter)); got != "dear ada" {
		t.Errorf("the letter has %d bytes now: %.20q", len(got), got)
	}
}

// TestRoomIsReservedDuringARead: a copy of the database takes a while, and writers do not wait for
// it.
func TestRoomIsReservedDuringARead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	db := open(t, path)
	for n := range 10 {
		run(t, db, "INSERT INTO words (word, said) VALUES (?, ?)", strings.Repeat("x", n+1), n)
	}
	rows, err := db.QueryContext(t.Context(), "SELECT word FROM words")
	if err != nil {
		t.Fatal(err)
	}
	if !rows.Next() {
		t.Fatal(rows.Err())
	}
	if err := db.Reserve(t.Context()); err != nil { // does not wait for the reader
		t.Fatal(err)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	if err := db.Reserve(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := size(t, path); n < 1<<20 {
		t.Errorf("afterwards, the database has %d bytes", n)
	}
}
