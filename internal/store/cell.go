package store

import (
	"context"
	"database/sql"
	"fmt"
)

// A Cell keeps a single value in the database, as JSON.
type Cell[T any] struct {
	db   *DB
	name string
}

// NewCell returns the cell of that name. A restored copy of the database has the value restored
// in it, since what the copy says is out of date.
func NewCell[T any](db *DB, name string, restored T) *Cell[T] {
	c := &Cell[T]{db, name}
	db.OnRestore(name, func(ctx context.Context, tx *Tx) error { return c.save(ctx, tx, restored) })
	return c
}

// A conn is the database, or a transaction in it.
type conn interface {
	Reader
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// Load returns the value; the zero value if none was saved.
func (c *Cell[T]) Load(ctx context.Context) (T, error) { return c.load(ctx, c.db) }

// Save replaces the value.
func (c *Cell[T]) Save(ctx context.Context, value T) error { return c.save(ctx, c.db, value) }

// Update replaces the value with what change makes of it, in one transaction.
func (c *Cell[T]) Update(ctx context.Context, change func(T) T) error {
	return c.db.Tx(ctx, func(tx *Tx) error {
		value, err := c.load(ctx, tx)
		if err != nil {
			return err
		}
		return c.save(ctx, tx, change(value))
	})
}

func (c *Cell[T]) load(ctx context.Context, in conn) (value T, err error) {
	scan := func(row Row) (value T, err error) { return value, row.Scan(JSON(&value)) }
	if value, _, err = One(ctx, in, scan, "SELECT value FROM cells WHERE name = ?", c.name); err != nil {
		return value, fmt.Errorf("load %s: %w", c.name, err)
	}
	return value, nil
}

func (c *Cell[T]) save(ctx context.Context, in conn, value T) error {
	const put = "INSERT INTO cells (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
	if _, err := in.ExecContext(ctx, put, c.name, JSON(value)); err != nil {
		return fmt.Errorf("save %s: %w", c.name, err)
	}
	return nil
}
