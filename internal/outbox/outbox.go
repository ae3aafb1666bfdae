// Package outbox posts messages once, whatever becomes of the process.
//
// Every post has a key: the turn it belongs to, and a part of that. It is written down
// before the message is sent, and again with the message's ID when Discord has told it.
// Who posts under the same key again, after the process was killed, gets the message
// that is there. If nobody knows whether it is, it is sent again with the same nonce,
// by which Discord recognises it for some minutes; later, the channel is searched
// for it first, in the words that it had then. It is never sent again just so.
//
// An [Outbox] is for all turns; [Outbox.Of] is what one of them posts with.
package outbox

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// recognised is how long Discord is trusted to know a message by its nonce. It says
// "the past few minutes".
// https://discord.com/developers/docs/resources/message#create-message
const recognised = 2 * time.Minute

// skew is by how much Discord's time may be less than what the Server takes it for.
const skew = time.Minute

// Keep is how long posts are remembered. Nobody goes on with a turn that is older.
const Keep = 24 * time.Hour

// writeTime is how long writing something down may take. It never does; but nobody
// should wait for an answer because of a disk.
const writeTime = 2 * time.Second

// A Server is where messages go.
type Server interface {
	// Post sends a message. One with the same nonce, sent some minutes before, is not
	// doubled.
	Post(ctx context.Context, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error)
	// FindOwn finds messages of the bot that were written after a time and look like m,
	// the oldest first.
	FindOwn(ctx context.Context, ch chat.ChannelID, after time.Time, m chat.Outgoing) ([]chat.MessageID, error)
	// Now is the time on Discord. Posts are written down with it, since the clock of this
	// machine may be wrong, or may be set until somebody looks for them.
	Now() time.Time
}

// An Outbox posts messages once. It is safe for concurrent use, but not for the same
// key.
type Outbox struct {
	db     *store.DB
	server Server
	log    *slog.Logger
}

// New returns an outbox over a database that is open when it is used.
func New(db *store.DB, s Server, log *slog.Logger) *Outbox {
	return &Outbox{db: db, server: s, log: log}
}

// Of is the outbox for one turn.
func (o *Outbox) Of(turn string) *Posts { return &Posts{outbox: o, turn: turn} }

// Posts are those of one turn.
type Posts struct {
	outbox *Outbox
	turn   string
}

// Post sends a message, unless it was sent under this key before, and returns its ID. What
// was begun before keeps its first words as long as it may be there. If Discord refuses it
// for good, it can be tried again under the same key.
func (p *Posts) Post(ctx context.Context, part string, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
	k := key{p.turn, part}
	m.Nonce = k.nonce()
	fresh, err := p.outbox.begin(ctx, k, ch, m.Text)
	switch {
	case err != nil:
		// An answer is worth more than the means to go on with it later.
		p.outbox.log.ErrorContext(ctx, "post not written down", "turn", k.turn, "channel", ch, "err", err)
	case !fresh:
		id, text, err := p.outbox.settle(ctx, k, ch, m)
		if id != "" || err != nil {
			return id, err
		}
		m.Text = text
	}
	return p.outbox.send(ctx, k, ch, m)
}

// Posted is the message that was posted under a key. It is empty if there is none, or if
// nobody knows; begun says which.
func (p *Posts) Posted(ctx context.Context, part string) (m chat.MessageID, begun bool, err error) {
	r, err := p.outbox.find(ctx, key{p.turn, part})
	return r.message, !r.began.IsZero(), err
}

// settle finds out what became of a post that was begun before. Without an ID and an
// error, it has to be sent in the words that it returns, and will not be doubled by that.
func (o *Outbox) settle(ctx context.Context, k key, ch chat.ChannelID, m chat.Outgoing) (id chat.MessageID, text string, err error) {
	r, err := o.find(ctx, k)
	sent := m
	sent.Text = cmp.Or(r.text, m.Text)
	switch {
	case err != nil:
		return "", "", fmt.Errorf("look up whether this was posted before: %w", err)
	case r.message != "":
		return r.message, "", nil
	case o.server.Now().Sub(r.tried).Abs() < recognised:
		// In other words, nobody could say later which of them to look for.
		return "", sent.Text, nil
	}
	found, err := o.server.FindOwn(ctx, ch, r.began.Add(-skew), sent)
	if err != nil {
		return "", "", fmt.Errorf("look whether this was posted before: %w", err)
	}
	for _, id := range found {
		other, err := o.knows(ctx, ch, id)
		if err != nil {
			return "", "", fmt.Errorf("look up whether this was posted before: %w", err)
		}
		if !other {
			o.arrived(ctx, k, id)
			return id, "", nil
		}
	}
	o.note(ctx, k, "UPDATE posts SET tried = ?, text = ? WHERE turn = ? AND part = ?", o.server.Now().UnixMicro(), m.Text, k.turn, k.part)
	return "", m.Text, nil
}

// send sends a message and notes what became of it.
func (o *Outbox) send(ctx context.Context, k key, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
	id, err := o.server.Post(ctx, ch, m)
	if err == nil {
		o.arrived(ctx, k, id)
		return id, nil
	}
	if refused := (interface{ Permanent() bool })(nil); errors.As(err, &refused) && refused.Permanent() {
		o.note(ctx, k, "DELETE FROM posts WHERE turn = ? AND part = ?", k.turn, k.part)
	}
	return "", err
}

// A key names a post.
type key struct{ turn, part string }

// nonce is the same for the same key. Discord takes 25 characters.
func (k key) nonce() string {
	sum := sha256.Sum256([]byte(k.turn + "\x00" + k.part))
	return base32.StdEncoding.EncodeToString(sum[:])[:25]
}
