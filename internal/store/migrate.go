package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
)

// The files in migrations are run in the order of their numbers, each once in the
// life of a database. So one that was released is never changed: what is wrong with
// it is mended by the next.
//
//go:embed migrations/*.sql
var migrations embed.FS

// migrate brings the tables up to date. It is silent, because people read what the
// bot prints.
func migrate(ctx context.Context, db *sql.DB) error {
	steps, err := plan(db)
	if err != nil {
		return err
	}
	if _, err := steps.Up(ctx); err != nil {
		return fmt.Errorf("bring the database up to date: %w", err)
	}
	return nil
}

func plan(db *sql.DB) (*goose.Provider, error) {
	list, err := changes()
	if err != nil {
		return nil, err
	}
	return goose.NewProvider(goose.DialectSQLite3, db, nil,
		goose.WithGoMigrations(list...),
		goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true),
		// Changes that are made side by side take numbers side by side, and the lower
		// one may arrive later. Neither can rely on the other then.
		goose.WithAllowOutofOrder(true))
}

// changes are the files, each run as a whole in one transaction. SQLite takes them as they
// are; goose would take them apart first, with buffers that are larger than all the rest of
// the start.
func changes() (list []*goose.Migration, err error) {
	names, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := migrations.ReadFile(name)
		if err != nil {
			return nil, err
		}
		version, err := goose.NumericComponent(name)
		if err != nil {
			return nil, err
		}
		run := func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, string(text))
			return err
		}
		list = append(list, goose.NewGoMigration(version, &goose.GoFunc{RunTx: run}, nil))
	}
	return list, nil
}

// checkVersion refuses a database that a newer version of this program has changed.
// This one would not know what it must keep there.
func (db *DB) checkVersion(ctx context.Context) error {
	var known bool
	const table = "SELECT COUNT(*) > 0 FROM sqlite_master WHERE name = 'goose_db_version'"
	if err := db.write.QueryRowContext(ctx, table).Scan(&known); err != nil {
		return db.explain(err)
	}
	if !known {
		return nil // stopped before its first table was made
	}
	var has int64
	if err := db.write.QueryRowContext(ctx, "SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version").Scan(&has); err != nil {
		return db.explain(err)
	}
	steps, err := plan(db.write)
	if err != nil {
		return err
	}
	files := steps.ListSources()
	if knows := files[len(files)-1].Version; has > knows {
		return fmt.Errorf("the database %s was made by a newer version of discoclaw (its tables are at %d, this version knows %d); run that version, or set the file aside to begin with an empty one", db.path, has, knows)
	}
	return nil
}
