package discord

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
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

// wireGiven is an option of a slash command. Those of an entry are nested in it.
type wireGiven struct {
	Name    string      `json:"name"`
	Value   any         `json:"value"`
	Focused bool        `json:"focused"` // it is being typed
	Options []wireGiven `json:"options"`
}

// interacted passes an interaction on.
func (l *listener) interacted(ctx context.Context, w wireInteraction) error {
	if user := w.user(); user != nil {
		l.rememberMember(w.Guild, *user, w.Member, l.late)
	}
	switch w.Type {
	case discordgo.InteractionMessageComponent:
		return l.pressed(ctx, w)
	case discordgo.InteractionModalSubmit:
		return l.submitted(ctx, w)
	case discordgo.InteractionApplicationCommand, discordgo.InteractionApplicationCommandAutocomplete:
		if w.Data.Type == int(discordgo.MessageApplicationCommand) {
			return l.picked(ctx, w)
		}
		return l.chosen(ctx, w)
	}
	return nil // not used, or unknown
}

func (l *listener) chosen(ctx context.Context, w wireInteraction) error {
	user := w.user()
	if user == nil || w.ID == "" || w.Data.Name == "" || len(w.Data.Options) != 1 {
		return errNoID
	}
	place, who, entry := l.place(ctx, w.Guild, w.Channel), userFrom(*user, w.Member), w.Data.Options[0]
	if w.Type == discordgo.InteractionApplicationCommand {
		i := chat.Invocation{Place: place, User: who, Menu: w.Data.Name, Entry: entry.Name, Values: map[string]string{}, Answer: w.answer()}
		for _, o := range entry.Options {
			i.Values[o.Name], _ = o.Value.(string) // all options are strings
		}
		l.handler.SlashCommand(ctx, i)
		return nil
	}
	for _, o := range entry.Options {
		if o.Focused {
			typed, _ := o.Value.(string)
			l.handler.Completing(ctx, chat.Completion{Place: place, User: who, Menu: w.Data.Name, Entry: entry.Name,
				Option: o.Name, Typed: typed, Answer: w.answer()})
		}
	}
	return nil
}

// Acknowledge acknowledges a slash command. Its user sees that an answer follows.
func (c *Client) Acknowledge(ctx context.Context, i chat.Interaction) error {
	return c.callBack(ctx, i, discordgo.InteractionResponseDeferredChannelMessageWithSource,
		ephemeralBody{Flags: onlyForOne | c.flags, AllowedMentions: mentionNobody()})
}

// Suggest sends completions to a user who is typing.
func (c *Client) Suggest(ctx context.Context, i chat.Interaction, texts []string) error {
	return c.callBack(ctx, i, discordgo.InteractionApplicationCommandAutocompleteResult, suggestions{choices(texts)})
}

type suggestions struct {
	Choices []wireChoice `json:"choices"` // may be empty, but never null
}

// callBack sends the first answer to an interaction, which must come within three seconds.
func (c *Client) callBack(ctx context.Context, i chat.Interaction, kind discordgo.InteractionResponseType, data any) error {
	ctx, cancel := context.WithTimeout(ctx, ackTime)
	defer cancel()
	q := request(http.MethodPost, "/interactions/{interaction}/{token}/callback", i.ID, i.Token).WithBody(ackBody{Type: kind, Data: data})
	q.Interaction, q.Unique = true, true // Discord refuses a second one
	err := c.rest.Do(ctx, q, nil)
	if refused := (*Error)(nil); errors.As(err, &refused) && refused.Code == discordgo.ErrCodeInteractionHasAlreadyBeenAcknowledged {
		return nil // an earlier attempt succeeded, though its response was lost
	}
	return err
}

// Respond replaces what Acknowledge showed by the answer. Only the user of the command sees it.
func (c *Client) Respond(ctx context.Context, i chat.Interaction, m chat.Outgoing) error {
	body, err := newEdit(chat.Outgoing{Text: m.Text})
	if err != nil {
		return err
	}
	body.Attachments = attachments(m.Files)
	q := request(http.MethodPatch, "/webhooks/{application}/{token}/messages/@original", i.App, i.Token).WithBody(body)
	q.Files, q.Interaction = m.Files, true
	return c.rest.Do(ctx, q, nil)
}

// FollowUp adds to an answer. An attempt with an unclear outcome is not retried.
func (c *Client) FollowUp(ctx context.Context, i chat.Interaction, m chat.Outgoing) error {
	if err := checkText(m.Text); err != nil {
		return err
	}
	q := request(http.MethodPost, "/webhooks/{application}/{token}", i.App, i.Token)
	q.Body = ephemeralBody{Content: m.Text, Flags: onlyForOne | c.flags, AllowedMentions: mentionNobody()}
	q.Files, q.Interaction = m.Files, true
	return c.rest.Do(ctx, q, nil)
}

// picked passes on that the bot's entry in the menu of a message was chosen.
func (l *listener) picked(ctx context.Context, w wireInteraction) error {
	user := w.user()
	if user == nil || w.ID == "" || w.Data.Target == "" {
		return errNoID
	}
	place := l.place(ctx, w.Guild, w.Channel)
	place.Message = chat.MessageID(w.Data.Target)
	l.handler.Picked(ctx, chat.Picked{Place: place, User: userFrom(*user, w.Member), Entry: w.Data.Name, Answer: w.answer()})
	return nil
}

// submitted passes a form on that was filled in.
func (l *listener) submitted(ctx context.Context, w wireInteraction) error {
	user := w.user()
	if user == nil || w.ID == "" || w.Data.CustomID == "" {
		return errNoID
	}
	l.handler.Submitted(ctx, chat.Submission{
		Place: l.place(ctx, w.Guild, w.Channel), User: userFrom(*user,
			w.Member), Form: w.Data.CustomID, Values: filledIn(w.Data.Filled), Answer: w.answer(),
	})
	return nil
}

// filledIn returns the texts of a form by the IDs of their fields.
func filledIn(components json.RawMessage) map[string]string {
	var labels []struct {
		Component struct {
			ID    string `json:"custom_id"`
			Value string `json:"value"`
		} `json:"component"`
	}
	values := map[string]string{}
	if json.Unmarshal(components, &labels) == nil {
		for _, l := range labels {
			values[l.Component.ID] = l.Component.Value
		}
	}
	return values
}

// Components of a form.
// https://discord.com/developers/docs/components/reference#label
const (
	labelComponent = 18
	inputComponent = 4
	paragraphStyle = 2
)

type wireForm struct {
	ID         string      `json:"custom_id"`
	Title      string      `json:"title"`
	Components []wireLabel `json:"components"`
}

type wireLabel struct {
	Type      int       `json:"type"`
	Label     string    `json:"label"`
	Component wireInput `json:"component"`
}

type wireInput struct {
	Type     int    `json:"type"`
	ID       string `json:"custom_id"`
	Style    int    `json:"style"`
	Required bool   `json:"required"`
	Longest  int    `json:"max_length,omitempty"`
}

// ShowForm answers an interaction with a form.
func (c *Client) ShowForm(ctx context.Context, i chat.Interaction, f chat.Form) error {
	input := wireInput{Type: inputComponent, ID: f.Field.ID, Style: paragraphStyle, Required: true, Longest: f.Field.Longest}
	return c.callBack(ctx, i, discordgo.InteractionResponseModal, wireForm{
		ID: f.ID, Title: f.Title, Components: []wireLabel{{Type: labelComponent, Label: f.Field.Label, Component: input}},
	})
}
