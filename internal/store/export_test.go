package store

import (
	"context"
	"io/fs"
)

// Migrate applies the migrations of a later version.
func Migrate(ctx context.Context, db *DB, files fs.FS) error { return db.migrate(ctx, files, false) }
