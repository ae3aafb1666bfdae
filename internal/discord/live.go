package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

// stopLabel stands on the button of an answer that is still being written. It is
// also how such an answer is recognised later.
const stopLabel = "Stop"

// hasStop says whether the message is an answer that is still being written.
func (w wireMessage) hasStop() bool {
	return slices.ContainsFunc(w.buttons(), func(b button) bool { return b.Label == stopLabel })
}

// buttons are those below the message.
func (w wireMessage) buttons() []button {
	var rows []row
	if json.Unmarshal(w.Components, &rows) != nil {
		return nil // something that the bot never posts
	}
	var list []button
	for _, r := range rows {
		list = append(list, r.Components...)
	}
	return list
}

// openTime is how long it may take to open a reply. A first try that Discord never answers
// must leave time for a second, or nobody would be answered, and a placeholder that did
// arrive would stay as it is.
const openTime = 2*rest.AnswerTime + 10*time.Second

// Posts sends messages that have a key, each once: under a key that was used before, it
// returns the message that is there already.
type Posts interface {
	Post(ctx context.Context, key string, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error)
	// Posted is the message that was posted under a key, empty if that is not known. If one
	// was begun, it may say something else than what is posted now.
	Posted(ctx context.Context, key string) (m chat.MessageID, begun bool, err error)
}

// A Live is a place where answers appear while they are being written.
type Live struct {
	client *Client
	place  chat.Place
	posts  Posts
}

// Live returns a place for answers, which are posted through posts. With nil, nothing is
// known of what was posted before.
func (c *Client) Live(place chat.Place, posts Posts) *Live {
	if posts == nil {
		posts = forgetful{c}
	}
	return &Live{client: c, place: place, posts: posts}
}

// forgetful are posts without keys.
type forgetful struct{ *Client }

func (f forgetful) Post(ctx context.Context, _ string, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
	return f.Client.Post(ctx, ch, m)
}

func (forgetful) Posted(context.Context, string) (chat.MessageID, bool, error) { return "", false, nil }

// An Opening says how an answer begins.
type Opening struct {
	Key   string // names the answer
	Label string // stands there until there is any text
	Stop  string // the ID of the button
	Reply bool   // it replies to the message of the place, if there is one
}

// Open posts a placeholder with a label and a Stop button. The same answer can be opened
// again after the process was killed; the placeholder is then the one that is there.
func (l *Live) Open(ctx context.Context, o Opening) (*LiveReply, error) {
	// To stop halfway would leave a placeholder that nobody knows, so this goes on to
	// its end. Who opens a reply sees that it is not wanted any more, and says so there.
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), openTime)
	defer cancel()
	m := chat.Outgoing{Text: o.Label, Buttons: []chat.Button{{ID: o.Stop, Label: stopLabel, Danger: true}}}
	if o.Reply {
		m.ReplyTo = l.place.Message
	}
	id, err := l.posts.Post(ctx, o.Key, l.place.Channel, m)
	if err != nil {
		return nil, err
	}
	return &LiveReply{client: l.client, posts: l.posts, key: o.Key, channel: l.place.Channel, replyTo: m.ReplyTo, id: id}, nil
}

// Silent returns an answer without a placeholder. Nothing is shown before it is finished,
// and nobody is told where it is until then.
func (l *Live) Silent(key string) *LiveReply {
	return &LiveReply{client: l.client, posts: l.posts, key: key, channel: l.place.Channel}
}

// A LiveReply is one answer: a placeholder that shows what there is so far and
// becomes the answer in the end, or nothing until then if it is silent. Preview, Finish
// and Discard are called one after the other; ID may be called at any time.
type LiveReply struct {
	client  *Client
	posts   Posts
	key     string
	channel chat.ChannelID
	replyTo chat.MessageID // what it answers; empty if that is no message

	mu sync.Mutex
	id chat.MessageID // empty if nothing is there yet
}

// ID is the message that carries the answer; empty while there is none.
func (r *LiveReply) ID() chat.MessageID {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.id
}

// Preview shows text in place of what was there. The button stays.
func (r *LiveReply) Preview(ctx context.Context, text string) error {
	if r.ID() == "" {
		return nil
	}
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
		id, err := r.deliver(ctx, part, i)
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

// deliver shows part n: the first in place of the placeholder, if there is one, the others
// below.
func (r *LiveReply) deliver(ctx context.Context, part chat.Outgoing, n int) (chat.MessageID, error) {
	key := fmt.Sprintf("%s/%d", r.key, n)
	if n > 0 {
		return r.posts.Post(ctx, key, r.channel, part)
	}
	// It may have been posted anew when it was delivered before.
	id, begun, err := r.posts.Posted(ctx, key)
	if err != nil {
		return "", err
	}
	switch {
	case id != "":
		err = r.correct(ctx, id, part)
	case r.ID() == "":
		id, err = r.posts.Post(ctx, key, r.channel, part)
		if err == nil && begun {
			err = r.correct(ctx, id, part)
		}
	default:
		err = r.replace(ctx, r.ID(), part)
		if !mayBePostedAnew(err) {
			return r.ID(), err
		}
		part.ReplyTo = r.replyTo
		id, err = r.posts.Post(ctx, key, r.channel, part)
	}
	if err != nil {
		return "", err
	}
	_ = r.Discard(ctx) // a placeholder that is still there shows the answer, or too little
	r.mu.Lock()
	defer r.mu.Unlock()
	r.id = id
	return id, nil
}

// correct is replace for what was posted before, or may have been. It may say that the answer
// could not be delivered.
func (r *LiveReply) correct(ctx context.Context, id chat.MessageID, part chat.Outgoing) error {
	err := r.replace(ctx, id, part)
	if r.ID() == "" && (errors.Is(err, ErrArchived) || errors.Is(err, ErrNotFound)) {
		return nil // it stays as it is, or somebody did not want it there
	}
	return err
}

// replace makes a message a part of the answer, such as the placeholder.
func (r *LiveReply) replace(ctx context.Context, id chat.MessageID, part chat.Outgoing) error {
	return r.client.patch(ctx, r.channel, id, editBody{
		Content:         &part.Text,
		AllowedMentions: mentionNobody(),
		Components:      &[]row{},
		Attachments:     attachments(part.Files),
	}, part.Files)
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
	if r.ID() == "" {
		return nil
	}
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
