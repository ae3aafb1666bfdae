package utility

import (
	"context"
	"errors"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
)

// Withdraw takes back a card that waits for approval, for its requester, and returns the place of the card.
type Withdraw func(ctx context.Context, token string, by chat.UserID, g chat.GuildID) (chat.Place, error)

// About says what a card of a requester is about, for those who read a place; empty if there is none.
type About func(ctx context.Context, token string, by chat.UserID, at chat.Place) string

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
			card, err := c.withdrawCard(ctx, in.Card, call.Origin.Requester, g)
			if err != nil {
				return actions.Result{}, err
			}
			return actions.Result{Summary: "took back [the card](" + card.Link() + "), so nothing of it is done"}, nil
		},
	})
}

// byThemselves returns an error unless one person asks, in a message of their own.
func byThemselves(o actions.Origin) error {
	if o.Unattended() || len(o.People()) != 1 {
		return errors.New("you can take back a card only by asking for it in a message of your own")
	}
	return nil
}
