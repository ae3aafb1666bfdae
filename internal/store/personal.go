package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// A Table says which rows of a table are about a person, so that these can be exported and erased.
type Table struct {
	Name string
	// Person is the condition of rows about a person, ?. Without it the table has none, because of Why.
	Person string
	Why    string
	Erase  string // erases them, in one statement or several with semicolons; empty means that the rows are deleted
}

// Tables declares every table. Rows that belong to others come before those.
var Tables = []Table{
	{Name: "memories", Person: "person = ?"},
	{Name: "exchanges", Person: "person = ?"},
	{Name: "talks", Person: "people LIKE '% ' || ? || ' %'"}, // a summary that holds an erased person is dropped whole
	{Name: "old_summaries", Person: "people LIKE '% ' || ? || ' %'"},
	{Name: "actions", Person: "(turn IN (SELECT id FROM turns WHERE requester = ?) OR approver = ? AND approver <> '')",
		Erase: "UPDATE actions SET approver = '' WHERE approver = ? AND approver <> ''"}, // those of their own turns are deleted with these
	{Name: "answers", Person: "turn IN (SELECT id FROM turns WHERE requester = ?)"},
	{Name: "batched", Person: "turn IN (SELECT id FROM turns WHERE requester = ?)"},
	{Name: "turns", Person: "requester = ?"},
	{Name: "reminders", Person: "(requester = ? OR recipient = ?)"},
	{Name: "deferrals", Person: "requester = ?"},
	{Name: "choices", Person: "requester = ?"},
	{Name: "questions", Person: "requester = ? AND state <> 'running'"}, // the card that asks about this runs
	{Name: "recall", Person: "(author = ? OR asker = ? AND asker <> '')"},
	{Name: "recall_parts", Why: "rows of recall, which take them along"},
	{Name: "recall_vectors", Why: "rows of recall, which take them along"},
	{Name: "recall_words", Why: "rows of recall, which take them along"},
	{Name: "recall_meta", Why: "the state of recall"},
	{Name: "tasks", Person: "(creator = ? OR owner = ? OR due_by = ?)", // the work is the server's and stays, without them
		Erase: "UPDATE tasks SET creator = CASE creator WHEN ? THEN '' ELSE creator END, owner = CASE owner WHEN ? THEN '' ELSE owner END, due_by = CASE due_by WHEN ? THEN '' ELSE due_by END, version = version + 1 WHERE creator = ? OR owner = ? OR due_by = ?"},
	{Name: "task_labels", Why: "words about work"},
	{Name: "task_numbers", Why: "numbers"},
	{Name: "task_refusals", Why: "IDs of posts"},
	{Name: "crons", Person: "author = ?"}, // a job without the rights of its author could do nothing
	{Name: "cron_posts", Person: "owner = ?", // those of jobs are deleted when the post no longer shows the job
		Erase: "DELETE FROM cron_posts WHERE owner = ? AND job = ''; UPDATE cron_posts SET owner = '', read = '', agreed = '', draft = '' WHERE owner = ?"},
	{Name: "cron_runs", Why: "times of jobs"},
	{Name: "cron_hooks", Why: "rows of crons, which take them along; secrets are not exported"},
	{Name: "cron_calls", Why: "rows of crons, which take them along; a body is dropped when its run is over"},
	{Name: "spending", Person: "person = ?", Erase: "UPDATE spending SET person = '' WHERE person = ?"}, // the sums stay true
	{Name: "images", Person: "person = ?", Erase: "UPDATE images SET person = '' WHERE person = ?"},     // the server's count stays true
	{Name: "plans", Person: "(author = ? OR approver = ?)",
		Erase: "UPDATE plans SET author = CASE author WHEN ? THEN '' ELSE author END, approver = CASE approver WHEN ? THEN '' ELSE approver END WHERE author = ? OR approver = ?"},
	{Name: "plan_work", Person: "requester = ?", Erase: "UPDATE plan_work SET requester = '', prompters = '' WHERE requester = ? AND over <> 0"},
	{Name: "inbox", Why: "what it has of a message is dropped when that is answered"},
	{Name: "rounds", Why: "dropped when the turn is over"},
	{Name: "steps", Why: "dropped when the turn is over"},
	{Name: "posts", Why: "the text is dropped when the post is known to be there"},
	{Name: "answered", Why: "IDs of messages, and emoji"},
	{Name: "sent", Why: "IDs of messages of the bot"},
	{Name: "retold", Why: "IDs of messages of the bot, and whose words came before them"},
	{Name: "watermarks", Why: "IDs of messages"},
	{Name: "heard", Why: "IDs of messages"},
	{Name: "directs", Person: "person = ?"},
	{Name: "cells", Why: "the state of the bot"},
	{Name: "copied", Why: "the state of the database"},
}

// Export returns the rows about a person, by table and column.
func (db *DB) Export(ctx context.Context, person string) (map[string][]map[string]any, error) {
	found := map[string][]map[string]any{}
	for _, t := range Tables {
		if t.Person == "" {
			continue
		}
		list, err := db.export(ctx, t, person)
		if err != nil {
			return nil, fmt.Errorf("export %s: %w", t.Name, Plain(err))
		}
		if len(list) > 0 {
			found[t.Name] = list
		}
	}
	return found, nil
}

func (db *DB) export(ctx context.Context, t Table, person string) (list []map[string]any, err error) {
	query := fmt.Sprintf("SELECT * FROM %s WHERE %s", t.Name, t.Person)
	rows, err := db.QueryContext(ctx, query, forEach(query, person)...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		row := map[string]any{}
		for i, name := range columns {
			row[name] = values[i]
		}
		list = append(list, row)
	}
	return list, rows.Err()
}

// forEach returns an argument once for each placeholder of a query.
func forEach(query, arg string) []any { return slices.Repeat([]any{arg}, strings.Count(query, "?")) }

// Erase erases the rows about a person, and returns how many there were.
func (db *DB) Erase(ctx context.Context, person string) (n int64, err error) {
	err = db.Tx(ctx, func(tx *Tx) error {
		n = 0
		for _, t := range Tables {
			if t.Person == "" {
				continue
			}
			erase := t.Erase
			if erase == "" {
				erase = fmt.Sprintf("DELETE FROM %s WHERE %s", t.Name, t.Person)
			}
			for statement := range strings.SplitSeq(erase, ";") {
				gone, err := Changed(tx.ExecContext(ctx, statement, forEach(statement, person)...))
				if err != nil {
					return fmt.Errorf("erase %s: %w", t.Name, err)
				}
				n += int64(gone)
			}
		}
		return nil
	})
	return n, Plain(err)
}
