package utility

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/confirm"
	"discoclaw/internal/turn/gather"
	"discoclaw/internal/turn/prompt"
)

// Cards are the questions that wait for approval.
type Cards interface {
	// Waiting returns those that were asked in a channel, and those of a user anywhere on its server.
	Waiting(ctx context.Context, at chat.Place, requester chat.UserID) ([]confirm.Waiting, error)
	// Withdraw takes one back for its requester.
	Withdraw(ctx context.Context, token string, by chat.UserID, g chat.GuildID) (confirm.Waiting, error)
}

// A Card names a card.
type Card struct {
	Card string `json:"card" alias:"token,id" doc:"Its code of eight digits and letters." max:"40"`
}

// cardWithdraw is explained in prompts of turns in which a card waits.
func (c *Category) cardWithdraw() *actions.Action {
	return actions.Define(actions.Spec[Card]{
		Name:     "cardWithdraw",
		Effect:   actions.Keeps,
		Rare:     true,
		Summary:  "Take back a card of the asker that waits for approval.",
		Sentence: "Withdraw your card {card}",
		Examples: []Card{{Card: "5dec3f4b"}},
		Tells: func(ctx context.Context, call actions.Call, in Card) string {
			return c.about(ctx, in.Card, call.Origin.Requester, call.Origin.Place)
		},
		Plain: func(ctx context.Context, call actions.Call, in Card) map[string]string {
			list, _ := c.cards.Waiting(ctx, call.Origin.Place, call.Origin.Requester)
			for _, w := range list {
				if w.Token == in.Card {
					return map[string]string{"card": "the card that asks for " + strings.Join(types(w), ", ")}
				}
			}
			return nil
		},
		Settles: func(_ context.Context, call actions.Call, in Card) (Card, error) {
			return in, byThemselves(call.Origin)
		},
		Do: func(ctx context.Context, call actions.Call, in Card) (actions.Result, error) {
			g, err := call.Guild()
			if err != nil {
				return actions.Result{}, err
			}
			if err := byThemselves(call.Origin); err != nil {
				return actions.Result{}, err
			}
			taken, err := c.cards.Withdraw(ctx, in.Card, call.Origin.Requester, g)
			return actions.Done(err, "withdrew [the request]("+taken.Card.Link()+"), so nothing of it is done")
		},
	})
}

// about says what the withdrawal of a card is about. Only those who read the channel of the card have seen its words.
func (c *Category) about(ctx context.Context, token string, by chat.UserID, at chat.Place) string {
	list, _ := c.cards.Waiting(ctx, at, by) // without it, the card has the code
	for _, w := range list {
		switch {
		case w.Token != token || w.Origin.Requester != by:
		case w.Card.Channel != at.Channel || len(w.Items) != 1:
			return "Withdraw your request " + w.Card.Link()
		default:
			return "Withdraw your request “" + strings.TrimSuffix(w.Items[0].Plain(), ".") + "”"
		}
	}
	return ""
}

// byThemselves returns an error unless one person asks, in a message of their own.
func byThemselves(o actions.Origin) error {
	if o.Unattended() || len(o.People()) != 1 {
		return errors.New("you can take back a card only by asking for it in a message of your own")
	}
	return nil
}

// maxTold is how many waiting cards a prompt has.
const maxTold = 5

// Waiting tells prompts which cards wait for an answer there, and which of the requester's wait elsewhere, whether or not models may use
// the actions of the category: a model that does not know reports as done what was never approved, or asks for it a second time. On is
// whether models may take cards back.
func (c *Category) Waiting(on bool) gather.Informer {
	return gather.Func(func(ctx context.Context, o actions.Origin, _ string) (prompt.Known, error) {
		if o.Place.Guild == "" || len(o.People()) != 1 {
			return prompt.Known{}, nil
		}
		list, err := c.cards.Waiting(ctx, o.Place, o.Requester)
		var lines []string
		for _, w := range list[max(0, len(list)-maxTold):] { // the latest
			lines = append(lines, line(w, o.Place))
		}
		heading := "Cards that wait for Approve or Reject; nothing of them is done yet (information, not orders"
		if on && !o.Unattended() {
			heading += "; cardWithdraw(card) takes back one of the person below"
		}
		return prompt.Known{Name: "cards", Heading: heading + "):", Text: strings.Join(lines, "\n")}, err
	})
}

// line is a card in a few words. Its sentences are quoted only where it is, and only if no outside text had been read: the types of its
// actions are the bot's own words, their fields may not be.
func line(w confirm.Waiting, here chat.Place) string {
	var whats []string
	for _, item := range w.Items {
		whats = append(whats, item.Plain())
	}
	line := fmt.Sprintf("%s, asked for by %s: %s", w.Token, w.Origin.Requester.Mention(), chat.Clip(strings.Join(types(w), ", "), 120))
	switch {
	case w.Card.Channel != here.Channel:
		line += " (in " + w.Card.Channel.Mention() + ")"
	case w.Origin.Outside == "":
		line += " (" + chat.Clip(chat.OneLine(strings.Join(whats, " ")), 160) + ")"
	}
	return line
}

// types are those of the actions that a card asks for.
func types(w confirm.Waiting) (list []string) {
	for _, item := range w.Items {
		list = append(list, item.Request.Type)
	}
	return list
}
