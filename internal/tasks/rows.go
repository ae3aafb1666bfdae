package tasks

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/forum"
	"discoclaw/internal/store"
)

// rows is the table of tasks, with those of their labels and numbers.
type rows struct{ db *store.DB }

// A record is a row: a task, and what is known about its post.
type record struct {
	Task
	number  int64
	version int64 // counts changes of the task
	synced  int64 // the version that the post shows

	forum.Link
	closedPosted time.Time // the time of closing that the post was told of
	duePosted    time.Time // the date of which people were told that it has come
	restored     bool      // the row is of a restored copy: what it does not know may have been posted
}

const columns = "id, number, guild, dedupe, title, description, status, priority, labels, owner, due, due_by, creator, thread, outside, " +
	"created, updated, closed, reason, version, synced, begun, base, sent, closed_posted, due_posted, restored"

func scan(row store.Row) (record, error) {
	var r record
	var labels string
	err := row.Scan(&r.ID, &r.number, &r.Guild, &r.Dedupe, &r.Title, &r.Description, &r.Status, &r.Priority, &labels, &r.Owner,
		store.Time(&r.Due), &r.DueBy, &r.Creator, &r.Thread, &r.Outside, store.Time(&r.Created), store.Time(&r.Updated), store.Time(&r.Closed),
		&r.Reason, &r.version, &r.synced, store.Time(&r.Begun), store.JSON(&r.Base), store.JSON(&r.Sent),
		store.Time(&r.closedPosted), store.Time(&r.duePosted), &r.restored)
	if errors.Is(err, sql.ErrNoRows) {
		return r, ErrNotFound
	}
	if labels != "" {
		r.Labels = strings.Split(labels, "\n")
	}
	return r, err
}

// add inserts a task in a transaction of its own.
func (s rows) add(ctx context.Context, prefix string, r record) (made Task, isNew bool, err error) {
	err = s.db.Tx(ctx, func(tx *store.Tx) (err error) {
		made, isNew, err = add(ctx, tx, prefix, r)
		return err
	})
	return made, isNew, store.Plain(err)
}

// add inserts a task, under the next number unless it has an ID. IsNew is false if its request has made one before, or its post
// is one's already, which it returns then.
func add(ctx context.Context, tx *store.Tx, prefix string, r record) (made Task, isNew bool, err error) {
	known, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM tasks WHERE dedupe = ? AND dedupe <> '' OR thread = ? AND thread <> ''", r.Dedupe, r.Thread))
	if !errors.Is(err, ErrNotFound) {
		return known.Task, false, err
	}
	r.version = 1
	if r.ID == "" {
		err = tx.QueryRowContext(ctx, "INSERT INTO task_numbers (prefix, last) VALUES (?, 1) ON CONFLICT (prefix) DO UPDATE SET last = last + 1 RETURNING last", prefix).Scan(&r.number)
		r.ID = idOf(prefix, r.number)
	} else {
		prefix, r.number = splitID(r.ID)
		_, err = tx.ExecContext(ctx, "INSERT INTO task_numbers (prefix, last) VALUES (?, ?) ON CONFLICT (prefix) DO UPDATE SET last = MAX(last, excluded.last)", prefix, r.number)
	}
	if err != nil {
		return Task{}, false, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO tasks (id, number, guild, dedupe, title, description, status, done, priority, labels, owner, due, due_by, creator, thread, outside, created, updated, closed, reason, version)
		VALUES (?, ?, ?, ?, '', '', '', 0, 0, '', '', 0, '', ?, '', '', ?, 0, 0, '', 0)`, r.ID, r.number, r.Guild, r.Dedupe, r.Creator, store.Micro(r.Created))
	if err != nil {
		return Task{}, false, err
	}
	if !r.Due.After(r.Created) { // what was just set is not called overdue
		r.duePosted = r.Due
	}
	return r.Task, true, update(ctx, tx, r)
}

// maxAhead is how many tasks a copy of the database can lack. A post of the bot that names a later one does not mean it: a text may
// look like the line of an ID.
const maxAhead = 10_000

// lacks reports whether a task may have been made after a copy of the database that knows nothing of it.
func (s rows) lacks(ctx context.Context, id string) (bool, error) {
	prefix, number := splitID(id)
	last, err := store.Value[int64](ctx, s.db, "SELECT last FROM task_numbers WHERE prefix = ?", prefix)
	return err == nil && number <= last+maxAhead, store.Plain(err)
}

// label writes the labels of a task where they are found.
func label(ctx context.Context, tx *store.Tx, r record) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM task_labels WHERE id = ?", r.ID); err != nil {
		return err
	}
	for _, l := range r.Labels {
		_, err := tx.ExecContext(ctx, "INSERT INTO task_labels (guild, label, done, priority, number, id) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
			r.Guild, strings.ToLower(labelName(l)), r.Status == Closed, r.Priority, r.number, r.ID)
		if err != nil {
			return err
		}
	}
	return nil
}

// change changes a task in a transaction of its own. An error is for people.
func (s rows) change(ctx context.Context, g chat.GuildID, id string, do func(Task) (Task, error)) (before, after Task, err error) {
	err = s.db.Tx(ctx, func(tx *store.Tx) (err error) {
		before, after, err = change(ctx, tx, g, id, do)
		return store.ForPeople(err)
	})
	return before, after, store.Plain(err)
}

// change changes a task, and counts a new version if that made a difference. An error, also one of do, is for people.
func change(ctx context.Context, tx *store.Tx, g chat.GuildID, id string, do func(Task) (Task, error)) (before, after Task, err error) {
	r, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM tasks WHERE id = ? AND guild = ?", id, g))
	if err != nil {
		return Task{}, Task{}, store.Plain(err)
	}
	before = r.Task
	if after, err = do(before); err != nil {
		return Task{}, Task{}, err
	}
	if reflect.DeepEqual(before, after) {
		return before, after, nil
	}
	r.become(after)
	return before, r.Task, store.Plain(update(ctx, tx, r))
}

// become changes the task of a row. A task is closed later than the last time of which its post was told, even if that is this very
// moment or the clock was set back: a note goes by the time that it tells of.
func (r *record) become(t Task) {
	if r.Status != Closed && t.Status == Closed && !t.Closed.After(r.closedPosted) {
		t.Closed = r.closedPosted.Add(time.Microsecond)
	}
	t.Updated = store.Rounded(time.Now())
	if !t.Due.Equal(r.Due) && !t.Due.After(t.Updated) {
		r.duePosted = t.Due
	}
	r.Task, r.version = t, r.version+1
}

// update writes a row that was read in the same transaction.
func update(ctx context.Context, tx *store.Tx, r record) error {
	_, err := tx.ExecContext(ctx, `UPDATE tasks SET title = ?, description = ?, status = ?, done = ?, priority = ?, labels = ?, owner = ?, due = ?, due_by = ?, thread = ?, outside = ?,
		updated = ?, closed = ?, reason = ?, version = ?, synced = ?, begun = ?, base = ?, sent = ?, closed_posted = ?, due_posted = ?, restored = ? WHERE id = ?`,
		r.Title, r.Description, r.Status, r.Status == Closed, r.Priority, strings.Join(r.Labels, "\n"), r.Owner, store.Micro(r.Due), r.DueBy,
		r.Thread, r.Outside, store.Micro(r.Updated), store.Micro(r.Closed), r.Reason, r.version, r.synced, store.Micro(r.Begun),
		store.JSON(r.Base), store.JSON(r.Sent), store.Micro(r.closedPosted), store.Micro(r.duePosted), r.restored, r.ID)
	if err != nil {
		return err
	}
	return label(ctx, tx, r)
}

// mirror changes what is known about the post of a task, and nothing else of the row, which it reads again.
func (s rows) mirror(ctx context.Context, r *record, do func(*record)) error {
	err := s.db.Tx(ctx, func(tx *store.Tx) error {
		now, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM tasks WHERE id = ?", r.ID))
		if err != nil {
			return err
		}
		do(&now)
		if err := update(ctx, tx, now); err != nil {
			return err
		}
		task, version := r.Task, r.version // those that are being worked on
		*r = now
		r.Task, r.version = task, version
		r.Thread = now.Thread
		return nil
	})
	return store.Plain(err)
}

// link writes down which post a task has. It is in the state in which it was asked for, if that is known.
func (s rows) link(ctx context.Context, r *record, thread chat.ChannelID) error {
	return s.mirror(ctx, r, func(now *record) {
		now.Made()
		now.Thread = thread
	})
}

// unlink forgets the post of a task, and closes the task if it was deleted.
func (s rows) unlink(ctx context.Context, id string, deleted bool) error {
	err := s.db.Tx(ctx, func(tx *store.Tx) error {
		r, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM tasks WHERE id = ?", id))
		if err != nil {
			return err
		}
		if deleted {
			if r.Task, err = (Change{Status: new(Closed), Reason: deletedThread}).apply(r.Task); err != nil {
				return err
			}
		}
		r.Thread, r.Link = "", forum.Link{}
		r.Updated, r.version, r.closedPosted = store.Rounded(time.Now()), r.version+1, r.Closed
		return update(ctx, tx, r)
	})
	return store.Plain(err)
}

// merge writes what people have changed in the post of a task into its row, if anything, and returns that.
func (s rows) merge(ctx context.Context, r record, seen forum.Observed, tags tagSet) (merged record, taken bool, err error) {
	if task, base := r.merge(seen, tags); reflect.DeepEqual(task, r.Task) && reflect.DeepEqual(base, r.Base) && r.Sent == nil {
		return r, false, nil
	}
	err = s.db.Tx(ctx, func(tx *store.Tx) error {
		if r, err = scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM tasks WHERE id = ?", r.ID)); err != nil {
			return err
		}
		task, base := r.merge(seen, tags)
		if taken = !reflect.DeepEqual(task, r.Task); taken {
			known := r.Status != Closed && task.Status == Closed && task.Reason == archivedByPerson // to the person who archived it
			r.become(task)
			if known {
				r.closedPosted = r.Closed
			}
		}
		r.Base, r.Sent = base, nil
		return update(ctx, tx, r)
	})
	return r, taken, store.Plain(err)
}

// ids returns the IDs of tasks by a condition, in their order.
func (s rows) ids(ctx context.Context, where string, args ...any) ([]string, error) {
	return store.All(ctx, s.db, store.Column[string], "SELECT id FROM tasks WHERE "+where+" ORDER BY number", args...)
}

// unsynced returns the tasks of a server that have changed since they were brought in step with their post.
func (s rows) unsynced(ctx context.Context, g chat.GuildID) ([]string, error) {
	return s.ids(ctx, "guild = ? AND version <> synced", g)
}

// toCompare returns the tasks of a server that may differ from their post: those that are open, have changed, or whose
// post is listed.
func (s rows) toCompare(ctx context.Context, g chat.GuildID, threads []chat.Channel) ([]string, error) {
	all, err := s.ids(ctx, "guild = ? AND done = 0", g)
	if err != nil {
		return nil, err
	}
	changed, err := s.ids(ctx, "guild = ? AND done = 1 AND version <> synced", g)
	if err != nil {
		return nil, err
	}
	all = append(all, changed...)
	for _, thread := range threads {
		r, err := s.get(ctx, byThread, thread.ID)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		if err == nil && r.Status == Closed && r.synced == r.version { // the others are among them
			all = append(all, r.ID)
		}
	}
	return all, nil
}

// due returns the tasks whose date has come, and of which nobody was told, and when the next one's comes.
func (s rows) due(ctx context.Context, now time.Time) (list []record, next time.Time, err error) {
	const waits = "due <> due_posted AND done = 0 AND thread <> '' AND "
	list, err = store.All(ctx, s.db, scan, "SELECT "+columns+" FROM tasks WHERE "+waits+"due BETWEEN 1 AND ? ORDER BY due", now.UnixMicro())
	if err != nil {
		return nil, next, err
	}
	first, err := store.Value[int64](ctx, s.db, "SELECT COALESCE(MIN(due), 0) FROM tasks WHERE "+waits+"due > ?", now.UnixMicro())
	return list, store.At(first), err
}

// refused reports whether the author of a post was told that it makes no task.
func (s rows) refused(ctx context.Context, thread chat.ChannelID) (bool, error) {
	told, err := store.Value[bool](ctx, s.db, "SELECT COUNT(*) > 0 FROM task_refusals WHERE thread = ?", thread)
	return told, store.Plain(err)
}

func (s rows) refuse(ctx context.Context, thread chat.ChannelID) error {
	_, err := s.db.ExecContext(ctx, "INSERT INTO task_refusals (thread) VALUES (?) ON CONFLICT DO NOTHING", thread)
	return store.Plain(err)
}

// byThread is the condition of a task's post, as its index has it.
const byThread = "thread = ? AND thread <> ''"

// get finds a task by a condition.
func (s rows) get(ctx context.Context, where string, args ...any) (record, error) {
	r, err := scan(s.db.QueryRowContext(ctx, "SELECT "+columns+" FROM tasks WHERE "+where, args...))
	return r, store.Plain(err)
}

// list finds tasks of a server. Every filter has an index in the order of the list, so that the limit bounds the work.
func (s rows) list(ctx context.Context, g chat.GuildID, f Filter) ([]Task, error) {
	statement, args := f.query(g)
	found, err := store.All(ctx, s.db, scan, statement, args...)
	var list []Task
	for _, r := range found {
		list = append(list, r.Task)
	}
	return list, store.Plain(err)
}

func (f Filter) query(g chat.GuildID) (string, []any) {
	from, table, where, args := "tasks", "tasks", []string{"tasks.guild = ?"}, []any{g}
	also := func(condition string, arg any) { where, args = append(where, condition), append(args, arg) }
	if f.Label != "" {
		from, table = "task_labels CROSS JOIN tasks ON tasks.id = task_labels.id", "task_labels"
		where[0] = "task_labels.guild = ?"
		also("task_labels.label = ?", strings.ToLower(labelName(chat.OneLine(f.Label))))
	}
	if f.Owner != "" {
		also("tasks.owner = ?", f.Owner)
	}
	if !f.Until.IsZero() {
		also("tasks.due BETWEEN 1 AND ?", store.Micro(f.Until))
	}
	if f.Marked {
		where = append(where, "tasks.outside <> ''")
	}
	order := fmt.Sprintf("%[1]s.done, %[1]s.priority, %[1]s.number DESC", table)
	if f.Status != All && f.Status != "" {
		also("tasks.status = ?", f.Status)
	}
	switch {
	case f.Status == All:
	case f.Status != "" && f.Label == "" && f.Owner == "": // the index of the status has no done
		order = "tasks.priority, tasks.number DESC"
	default:
		also(table+".done = ?", f.Status == Closed)
	}
	limit := -1
	if f.Limit > 0 {
		limit = f.Limit
	}
	selected := "tasks." + strings.ReplaceAll(columns, ", ", ", tasks.")
	return fmt.Sprintf("SELECT %s FROM %s WHERE %s ORDER BY %s LIMIT %d", selected, from, strings.Join(where, " AND "), order, limit), args
}

// afterRestore is for a restored copy of the database. Posts and notes may have been made since, and are searched for
// before they are made again; so may numbers, which must not be given twice.
func afterRestore(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, "UPDATE tasks SET restored = 1, begun = CASE WHEN thread = '' AND done = 0 THEN created ELSE 0 END")
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE task_numbers SET last = last + 100")
	return err
}
