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
// one that was released is never changed: a mistake in it is fixed by the next. The first is
// what a fresh database begins with; a database without it is too old for this version.
//
//go:embed migrations/*.sql
var migrations embed.FS

// lastSteps is the commit that still has the migrations before the first file, and brings a
// database of any age there.
const lastSteps = "f1efaf53"

// versionTable is the table of applied migrations, as goose has it.
const versionTable = "goose_db_version"

// migrate applies all missing migrations in one transaction: goose itself takes one for each,
// and each waits for the disk. A fresh database gets its application ID in there too, so that
// it either has that and all tables, or is still empty.
//
// Migrations from parallel branches have neighbouring numbers, and the lower one may be merged
// later. Neither can rely on the other then.
func (db *DB) migrate(ctx context.Context, files fs.FS, fresh bool) error {
	applied, err := db.applied(ctx)
	if err != nil {
		return err
	}
	list, err := changes(files)
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
	versions, err := database.NewStore(database.DialectSQLite3, versionTable)
	if err != nil {
		return err
	}
	if fresh {
		// The driver starts a goroutine for each of a hundred statements if it could be cancelled.
		ctx = context.WithoutCancel(ctx)
		if err := begin(ctx, tx, versions); err != nil {
			return err
		}
	}
	for _, c := range list {
		text, err := fs.ReadFile(files, c.file)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(text)); err != nil {
			return fmt.Errorf("bring the database up to version %d: %w", c.version, err)
		}
		if err := versions.Insert(ctx, tx, database.InsertRequest{Version: c.version}); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// begin marks a fresh database as ours, and makes the table of versions as goose does, with version 0.
func begin(ctx context.Context, tx *sql.Tx, versions database.Store) error {
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
		return err
	}
	if err := versions.CreateVersionTable(ctx, tx); err != nil {
		return err
	}
	return versions.Insert(ctx, tx, database.InsertRequest{})
}

// applied returns the versions that the database has; none before its first table exists.
func (db *DB) applied(ctx context.Context) (versions []int64, err error) {
	known, err := Value[bool](ctx, db.write, "SELECT COUNT(*) > 0 FROM sqlite_master WHERE name = '"+versionTable+"'")
	if err != nil || !known {
		return nil, err
	}
	return All(ctx, db.write, Column[int64], "SELECT version_id FROM "+versionTable)
}

// A change is one migration. SQLite runs the file as it is; goose would split it into statements
// first, with buffers that are larger than all the rest of the start.
type change struct {
	version int64
	file    string
}

// changes returns all migrations, in the order of their numbers.
func changes(files fs.FS) (list []change, err error) {
	names, err := fs.Glob(files, "migrations/*.sql")
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
// one does not know its tables, and one that is older than the first migration.
func (db *DB) checkVersion(ctx context.Context) error {
	applied, err := db.applied(ctx)
	if err != nil {
		return db.explain(err)
	}
	list, err := changes(migrations)
	if err != nil {
		return err
	}
	has, begins, knows := slices.Max(append(applied, 0)), list[0].version, list[len(list)-1].version
	switch {
	case has > knows:
		return fmt.Errorf("the database %s was made by a newer version of discoclaw (its tables are at %d, this version knows %d); run that version, or set the file aside to begin with an empty one", db.path, has, knows)
	case !slices.Contains(applied, begins):
		return fmt.Errorf("the database %s was made by an older version of discoclaw (its tables are at %d, this version needs %d) and is unchanged; start commit %s with it once, then this version, or set the file aside to begin with an empty one", db.path, has, begins, lastSteps)
	}
	return nil
}
