package app

import (
	"context"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/discord"
)

// cards is Discord as approvals use it. A card goes through the outbox, so it is posted once even
// if the bot is killed before it knows that it was.
type cards struct {
	*discord.Client
	posts *outbox.Posts
}

func newCards(c *Core) cards {
	return cards{c.discord, c.outbox.Of("questions", nil)}
}

// Send posts a message. Its nonce, which contains the token of the question, is the idempotency
// key.
func (s cards) Send(ctx context.Context, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
	return s.posts.Post(ctx, m.Nonce, ch, m)
}
