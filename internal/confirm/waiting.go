package confirm

import (
	"context"
	"errors"
	"time"

	"discoclaw/internal/chat"
)

// A Waiting is a question that has no answer yet.
type Waiting struct {
	Question
	Token string
	Asked time.Time
	Card  chat.Place
}

func (r record) waiting() Waiting {
	w := Waiting{Question: r.Question, Token: r.token, Asked: r.asked, Card: r.Origin.Place}
	w.Card.Message = r.card
	return w
}

// Waiting returns the questions without an answer that were asked in a channel, and those of a user anywhere on its server.
func (d *Service) Waiting(ctx context.Context, at chat.Place, requester chat.UserID) (list []Waiting, err error) {
	records, err := d.questions.list(ctx, `state = ? AND expires > ? AND guild = ? AND (channel = ? OR requester = ?)`,
		open, d.Now().UnixMicro(), at.Guild, at.Channel, requester)
	for _, rec := range records {
		list = append(list, rec.waiting())
	}
	return list, err
}

// ErrNotWaiting is the error of a card that cannot be taken back.
var ErrNotWaiting = errors.New("there is no card of yours with that code that waits for an answer")

// Withdraw takes a question back for its requester. Leaving something undone needs no permission.
func (d *Service) Withdraw(ctx context.Context, token string, by chat.UserID, g chat.GuildID) (Waiting, error) {
	rec, found, err := d.questions.find(ctx, token)
	if err != nil {
		return Waiting{}, err
	}
	if !found || by == "" || rec.Origin.Requester != by || rec.Origin.Place.Guild != g || rec.state != open || !d.Now().Before(rec.expires) {
		return Waiting{}, ErrNotWaiting
	}
	first, err := d.dismiss(ctx, rec, verdictWithdrawn(by), "taken back by the person who asked")
	if err == nil && !first {
		err = ErrNotWaiting
	}
	return rec.waiting(), err
}
