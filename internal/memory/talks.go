package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// An Exchange is what a person said to the bot, and its answer.
type Exchange struct {
	Turn   chat.TurnID
	Place  chat.Place
	Person chat.UserID
	Name   string
	Said   string
	Answer string // empty if it is not to be remembered
	Public bool   // everybody on the server may read it
	At     time.Time

	Capsule Capsule

	id int64
}

// A Capsule is what the model told its later turns about where it was in a conversation.
type Capsule struct {
	Text    string
	Outside chat.Sources // the outside texts that may be in it
}

const (
	maxSaid   = 2000 // characters kept of what was said
	maxAnswer = 500  // and of the answer
	// rest is the silence after which a conversation is summed up when it goes on, however short it was.
	rest = 30 * time.Minute
	// exchangeRetention is how long exchanges are kept that were not summed up, because the conversation did not go on.
	exchangeRetention = 30 * 24 * time.Hour
)

// Note stores an exchange, in the transaction that settles its turn.
func (e *Engine) Note(ctx context.Context, tx *store.Tx, x Exchange) error {
	if !e.Talks.On && !e.Short.On {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO exchanges (turn, talk, guild, person, name, said, answer, at, public) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		string(x.Turn), string(x.Place.Channel), string(x.Place.Guild), string(x.Person), chat.Clip(chat.OneLine(x.Name), 60),
		chat.Clip(x.Said, maxSaid), chat.Clip(x.Answer, maxAnswer), x.At.UnixMicro(), x.Public)
	if err != nil || !e.Talks.On || x.Capsule.Text == "" {
		return err
	}
	return e.keep(ctx, tx, x)
}

// Learn stores an exchange that belongs to no turn.
func (e *Engine) Learn(ctx context.Context, x Exchange) error {
	return e.rows.db.Tx(ctx, func(tx *store.Tx) error { return e.Note(ctx, tx, x) })
}

// keep stores the capsule of an exchange with the summary of its conversation. Without one it is dropped: the model was not asked
// for it, or the summary was reset or erased meanwhile.
func (e *Engine) keep(ctx context.Context, tx *store.Tx, x Exchange) error {
	_, err := tx.ExecContext(ctx, `UPDATE talks SET capsule = ?, capsule_outside = ?,
		people = CASE WHEN people LIKE '% ' || ? || ' %' THEN people ELSE people || ' ' || ? || ' ' END WHERE talk = ?`,
		x.Capsule.Text, string(x.Capsule.Outside), string(x.Person), string(x.Person), string(x.Place.Channel))
	return err
}

// Talks says how conversations are summed up.
type Talks struct {
	On     bool
	Facts  bool // things about people are remembered, too
	Every  int  // after so many exchanges
	Budget int  // characters of a summary

	Archive time.Duration // how long summaries are kept that newer ones have replaced; 0 keeps none
}

// Ask asks a model.
type Ask func(ctx context.Context, system, text string) (string, error)

// askTime bounds the call of a model.
const askTime = 30 * time.Second

// SumUp sums up a conversation if there is reason to: enough was said since the last time, or it rested. It is called
// after a turn, so no model is asked while nobody speaks. On errors the summary stays as it was, and the exchanges
// are summed up with the next ones.
func (e *Engine) SumUp(ctx context.Context, talk chat.ChannelID, ask Ask) error {
	if !e.Talks.On || !e.begin(talk) {
		return nil
	}
	defer e.end(talk)
	fresh, err := e.unsummed(ctx, talk)
	if err != nil || !e.isDue(fresh) {
		return err
	}
	old, people, err := e.summary(ctx, talk)
	if err != nil {
		return err
	}
	asked, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	reply, err := ask(asked, summarySystem, summaryPrompt(old.Text, fresh, e.Talks.Budget, e.Talks.Facts))
	if err != nil {
		return fmt.Errorf("sum up a conversation: %w", err)
	}
	text, facts := parseSummary(reply)
	if text == "" {
		text = old.Text
	}
	for _, x := range fresh {
		if !slices.Contains(people, x.Person) {
			people = append(people, x.Person)
		}
	}
	kept, err := e.replace(ctx, talk, old, sentences(text, e.Talks.Budget), people, fresh)
	if err != nil || !kept || !e.Talks.Facts {
		return err
	}
	return e.learn(ctx, facts, fresh, len(people) > 1)
}

func (e *Engine) isDue(fresh []Exchange) bool {
	n := len(fresh)
	return n >= e.Talks.Every || n >= 2 && fresh[n-1].At.Sub(fresh[n-2].At) >= rest
}

// begin reports whether no other call sums up the conversation, and makes this one do so.
func (e *Engine) begin(talk chat.ChannelID) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	busy := e.busy[talk]
	e.busy[talk] = true
	return !busy
}

func (e *Engine) end(talk chat.ChannelID) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.busy, talk)
}

// maxSummed is how many exchanges are summed up at once: the latest ones.
const maxSummed = 40

func (e *Engine) unsummed(ctx context.Context, talk chat.ChannelID) ([]Exchange, error) {
	list, err := e.exchanges(ctx, "talk = ? AND summed = 0", maxSummed, string(talk))
	slices.Reverse(list)
	return list, err
}

// exchanges returns exchanges that meet a condition, the latest first.
func (e *Engine) exchanges(ctx context.Context, where string, limit int, args ...any) ([]Exchange, error) {
	list, err := store.All(ctx, e.rows.db, func(row store.Row) (x Exchange, err error) {
		err = row.Scan(&x.id, &x.Place.Channel, &x.Place.Guild, &x.Person, &x.Name, &x.Said, &x.Answer, store.Time(&x.At))
		return x, err
	}, fmt.Sprintf("SELECT id, talk, guild, person, name, said, answer, at FROM exchanges WHERE %s ORDER BY id DESC LIMIT %d", where, limit), args...)
	return list, store.Plain(err)
}

// A Summary is that of a conversation.
type Summary struct {
	Text    string
	At      time.Time
	Capsule Capsule // may be empty
}

// Summary returns the summary of a conversation; an empty one if there is none.
func (e *Engine) Summary(ctx context.Context, talk chat.ChannelID) (Summary, error) {
	s, _, err := e.summary(ctx, talk)
	return s, err
}

func (e *Engine) summary(ctx context.Context, talk chat.ChannelID) (s Summary, people []chat.UserID, err error) {
	var ids string
	s, _, err = store.One(ctx, e.rows.db, func(row store.Row) (s Summary, err error) {
		err = row.Scan(&s.Text, &ids, store.Time(&s.At), &s.Capsule.Text, &s.Capsule.Outside)
		return s, err
	}, "SELECT summary, people, at, capsule, capsule_outside FROM talks WHERE talk = ?", string(talk))
	for id := range strings.FieldsSeq(ids) {
		people = append(people, chat.UserID(id))
	}
	s.Text = sentences(s.Text, e.Talks.Budget) // the limit may have been lowered
	return s, people, store.Plain(err)
}

// replace stores a new summary, unless the old one or one of its exchanges is gone: then the conversation was reset, or a
// person has erased what they said, while the model was asked.
func (e *Engine) replace(ctx context.Context, talk chat.ChannelID, old Summary, text string, people []chat.UserID,
	of []Exchange) (kept bool, err error) {
	err = e.rows.db.Tx(ctx, func(tx *store.Tx) error {
		kept = false
		ids, found, err := store.One(ctx, tx, store.Column[string], "SELECT people FROM talks WHERE talk = ?", string(talk)) // a capsule may have added some
		switch {
		case err != nil:
			return err
		case !found && old.Text != "":
			return errGone
		}
		for _, p := range people {
			if id := " " + string(p) + " "; !strings.Contains(ids, id) {
				ids += id
			}
		}
		for _, x := range of {
			if n, err := store.Changed(tx.ExecContext(ctx, "UPDATE exchanges SET summed = 1 WHERE id = ?", x.id)); err != nil || n == 0 {
				return cmp.Or(err, errGone)
			}
		}
		// Those of before the last maxSummed would be summed up out of order.
		if _, err := tx.ExecContext(ctx, "UPDATE exchanges SET summed = 1 WHERE talk = ? AND summed = 0 AND id < ?", string(talk), of[0].id); err != nil {
			return err
		}
		e.archive(ctx, tx, talk, text)
		_, err = tx.ExecContext(ctx, "INSERT INTO talks (talk, summary, people, at) VALUES (?, ?, ?, ?) ON CONFLICT (talk) DO UPDATE SET summary = excluded.summary, people = excluded.people, at = excluded.at",
			string(talk), text, ids, time.Now().UnixMicro())
		kept = err == nil
		return err
	})
	if errors.Is(err, errGone) {
		return false, nil
	}
	return kept, store.Plain(err)
}

// archive keeps the summary that a new one replaces. An error is only logged: the summary that counts is the new one.
func (e *Engine) archive(ctx context.Context, tx *store.Tx, talk chat.ChannelID, text string) {
	if e.Talks.Archive == 0 {
		return
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO old_summaries (talk, summary, people, written, at) SELECT talk, summary, people, at, ? FROM talks WHERE talk = ? AND summary NOT IN ('', ?)",
		time.Now().UnixMicro(), string(talk), text)
	if err != nil {
		e.Log.WarnContext(ctx, "archive a summary", "channel", talk, "err", err)
	}
}

var errGone = errors.New("an exchange is gone")

// Reset drops the summary of a conversation with its capsule and those that it replaced, and what is not summed up yet.
func (e *Engine) Reset(ctx context.Context, talk chat.ChannelID) error {
	return store.Plain(e.rows.db.Tx(ctx, func(tx *store.Tx) error {
		for _, query := range []string{"DELETE FROM talks WHERE talk = ?", "DELETE FROM old_summaries WHERE talk = ?", "DELETE FROM exchanges WHERE talk = ?"} {
			if _, err := tx.ExecContext(ctx, query, string(talk)); err != nil {
				return err
			}
		}
		return nil
	}))
}

// Short says how much of other channels a prompt has.
type Short struct {
	On     bool
	MaxAge time.Duration
	Lines  int
	Budget int
}

// Recent returns what a person and the bot said lately in other channels of the server that everybody there may read, the
// latest first.
func (e *Engine) Recent(ctx context.Context, who chat.UserID, at chat.Place) (string, error) {
	if !e.Short.On || at.Guild == "" {
		return "", nil
	}
	now := time.Now()
	list, err := e.exchanges(ctx, "person = ? AND guild = ? AND public = 1 AND talk <> ? AND at > ?", e.Short.Lines,
		string(who), string(at.Guild), string(at.Channel), now.Add(-e.Short.MaxAge).UnixMicro())
	var lines []string
	room := e.Short.Budget
	for _, x := range list {
		line := fmt.Sprintf("- %s in %s: they said: %s", age(now.Sub(x.At)), x.Place.Channel.Mention(), chat.Clip(chat.OneLine(x.Said), 100))
		if x.Answer != "" {
			line += " | you said: " + chat.Clip(chat.OneLine(x.Answer), 100)
		}
		if n := chat.Length(line) + 1; n <= room {
			room -= n
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n"), err
}

// age is a duration in words.
func age(d time.Duration) string {
	if d < time.Hour {
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h ago", int(d.Hours()))
}
