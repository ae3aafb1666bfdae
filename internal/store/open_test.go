package store_test

import (
	"crypto/sha256"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"discoclaw/internal/store"
)

func mkdir(t testing.TB, path string) {
	t.Helper()
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

func write(t testing.TB, path string, text []byte) {
	t.Helper()
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// plainly runs statements on a database without this package.
func plainly(t testing.TB, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// used makes a database with something in it and returns its path.
func used(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), store.FileName)
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	run(t, db, "CREATE TABLE words (word TEXT)")
	run(t, db, "CREATE INDEX words_by_word ON words (word)")
	for range 200 {
		run(t, db, "INSERT INTO words VALUES (?)", strings.Repeat("hello", 100))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// requireRefused opens a file that Open must refuse, and checks that it is unchanged.
func requireRefused(t *testing.T, path string, parts ...string) {
	t.Helper()
	before := sha256.Sum256(read(t, path))
	db, err := store.Open(t.Context(), path)
	if err == nil {
		_ = db.Close()
		t.Fatal("it was opened")
	}
	for _, part := range append(parts, path) {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error is %q, want it to say %q", err, part)
		}
	}
	if sha256.Sum256(read(t, path)) != before {
		t.Error("the file was changed")
	}
}

func TestOnlyTheOwnerMayReadIt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	path := used(t)
	if err := os.Chmod(path, 0o644); err != nil { // as a copy of it might be
		t.Fatal(err)
	}
	db := open(t, path)
	run(t, db, "INSERT INTO words VALUES ('hello')")
	files, err := filepath.Glob(path + "*")
	if err != nil || len(files) != 3 {
		t.Fatalf("%v, %v: want the database, its log and the index of that", files, err)
	}
	for _, file := range files {
		if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v (%v), want 0600", file, info.Mode(), err)
		}
	}
}

func TestANewerDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	path := used(t)
	plainly(t, path, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (90000, 1)")
	requireRefused(t, path, "newer version of discoclaw", "at 90000", "run that version")
}

// TestAnEmptyFileIsAFreshDatabase: the process may end just after creating it.
func TestAnEmptyFileIsAFreshDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	write(t, path, nil)
	if n := count(t, open(t, path), "SELECT COUNT(*) FROM turns"); n != 0 {
		t.Errorf("%d turns are there", n)
	}
}

func TestAFolderInItsPlaceIsNamed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	mkdir(t, path)
	if _, err := store.Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), path+" is not a file") {
		t.Errorf("the error is %v", err)
	}
	if _, err := store.Open(t.Context(), filepath.Join(path, "gone", store.FileName)); err == nil || !strings.Contains(err.Error(), "DISCOCLAW_DATA_DIR") {
		t.Errorf("without a folder the error is %v", err)
	}
}

func TestAFullDiskIsErrFull(t *testing.T) {
	t.Parallel()
	db := fresh(t)
	run(t, db, "PRAGMA max_page_count = 30") // SQLite answers like a disk with as much room
	big := strings.Repeat("hello", 100_000)
	if _, err := db.ExecContext(t.Context(), "INSERT INTO words (word) VALUES (?)", big); err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("a statement says %v", err)
	}
	err := db.Tx(t.Context(), func(tx *store.Tx) error {
		_, err := tx.ExecContext(t.Context(), "INSERT INTO words (word) VALUES (?)", big)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "the disk is full") {
		t.Errorf("a transaction says %v", err)
	}
	run(t, db, "INSERT INTO words (word) VALUES ('small')")
}

// TestOpeningPrintsNothing: the bot's output is for people, and goose prints by default.
func TestOpeningPrintsNothing(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr := os.Stdout, os.Stderr
	os.Stdout, os.Stderr = w, w
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
	os.Stdout, os.Stderr = stdout, stderr
	_ = w.Close()
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	if printed, _ := io.ReadAll(r); len(printed) > 0 {
		t.Errorf("it printed %q", printed)
	}
}

// TestAReadOnlyFileIsRefused at once, and not with the first message.
func TestAReadOnlyFileIsRefused(t *testing.T) {
	t.Parallel()
	if os.Getuid() <= 0 {
		t.Skip("the user of this test may write everywhere")
	}
	path := used(t)
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), path)
	if err == nil {
		err = db.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "cannot be written to; change its permissions") {
		t.Errorf("a file that may only be read: %v", err)
	}
}
