// Package outbox makes posting a message idempotent.
//
// Every post has an idempotency key: its turn, and a part of that. A row is written before
// the message is sent, and updated with the message's ID from Discord's response. A turn that
// is resumed after a crash posts under the same keys, and gets the messages that are there.
// If it is unknown whether a message arrived, it is sent again with the same nonce, by which
// Discord dedupes for some minutes; after that, the channel is searched for the text of
// the last attempt first.
//
// A message whose row cannot be written, as on a full disk, is not posted, since it would be
// doubled after a crash. One whose ID cannot be written is deleted again.
//
// The placeholder of an answer is in flight until its turn is closed. One that is in flight
// at the start was left by an earlier process.
//
// An [Outbox] is for all turns; [Outbox.Of] is what one of them posts with.
package outbox

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// dedupeTime is how long Discord is trusted to dedupe by nonce. Its documentation says "the
// past few minutes".
// https://discord.com/developers/docs/resources/message#create-message
const dedupeTime = 2 * time.Minute

// skew is by how much Server.Now may be ahead of Discord's clock.
const skew = time.Minute

// Retention is how long posts are kept. An older turn is not resumed.
const Retention = 24 * time.Hour

// writeTime bounds a write, so that a slow disk does not hold up an answer.
const writeTime = 2 * time.Second

// A Server is where messages go.
type Server interface {
	// Send posts a message, unless one with the same nonce was posted in the past few
	// minutes; then it returns that one.
	Send(ctx context.Context, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error)
	// FindOwn finds messages of the bot that were written after a time and look like m,
	// the oldest first.
	FindOwn(ctx context.Context, ch chat.ChannelID, after time.Time, m chat.Outgoing) ([]chat.MessageID, error)
	// Now returns Discord's time. Rows have it, since the clock of this machine may be wrong, or
	// may be set before the post is searched for.
	Now() time.Time
	Delete(ctx context.Context, ch chat.ChannelID, m chat.MessageID) error
}

// An Outbox posts messages once. It is safe for concurrent use with different keys.
type Outbox struct {
	db     *store.DB
	server Server
	log    *slog.Logger

	mu        sync.Mutex
	finished  map[key]bool // placeholders that became answers or are gone, and whose row is still in flight
	retracted map[key]int  // how often a message was retracted
}

// New returns an outbox over a database that is open when it is used.
func New(db *store.DB, s Server, log *slog.Logger) *Outbox {
	db.Retain("posts", "began", Retention)
	db.Retain("retold", "at", retoldRetention)
	db.Retain("named", "at", retoldRetention)
	return &Outbox{db: db, server: s, log: log, finished: map[key]bool{}, retracted: map[key]int{}}
}

// Of returns the posts of one turn. Begin, which may be nil, is run once, in the transaction that
// writes the first row, even if that row exists already. So the turn begins in the same
// transaction.
func (o *Outbox) Of(turn chat.TurnID, begin func(context.Context, *store.Tx) error) *Posts {
	return &Posts{outbox: o, turn: turn, begin: begin}
}

// Posts are the posts of one turn. With a begin, they are not safe for concurrent use.
type Posts struct {
	outbox *Outbox
	turn   chat.TurnID
	begin  func(context.Context, *store.Tx) error // nil once it has run
}

// Post sends a message, unless it was sent under this key before, and returns its ID. A retry
// keeps the text of the first attempt as long as that may have arrived. After a permanent
// refusal, the key can be used again.
func (p *Posts) Post(ctx context.Context, part string, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
	return p.post(ctx, row{key: key{p.turn, part}, channel: ch, text: m.Text}, m)
}

// Open is Post for the placeholder of an answer: it is in flight until Finished is called and the
// turn is closed. An earlier one of the same turn is not any more.
func (p *Posts) Open(ctx context.Context, part string, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
	return p.post(ctx, row{key: key{p.turn, part}, channel: ch, text: m.Text, inFlight: true}, m)
}

// Finished records that a placeholder has become its answer, or is gone.
func (p *Posts) Finished(part string) {
	p.outbox.mu.Lock()
	defer p.outbox.mu.Unlock()
	p.outbox.finished[key{p.turn, part}] = true
}

func (p *Posts) post(ctx context.Context, r row, m chat.Outgoing) (chat.MessageID, error) {
	fresh, err := p.write(ctx, r)
	if err != nil {
		return "", p.outbox.fault(ctx, r.key, err)
	}
	if !fresh {
		id, text, err := p.outbox.settle(ctx, r.key, r.channel, m)
		if id != "" || err != nil {
			return id, err
		}
		m.Text = text
	}
	return p.outbox.send(ctx, r.key, r.channel, m)
}

// fault logs why a row could not be read or written, and returns an error without details of the machine. It is temporary: a turn
// that failed for good would be settled without an answer.
func (o *Outbox) fault(ctx context.Context, k key, err error) error {
	o.log.ErrorContext(ctx, "cannot use the row of a post", "turn", k.turn, "part", k.part, "err", err)
	return store.Plain(err)
}

// Posted returns the message that was posted under a key. It is empty if there is none, or, if
// begun is true, if that is unknown.
func (p *Posts) Posted(ctx context.Context, part string) (m chat.MessageID, begun bool, err error) {
	r, err := p.outbox.find(ctx, key{p.turn, part})
	return r.message, !r.began.IsZero(), err
}

// settle finds the message of a post that was begun before. If it returns neither an ID nor an
// error, the post can be sent with the text that it returns without being doubled.
func (o *Outbox) settle(ctx context.Context, k key, ch chat.ChannelID, m chat.Outgoing) (id chat.MessageID, text string, err error) {
	r, err := o.find(ctx, k)
	sent := m
	sent.Text = cmp.Or(r.text, m.Text)
	switch {
	case err != nil:
		return "", "", o.fault(ctx, k, err)
	case r.message != "":
		return r.message, "", nil
	case o.retractions(k) > 0:
		return "", m.Text, o.retry(ctx, k, m.Text)
	case o.server.Now().Sub(r.tried).Abs() < dedupeTime:
		// With another text, a later search would not know which of the two to look for.
		return "", sent.Text, nil
	}
	found, err := o.server.FindOwn(ctx, ch, r.began.Add(-skew), sent)
	if err != nil {
		return "", "", fmt.Errorf("look whether this was posted before: %w", err)
	}
	for _, id := range found {
		other, err := o.knows(ctx, ch, id)
		if err != nil {
			return "", "", o.fault(ctx, k, err)
		}
		if !other {
			if err := o.arrived(ctx, k, id); err != nil {
				return "", "", err // the next attempt finds it again
			}
			return id, "", nil
		}
	}
	return "", m.Text, o.retry(ctx, k, m.Text)
}

// send sends a message and writes the result.
func (o *Outbox) send(ctx context.Context, k key, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
	m.Nonce = k.nonce(o.retractions(k))
	id, err := o.server.Send(ctx, ch, m)
	if err == nil {
		if err := o.arrived(ctx, k, id); err != nil {
			return "", o.retract(ctx, k, ch, id, err)
		}
		return id, nil
	}
	if chat.IsPermanent(err) {
		// If the row stayed, the next attempt would search for a message that does not exist.
		_ = o.update(ctx, k, "DELETE FROM posts WHERE turn = ? AND part = ?", k.turn, k.part)
	}
	return "", err
}

// retractTime bounds the deletion of a message.
const retractTime = 20 * time.Second

// retract deletes a message whose ID could not be written, so that the next attempt starts clean.
// If that fails, the next attempt finds it like one whose response from Discord was lost.
func (o *Outbox) retract(ctx context.Context, k key, ch chat.ChannelID, m chat.MessageID, why error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), retractTime)
	defer cancel()
	if err := o.server.Delete(ctx, ch, m); err != nil {
		o.log.ErrorContext(ctx, "cannot delete a post whose ID was not written", "turn", k.turn, "channel", ch, "message", m, "err", err)
		return why
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.retracted[k]++
	return why
}

func (o *Outbox) retractions(k key) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.retracted[k]
}

// A key identifies a post.
type key struct {
	turn chat.TurnID
	part string
}

// nonce returns the same text for the same key, until the message is retracted: Discord would
// dedupe the next one against it. A nonce has at most 25 characters.
func (k key) nonce(retractions int) string {
	text := string(k.turn) + "\x00" + k.part
	if retractions > 0 {
		text += fmt.Sprintf("\x00%d", retractions)
	}
	sum := sha256.Sum256([]byte(text))
	return base32.StdEncoding.EncodeToString(sum[:])[:25]
}

// A row is a row of the table posts.
type row struct {
	key
	channel      chat.ChannelID
	message      chat.MessageID // empty if unknown
	text         string         // of the last attempt; empty once it is not needed any more
	inFlight     bool           // it is a placeholder that may not have become an answer yet
	began, tried time.Time
}

// write writes the row of a message that is about to be sent. It returns false if there is one
// already.
func (p *Posts) write(ctx context.Context, r row) (fresh bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	now := p.outbox.server.Now().UnixMicro()
	err = p.outbox.db.Tx(ctx, func(tx *store.Tx) error {
		if p.begin != nil {
			if err := p.begin(ctx, tx); err != nil {
				return err
			}
		}
		n, err := store.Changed(tx.ExecContext(ctx, "INSERT INTO posts (turn, part, channel, text, inflight, began, tried) VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
			r.turn, r.part, string(r.channel), r.text, r.inFlight, now, now))
		fresh = n == 1
		if err == nil && r.inFlight {
			_, err = tx.ExecContext(ctx, "UPDATE posts SET inflight = 0 WHERE turn = ? AND part <> ? AND inflight = 1", r.turn, r.part)
		}
		return err
	})
	if err == nil && p.begin != nil {
		p.begin = nil
	}
	return fresh, err
}

// find returns an empty row if there is none.
func (o *Outbox) find(ctx context.Context, k key) (row, error) {
	found, _, err := store.One(ctx, o.db, func(from store.Row) (r row, err error) {
		err = from.Scan(&r.message, &r.text, store.Time(&r.began), store.Time(&r.tried))
		return r, err
	}, "SELECT message, text, began, tried FROM posts WHERE turn = ? AND part = ?", k.turn, k.part)
	return found, err
}

// knows reports whether a message is that of some post.
func (o *Outbox) knows(ctx context.Context, ch chat.ChannelID, m chat.MessageID) (bool, error) {
	return store.Value[bool](ctx, o.db, "SELECT COUNT(*) > 0 FROM posts WHERE channel = ? AND message = ?", string(ch), string(m))
}

// arrived writes the ID of a message that was posted, and drops its text.
func (o *Outbox) arrived(ctx context.Context, k key, m chat.MessageID) error {
	err := o.update(ctx, k, "UPDATE posts SET message = ?, text = '' WHERE turn = ? AND part = ?", string(m), k.turn, k.part)
	if err == nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		delete(o.retracted, k)
	}
	return err
}

// retry writes the time and text of another attempt.
func (o *Outbox) retry(ctx context.Context, k key, text string) error {
	return o.update(ctx, k, "UPDATE posts SET tried = ?, text = ? WHERE turn = ? AND part = ?", o.server.Now().UnixMicro(), text, k.turn, k.part)
}

// update changes a row, even if ctx has ended.
func (o *Outbox) update(ctx context.Context, k key, query string, args ...any) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	if _, err := o.db.ExecContext(ctx, query, args...); err != nil {
		return o.fault(ctx, k, err)
	}
	return nil
}

// Close closes a turn, in a transaction of the caller's. The texts of its posts are dropped,
// since they are not searched for any more, and its placeholders are not in flight any more, but
// for one that still shows its button: the next start repairs it.
func (o *Outbox) Close(ctx context.Context, tx *store.Tx, turn chat.TurnID) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE posts SET text = '', inflight = inflight AND part NOT IN (SELECT value FROM json_each(?))
		WHERE turn = ? AND (text <> '' OR inflight = 1)`, store.JSON(o.takeFinished(turn)), turn)
	return err
}

// Share lets another turn go on with a placeholder of a turn, in a transaction of the caller's: it is the first post of both. It
// does nothing if the placeholder is known to be gone.
func (o *Outbox) Share(ctx context.Context, tx *store.Tx, from chat.TurnID, part string, with chat.TurnID, first string) error {
	if o.isFinished(key{from, part}) {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO posts (turn, part, channel, message, text, inflight, began, tried)
		SELECT ?, ?, channel, message, '', 1, began, tried FROM posts WHERE turn = ? AND part = ? AND message <> ''
		ON CONFLICT DO NOTHING`, with, first, from, part)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE posts SET inflight = 0 WHERE turn = ? AND part = ?", from, part)
	return err
}

func (o *Outbox) isFinished(k key) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.finished[k]
}

// takeFinished removes and returns the parts that are known to be finished. Should the
// transaction fail, the next start recognises them by their messages.
func (o *Outbox) takeFinished(turn chat.TurnID) []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	parts := []string{}
	for k := range o.finished {
		if k.turn == turn {
			parts = append(parts, k.part)
			delete(o.finished, k)
		}
	}
	return parts
}

// A Placeholder is a post that was in flight when an earlier process ended.
type Placeholder struct {
	Turn    chat.TurnID
	Channel chat.ChannelID
	Message chat.MessageID
}

// InFlight returns the placeholders that were left in flight within the retention, oldest
// first.
func (o *Outbox) InFlight(ctx context.Context) ([]Placeholder, error) {
	return store.All(ctx, o.db, func(row store.Row) (p Placeholder, err error) {
		err = row.Scan(&p.Turn, &p.Channel, &p.Message)
		return p, err
	},
		"SELECT turn, channel, message FROM posts WHERE inflight = 1 AND message <> '' AND began > ? ORDER BY began",
		o.server.Now().Add(-Retention).UnixMicro())
}

// Settle marks a placeholder as not in flight any more.
func (o *Outbox) Settle(ctx context.Context, p Placeholder) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeTime)
	defer cancel()
	_, err := o.db.ExecContext(ctx, "UPDATE posts SET inflight = 0 WHERE channel = ? AND message = ?", string(p.Channel), string(p.Message))
	return err
}
