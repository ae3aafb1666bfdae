package imagegen

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

const (
	// GuildDaily is how many pictures a server may have in a day.
	GuildDaily = 100

	retention = 48 * time.Hour // of rows; a turn is not resumed for longer than a day
)

// A Quota limits how many pictures are made. What was asked for is in the database, so that a restart does not reset it.
type Quota struct {
	db     *store.DB
	hourly int // for each person; 0 means any number
	now    func() time.Time
}

// NewQuota returns a quota over a database that is open when it is used. Hourly is how many pictures one person may have
// in an hour; 0 means any number.
func NewQuota(db *store.DB, hourly int, now func() time.Time) *Quota {
	db.Retain("images", "at", retention)
	return &Quota{db: db, hourly: hourly, now: now}
}

// A Claim is a request for a picture.
type Claim struct {
	Guild  chat.GuildID
	Person chat.UserID
	Them   string // what a refusal calls the person: "you", or a mention
	Turn   chat.TurnID
	Part   string // the idempotency key of the request within its turn; empty if the turn is never resumed
}

// ErrBegun is the error of a claim whose request was counted before, by a process that was killed since.
var ErrBegun = store.ForPeople(errors.New("I was restarted while this picture was being made; it may have been paid for, so I did not ask for it again"))

// Take counts a picture before it is asked for, unless there were too many. Release takes it back.
func (q *Quota) Take(ctx context.Context, c Claim) (release func(context.Context), err error) {
	if c.Part == "" {
		c.Part = "once " + rand.Text()
	}
	err = q.db.Tx(ctx, func(tx *store.Tx) error {
		if err := q.check(ctx, tx, c); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "INSERT INTO images (turn, part, at, guild, person) VALUES (?, ?, ?, ?, ?)", c.Turn, c.Part, q.now().UnixMicro(), c.Guild, c.Person)
		return err
	})
	if err != nil {
		return nil, store.Plain(err)
	}
	return func(ctx context.Context) {
		// If this fails, one picture too many is counted.
		_, _ = q.db.ExecContext(context.WithoutCancel(ctx), "DELETE FROM images WHERE turn = ? AND part = ?", c.Turn, c.Part)
	}, nil
}

// check returns why a picture is refused.
func (q *Quota) check(ctx context.Context, tx *store.Tx, c Claim) error {
	begun, err := store.Value[bool](ctx, tx, "SELECT EXISTS (SELECT 1 FROM images WHERE turn = ? AND part = ?)", c.Turn, c.Part)
	if err != nil {
		return err
	}
	if begun {
		return ErrBegun
	}
	for _, limit := range []struct {
		column string
		of     any
		most   int
		span   time.Duration
		words  string
	}{
		{"person", c.Person, q.hourly, time.Hour, c.Them + " can have %s in an hour; the next one %s"},
		{"guild", c.Guild, GuildDaily, 24 * time.Hour, "this server can have %s in a day; the next one %s"},
	} {
		if limit.most == 0 {
			continue
		}
		// The picture that has to be older than the span before there may be another one.
		at, err := store.Value[int64](ctx, tx, "SELECT at FROM images WHERE "+limit.column+" = ? AND at > ? ORDER BY at DESC LIMIT 1 OFFSET ?",
			limit.of, q.now().Add(-limit.span).UnixMicro(), limit.most-1)
		if err != nil {
			return err
		}
		if at != 0 {
			return store.ForPeople(fmt.Errorf(limit.words, chat.Counted(limit.most, "picture", "pictures"), chat.FromNow(store.At(at).Add(limit.span))))
		}
	}
	return nil
}
