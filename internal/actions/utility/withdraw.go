package utility

import (
	"context"
	"errors"
	"strings"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/confirm"
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

// cardWithdraw is taught only in prompts of turns in which a card waits.
func (c *Category) cardWithdraw() *actions.Action {
	return actions.Define(actions.Spec[Card]{
		Name:        "cardWithdraw",
		Effect:      actions.Keeps,
		Rare:        true,
		ExplainWhen: []string{"withdraw", "take back"},
		Summary:     "Take back a card of the asker that waits for approval.",
		Sentence:    "Withdraw your card {card}",
		Examples:    []Card{{Card: "5dec3f4b"}},
		Tells: func(ctx context.Context, call actions.Call, in Card) string {
			return c.about(ctx, in.Card, call.Origin.Requester, call.Origin.Place)
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
			return actions.Done(err, "took back [the card]("+taken.Card.Link()+"), so nothing of it is done")
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
			return "Withdraw your request “" + strings.TrimSuffix(w.Items[0].What, ".") + "”"
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
