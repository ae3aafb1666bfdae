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
func Column[T any](row Row) (value T, err error) { return value, row.Scan(&value) }

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
