// Package reminder reminds people of what they asked for, without a model.
//
// An [Engine] keeps [Reminder]s in the database, so that they outlive the process, and posts
// each once when it is due, through the outbox. Its row is deleted when the post is known to be
// there. While Discord or the disk does not work it is tried again, so that a reminder may be late,
// and says so, but is not lost. One is dropped only when Discord or the bot's own rules refuse it,
// and then its requester reads so where they asked for it, or operators do if that is impossible.
package reminder

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/due"
	"discoclaw/internal/store"
)

const (
	MaxAhead   = 366 * 24 * time.Hour // how far ahead a reminder may be: a year, which may be a leap year
	MaxWaiting = 50                   // how many of one requester may wait
	MaxForOne  = 5                    // how many of them for one other person
	MaxText    = 1500                 // of a reminder, as Discord counts; the rest of a message is for what stands around it
)

// A Reminder is a text that is posted once, later.
type Reminder struct {
	ID        int64          // from 1 on; never reused
	Guild     chat.GuildID   // empty for direct messages
	Channel   chat.ChannelID // where it is posted
	AskedIn   chat.ChannelID // where it was asked for
	Recipient chat.UserID    // who is reminded
	Requester chat.UserID    // who asked for it
	Text      string
	Outside   chat.Sources // the outside texts that had been read when it was asked for
	Due       time.Time
	Created   time.Time

	tried bool // it may have been posted
}

// worthAWord is from when on people are told that a reminder is late.
const worthAWord = time.Minute

// message returns the post of a reminder. It notifies its recipient alone, whatever its text says.
func (r Reminder) message(late bool) chat.Outgoing {
	from := ""
	if r.Requester != r.Recipient {
		from = fmt.Sprintf(" from <@%s>", r.Requester)
	}
	text := fmt.Sprintf("<@%s> reminder%s: %s", r.Recipient, from, r.Text)
	if late { // above it, since the text may leave a code block open
		text = fmt.Sprintf("-# Late: this was due <t:%d:R>.\n%s", r.Due.Unix(), text)
	}
	return chat.Outgoing{Text: text, Mentions: []chat.UserID{r.Recipient}}
}

// turn and part are the idempotency key of the post. Its time is part of it because a restored database
// may give an ID a second time.
func (r Reminder) turn() chat.TurnID { return chat.TurnID(fmt.Sprintf("remind-%d", r.ID)) }
func (r Reminder) part() string      { return fmt.Sprintf("at-%d", r.Due.UnixMicro()) }

// A Server is where reminders are searched for of which it is unknown whether they were posted.
type Server interface {
	// FindOwn finds messages of the bot that were written after a time and look like m.
	FindOwn(ctx context.Context, ch chat.ChannelID, after time.Time, m chat.Outgoing) ([]chat.MessageID, error)
}

// Options are what an engine needs. A nil Now is time.Now, and a nil Log discards.
type Options struct {
	Outbox *outbox.Outbox
	Server Server
	Now    func() time.Time
	Log    *slog.Logger
}

// Live is what an engine needs while it runs.
type Live struct {
	// Check returns why a reminder cannot be posted. After a *Refusal it never is.
	Check func(ctx context.Context, r Reminder) error
	// Report tells operators of a reminder that was dropped without a word to its requester.
	Report func(ctx context.Context, what string)
}

// A Refusal is an error of Check that ends a reminder. It completes "it was not posted: …".
type Refusal struct{ Why string }

func (r *Refusal) Error() string { return r.Why }

// An Engine keeps reminders until they are due. It is safe for concurrent use, as soon as its
// database is open. Reminders are posted while Run runs.
type Engine struct {
	Options
	live    Live // set by Run
	rows    rows
	loop    *due.Loop
	retries *due.Retries[chat.ChannelID]

	busy due.Taken[chat.ChannelID] // in which reminders are being posted

	mu      sync.Mutex
	refused map[int64]time.Time // since when Discord refuses a reminder
}

// New returns an engine over a database, which need not be open yet.
func New(db *store.DB, o Options) *Engine {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Now == nil {
		o.Now = time.Now
	}
	db.OnRestore("reminders", afterRestore)
	return &Engine{Options: o, rows: rows{db}, loop: due.NewLoop("reminders", o.Now, o.Log),
		retries: due.NewRetries[chat.ChannelID](firstRest, longestRest, o.Now), refused: map[int64]time.Time{}}
}

// Schedule adds a reminder, and returns it with its ID. An error is a sentence for people.
func (e *Engine) Schedule(ctx context.Context, r Reminder) (Reminder, error) {
	now := e.Now()
	r.Text = strings.TrimSpace(r.Text)
	r.Created, r.Due = store.Rounded(now), store.Rounded(r.Due)
	switch {
	case r.Text == "":
		return Reminder{}, errors.New("say what the reminder is about")
	case chat.Length(r.Text) > MaxText:
		return Reminder{}, fmt.Errorf("the text has %d characters, and a reminder may have at most %d", chat.Length(r.Text), MaxText)
	case !r.Due.After(now):
		return Reminder{}, fmt.Errorf("<t:%d:f> has already passed; a reminder needs a later time", r.Due.Unix())
	case r.Due.After(now.Add(MaxAhead)):
		return Reminder{}, errors.New("a reminder can be at most a year ahead")
	}
	r, err := e.rows.add(ctx, r)
	if err != nil {
		return Reminder{}, err
	}
	e.Wake()
	return r, nil
}

// Waiting returns the reminders that somebody asked for, in the order in which they are due.
func (e *Engine) Waiting(ctx context.Context, requester chat.UserID) ([]Reminder, error) {
	list, err := e.rows.list(ctx, "requester = ?", requester)
	return list, store.Wrap(err, "look for reminders")
}

// ErrNotWaiting means that a reminder does not exist, is somebody else's, or is being posted.
var ErrNotWaiting = errors.New("no such reminder is waiting")

// Cancel removes a reminder of a requester that waits, and returns it. On a server it reaches those of
// that server alone; in direct messages, where g is empty, all of them.
func (e *Engine) Cancel(ctx context.Context, id int64, requester chat.UserID, g chat.GuildID) (Reminder, error) {
	var r Reminder
	err := e.rows.db.Tx(ctx, func(tx *store.Tx) (err error) {
		r, err = scan(tx.QueryRowContext(ctx, "DELETE FROM reminders WHERE id = ? AND requester = ? AND ? IN ('', guild) AND tried = 0 RETURNING "+columns, id, requester, g))
		return err
	})
	if errors.Is(err, sql.ErrNoRows) {
		return Reminder{}, ErrNotWaiting
	}
	return r, store.Plain(err)
}

// Wake makes Run look at the reminders again.
func (e *Engine) Wake() { e.loop.Wake() }

// rows is the table of reminders.
type rows struct{ db *store.DB }

const columns = "id, guild, channel, asked_in, recipient, requester, text, outside, due, created, tried"

// add inserts a reminder, unless its requester has enough of them. Counting and inserting are one
// transaction, so that no two get the last place.
func (s rows) add(ctx context.Context, r Reminder) (Reminder, error) {
	err := s.db.Tx(ctx, func(tx *store.Tx) error {
		waiting, err := store.Value[int](ctx, tx, "SELECT COUNT(*) FROM reminders WHERE requester = ?", r.Requester)
		if err != nil {
			return err
		}
		if waiting >= MaxWaiting {
			return store.ForPeople(fmt.Errorf("%d reminders are waiting already, and nobody may have more; cancel one first", MaxWaiting))
		}
		waiting, err = store.Value[int](ctx, tx, "SELECT COUNT(*) FROM reminders WHERE requester = ? AND recipient = ?", r.Requester, r.Recipient)
		if err != nil {
			return err
		}
		if waiting >= MaxForOne && r.Recipient != r.Requester {
			return store.ForPeople(fmt.Errorf("%d reminders from you are waiting for %s already, and nobody gets more from one person; cancel one first", MaxForOne, r.Recipient.Mention()))
		}
		res, err := tx.ExecContext(ctx, `INSERT INTO reminders (guild, channel, asked_in, recipient, requester, text, outside, due, created)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			r.Guild, r.Channel, r.AskedIn, r.Recipient, r.Requester, r.Text, r.Outside, r.Due.UnixMicro(), r.Created.UnixMicro())
		if err != nil {
			return err
		}
		r.ID, err = res.LastInsertId()
		return err
	})
	return r, store.Plain(err)
}

// list finds reminders by a condition, the earliest first.
func (s rows) list(ctx context.Context, where string, args ...any) ([]Reminder, error) {
	return store.All(ctx, s.db, scan, "SELECT "+columns+" FROM reminders WHERE "+where+" ORDER BY due, id", args...)
}

func scan(row store.Row) (r Reminder, err error) {
	err = row.Scan(&r.ID, &r.Guild, &r.Channel, &r.AskedIn, &r.Recipient, &r.Requester, &r.Text, &r.Outside,
		store.Time(&r.Due), store.Time(&r.Created), &r.tried)
	return r, err
}

// next returns when the first reminder after a time is due. It is zero if there is none.
func (s rows) next(ctx context.Context, after time.Time) (time.Time, error) {
	due, err := store.Value[int64](ctx, s.db, "SELECT COALESCE(MIN(due), 0) FROM reminders WHERE due > ?", after.UnixMicro())
	return store.At(due), err
}

// try marks a reminder as one that may have been posted. It returns false if it was cancelled.
func (s rows) try(ctx context.Context, id int64) (bool, error) {
	n, err := store.Changed(s.db.ExecContext(ctx, "UPDATE reminders SET tried = 1 WHERE id = ?", id))
	return n == 1, err
}

// done removes a reminder that was posted, or never will be.
func (s rows) done(ctx context.Context, id int64) error {
	_, err := s.db.ExecContext(ctx, "DELETE FROM reminders WHERE id = ?", id)
	return err
}

// afterRestore is for a restored copy of the database. What is overdue in it may have been posted
// since it was made, but a reminder that was not must not be lost: so it is searched for in its
// channel before it is posted. Reminders that are due later stay as they are.
func afterRestore(ctx context.Context, tx *store.Tx) error {
	_, err := tx.ExecContext(ctx, "UPDATE reminders SET tried = 1 WHERE due <= ?", time.Now().UnixMicro())
	return err
}
