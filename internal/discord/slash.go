package discord

import (
	"context"
	"errors"
	"net/http"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

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
	list := suggestions{Choices: []wireChoice{}}
	list.Choices = append(list.Choices, choices(texts)...)
	return c.callBack(ctx, i, discordgo.InteractionApplicationCommandAutocompleteResult, list)
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
