package tasks_test

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
	"discoclaw/internal/tasks"
)

// fill adds many tasks with one statement each for records and labels: a tenth is open, spread over 50 people and 20 labels.
func fill(t testing.TB, db *store.DB, n int) {
	t.Helper()
	numbers := fmt.Sprintf("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) ", n)
	status := "CASE i %% 30 WHEN 0 THEN 'open' WHEN 1 THEN 'in_progress' WHEN 2 THEN 'blocked' ELSE 'closed' END"
	for _, statement := range []string{
		`INSERT INTO tasks (id, number, guild, dedupe, title, description, status, done, priority, labels, owner, due, due_by, creator, thread, outside, created, updated, closed, reason, version, synced) ` + numbers +
			`SELECT printf('ws-%03d', i), i, '` + string(here) + `', '', 'task ' || i, 'about', ` + strings.ReplaceAll(status, "%%", "%") + `, i % 30 > 2, i % 5, 'label ' || (i % 20), 'user ' || (i % 50), 0, '', '', 'thread ' || i, '', i, i, 0, '', 1, 1 FROM n`,
		`INSERT INTO task_labels (guild, label, done, priority, number, id) SELECT guild, labels, done, priority, number, id FROM tasks`,
		fmt.Sprintf("INSERT INTO task_numbers (prefix, last) VALUES ('ws', %d)", n),
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

var filters = map[string]tasks.Filter{
	"open":            {Limit: 20},
	"all":             {Status: tasks.All, Limit: 20},
	"closed":          {Status: tasks.Closed, Limit: 20},
	"blocked":         {Status: tasks.Blocked, Limit: 20},
	"label":           {Label: "label 2", Limit: 20},
	"label of closed": {Label: "label 7", Status: tasks.Closed, Limit: 20},
	"owner":           {Owner: "user 2", Limit: 20},
	"owner of all":    {Owner: "user 2", Status: tasks.All, Limit: 20},
}

// BenchmarkList is flat: the work of a list does not grow with the number of tasks.
func BenchmarkList(b *testing.B) {
	for _, n := range []int{10, 1_000, 100_000} {
		e, db := open(b, tasks.Options{})
		fill(b, db, n)
		for name, f := range filters {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := e.List(b.Context(), here, f); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("thread/%d", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := e.InThread(b.Context(), chat.ChannelID(fmt.Sprint("thread ", n))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestListsFollowAnIndex: no list sorts, or looks at tasks that it does not have.
func TestListsFollowAnIndex(t *testing.T) {
	t.Parallel()
	_, db := open(t, tasks.Options{})
	statements := map[string]string{
		"thread":  "SELECT id FROM tasks WHERE " + tasks.ByThread,
		"request": "SELECT id FROM tasks WHERE dedupe = ? AND dedupe <> '' OR thread = ? AND thread <> ''",
		"changed": "SELECT id FROM tasks WHERE guild = ? AND done = 1 AND version <> synced ORDER BY number",
		"due":     "SELECT MIN(due) FROM tasks WHERE due <> due_posted AND done = 0 AND thread <> '' AND due > ?",
	}
	for name, f := range filters {
		statements[name], _ = tasks.Query(f, here)
	}
	for name, query := range statements {
		args := make([]any, strings.Count(query, "?"))
		rows, err := db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
		if err != nil {
			t.Fatal(err)
		}
		plan := planOf(t, rows)
		if strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "SCAN ") || filters[name].Status == tasks.Blocked && !strings.Contains(plan, "tasks_by_status") {
			t.Errorf("%s:\n%s", name, plan)
		}
	}
}

func planOf(t *testing.T, rows *sql.Rows) string {
	t.Helper()
	var lines []string
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, detail)
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
