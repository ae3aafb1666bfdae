package reply

import (
	"context"
	"errors"
	"fmt"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn"
)

// An answer is a turn.Reply. Its methods are called one after the other.
type answer struct {
	venue   *venue
	key     string
	replyTo chat.MessageID // empty if it replies to no message
	id      chat.MessageID // that carries it; empty while there is none
}

// Preview shows text in place of what was there. The button stays.
func (a *answer) Preview(ctx context.Context, text string) error {
	if a.id == "" {
		return nil
	}
	return a.venue.replies.server.Edit(ctx, a.venue.Place.Channel, a.id, chat.Outgoing{Text: text})
}

// Finish shows the answer. Its first message takes the placeholder's place, and the button
// goes; the others follow. A placeholder that somebody deleted is posted anew.
//
// In an archived thread nothing can be shown, and nobody waits for it: the placeholder is
// deleted if possible, and what was delivered until then, which may be nothing, is the
// result. After an error, the receipt has what was delivered.
func (a *answer) Finish(ctx context.Context, b turn.Body) (chat.Receipt, error) {
	p := pack(b)
	receipt, err := a.send(ctx, p.messages())
	if err != nil && len(p.files) > 0 {
		receipt, err = a.sendWithoutFiles(ctx, p, receipt, err)
	}
	if err == nil || len(receipt.Messages) > 0 {
		a.finished()
	}
	return receipt, err
}

// finished tells the outbox that the placeholder is none any more.
func (a *answer) finished() {
	if a.venue.Stop != "" {
		a.venue.posts.Finished(a.key)
	}
}

// sendWithoutFiles delivers what is left of a parcel that failed: the bot may not be allowed
// to attach files. A flood is better than silence.
func (a *answer) sendWithoutFiles(ctx context.Context, p parcel, got chat.Receipt, failure error) (chat.Receipt, error) {
	if len(got.Messages) == 0 {
		return a.send(ctx, p.withoutFiles().messages())
	}
	// What may have arrived all the same is not sent again.
	if !isPermanent(failure) {
		return got, failure
	}
	rest := &answer{venue: a.venue, key: a.key + "/without-files"}
	receipt, err := rest.send(ctx, p.rest(len(got.Messages)).messages())
	got.Messages = append(got.Messages, receipt.Messages...)
	return got, err
}

// send shows messages in their order.
func (a *answer) send(ctx context.Context, parts []chat.Outgoing) (chat.Receipt, error) {
	var receipt chat.Receipt
	if len(parts) == 0 {
		return receipt, errors.New("an answer needs text or a file")
	}
	for i, part := range parts {
		id, err := a.deliver(ctx, part, i)
		if why, refused := refusalOf(err); refused && why.Archived() {
			if i == 0 {
				_ = a.Discard(ctx) // it may be impossible in an archived thread, and then it stays
			}
			return receipt, nil
		}
		if err != nil {
			return receipt, err
		}
		receipt.Channel, receipt.Messages = a.venue.Place.Channel, append(receipt.Messages, id)
	}
	return receipt, nil
}

// deliver shows part n: the first in place of the placeholder, if there is one, the others
// below.
func (a *answer) deliver(ctx context.Context, part chat.Outgoing, n int) (chat.MessageID, error) {
	posts, ch := a.venue.posts, a.venue.Place.Channel
	key := fmt.Sprintf("%s/%d", a.key, n)
	if n > 0 {
		return posts.Post(ctx, key, ch, part)
	}
	// It may have been posted anew when it was delivered before.
	id, begun, err := posts.Posted(ctx, key)
	if err != nil {
		return "", err
	}
	switch {
	case id != "":
		err = a.correct(ctx, id, part)
	case a.id == "":
		id, err = posts.Post(ctx, key, ch, part)
		if err == nil && begun {
			err = a.correct(ctx, id, part)
		}
	default:
		err = a.replace(ctx, a.id, part)
		if !mayBePostedAnew(err) {
			return a.id, err
		}
		part.ReplyTo = a.replyTo
		id, err = posts.Post(ctx, key, ch, part)
	}
	if err != nil {
		return "", err
	}
	_ = a.Discard(ctx) // a placeholder that is still there shows the answer, or too little
	a.id = id
	return id, nil
}

// correct is replace for what was posted before, or may have been. It may say that the answer
// could not be delivered.
func (a *answer) correct(ctx context.Context, id chat.MessageID, part chat.Outgoing) error {
	err := a.replace(ctx, id, part)
	if why, refused := refusalOf(err); a.id == "" && refused && (why.Archived() || why.Gone()) {
		return nil // it stays as it is, or somebody did not want it there
	}
	return err
}

func (a *answer) replace(ctx context.Context, id chat.MessageID, part chat.Outgoing) error {
	return a.venue.replies.server.Replace(ctx, a.venue.Place.Channel, id, part)
}

// Discard deletes the placeholder. That it is gone already is fine.
func (a *answer) Discard(ctx context.Context) error {
	if a.id == "" {
		return nil
	}
	err := a.venue.replies.server.Delete(ctx, a.venue.Place.Channel, a.id)
	if why, refused := refusalOf(err); refused && why.Gone() {
		err = nil
	}
	if err == nil {
		a.finished()
	}
	return err
}

// A refusal is an error of Discord's.
type refusal interface {
	Permanent() bool // it will be the same the next time
	Gone() bool      // the message was deleted, or its channel
	Archived() bool  // nothing can be changed in the thread
}

func refusalOf(err error) (why refusal, refused bool) {
	refused = errors.As(err, &why)
	return why, refused
}

// mayBePostedAnew says whether an answer that could not take its placeholder's place may still
// reach its readers: the placeholder is gone, or Discord takes no more edits for now.
func mayBePostedAnew(err error) bool {
	why, refused := refusalOf(err)
	return refused && (why.Gone() || !why.Permanent())
}
