package fulldisk_test

import (
	"errors"
	"path/filepath"
	"testing"

	"discoclaw/internal/store"
	"discoclaw/internal/test/disk/fulldisk"
)

// A shelf is a database on a disk.
type shelf struct {
	*testing.T
	disk *fulldisk.Disk
	db   *store.DB
	path string
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	dir := t.TempDir()
	s := &shelf{T: t, disk: fulldisk.New(t, dir), path: filepath.Join(dir, store.FileName)}
	s.open()
	t.Cleanup(func() { _ = s.db.Close() }) // it may be closed
	return s
}

func (s *shelf) open() {
	s.Helper()
	db, err := store.Open(s.Context(), s.path)
	if err != nil {
		s.Fatal(err)
	}
	s.db = db
}

// settle empties the WAL, in which making the tables may have left room or not.
func (s *shelf) settle() {
	s.Helper()
	if _, err := s.db.ExecContext(s.Context(), "PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		s.Fatal(err)
	}
}

// put writes a row.
func (s *shelf) put(channel string) error {
	_, err := s.db.ExecContext(s.Context(), "INSERT INTO watermarks (channel, guild, message) VALUES (?, '', 1)", channel)
	return err
}

// count is the number of rows.
func (s *shelf) count() (n int) {
	if err := s.db.QueryRowContext(s.Context(), "SELECT COUNT(*) FROM watermarks").Scan(&n); err != nil {
		s.Error(err)
	}
	return n
}

func TestAFullDiskAcceptsWritesIntoTheReserve(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.settle()
	s.disk.Become(fulldisk.Full, 0)
	if err := s.put("1"); !errors.Is(err, store.ErrFull) {
		t.Errorf("without a reserve: %v", err)
	}
	s.disk.Become(fulldisk.Roomy, 0)
	if err := s.db.Reserve(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.disk.Become(fulldisk.Full, 0)
	if err := s.put("2"); err != nil {
		t.Errorf("with a reserve: %v", err)
	}
	s.disk.Become(fulldisk.Spent, 0)
	if err := s.put("3"); !errors.Is(err, store.ErrFull) {
		t.Errorf("when it is used up: %v", err)
	}
	s.disk.Become(fulldisk.Roomy, 0)
	if err := s.put("4"); err != nil || s.count() != 2 {
		t.Errorf("with room again: %v, and %d are there", err, s.count())
	}
}

func TestADiskBecomesFullBetweenTwoWrites(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.settle()
	err := s.put("first") // begins the WAL, which takes more writes than another row
	s.disk.Become(fulldisk.Spent, 5)
	n := 0
	for ; err == nil && n < 10; n++ {
		err = s.put(string(rune('a' + n)))
	}
	if !errors.Is(err, store.ErrFull) || n < 2 || s.count() != n {
		t.Errorf("the change number %d says %v, and %d are there", n, err, s.count())
	}
}

func TestStumbleFailsOneWrite(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.disk.Stumble(0)
	if err := s.put("1"); err == nil || errors.Is(err, store.ErrFull) {
		t.Error(err)
	}
	if err := s.put("1"); err != nil || s.count() != 1 {
		t.Error(err)
	}
}

// TestACutDatabaseIsLeftAsByAKill: its WAL is still there. So it can be opened on a full disk,
// where one that was closed cannot.
func TestACutDatabaseIsLeftAsByAKill(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	if err := s.put("1"); err != nil {
		t.Fatal(err)
	}
	s.disk.Become(fulldisk.Full, 0)
	s.disk.Cut(func() { _ = s.db.Close() })
	s.open()
	if s.count() != 1 {
		t.Error("what was written down is gone")
	}
	s.disk.Become(fulldisk.Roomy, 0)
	if err := s.db.Close(); err != nil {
		t.Fatal(err)
	}
	s.disk.Become(fulldisk.Full, 0)
	if db, err := store.Open(t.Context(), s.path); !errors.Is(err, store.ErrFull) {
		t.Errorf("%v, %v", db, err)
	}
}
