package store_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/store"
	"discoclaw/internal/test/disk/smalldisk"
)

// damages are the ways in which a database can be unusable.
var damages = []struct {
	name    string
	do      func(t *testing.T, path string)
	trouble string
}{
	{"another program's", func(t *testing.T, path string) {
		remove(t, path)
		plainly(t, path, "CREATE TABLE recipes (name TEXT)")
	}, "it is of another program"},
	{"no database at all", torn(func([]byte) []byte { return []byte(strings.Repeat("This is a shopping list.\n", 100)) }), "it is damaged"},
	{"cut short", torn(func(whole []byte) []byte { return whole[:len(whole)/2] }), "it is damaged"},
	{"cut within its header", torn(func(whole []byte) []byte { return whole[:50] }), "it is damaged"},
	{"zeros at the beginning", torn(func(whole []byte) []byte { return append(make([]byte, 4096), whole[4096:]...) }), "it is damaged"},
	{"zeros in the middle", torn(func(whole []byte) []byte {
		half := len(whole) / 2 / 4096 * 4096
		return bytes.Join([][]byte{whole[:half], make([]byte, 2*4096), whole[half+2*4096:]}, nil)
	}), "it is damaged"},
	{"empty", torn(func([]byte) []byte { return nil }), "it is empty"},
	{"gone", remove, "it is gone"},
	{"gone, with a log", func(t *testing.T, path string) {
		remove(t, path)
		write(t, path+"-wal", []byte("what somebody did last"))
	}, "it is gone"},
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func torn(change func(whole []byte) []byte) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		t.Helper()
		write(t, path, change(read(t, path)))
	}
}

// copied makes a database with a copy and a row that is newer than it.
func copied(t *testing.T) string {
	t.Helper()
	path := used(t)
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Copy(t.Context()); err != nil {
		t.Fatal(err)
	}
	run(t, db, "INSERT INTO words VALUES ('since')")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// belongings returns the content of the files whose names begin with path.
func belongings(t *testing.T, path string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, f := range files {
		if end := strings.TrimPrefix(f, path); !strings.HasPrefix(end, ".aside") && !strings.HasSuffix(end, "-shm") {
			found[end] = string(read(t, f))
		}
	}
	return found
}

// requireSetAside opens a damaged database, and checks that all of its files were renamed
// unchanged.
func requireSetAside(t *testing.T, path, trouble string) *store.DB {
	t.Helper()
	before := belongings(t, path)
	db := open(t, path)
	got := db.Beginning()
	if !strings.HasPrefix(got.Trouble, trouble) {
		t.Errorf("the trouble is %q, want %q", got.Trouble, trouble)
	}
	if (got.Aside == "") != (len(before) == 0) {
		t.Errorf("%d files are called %q now", len(before), got.Aside)
	}
	for end, text := range before {
		if string(read(t, got.Aside+end)) != text {
			t.Errorf("%q is not what it was before it was set aside", end)
		}
	}
	return db
}

func TestTheCopyReplacesADamagedDatabase(t *testing.T) {
	t.Parallel()
	for _, tt := range damages {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := copied(t)
			tt.do(t, path)
			db := requireSetAside(t, path, tt.trouble)
			if n := count(t, db, "SELECT COUNT(*) FROM words"); n != 200 || db.Beginning().Copied.IsZero() {
				t.Errorf("%d words are there, want those of the copy", n)
			}
		})
	}
}

func TestADamagedDatabaseWithoutACopyIsReplacedByAnEmptyOne(t *testing.T) {
	t.Parallel()
	for _, tt := range damages {
		if tt.name == "gone" || tt.name == "empty" {
			continue // nothing shows that there was more
		}
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			path := used(t)
			tt.do(t, path)
			db := requireSetAside(t, path, tt.trouble)
			if n := count(t, db, "SELECT COUNT(*) FROM turns"); n != 0 || !db.Beginning().Copied.IsZero() {
				t.Errorf("%d turns are there", n)
			}
		})
	}
}

func TestADamagedCopyIsSetAsideToo(t *testing.T) {
	t.Parallel()
	path := copied(t)
	write(t, path, []byte("no database"))
	write(t, strings.TrimSuffix(path, ".db")+"-copy.db", []byte("no database either"))
	db := open(t, path)
	got := db.Beginning()
	if !strings.Contains(got.Trouble, "nor could its copy") || !got.Copied.IsZero() {
		t.Errorf("it began with %+v", got)
	}
	asides, err := filepath.Glob(path + ".aside-*")
	if err != nil || len(asides) != 2 {
		t.Errorf("%q, %v: want both set aside", asides, err)
	}
	if err := db.Copy(t.Context()); err != nil { // a new one takes its place
		t.Error(err)
	}
}

// TestACopyStaysOneUntilItIsAdopted: a process that is killed in between must not be followed by
// one that resumes the copy, nor must a copy that was put in place by hand be resumed.
func TestACopyStaysOneUntilItIsAdopted(t *testing.T) {
	t.Parallel()
	path := copied(t)
	write(t, path, read(t, strings.TrimSuffix(path, ".db")+"-copy.db"))
	for range 2 {
		db, err := store.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		if got := db.Beginning(); got.Trouble != "" || got.Copied.IsZero() {
			t.Errorf("it began with %+v, want a copy", got)
		}
		db.OnRestore("words", func(context.Context, *store.Tx) error { return errors.New("not now") })
		if err := db.Adopt(t.Context()); err == nil || !strings.Contains(err.Error(), "restore words: not now") {
			t.Errorf("it was adopted though OnRestore failed: %v", err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	db := open(t, path)
	db.OnRestore("words", func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM words")
		return err
	})
	if err := db.Adopt(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := count(t, db, "SELECT COUNT(*) FROM words"); n != 0 {
		t.Errorf("%d words are there", n)
	}
	if got := open(t, path).Beginning(); got != (store.Beginning{}) {
		t.Errorf("the next process began with %+v", got)
	}
}

func TestACopyIsMadeWhileOthersWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), store.FileName)
		db, err := store.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		run(t, db, "CREATE TABLE words (word TEXT)")
		time.Sleep(time.Hour)
		err = db.Tx(t.Context(), func(tx *store.Tx) error {
			if _, err := tx.ExecContext(t.Context(), "INSERT INTO words VALUES ('later')"); err != nil {
				return err
			}
			return db.Copy(t.Context()) // sees what was committed
		})
		if err != nil {
			t.Fatal(err)
		}
		made := time.Now()
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		write(t, path, nil)
		if db, err = store.Open(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		if n := count(t, db, "SELECT COUNT(*) FROM words"); n != 0 {
			t.Errorf("%d words are there that were not committed yet", n)
		}
		if got := db.Beginning().Copied; !got.Equal(made) {
			t.Errorf("the copy is of %v, want %v", got, made)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestACopyThatFailsLeavesTheOneBefore, and nothing else.
func TestACopyThatFailsLeavesTheOneBefore(t *testing.T) {
	t.Parallel()
	path := copied(t)
	db := open(t, path)
	kept := filepath.Join(filepath.Dir(path), "discoclaw-copy.db")
	before := read(t, kept)
	mkdir(t, filepath.Join(kept+".new", "in the way"))
	if err := db.Copy(t.Context()); err == nil || !strings.Contains(err.Error(), "keep a copy of the database") {
		t.Errorf("the error is %v", err)
	}
	if !bytes.Equal(read(t, kept), before) {
		t.Error("the copy before is another one now")
	}
	if info, err := os.Stat(kept); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: want a copy that only its owner can read", info.Mode(), err)
	}
}

// TestDamageAfterOpenNamesTheRemedy: a database is damaged while the bot runs.
func TestDamageAfterOpenNamesTheRemedy(t *testing.T) {
	t.Parallel()
	path := copied(t)
	db := open(t, path)
	run(t, db, "PRAGMA wal_checkpoint(TRUNCATE)")
	torn(func(whole []byte) []byte {
		for i := 8192; i < len(whole); i++ {
			whole[i] = 0xA5
		}
		return whole
	})(t, path)
	rows, err := db.QueryContext(t.Context(), "SELECT COUNT(*) FROM words WHERE word LIKE '%x'") // in no cache yet
	if err == nil {
		_ = rows.Close()
	}
	if err == nil || !strings.Contains(err.Error(), "start the bot again") {
		t.Errorf("the error is %v", err)
	}
}

// TestNoFileIsSetAsideIfThereWasNone: operators are told the path.
func TestNoFileIsSetAsideIfThereWasNone(t *testing.T) {
	t.Parallel()
	path := copied(t)
	remove(t, path)
	if got := open(t, path).Beginning(); got.Aside != "" || got.Copied.IsZero() {
		t.Errorf("it began with %+v", got)
	}
}

// TestACopyWithoutRoomNamesTheRemedy, and is restored when there is room.
func TestACopyWithoutRoomNamesTheRemedy(t *testing.T) {
	folder, ok := smalldisk.New(t, 2<<20)
	if !ok {
		return
	}
	from := copied(t)
	path := filepath.Join(folder, store.FileName)
	write(t, path, []byte("torn"))
	write(t, filepath.Join(folder, "discoclaw-copy.db"), read(t, filepath.Join(filepath.Dir(from), "discoclaw-copy.db")))
	filler := filepath.Join(folder, "filler")
	for block, full := make([]byte, 4096), false; !full; {
		f, err := os.OpenFile(filler, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		_, err = f.Write(block)
		full = errors.Join(err, f.Close()) != nil
	}
	for range 2 { // not even once more
		if _, err := store.Open(t.Context(), path); !errors.Is(err, store.ErrFull) || !strings.Contains(err.Error(), "make room where ") {
			t.Errorf("a disk without room for the copy: %v", err)
		}
	}
	remove(t, filler)
	if n := count(t, open(t, path), "SELECT COUNT(*) FROM words"); n != 200 {
		t.Errorf("%d words are there, want those of the copy", n)
	}
}
