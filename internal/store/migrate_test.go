package store_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/store"
	"discoclaw/internal/test/golden"
)

// older makes a database of an earlier version: with the first migrations, and with some
// rows.
func older(t *testing.T, changes int, rows ...string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), store.FileName)
	statements := []string{
		"PRAGMA journal_mode = WAL",
		"CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY AUTOINCREMENT, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL, tstamp TIMESTAMP DEFAULT (datetime('now')))",
		"INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1)",
	}
	names, err := filepath.Glob("migrations/*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names[:changes] {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		statements = append(statements, string(text), fmt.Sprintf("INSERT INTO goose_db_version (version_id, is_applied) VALUES (%d, 1)", i+1))
	}
	// A fresh one has the application ID.
	blank := fresh(t)
	statements = append(statements, fmt.Sprintf("PRAGMA application_id = %d", count(t, blank, "PRAGMA application_id")))
	plainly(t, path, append(statements, rows...)...)
	return path
}

// leftovers are rows of a version with ten migrations.
var leftovers = []string{
	`INSERT INTO deferrals (state, guild, channel, name, prompt, requester, prompter, turn, due, created, claimed)
		VALUES ('running', 'g', 'c', 'ops', 'say "hi"', 'u', '', 't', 1500000, 1000000, 2000000)`,
	`INSERT INTO deferrals (state, guild, channel, name, prompt, requester, prompter, turn, due, created, claimed)
		VALUES ('pending', 'g', 'c', 'ops', 'later', 'u', '', 't', 9000000, 1000000, 0)`,
	`INSERT INTO posts (turn, part, channel, began, tried) VALUES ('t', '0', 'c', 1, 1)`,
	`INSERT INTO posts (turn, part, channel, message, began, tried) VALUES ('t', '1', 'c', '8', 1, 1), ('t', '2', 'c', '9', 1, 1)`,
	`INSERT INTO inflight (message, channel, began) VALUES ('8', 'c', 2), ('7', 'd', 3)`,
	`INSERT INTO marks (channel, guild, message) VALUES ('c', 'g', 7), ('d', 'g', 9), ('e', 'h', 5), ('f', '', 3)`,
	`INSERT INTO gateway (id, owner, session, address, sequence) VALUES (1, 'o', 's', 'wss://resume.test', 42)`,
	`INSERT INTO lifetime (id, state, at, by_id, by_name, asked, channel, notice) VALUES (1, 'restarting', 5, '1', 'ada', '2', '3', '4')`,
}

// TestAnOlderDatabaseIsBroughtUpToDate with all that is in it, and with the same tables and
// indexes as a new one.
func TestAnOlderDatabaseIsBroughtUpToDate(t *testing.T) {
	t.Parallel()
	db := open(t, older(t, 10, leftovers...))
	for query, want := range map[string]string{
		"SELECT id, guild, channel, name, prompt, requester, prompter, turn, due, created FROM deferrals":           "2 g c ops later u  t 9000000 1000000",
		"SELECT id, dedupe_key, kind, state, channel, message, turn, attempts, begun, accepted, settled FROM inbox": "defer-1  deferred running c  defer-1 3 2000000 2000000 0",
		"SELECT body->>'ID', body->>'Prompt', body->>'Due', body->>'Created' FROM inbox":                            `1 say "hi" 1970-01-01T00:00:01Z 1970-01-01T00:00:01Z`,
		"SELECT turn, part, channel, message, text, inflight, began FROM posts ORDER BY turn, part":                 "inflight 7 d 7  1 3, t 0 c   0 1, t 1 c 8  1 1, t 2 c 9  0 1",
		"SELECT value FROM cells ORDER BY name":                                                                     `{"State":"restarting","At":5,"By":{"ID":"1","Name":"ada"},"Asked":"2","Channel":"3","Notice":"4"}, {"owner":"o","id":"s","resume_url":"wss://resume.test","sequence":42}`,
		"SELECT channel, guild, message FROM watermarks WHERE guild = 'g' ORDER BY channel":                         "c g 7, d g 9",
		"SELECT guild, message FROM heard ORDER BY guild":                                                           " 3, g 9, h 5",
		"SELECT MAX(seq) FROM sqlite_sequence WHERE name = 'deferrals'":                                             "2",
	} {
		if got := rows(t, db, query); got != want {
			t.Errorf("%s:\n%q, want\n%q", query, got, want)
		}
	}
	const tables = "SELECT name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose_%' ORDER BY name"
	if got, want := rows(t, db, tables), rows(t, fresh(t), tables); got != want {
		t.Errorf("tables are\n%s\nwant\n%s", got, want)
	}
}

// TestTheSchemaIsTheResultOfAllMigrations: "make golden" writes it.
func TestTheSchemaIsTheResultOfAllMigrations(t *testing.T) {
	t.Parallel()
	const made = "SELECT group_concat(sql || ';', char(10) ORDER BY rowid) FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose_%' AND name != 'words' AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')"
	golden.Equal(t, "schema.sql", rows(t, open(t, older(t, 1)), made)+"\n")
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

// TestAMigrationThatFailsIsRolledBack: its last statement fails.
func TestAMigrationThatFailsIsRolledBack(t *testing.T) {
	t.Parallel()
	path := older(t, 11, append(slices.Clone(leftovers), "ALTER TABLE posts ADD COLUMN text TEXT NOT NULL DEFAULT ''")...)
	if db, err := store.Open(t.Context(), path); err == nil {
		t.Fatal(db.Close())
	}
	plainly(t, path,
		"ALTER TABLE posts DROP COLUMN text", // so that the migration succeeds
		"CREATE TEMP TABLE want (n INTEGER CHECK (n = 1))",
		"INSERT INTO want SELECT COUNT(*) FROM deferrals WHERE state = 'running'",
		"INSERT INTO want SELECT COUNT(*) = 0 FROM inbox",
		"INSERT INTO want SELECT MAX(version_id) = 11 FROM goose_db_version",
	)
	if n := count(t, open(t, path), "SELECT COUNT(*) FROM inbox WHERE kind = 'deferred'"); n != 1 {
		t.Errorf("%d runs were taken over", n)
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
