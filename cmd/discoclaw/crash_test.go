package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"modernc.org/sqlite"

	"discoclaw/internal/store"
)

// ordersIn is the variable that names the folder with the orders.
const ordersIn = "CHAOS_ORDERS"

// crashable is the program. With orders, it kills itself in the middle of its work, or
// fills its disk.
func crashable() {
	if dir := os.Getenv(ordersIn); dir != "" {
		e := &killer{orders: orders(dir), database: filepath.Join(os.Getenv("DISCOCLAW_DATA_DIR"), store.FileName)}
		sqlite.RegisterConnectionHook(e.attend)
	}
	main()
}

// orders are files in a folder: the order itself, and one that exists from the moment
// in which the process must have no further effect.
type orders string

func (o orders) file() string  { return filepath.Join(string(o), "order") }
func (o orders) dying() string { return filepath.Join(string(o), "dying") }

// give tells the process to kill itself before or after a change of its database, as in
// "after insert inbox 1": after the first row that is inserted into inbox was committed.
// With "fill" instead, it fills its disk before that change, and goes on.
func (o orders) give(order string) error { return os.WriteFile(o.file(), []byte(order), 0o600) }

// withdraw removes the order.
func (o orders) withdraw() {
	_ = os.Remove(o.file()) // already gone if the process was killed from outside
	_ = os.Remove(o.dying())
}

// isDying reports whether the process is about to kill itself.
func (o orders) isDying() bool {
	_, err := os.Stat(o.dying())
	return err == nil
}

// A killer kills its own process where the orders say. It watches the only connection
// that writes, so its methods are never called concurrently.
type killer struct {
	orders   orders
	database string

	order string
	seen  int  // changes that match the order
	due   bool // to be killed after the commit
	over  bool // further changes block
}

// attend watches a connection.
func (e *killer) attend(conn sqlite.ExecQuerierContext, source string) error {
	if !strings.Contains(source, "_txlock=immediate") {
		return nil // read only
	}
	hooks, ok := conn.(sqlite.HookRegisterer)
	if !ok {
		return fmt.Errorf("the connection %T cannot be watched", conn)
	}
	hooks.RegisterPreUpdateHook(e.changes)
	hooks.RegisterCommitHook(e.commits)
	return nil
}

// kinds are the operation codes of SQLite's hooks.
// https://sqlite.org/c3ref/c_alter_table.html
var kinds = map[int32]string{9: "delete", 18: "insert", 23: "update"}

// changes is called before a row is changed.
func (e *killer) changes(d sqlite.SQLitePreUpdateData) {
	if e.over {
		select {}
	}
	text, err := os.ReadFile(e.orders.file())
	if err != nil {
		e.order = "" // the next order may be the same
		return
	}
	if order := string(text); order != e.order {
		e.order, e.seen = order, 0
	}
	when, what, _ := strings.Cut(e.order, " ")
	change := kinds[d.Op] + " " + d.TableName
	number, about := strings.CutPrefix(what, change+" ")
	if !about {
		return
	}
	e.seen++
	if strconv.Itoa(e.seen) != number {
		return
	}
	switch when {
	case "before":
		die()
	case "after":
		e.due = true
	case "fill":
		if err := fill(filepath.Dir(e.database)); err != nil {
			fmt.Fprintln(os.Stderr, "the order cannot be carried out:", err)
		}
	}
}

// commits is called just before a commit. From here on the process can neither write nor
// reach the servers, so that it has no further effect until it is killed.
func (e *killer) commits() int32 {
	if !e.due {
		return 0
	}
	e.over = true
	before, version, err := e.version()
	if err == nil {
		err = os.WriteFile(e.orders.dying(), nil, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "the order cannot be carried out:", err)
		return 1 // rolls the transaction back, which no test expects
	}
	go func() {
		for now := before; now == before; {
			if now, err = version(); err != nil {
				fmt.Fprintln(os.Stderr, "the order cannot be carried out:", err)
				return
			}
		}
		die()
	}()
	return 0
}

// version is SQLite's data_version, and a function that reads it again.
func (e *killer) version() (int, func() (int, error), error) {
	db, err := sql.Open("sqlite", "file:"+e.database)
	if err != nil {
		return 0, nil, err
	}
	db.SetMaxOpenConns(1) // data_version is relative to a connection
	look := func() (n int, err error) {
		err = db.QueryRowContext(context.Background(), "PRAGMA data_version").Scan(&n)
		return n, err
	}
	n, err := look()
	return n, look, err
}

// die kills the process.
func die() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}
