package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3/database"
)

// The files in migrations are run in the order of their numbers, each once per database. So
// one that was released is never changed: a mistake in it is fixed by the next.
//
//go:embed migrations/*.sql
var migrations embed.FS

// schema is the result of all migrations, for a fresh database: running each of them would take
// five times as long. A test writes it.
//
//go:embed schema.sql
var schema string

// versionTable is the table of applied migrations, as goose has it.
const versionTable = "goose_db_version"

// migrate applies all missing migrations in one transaction: goose itself takes one for each,
// and each waits for the disk. A fresh database gets its application ID in there too, so that
// it either has that and all tables, or is still empty.
//
// Migrations from parallel branches have neighbouring numbers, and the lower one may be merged
// later. Neither can rely on the other then.
func (db *DB) migrate(ctx context.Context, fresh bool) error {
	applied, err := db.applied(ctx)
	if err != nil {
		return err
	}
	list, err := changes()
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(c change) bool { return slices.Contains(applied, c.version) })
	if len(list) == 0 {
		return nil
	}
	tx, err := db.write.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit this does nothing
	if fresh {
		// The driver starts a goroutine for each of a hundred statements if it could be cancelled.
		ctx = context.WithoutCancel(ctx)
		if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d;\n%s", applicationID, schema)); err != nil {
			return err
		}
		for i := range list {
			list[i].file = "" // is in schema
		}
	}
	if err := apply(ctx, tx, list, len(applied) == 0); err != nil {
		return fmt.Errorf("bring the database up to date: %w", err)
	}
	return tx.Commit()
}

// apply runs migrations, and records each of them as goose does.
func apply(ctx context.Context, tx *sql.Tx, list []change, first bool) error {
	versions, err := database.NewStore(database.DialectSQLite3, versionTable)
	if err != nil {
		return err
	}
	if first {
		if err := versions.CreateVersionTable(ctx, tx); err != nil {
			return err
		}
		list = slices.Insert(list, 0, change{}) // goose begins with version 0
	}
	for _, c := range list {
		text, err := c.text()
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, text); err != nil {
			return fmt.Errorf("version %d: %w", c.version, err)
		}
		if err := versions.Insert(ctx, tx, database.InsertRequest{Version: c.version}); err != nil {
			return err
		}
	}
	return nil
}

// applied returns the versions that the database has; none before its first table exists.
func (db *DB) applied(ctx context.Context) (versions []int64, err error) {
	var known bool
	const table = "SELECT COUNT(*) > 0 FROM sqlite_master WHERE name = '" + versionTable + "'"
	if err := db.write.QueryRowContext(ctx, table).Scan(&known); err != nil || !known {
		return nil, err
	}
	rows, err := db.write.QueryContext(ctx, "SELECT version_id FROM "+versionTable)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var version int64
		if err := rows.Scan(&version); err != nil {
			return nil, err
		}
		versions = append(versions, version)
	}
	return versions, rows.Err()
}

// A change is one migration. SQLite runs the file as it is; goose would split it into statements
// first, with buffers that are larger than all the rest of the start.
type change struct {
	version int64
	file    string // empty if nothing has to be run
}

func (c change) text() (string, error) {
	if c.file == "" {
		return "", nil
	}
	text, err := migrations.ReadFile(c.file)
	return string(text), err
}

// changes returns all migrations, in the order of their numbers.
func changes() (list []change, err error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		number, _, _ := strings.Cut(path.Base(name), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return nil, err
		}
		list = append(list, change{version, name})
	}
	return list, nil
}

// checkVersion refuses a database that a newer version of this program has migrated, since this
// one does not know its tables.
func (db *DB) checkVersion(ctx context.Context) error {
	applied, err := db.applied(ctx)
	if err != nil {
		return db.explain(err)
	}
	list, err := changes()
	if err != nil {
		return err
	}
	has, knows := slices.Max(append(applied, 0)), list[len(list)-1].version
	if has > knows {
		return fmt.Errorf("the database %s was made by a newer version of discoclaw (its tables are at %d, this version knows %d); run that version, or set the file aside to begin with an empty one", db.path, has, knows)
	}
	return nil
}
