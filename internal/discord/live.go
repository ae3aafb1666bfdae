package discord

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// stopLabel stands on the button of an answer that is still being written. It is
// also how such an answer is recognised later.
const stopLabel = "Stop"

// hasStop says whether the message is an answer that is still being written.
func (w wireMessage) hasStop() bool {
	var rows []struct {
		Components []struct {
			Label string `json:"label"`
		} `json:"components"`
	}
	if json.Unmarshal(w.Components, &rows) != nil {
		return false
	}
	for _, row := range rows {
		for _, b := range row.Components {
			if b.Label == stopLabel {
				return true
			}
		}
	}
	return false
}

// openTime is how long it may take to open a reply.
const openTime = 15 * time.Second

// A Live is a place where answers appear while they are being written.
type Live struct {
	client *Client
	place  chat.Place

	mu     sync.Mutex
	opened bool
}

// Live returns a place for answers. The first one replies to place.Message, if
// there is one; further ones follow it without replying.
func (c *Client) Live(place chat.Place) *Live { return &Live{client: c, place: place} }

// Open posts a placeholder with a label and a Stop button whose ID is stop.
func (l *Live) Open(ctx context.Context, label, stop string) (*LiveReply, error) {
	replyTo := l.place.Message
	if l.openedBefore() {
		replyTo = ""
	}
	// To stop halfway would leave a placeholder that nobody knows, so this goes on to
	// its end. Who opens a reply sees that it is not wanted any more, and says so there.
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), openTime)
	defer cancel()
	id, err := l.client.post(ctx, l.place.Channel, chat.Outgoing{
		Text:    label,
		ReplyTo: replyTo,
		Buttons: []chat.Button{{ID: stop, Label: stopLabel, Danger: true}},
	})
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.opened = true
	return &LiveReply{client: l.client, channel: l.place.Channel, id: id}, nil
}

func (l *Live) openedBefore() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.opened
}

// A LiveReply is one answer: a placeholder that shows what there is so far and
// becomes the answer in the end. Preview, Finish and Discard are called one after
// the other; ID may be called at any time.
type LiveReply struct {
	client  *Client
	channel chat.ChannelID

	mu sync.Mutex
	id chat.MessageID
}

// ID is the message that carries the answer.
func (r *LiveReply) ID() chat.MessageID {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.id
}

// Preview shows text in place of what was there. The button stays.
func (r *LiveReply) Preview(ctx context.Context, text string) error {
	return r.client.Edit(ctx, r.channel, r.ID(), chat.Outgoing{Text: text})
}

// Finish shows the answer. The first chunk takes the placeholder's place, and the
// button goes; the others follow as messages of their own. Files come with the last
// chunk, ten to a message, and if there are more, after it. A placeholder that
// somebody deleted is sent anew.
//
// In an archived thread nothing can be shown, and nobody waits for it: the
// placeholder is deleted if possible, and what was delivered until then, which may
// be nothing, is the result. After an error, the receipt has what was delivered.
func (r *LiveReply) Finish(ctx context.Context, chunks []string, files ...chat.File) (chat.Receipt, error) {
	parts, err := parcel(chunks, files)
	if err != nil {
		return chat.Receipt{}, err
	}
	var receipt chat.Receipt
	for i, part := range parts {
		id, err := r.deliver(ctx, part, i == 0)
		if errors.Is(err, ErrArchived) {
			if i == 0 {
				// It may be impossible in an archived thread, and then it stays.
				_ = r.Discard(ctx)
			}
			return receipt, nil
		}
		if err != nil {
			return receipt, err
		}
		receipt.Channel, receipt.Messages = r.channel, append(receipt.Messages, id)
		r.client.own.finished(r.channel, id)
	}
	return receipt, nil
}

// deliver shows one part: the first in place of the placeholder, the others below.
func (r *LiveReply) deliver(ctx context.Context, part chat.Outgoing, first bool) (chat.MessageID, error) {
	if !first {
		return r.client.post(ctx, r.channel, part)
	}
	err := r.client.patch(ctx, r.channel, r.ID(), editBody{
		Content:         &part.Text,
		AllowedMentions: mentionNobody(),
		Components:      &[]row{},
		Attachments:     attachments(part.Files),
	}, part.Files)
	if !mayBePostedAnew(err) {
		return r.ID(), err
	}
	id, err := r.client.post(ctx, r.channel, part)
	if err == nil {
		_ = r.Discard(ctx) // a placeholder that is still there shows the answer, or too little
		r.mu.Lock()
		r.id = id
		r.mu.Unlock()
	}
	return id, err
}

// mayBePostedAnew says whether an answer that could not take its placeholder's place
// may still reach its readers: the placeholder is gone, or Discord takes no more
// edits for now.
func mayBePostedAnew(err error) bool {
	refused := (*Error)(nil)
	return errors.As(err, &refused) &&
		(refused.Code == discordgo.ErrCodeUnknownMessage || refused.Status == http.StatusTooManyRequests || refused.Status == 0 || refused.Status >= 500)
}

// Discard deletes the placeholder. That it is gone already is fine.
func (r *LiveReply) Discard(ctx context.Context) error {
	err := r.client.Delete(ctx, r.channel, r.ID())
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// parcel makes messages of an answer. All are checked before the first is sent.
func parcel(chunks []string, files []chat.File) ([]chat.Outgoing, error) {
	var parts []chat.Outgoing
	for _, text := range chunks {
		if err := checkText(text); err != nil {
			return nil, err
		}
		parts = append(parts, chat.Outgoing{Text: text})
	}
	for i, group := range slices.Collect(slices.Chunk(files, mostFiles)) {
		if i > 0 || len(parts) == 0 {
			parts = append(parts, chat.Outgoing{})
		}
		parts[len(parts)-1].Files = group
	}
	if len(parts) == 0 {
		return nil, errors.New("an answer needs text or a file")
	}
	return parts, nil
}
