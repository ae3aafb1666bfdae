package store_test

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/store"
)

// landed returns the path of a database that commit f1efaf53 made, and left as if it had been killed in a turn.
func landed(t *testing.T) (path string) {
	t.Helper()
	packed, err := gzip.NewReader(bytes.NewReader(read(t, "testdata/landed.db.gz")))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(packed)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), store.FileName)
	write(t, path, text)
	return path
}

// layout is how SQL is written.
var layout = regexp.MustCompile(`--[^\n]*|["\s]`)

// TestALandedDatabaseOpens with all that is in it, and with the same tables and indexes as a new one.
func TestALandedDatabaseOpens(t *testing.T) {
	t.Parallel()
	db := open(t, landed(t))
	for query, want := range map[string]string{
		"SELECT state, attempts, body->>'Text' FROM inbox WHERE settled = 0": "running 1 hello",
		"SELECT prompt, due FROM deferrals":                                  "Look whether build 12 is green, and say so. 1772453403000000",
		"SELECT text FROM reminders":                                         "buy milk",
		"SELECT text FROM memories":                                          "Prefers tea to coffee.",
		"SELECT id, title FROM tasks":                                        "ws-001 Buy milk",
		"SELECT id, next FROM crons":                                         "cron-00000001 1773046800000000",
		"SELECT type, outcome FROM actions ORDER BY at":                      "memoryRemember done, taskCreate done, cronCreate done, remind done, defer done",
	} {
		if got := rows(t, db, query); got != want {
			t.Errorf("%s:\n%q, want\n%q", query, got, want)
		}
	}
	const tables = "SELECT name, sql FROM sqlite_master WHERE sql <> '' ORDER BY name"
	got, want := layout.ReplaceAllString(rows(t, db, tables), ""), layout.ReplaceAllString(rows(t, fresh(t), tables), "")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tables (-new +landed):\n%s", diff)
	}
}

// TestAnOlderDatabaseIsRefused, and so is an older copy, which takes the place of a damaged database and stays a copy.
func TestAnOlderDatabaseIsRefused(t *testing.T) {
	t.Parallel()
	path := landed(t)
	plainly(t, path, "DELETE FROM goose_db_version WHERE version_id = 40")
	requireRefused(t, path, "older version of discoclaw", "at 39", "needs 40", "start commit f1efaf53 with it once")
	old := read(t, path)
	kept := strings.TrimSuffix(path, ".db") + "-copy.db"
	write(t, kept, old)
	write(t, path, []byte("torn"))
	for range 2 {
		if _, err := store.Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), "f1efaf53") {
			t.Errorf("the copy: %v", err)
		}
		if !bytes.Equal(read(t, kept), old) || !bytes.Equal(read(t, path), old) {
			t.Error("the copy was changed")
		}
	}
}

// TestLaterMigrations are run once each and in the order of their numbers, all or none. One may be merged after a later one.
func TestLaterMigrations(t *testing.T) {
	t.Parallel()
	db := open(t, landed(t))
	const left = "SELECT (SELECT COUNT(*) FROM sqlite_master WHERE name = 'lunch') + MAX(version_id) FROM goose_db_version"
	before := count(t, db, left)
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	files := fstest.MapFS{
		"migrations/00040_schema.sql": file("CREATE TABLE turns (id TEXT)"),
		"migrations/90042_lunch.sql":  file("CREATE TABLE lunch (dish TEXT); INSERT INTO lunch VALUES ('soup')"),
		"migrations/90043_tips.sql":   file("INSERT INTO lunch VALUES ('tart'); ALTER TABLE turns ADD COLUMN id TEXT"),
	}
	if err := store.Migrate(t.Context(), db, files); err == nil || !strings.Contains(err.Error(), "version 90043") {
		t.Errorf("a migration that fails: %v", err)
	}
	if n := count(t, db, left); n != before {
		t.Errorf("%d is left of it", n-before)
	}
	files["migrations/90043_tips.sql"] = file("INSERT INTO lunch VALUES ('tart')")
	for range 2 {
		if err := store.Migrate(t.Context(), db, files); err != nil {
			t.Fatal(err)
		}
		files["migrations/90041_tea.sql"] = file("INSERT INTO lunch VALUES ('tea')")
	}
	if got, want := rows(t, db, "SELECT dish FROM lunch ORDER BY rowid"), "soup, tart, tea"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestAFreshDatabaseIsMadeInOneTransaction: each transaction waits for the disk, and the start
// waits with it. Frames of the log that end a transaction say how large the database is then;
// see https://www.sqlite.org/fileformat2.html#the_write_ahead_log.
func TestAFreshDatabaseIsMadeInOneTransaction(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), store.FileName)
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	log, err := os.ReadFile(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	const head, frameHead = 32, 24
	frame, transactions := frameHead+int(binary.BigEndian.Uint32(log[8:])), 0
	for rest := log[head:]; len(rest) >= frame; rest = rest[frame:] {
		if binary.BigEndian.Uint32(rest[4:]) > 0 {
			transactions++
		}
	}
	if transactions != 1 {
		t.Errorf("%d transactions", transactions)
	}
}

// rows are the results of a query in one line.
func rows(t *testing.T, db *store.DB, query string) string {
	t.Helper()
	found, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer found.Close()
	names, err := found.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for found.Next() {
		texts, places := make([]string, len(names)), make([]any, len(names))
		for i := range texts {
			places[i] = &texts[i]
		}
		if err := found.Scan(places...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		list = append(list, strings.Join(texts, " "))
	}
	return strings.Join(list, ", ")
}
