package discord

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// ackTime is the timeout for acknowledging a press. After three seconds Discord shows the user
// an error.
const ackTime = 2500 * time.Millisecond

// wireInteraction has those parts of an interaction that are used.
type wireInteraction struct {
	ID      string                    `json:"id"`
	App     string                    `json:"application_id"`
	Type    discordgo.InteractionType `json:"type"`
	Token   string                    `json:"token"`
	Guild   string                    `json:"guild_id"`
	Channel string                    `json:"channel_id"`
	Member  *wireMember               `json:"member" wire:"optional"`
	User    *wireUser                 `json:"user" wire:"optional"` // in direct messages
	Message struct {
		ID string `json:"id"`
	} `json:"message" wire:"optional"`
	Data struct {
		CustomID string          `json:"custom_id"`
		Name     string          `json:"name"` // of a command
		Type     int             `json:"type"`
		Target   string          `json:"target_id"` // of a command on a message
		Options  []wireGiven     `json:"options"`
		Filled   json.RawMessage `json:"components" wire:"optional"` // of a form
	} `json:"data"`
}

// user returns the user of the interaction, or nil.
func (w wireInteraction) user() *wireUser {
	if w.Member != nil && w.Member.User != nil {
		return w.Member.User
	}
	return w.User
}

func (w wireInteraction) answer() chat.Interaction {
	return chat.Interaction{ID: w.ID, App: w.App, Token: w.Token}
}

// pressed passes a press on at once, since it may be a stop. It is acknowledged in the
// background.
func (l *listener) pressed(ctx context.Context, w wireInteraction) error {
	user := w.user()
	if user == nil || w.ID == "" || w.Message.ID == "" || w.Data.CustomID == "" {
		return errNoID
	}
	noticed := l.presses.begin(w.Token)
	l.acks.Go(func() {
		defer noticed()
		if err := l.acknowledge(ctx, w); err != nil {
			l.log.WarnContext(ctx, "cannot acknowledge a button press", "err", err)
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

// acknowledge sends a deferred update: the message of the button may change later, and nothing is
// shown now.
func (l *listener) acknowledge(ctx context.Context, w wireInteraction) error {
	return l.callBack(ctx, w.answer(), discordgo.InteractionResponseDeferredMessageUpdate, nil)
}

type ackBody struct {
	Type discordgo.InteractionResponseType `json:"type"`
	Data any                               `json:"data,omitempty"`
}

// presses has the presses that are not acknowledged yet. Until then Discord refuses other
// answers to them.
type presses struct {
	mu      sync.Mutex
	waiting map[string]chan struct{} // by token
}

// begin adds a press. The function that it returns is called when it is acknowledged.
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

// wait returns when a press is acknowledged.
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

// onlyForOne marks an ephemeral message, which only the user of the interaction sees.
const onlyForOne = 1 << 6

type ephemeralBody struct {
	Content         string     `json:"content,omitempty"`
	Flags           int        `json:"flags"`
	AllowedMentions noMentions `json:"allowed_mentions"`
}

// RespondEphemeral answers the user who pressed a button privately. An attempt with an unclear
// outcome is not retried.
func (c *Client) RespondEphemeral(ctx context.Context, p chat.Press, text string) error {
	if err := c.presses.wait(ctx, p.Answer.Token); err != nil {
		return err
	}
	return c.FollowUp(ctx, p.Answer, chat.Outgoing{Text: text})
}
