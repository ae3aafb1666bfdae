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

// ordersIn is the variable that names the folder where a process finds out when to die.
const ordersIn = "CHAOS_ORDERS"

// mortal is the program. With orders, it kills itself in the middle of its work, or fills
// its disk.
func mortal() {
	if dir := os.Getenv(ordersIn); dir != "" {
		e := &killer{orders: orders(dir), database: filepath.Join(os.Getenv("DISCOCLAW_DATA_DIR"), store.FileName)}
		sqlite.RegisterConnectionHook(e.attend)
	}
	main()
}

// orders are files in a folder: the order itself, and one that is there from the moment
// in which nothing that the process does counts any more.
type orders string

func (o orders) file() string  { return filepath.Join(string(o), "order") }
func (o orders) dying() string { return filepath.Join(string(o), "dying") }

// give tells the process to kill itself before or after a change of its database, as in
// "after insert inbox 1": after the first row that is inserted into inbox is there for good.
// With "fill" instead, it fills its disk before that change, and goes on.
func (o orders) give(order string) error { return os.WriteFile(o.file(), []byte(order), 0o600) }

// withdraw lets the next process live.
func (o orders) withdraw() {
	_ = os.Remove(o.file()) // there was none if it was killed from outside
	_ = os.Remove(o.dying())
}

// isDying says whether the process is on its way out.
func (o orders) isDying() bool {
	_, err := os.Stat(o.dying())
	return err == nil
}

// A killer kills the process that it is in, where its orders say. It watches the only
// connection that writes, so all its methods are called one after the other.
type killer struct {
	orders   orders
	database string

	order string
	seen  int  // changes that it is about
	due   bool // to be carried out when what is being changed is there for good
	over  bool // nothing is written any more
}

// attend watches a connection.
func (e *killer) attend(conn sqlite.ExecQuerierContext, source string) error {
	if !strings.Contains(source, "_txlock=immediate") {
		return nil // it only reads
	}
	hooks, ok := conn.(sqlite.HookRegisterer)
	if !ok {
		return fmt.Errorf("the connection %T cannot be watched", conn)
	}
	hooks.RegisterPreUpdateHook(e.changes)
	hooks.RegisterCommitHook(e.commits)
	return nil
}

// kinds are what SQLite calls them in its hooks.
// https://sqlite.org/c3ref/c_alter_table.html
var kinds = map[int32]string{9: "delete", 18: "insert", 23: "update"}

// changes is before a row is changed.
func (e *killer) changes(d sqlite.SQLitePreUpdateData) {
	if e.over {
		select {}
	}
	text, err := os.ReadFile(e.orders.file())
	if err != nil {
		e.order = "" // the next one may be the same again
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

// commits is just before a transaction is there for good. From here on the process can
// neither write nor reach anybody, so that it has done nothing more when it dies.
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
		return 1 // undoes the transaction, which no test expects
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

// version changes whenever the database does. It also returns a way to look again.
func (e *killer) version() (int, func() (int, error), error) {
	db, err := sql.Open("sqlite", "file:"+e.database)
	if err != nil {
		return 0, nil, err
	}
	db.SetMaxOpenConns(1) // the number is meant for one connection
	look := func() (n int, err error) {
		err = db.QueryRowContext(context.Background(), "PRAGMA data_version").Scan(&n)
		return n, err
	}
	n, err := look()
	return n, look, err
}

// die ends the process without any warning.
func die() {
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {}
}
