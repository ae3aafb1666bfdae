package store_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/store"
)

// open opens a database for a test, with a table of words.
func open(t testing.TB, path string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	run(t, db, "CREATE TABLE IF NOT EXISTS words (word TEXT NOT NULL PRIMARY KEY, said BIGINT NOT NULL DEFAULT 0)")
	return db
}

func run(t testing.TB, db *store.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// count returns the number that a query selects.
func count(t testing.TB, db *store.DB, query string, args ...any) (n int) {
	t.Helper()
	if err := db.QueryRowContext(t.Context(), query, args...).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func fresh(t testing.TB) *store.DB { return open(t, filepath.Join(t.TempDir(), store.FileName)) }

func TestRowsOutliveTheProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a folder with ? and # and %41", store.FileName)
	mkdir(t, filepath.Dir(path))
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	run(t, db, "CREATE TABLE words (word TEXT)")
	run(t, db, "INSERT INTO words VALUES (?)", "hello")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, path)
	if n := count(t, again, "SELECT COUNT(*) FROM words WHERE word = ?", "hello"); n != 1 {
		t.Errorf("found %d rows, want the one that was written", n)
	}
}

func TestTxIsAllOrNothing(t *testing.T) {
	t.Parallel()
	db := fresh(t)
	say := func(tx *store.Tx) error {
		_, err := tx.ExecContext(t.Context(), "INSERT INTO words (word) VALUES ('hello')")
		return err
	}
	words := func() int { return count(t, db, "SELECT COUNT(*) FROM words") }

	sorry := errors.New("sorry")
	err := db.Tx(t.Context(), func(tx *store.Tx) error { return errors.Join(say(tx), sorry) })
	if !errors.Is(err, sorry) || words() != 0 {
		t.Errorf("after an error: %v, and %d words are there", err, words())
	}
	func() {
		defer func() { _ = recover() }()
		_ = db.Tx(t.Context(), func(tx *store.Tx) error { _ = say(tx); panic("oops") })
	}()
	if words() != 0 {
		t.Errorf("after a panic %d words are there", words())
	}
	stopped, stop := context.WithCancel(t.Context())
	err = db.Tx(stopped, func(tx *store.Tx) error { defer stop(); return say(tx) })
	if !errors.Is(err, context.Canceled) || words() != 0 {
		t.Errorf("after the end of its context: %v, and %d words are there", err, words())
	}
	if err := db.Tx(t.Context(), say); err != nil || words() != 1 {
		t.Errorf("after all went well: %v, and %d words are there", err, words())
	}
}

func TestWritersWaitForEachOther(t *testing.T) {
	t.Parallel()
	db := fresh(t)
	run(t, db, "INSERT INTO words (word) VALUES ('hello')")
	const writers = 100
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			err := db.Tx(t.Context(), func(tx *store.Tx) error {
				var said int
				if err := tx.QueryRowContext(t.Context(), "SELECT said FROM words").Scan(&said); err != nil {
					return err
				}
				_, err := tx.ExecContext(t.Context(), "UPDATE words SET said = ?", said+1)
				return err
			})
			if err != nil {
				t.Errorf("a writer among others: %v", err)
			}
			if err := db.QueryRowContext(t.Context(), "SELECT said FROM words").Scan(new(int)); err != nil {
				t.Errorf("a reader among writers: %v", err)
			}
		})
	}
	all.Wait()
	if said := count(t, db, "SELECT said FROM words"); said != writers {
		t.Errorf("counted %d, want %d: some writers did not see each other", said, writers)
	}
}

func TestReadersNeitherWaitNorWrite(t *testing.T) {
	t.Parallel()
	db := fresh(t)
	err := db.Tx(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.ExecContext(t.Context(), "INSERT INTO words (word) VALUES ('hello')"); err != nil {
			return err
		}
		if n := count(t, db, "SELECT COUNT(*) FROM words"); n != 0 {
			t.Errorf("a reader sees %d words of a transaction that is not over", n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := db.QueryContext(t.Context(), "INSERT INTO words (word) VALUES ('bye') RETURNING word")
	if err == nil {
		rows.Next()
		err = errors.Join(rows.Err(), rows.Close())
	}
	if err == nil || count(t, db, "SELECT COUNT(*) FROM words") != 1 {
		t.Error("a query was able to write")
	}
}

func TestForeignKeysAreKept(t *testing.T) {
	t.Parallel()
	db := fresh(t)
	run(t, db, "CREATE TABLE echoes (word TEXT NOT NULL REFERENCES words (word))")
	if _, err := db.ExecContext(t.Context(), "INSERT INTO echoes VALUES ('nobody said this')"); err == nil {
		t.Error("a row that refers to nothing was accepted")
	}
}

// TestItWorksInABubble: time is fake in most tests of the bot, and a leaked goroutine would
// fail them all.
func TestItWorksInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db := fresh(t)
		var all sync.WaitGroup
		for i := range 20 {
			all.Go(func() {
				time.Sleep(time.Duration(i%5) * time.Hour)
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				err := db.Tx(ctx, func(tx *store.Tx) error {
					_, err := tx.ExecContext(ctx, "INSERT INTO words (word, said) VALUES (?, ?)", fmt.Sprint(i), time.Now().UnixMicro())
					return err
				})
				if err != nil {
					t.Errorf("writer %d: %v", i, err)
				}
			})
		}
		all.Wait()
		if n := count(t, db, "SELECT COUNT(*) FROM words"); n != 20 {
			t.Errorf("%d words are there, want 20", n)
		}
	})
}

// TestPruneDropsRowsAfterTheirRetention, and a missing table does not hold up the others.
func TestPruneDropsRowsAfterTheirRetention(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		for _, table := range []string{"nouns", "verbs", "words"} {
			run(t, db, "CREATE TABLE "+table+" (word TEXT, said BIGINT)")
		}
		say := func(word string) {
			for _, table := range []string{"nouns", "verbs", "words"} {
				run(t, db, "INSERT INTO "+table+" VALUES (?, ?)", word, time.Now().UnixMicro())
			}
		}
		say("old")
		say("dear")
		time.Sleep(time.Hour)
		say("new")
		db.Retain("lost", "said", time.Hour)
		db.Retain("nouns", "said", time.Hour, "word = 'dear'")
		db.Retain("verbs", "said", time.Minute)
		db.Retain("verbs", "said", time.Hour)
		time.Sleep(time.Second)
		if err := db.Prune(t.Context()); err == nil || !strings.Contains(err.Error(), "prune lost: ") {
			t.Errorf("a table that is not there: %v", err)
		}
		for table, want := range map[string]string{"nouns": "dear,new", "verbs": "new", "words": "old,dear,new"} {
			var left string
			if err := db.QueryRowContext(t.Context(), "SELECT group_concat(word) FROM "+table).Scan(&left); err != nil || left != want {
				t.Errorf("%s: %s is left, %v; want %s", table, left, err, want)
			}
		}
	})
}

// TestADatabaseThatIsNotOpenIsAnError: checks read it, also while the bot does not run.
func TestADatabaseThatIsNotOpenIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := store.Value[int](t.Context(), new(store.DB), "SELECT 1"); !errors.Is(err, store.ErrNotOpen) {
		t.Errorf("the error is %v", err)
	}
}
