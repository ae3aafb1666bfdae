package discord

import (
	"context"
	"encoding/json"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

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
