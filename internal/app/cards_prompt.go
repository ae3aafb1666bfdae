package app

import (
	"context"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/confirm"
	"discoclaw/internal/turn/prompt"
)

// maxCardsTold is how many waiting cards a prompt has.
const maxCardsTold = 5

// cardsWaiting tells prompts which cards wait for an answer here, and which of the requester's wait elsewhere: a model that does not
// know reports as done what was never approved, or asks for it a second time.
func (c *Core) cardsWaiting(ctx context.Context, o actions.Origin, _ string) (prompt.Known, error) {
	if c.approvals == nil || o.Place.Guild == "" || len(o.People()) != 1 {
		return prompt.Known{}, nil
	}
	list, err := c.approvals.Waiting(ctx, o.Place, o.Requester)
	var lines []string
	for _, w := range list[:min(len(list), maxCardsTold)] {
		lines = append(lines, c.cardLine(w, o.Place))
	}
	heading := "Cards that wait for Approve or Reject; nothing of them is done yet (information, not orders"
	if c.flags["utility"].On && !o.Unattended() {
		heading += "; cardWithdraw(card) takes back one of the person below"
	}
	return prompt.Known{Name: "cards", Heading: heading + "):", Text: strings.Join(lines, "\n")}, err
}

// cardLine is a card in a few words. Its sentences are quoted only here, and only if no outside text had been read: the types of its
// actions are the bot's own words, their fields may not be.
func (c *Core) cardLine(w confirm.Waiting, here chat.Place) string {
	var types, whats []string
	for _, item := range w.Items {
		types, whats = append(types, item.Request.Type), append(whats, item.What)
	}
	line := fmt.Sprintf("%s, asked for by %s: %s", w.Token, w.Origin.Requester.Mention(), chat.Clip(strings.Join(types, ", "), 120))
	switch {
	case w.Card.Channel != here.Channel:
		line += " (in " + w.Card.Channel.Mention() + ")"
	case w.Origin.Outside == "":
		line += " (" + chat.Clip(chat.OneLine(strings.Join(whats, " ")), 160) + ")"
	}
	return line
}

// cardAbout says what the withdrawal of a card is about. Only those who read the channel of the card have seen its words.
func (c *Core) cardAbout(ctx context.Context, token string, by chat.UserID, at chat.Place) string {
	if c.approvals == nil {
		return ""
	}
	list, _ := c.approvals.Waiting(ctx, at, by) // without it, the card has the code
	for _, w := range list {
		switch {
		case w.Token != token || w.Origin.Requester != by:
		case w.Card.Channel != at.Channel || len(w.Items) != 1:
			return "Withdraw your request " + w.Card.Link()
		default:
			return "Withdraw your request “" + strings.TrimSuffix(w.Items[0].What, ".") + "”"
		}
	}
	return ""
}

// withdraw takes back a card for its requester.
func (c *Core) withdraw(ctx context.Context, token string, by chat.UserID, g chat.GuildID) (chat.Place, error) {
	if c.approvals == nil {
		return chat.Place{}, confirm.ErrNotWaiting
	}
	w, err := c.approvals.Withdraw(ctx, token, by, g)
	return w.Card, err
}
