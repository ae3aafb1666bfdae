package reply

import (
	"context"
	"errors"
	"fmt"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/turn"
)

// An answer is a turn.Reply. Its methods are not safe for concurrent use.
type answer struct {
	venue   *venue
	key     string
	replyTo chat.MessageID // empty if it replies to no message
	id      chat.MessageID // of the placeholder or first message; empty while there is none
}

// Preview replaces the text of the placeholder. Its button stays.
func (a *answer) Preview(ctx context.Context, text string) error {
	if a.id == "" {
		return nil
	}
	return a.venue.replies.server.Edit(ctx, a.venue.Place.Channel, a.id, chat.Outgoing{Text: text})
}

// Finish posts the answer. Its first message replaces the placeholder with its button; the others
// follow. If the placeholder was deleted, the first message is posted anew.
//
// In an archived thread nothing can be posted, which is not an error: the placeholder is deleted
// if possible, and the receipt has the messages until then, maybe none. After an error, the
// receipt has the messages that were delivered.
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

// finished tells the outbox that the placeholder has become an answer, or is gone.
func (a *answer) finished() {
	if a.venue.Stop != "" {
		a.venue.posts.Finished(a.key)
	}
}

// sendWithoutFiles delivers the rest of a parcel that failed as text: the bot may not be allowed
// to attach files. Many messages are better than none.
func (a *answer) sendWithoutFiles(ctx context.Context, p parcel, got chat.Receipt, failure error) (chat.Receipt, error) {
	if len(got.Messages) == 0 {
		return a.send(ctx, p.withoutFiles().messages())
	}
	// A message that may have arrived is not sent again.
	if !chat.IsPermanent(failure) {
		return got, failure
	}
	rest := &answer{venue: a.venue, key: a.key + "/without-files"}
	receipt, err := rest.send(ctx, p.rest(len(got.Messages)).messages())
	got.Messages = append(got.Messages, receipt.Messages...)
	return got, err
}

// send delivers messages in order.
func (a *answer) send(ctx context.Context, parts []chat.Outgoing) (chat.Receipt, error) {
	var receipt chat.Receipt
	if len(parts) == 0 {
		return receipt, errors.New("an answer needs text or a file")
	}
	for i, part := range parts {
		id, err := a.deliver(ctx, part, i)
		if why, refused := refusalOf(err); refused && why.Archived() {
			if i == 0 {
				_ = a.Discard(ctx) // if the archived thread refuses that too, the placeholder stays
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

// deliver delivers part n: the first replaces the placeholder, if there is one, the others are
// posted below.
func (a *answer) deliver(ctx context.Context, part chat.Outgoing, n int) (chat.MessageID, error) {
	posts, ch := a.venue.posts, a.venue.Place.Channel
	ctx = a.venue.asked(ctx)
	key := fmt.Sprintf("%s/%d", a.key, n)
	if n > 0 {
		return posts.Post(ctx, key, ch, part)
	}
	// An earlier attempt may have posted it anew.
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
	_ = a.Discard(ctx) // a placeholder that is still there is redundant
	a.id = id
	return id, nil
}

// correct is replace for a message that an earlier attempt may have posted, with another text, such as
// that the answer could not be delivered.
func (a *answer) correct(ctx context.Context, id chat.MessageID, part chat.Outgoing) error {
	err := a.replace(ctx, id, part)
	if why, refused := refusalOf(err); a.id == "" && refused && (why.Archived() || why.Gone()) {
		return nil // it stays as it is, or was deleted on purpose
	}
	return err
}

func (a *answer) replace(ctx context.Context, id chat.MessageID, part chat.Outgoing) error {
	return a.venue.replies.server.Replace(ctx, a.venue.Place.Channel, id, part)
}

// Discard deletes the placeholder. It is idempotent.
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

// leaveTime bounds the edit of a placeholder that is left: the other turn must not wait for it.
const leaveTime = 5 * time.Second

// Leave shows a label and leaves the placeholder to another turn.
func (a *answer) Leave(ctx context.Context, label string) {
	ctx, cancel := context.WithTimeout(ctx, leaveTime)
	defer cancel()
	_ = a.Preview(ctx, label) // the other turn shows something soon
	a.finished()
}

// A refusal is an error of Discord's.
type refusal interface {
	Permanent() bool // a retry would fail too
	Gone() bool      // the message or its channel was deleted
	Archived() bool  // the thread is archived
}

func refusalOf(err error) (why refusal, refused bool) {
	refused = errors.As(err, &why)
	return why, refused
}

// mayBePostedAnew reports whether an answer that could not replace its placeholder may be posted
// instead: the placeholder is gone, or Discord refuses edits for now.
func mayBePostedAnew(err error) bool {
	why, refused := refusalOf(err)
	return refused && (why.Gone() || !why.Permanent())
}
