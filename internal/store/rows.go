package store

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"time"
)

// A Reader is a database, or a transaction in it.
type Reader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// A Row is what a function scans that is given to [All] and [One].
type Row interface{ Scan(into ...any) error }

// All returns the rows of a query.
func All[T any](ctx context.Context, from Reader, scan func(Row) (T, error), query string, args ...any) (list []T, err error) {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		one, err := scan(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, rows.Err()
}

// One returns the first row of a query; found is false if there is none.
func One[T any](ctx context.Context, from Reader, scan func(Row) (T, error), query string, args ...any) (one T, found bool, err error) {
	rows, err := from.QueryContext(ctx, query, args...)
	if err != nil {
		return one, false, err
	}
	defer rows.Close()
	if !rows.Next() {
		return one, false, rows.Err()
	}
	one, err = scan(rows)
	return one, err == nil, err
}

// Column scans a row of one column.
func Column[T any](row Row) (value T, err error) {
	err = row.Scan(&value)
	return value, err
}

// Value returns the only column of the first row of a query; the zero value if there is none.
func Value[T any](ctx context.Context, from Reader, query string, args ...any) (value T, err error) {
	value, _, err = One(ctx, from, Column[T], query, args...)
	return value, err
}

// Changed returns how many rows a statement changed.
func Changed(res sql.Result, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	n, err := res.RowsAffected()
	return int(n), err
}

// Rounded rounds a time as a column does, and strips its monotonic clock, which stands still while the machine sleeps.
func Rounded(t time.Time) time.Time { return time.UnixMicro(t.UnixMicro()) }

// Micro returns a time as columns have it: in microseconds since 1970, and 0 for the zero time.
func Micro(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// At is the opposite of Micro.
func At(micro int64) time.Time {
	if micro == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micro)
}

// Time scans a column of Micro.
func Time(into *time.Time) sql.Scanner { return timeColumn{into} }

type timeColumn struct{ into *time.Time }

func (c timeColumn) Scan(value any) error {
	micro, ok := value.(int64)
	if !ok && value != nil { // NULL is none
		return fmt.Errorf("read a time: the column has a %T", value)
	}
	*c.into = At(micro)
	return nil
}

// JSON reads and writes what it points to as a column of JSON. An empty column is what is null in JSON.
func JSON(of any) interface {
	sql.Scanner
	driver.Valuer
} {
	return jsonColumn{of}
}

type jsonColumn struct{ of any }

func (c jsonColumn) Scan(value any) error {
	switch text := value.(type) {
	case nil:
		return nil
	case string:
		return c.decode([]byte(text))
	case []byte:
		return c.decode(text)
	}
	return fmt.Errorf("read JSON: the column has a %T", value)
}

func (c jsonColumn) decode(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	return json.Unmarshal(text, c.of)
}

func (c jsonColumn) Value() (driver.Value, error) {
	text, err := json.Marshal(c.of)
	if string(text) == "null" {
		return "", err
	}
	return string(text), err
}

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
	scan := func(row Row) (value T, err error) {
		err = row.Scan(JSON(&value))
		return value, err
	}
	if value, _, err = One(ctx, in, scan, "SELECT value FROM cells WHERE name = ?", c.name); err != nil {
		return value, fmt.Errorf("load %s: %w", c.name, err)
	}
	return value, nil
}

func (c *Cell[T]) save(ctx context.Context, in conn, value T) error {
	const put = "INSERT INTO cells (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"
	_, err := in.ExecContext(ctx, put, c.name, JSON(value))
	return Wrap(err, "save %s", c.name)
}
