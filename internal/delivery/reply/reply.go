// Package reply delivers the answers of a turn as messages.
//
// [Replies] is for all turns, and [Replies.Venue] for the answers of one. An answer begins as a
// placeholder with a Stop button, shows a preview while it grows, and replaces the
// placeholder when it is finished: split into messages, with long code as files, and without
// files if Discord refuses them. Without a button it is silent: nothing is posted before it is
// whole. All messages go through the outbox, so that a turn that is resumed after a crash finds
// its messages and posts none twice. The placeholder of a turn that is not resumed is found by
// [Replies.Recall] and marked by [Replies.Repair].
package reply

import (
	"context"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

// A Server edits and deletes messages. The outbox posts them.
type Server interface {
	// Edit changes the text of a message and leaves its buttons.
	Edit(ctx context.Context, ch chat.ChannelID, m chat.MessageID, to chat.Outgoing) error
	// Replace replaces text, files and buttons of a message.
	Replace(ctx context.Context, ch chat.ChannelID, m chat.MessageID, by chat.Outgoing) error
	Delete(ctx context.Context, ch chat.ChannelID, m chat.MessageID) error
	Message(ctx context.Context, ch chat.ChannelID, m chat.MessageID) (chat.Message, error)
}

// Replies are the answers of all turns. They are safe for concurrent use.
type Replies struct {
	outbox *outbox.Outbox
	server Server
	opened func(chat.Place)

	mu   sync.Mutex
	left []outbox.Placeholder // in flight since an earlier process, and not marked yet
}

// New returns replies that are posted through an outbox. Opened, which may be nil, is called with each
// place in which a placeholder was posted.
func New(box *outbox.Outbox, s Server, opened func(chat.Place)) *Replies {
	if opened == nil {
		opened = func(chat.Place) {}
	}
	return &Replies{outbox: box, server: s, opened: opened}
}

// Options say where and how the answers of one turn appear.
type Options struct {
	Place chat.Place // the first answer replies to its Message, if there is one
	Turn  chat.TurnID
	Stop  string      // the ID of the button that stops the turn; empty means silent
	For   chat.UserID // the requester: links have previews only if theirs would; empty means none

	// Begin is run in the transaction that writes the row of the first message; see
	// outbox.Of. It may be nil.
	Begin  func(context.Context, *store.Tx) error
	Opened func(chat.MessageID) // called with an answer's first message once that is posted; may be nil
}

// Venue returns the venue for the answers of one turn.
func (r *Replies) Venue(o Options) turn.Venue {
	if o.Opened == nil {
		o.Opened = func(chat.MessageID) {}
	}
	return &venue{Options: o, replies: r, posts: r.outbox.Of(o.Turn, o.Begin)}
}

type venue struct {
	Options
	replies *Replies
	posts   *outbox.Posts
}

func (v *venue) asked(ctx context.Context) context.Context {
	return chat.AskedBy(ctx, chat.Asker{User: v.For, Place: v.Place})
}

// openTime bounds opening an answer. A request times out after 15 seconds, and a first one without a
// response must leave time for a retry: otherwise a placeholder that did arrive would stay as
// it is.
const openTime = 40 * time.Second

// Open posts a placeholder with a label and a Stop button. An answer that was opened under the
// same key before is resumed: its placeholder is the one that is there.
func (v *venue) Open(ctx context.Context, key, label string) (turn.Reply, error) {
	a := &answer{venue: v, key: key}
	if v.Stop == "" {
		return a, nil
	}
	// Opening is not cancelled halfway, which would leave a placeholder that no process knows.
	// The turn finds out afterwards that it was stopped, and says so there.
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(v.asked(ctx)), openTime)
	defer cancel()
	if key == turn.First {
		a.replyTo = v.Place.Message
	}
	var err error
	a.id, err = v.posts.Open(ctx, key, v.Place.Channel, chat.Outgoing{
		Text: label, ReplyTo: a.replyTo, Buttons: []chat.Button{{ID: v.Stop, Label: chat.StopLabel, Danger: true}},
	})
	if err != nil {
		return nil, err
	}
	v.Opened(a.id)
	v.replies.opened(v.Place)
	return a, nil
}
