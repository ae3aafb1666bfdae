package gather

import (
	"context"

	"discoclaw/internal/actions"
	"discoclaw/internal/chat"
	"discoclaw/internal/memory/recall"
	"discoclaw/internal/turn/prompt"
)

// oldTalk adds old messages to a setting that may be about the same, as far as everybody who asks may read them. An
// error is only logged: the prompt then lacks them, which is no reason to fail.
func (g *Gatherer) oldTalk(ctx context.Context, s *prompt.Setting, o actions.Origin, text string, known ...chat.MessageID) {
	if g.o.Recall == nil || o.Requester == "" {
		return
	}
	for _, line := range s.History {
		known = append(known, line.ID, line.Starter.Message)
	}
	hits, err := g.o.Recall.Search(ctx, recall.Query{Here: o.Place, People: o.People(), Text: text, Exclude: known, Limit: g.o.RecallLimit})
	if err != nil {
		g.o.Log.WarnContext(ctx, "old talk not recalled", "err", err)
		return
	}
	s.RecallBudget = g.o.RecallBudget
	for _, h := range hits {
		s.Recalled = append(s.Recalled, prompt.Recalled{
			At: h.At, Channel: h.Channel, Closed: h.Closed, Author: h.Name, Mine: g.self.Is(h.Author),
			Sent: h.Sent.In(s.Now.Location()), Text: h.Text, Outside: h.Outside,
		})
	}
}
