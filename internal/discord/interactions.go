package discord

import (
	"context"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// ackTime is how long there is to tell Discord that a press was noticed. After
// three seconds Discord shows the person an error.
const ackTime = 2500 * time.Millisecond

// wireInteraction has those parts of an interaction that are used.
type wireInteraction struct {
	ID      string                    `json:"id"`
	App     string                    `json:"application_id"`
	Type    discordgo.InteractionType `json:"type"`
	Token   string                    `json:"token"`
	Guild   string                    `json:"guild_id"`
	Channel string                    `json:"channel_id"`
	Member  *discordgo.Member         `json:"member"`
	User    *discordgo.User           `json:"user"` // in direct messages
	Message struct {
		ID string `json:"id"`
	} `json:"message"`
	Data struct {
		CustomID string      `json:"custom_id"`
		Name     string      `json:"name"` // of a slash command
		Options  []wireGiven `json:"options"`
	} `json:"data"`
}

// user is who did it, or nil.
func (w wireInteraction) user() *discordgo.User {
	if w.Member != nil && w.Member.User != nil {
		return w.Member.User
	}
	return w.User
}

func (w wireInteraction) answer() chat.Interaction {
	return chat.Interaction{ID: w.ID, App: w.App, Token: w.Token}
}

// pressed passes a press on, at once: somebody may want to stop something. Discord is
// told meanwhile that it was noticed, and nothing waits for that.
func (l *listener) pressed(ctx context.Context, w wireInteraction) error {
	user := w.user()
	if user == nil || w.ID == "" || w.Message.ID == "" || w.Data.CustomID == "" {
		return errNoID
	}
	noticed := l.presses.begin(w.Token)
	l.acks.Go(func() {
		defer noticed()
		if err := l.acknowledge(ctx, w); err != nil {
			l.log.WarnContext(ctx, "press not acknowledged", "err", err)
		}
	})
	place := l.place(ctx, w.Guild, w.Channel)
	place.Message = chat.MessageID(w.Message.ID)
	l.handler.Pressed(ctx, chat.Press{
		Place: place, User: userFrom(*user, w.Member), Button: w.Data.CustomID,
		Answer: w.answer(),
	})
	return nil
}

// acknowledge tells Discord that the message below which the button stands may
// change later, and that nothing needs to be shown now.
func (l *listener) acknowledge(ctx context.Context, w wireInteraction) error {
	return l.callBack(ctx, w.answer(), discordgo.InteractionResponseDeferredMessageUpdate, nil)
}

type ackBody struct {
	Type discordgo.InteractionResponseType `json:"type"`
	Data any                               `json:"data,omitempty"`
}

// presses knows which presses Discord has not been told about yet. Until then it takes
// no other answer to them.
type presses struct {
	mu      sync.Mutex
	waiting map[string]chan struct{} // by token
}

// begin notes a press. The function that it returns is called when Discord was told.
func (p *presses) begin(token string) (told func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == nil {
		p.waiting = map[string]chan struct{}{}
	}
	over := make(chan struct{})
	p.waiting[token] = over
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.waiting, token)
		close(over)
	}
}

// wait returns when Discord was told about a press.
func (p *presses) wait(ctx context.Context, token string) error {
	p.mu.Lock()
	over := p.waiting[token]
	p.mu.Unlock()
	if over == nil {
		return nil
	}
	select {
	case <-over:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// onlyForOne marks a message that nobody but who pressed the button sees.
const onlyForOne = 1 << 6

type ephemeralBody struct {
	Content         string     `json:"content,omitempty"`
	Flags           int        `json:"flags"`
	AllowedMentions noMentions `json:"allowed_mentions"`
}

// RespondEphemeral tells something to who pressed a button, and to nobody else. If Discord does
// not say whether it was shown, it is not tried again.
func (c *Client) RespondEphemeral(ctx context.Context, p chat.Press, text string) error {
	if err := c.presses.wait(ctx, p.Answer.Token); err != nil {
		return err
	}
	return c.FollowUp(ctx, p.Answer, chat.Outgoing{Text: text})
}
