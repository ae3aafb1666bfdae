// Package choices keeps the questions that the bot has asked and that are answered by
// reaction.
//
// They outlive the process. A reaction that [Store.Match] finds among the choices is an
// answer, and the caller to whom [Store.Resolve] returns true acts on it: a question is
// answered once, however many people react at the same time. [Store.Answered] recognises
// later choices. [Store.Reopen] opens a question again whose answer led to nothing, because who gave
// it lacked the right; that person cannot answer it again. Questions are dropped after [Retention], answered or not.
package choices

import (
	"context"
	"fmt"
	"slices"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// Retention is how long a question is kept, answered or not.
const Retention = 30 * 24 * time.Hour

// A Question is asked in a message and answered by a reaction to it.
type Question struct {
	Message   chat.MessageID // that asks it
	Channel   chat.ChannelID
	Guild     chat.GuildID
	Requester chat.UserID  // of the turn; others may answer too
	Prompters chat.UserIDs // whose questions had led to the turn
	Text      string
	Choices   []chat.Emoji
	// names the part of the bot that the answer of its requester goes to; empty for the model; such a question takes an answer of any person
	About   string
	Outside chat.Sources  // the outside texts that the turn had read
	Depth   int           // of the turn; the one that answers has it, too
	Asked   time.Time     // set by Register
	Refused []chat.UserID // have answered and lacked the right; see Reopen
}

// A Store keeps questions in a database. It is safe for concurrent use.
type Store struct{ db *store.DB }

// NewStore returns a store over a database that is open when it is used.
func NewStore(db *store.DB) *Store {
	db.Retain("choices", "asked", Retention)
	db.Retain("answered", "asked", Retention)
	db.OnRestore("choices", afterRestore)
	return &Store{db: db}
}

// Register adds a question, unless it is there already.
func (s *Store) Register(ctx context.Context, q Question) error {
	_, err := s.db.ExecContext(ctx,
		"INSERT INTO choices (message, channel, guild, requester, prompters, question, outside, depth, emoji, about, asked) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
		string(q.Message), string(q.Channel), string(q.Guild), string(q.Requester), string(q.Prompters), q.Text,
		string(q.Outside), q.Depth, store.JSON(q.Choices), q.About, time.Now().UnixMicro())
	return err
}

// tooOld returns the time up to which questions are past their retention.
func tooOld(now time.Time) int64 { return now.Add(-Retention).UnixMicro() }

// Match returns the question that a reaction to a message answers, if there is one. The
// question waits until it is resolved.
func (s *Store) Match(ctx context.Context, m chat.MessageID, e chat.Emoji) (Question, bool, error) {
	q, found, err := store.One(ctx, s.db, scan, "SELECT "+columns+" FROM choices WHERE message = ? AND asked > ?", string(m), tooOld(time.Now()))
	return q, found && slices.ContainsFunc(q.Choices, e.Same), store.Wrap(err, "look for a question at message %s", m)
}

// Waiting returns the unanswered questions, the oldest first.
func (s *Store) Waiting(ctx context.Context) ([]Question, error) {
	list, err := store.All(ctx, s.db, scan, "SELECT "+columns+" FROM choices WHERE asked > ? ORDER BY asked", tooOld(time.Now()))
	return list, store.Wrap(err, "look for questions that wait")
}

const columns = "message, channel, guild, requester, prompters, question, outside, depth, emoji, asked, refused, about"

func scan(row store.Row) (q Question, err error) {
	err = row.Scan(&q.Message, &q.Channel, &q.Guild, &q.Requester, &q.Prompters, &q.Text, &q.Outside, &q.Depth,
		store.JSON(&q.Choices), store.Time(&q.Asked), store.JSON(&q.Refused), &q.About)
	return q, err
}

// Resolve marks a question as answered. It returns true to exactly one caller.
func (s *Store) Resolve(ctx context.Context, m chat.MessageID) (first bool, err error) {
	err = s.db.Tx(ctx, func(tx *store.Tx) error {
		n, err := store.Changed(tx.ExecContext(ctx, "INSERT INTO answered (message, emoji, asked, refused) SELECT message, emoji, asked, refused FROM choices WHERE message = ? AND asked > ?",
			string(m), tooOld(time.Now())))
		if err != nil {
			return err
		}
		first = n == 1
		_, err = tx.ExecContext(ctx, "DELETE FROM choices WHERE message = ?", string(m))
		return err
	})
	return first && err == nil, store.Wrap(err, "take the question at message %s as answered", m)
}

// Reopen opens a question again after the answer of a user who lacked the right to what it led to. It keeps
// its age, and that user cannot answer it again. Repeated for the same user, Reopen changes nothing. It
// returns false if the question is gone.
func (s *Store) Reopen(ctx context.Context, q Question, by chat.UserID) (ok bool, err error) {
	err = s.db.Tx(ctx, func(tx *store.Tx) error {
		refused, err := refused(ctx, tx, q.Message)
		if err != nil || slices.Contains(refused, by) {
			ok = err == nil
			return err
		}
		n, err := store.Changed(tx.ExecContext(ctx, "INSERT INTO choices ("+columns+") SELECT message, ?, ?, ?, ?, ?, ?, ?, emoji, asked, ?, '' FROM answered WHERE message = ? AND asked > ?",
			string(q.Channel), string(q.Guild), string(q.Requester), string(q.Prompters), q.Text,
			string(q.Outside), q.Depth, store.JSON(append(refused, by)), string(q.Message), tooOld(time.Now())))
		if err != nil {
			return err
		}
		ok = n == 1
		_, err = tx.ExecContext(ctx, "DELETE FROM answered WHERE message = ?", string(q.Message))
		return err
	})
	return ok && err == nil, store.Wrap(err, "open the question at message %s again", q.Message)
}

// refused returns who cannot answer a question again, be it open or answered.
func refused(ctx context.Context, tx *store.Tx, m chat.MessageID) ([]chat.UserID, error) {
	users, _, err := store.One(ctx, tx, func(row store.Row) (users []chat.UserID, err error) {
		err = row.Scan(store.JSON(&users))
		return users, err
	},
		"SELECT refused FROM answered WHERE message = ?1 UNION ALL SELECT refused FROM choices WHERE message = ?1", string(m))
	return users, err
}

// Answered reports whether a reaction to a message is one of the choices of a question that
// was answered already.
func (s *Store) Answered(ctx context.Context, m chat.MessageID, e chat.Emoji) (bool, error) {
	emoji, _, err := store.One(ctx, s.db, func(row store.Row) (emoji []chat.Emoji, err error) {
		err = row.Scan(store.JSON(&emoji))
		return emoji, err
	},
		"SELECT emoji FROM answered WHERE message = ? AND asked > ?", string(m), tooOld(time.Now()))
	return slices.ContainsFunc(emoji, e.Same), store.Wrap(err, "look for an answered question at message %s", m)
}

// Forget deletes a question, because its message is gone. It need not exist.
func (s *Store) Forget(ctx context.Context, m chat.MessageID) error {
	for _, table := range []string{"choices", "answered"} {
		if _, err := s.db.ExecContext(ctx, "DELETE FROM "+table+" WHERE message = ?", string(m)); err != nil {
			return fmt.Errorf("forget the question at message %s: %w", m, err)
		}
	}
	return nil
}

// afterRestore marks all questions of a restored copy as answered, since they may have been after it
// was made.
func afterRestore(ctx context.Context, tx *store.Tx) error {
	for _, statement := range []string{
		"INSERT INTO answered (message, emoji, asked) SELECT message, emoji, asked FROM choices WHERE true ON CONFLICT DO NOTHING",
		"DELETE FROM choices",
	} {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("let go of the questions that wait: %w", err)
		}
	}
	return nil
}
