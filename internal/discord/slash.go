package discord

import (
	"context"
	"errors"
	"net/http"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

// wireGiven is what people gave along with a slash command. Most of it is in the
// options of the entry that they chose.
type wireGiven struct {
	Name    string      `json:"name"`
	Value   any         `json:"value"`
	Focused bool        `json:"focused"` // they type it now
	Options []wireGiven `json:"options"`
}

// interacted passes on what people do with what the bot shows them.
func (l *listener) interacted(ctx context.Context, w wireInteraction) error {
	switch w.Type {
	case discordgo.InteractionMessageComponent:
		return l.pressed(ctx, w)
	case discordgo.InteractionApplicationCommand, discordgo.InteractionApplicationCommandAutocomplete:
		return l.chosen(ctx, w)
	}
	return nil // of no interest, or new to Discord
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
			i.Values[o.Name], _ = o.Value.(string) // the menu asks for nothing else
		}
		l.handler.SlashCommand(ctx, i)
		return nil
	}
	for _, o := range entry.Options {
		if o.Focused {
			typed, _ := o.Value.(string)
			l.handler.Completing(ctx, chat.Completion{Place: place, User: who, Menu: w.Data.Name, Entry: entry.Name, Option: o.Name, Typed: typed, Answer: w.answer()})
		}
	}
	return nil
}

// Acknowledge tells Discord, and the one person who used a slash command, that an
// answer follows.
func (c *Client) Acknowledge(ctx context.Context, i chat.Interaction) error {
	return c.callBack(ctx, i, discordgo.InteractionResponseDeferredChannelMessageWithSource, ephemeralBody{Flags: onlyForOne, AllowedMentions: mentionNobody()})
}

// Suggest answers somebody who is typing.
func (c *Client) Suggest(ctx context.Context, i chat.Interaction, texts []string) error {
	list := suggestions{Choices: []wireChoice{}}
	list.Choices = append(list.Choices, choices(texts)...)
	return c.callBack(ctx, i, discordgo.InteractionApplicationCommandAutocompleteResult, list)
}

type suggestions struct {
	Choices []wireChoice `json:"choices"` // may be empty, but never null
}

// callBack is the first answer to an interaction, for which there is little time.
func (c *Client) callBack(ctx context.Context, i chat.Interaction, kind discordgo.InteractionResponseType, data any) error {
	ctx, cancel := context.WithTimeout(ctx, ackTime)
	defer cancel()
	err := c.rest.Do(ctx, rest.Request{
		Method:      http.MethodPost,
		Route:       "/interactions/{interaction}/{token}/callback",
		Address:     discordgo.EndpointInteractionResponse(i.ID, i.Token),
		Body:        ackBody{Type: kind, Data: data},
		Unique:      true, // Discord refuses a second one
		Interaction: true,
	}, nil)
	if refused := (*Error)(nil); errors.As(err, &refused) && refused.Code == discordgo.ErrCodeInteractionHasAlreadyBeenAcknowledged {
		return nil // an earlier try got through, though Discord did not say so
	}
	return err
}

// Respond puts the answer in the place of what Acknowledge showed. Only who used the
// command sees it.
func (c *Client) Respond(ctx context.Context, i chat.Interaction, m chat.Outgoing) error {
	body, err := newEdit(chat.Outgoing{Text: m.Text})
	if err != nil {
		return err
	}
	body.Attachments = attachments(m.Files)
	return c.rest.Do(ctx, rest.Request{
		Method:      http.MethodPatch,
		Route:       "/webhooks/{application}/{token}/messages/@original",
		Address:     discordgo.EndpointWebhookMessage(i.App, i.Token, "@original"),
		Body:        body,
		Files:       m.Files,
		Interaction: true,
	}, nil)
}

// FollowUp adds to an answer. If Discord does not say whether it was shown, it is
// not tried again.
func (c *Client) FollowUp(ctx context.Context, i chat.Interaction, m chat.Outgoing) error {
	if err := checkText(m.Text); err != nil {
		return err
	}
	return c.rest.Do(ctx, rest.Request{
		Method:      http.MethodPost,
		Route:       "/webhooks/{application}/{token}",
		Address:     discordgo.EndpointWebhookToken(i.App, i.Token),
		Body:        ephemeralBody{Content: m.Text, Flags: onlyForOne, AllowedMentions: mentionNobody()},
		Files:       m.Files,
		Interaction: true,
	}, nil)
}
