package discord

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

// lookBack is how many messages are searched for the bot's latest.
const lookBack = 50

// own caches the bot's latest message in each channel.
type own struct {
	mu     sync.Mutex
	latest map[chat.ChannelID]chat.MessageID
}

func newOwn() *own { return &own{latest: map[chat.ChannelID]chat.MessageID{}} }

// finished records a message that is not a placeholder. An answer that took long can be finished after
// a newer message was sent, so the newer one stays.
func (o *own) finished(ch chat.ChannelID, id chat.MessageID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if newer(id, o.latest[ch]) {
		o.latest[ch] = id
	}
}

func (o *own) deleted(ch chat.ChannelID, ids ...chat.MessageID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if slices.Contains(ids, o.latest[ch]) {
		delete(o.latest, ch)
	}
}

// forget clears the cache, when deletions may have been missed.
func (o *own) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	clear(o.latest)
}

func (o *own) get(ch chat.ChannelID) (chat.MessageID, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	id, ok := o.latest[ch]
	return id, ok
}

// newer reports whether a was written after b.
func newer(a, b chat.MessageID) bool { return byAge(a, b) > 0 }

// byAge compares IDs, which are numbers that grow with time.
func byAge[ID ~string](a, b ID) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// LatestOwn returns the bot's latest message in a channel, apart from placeholders.
func (c *Client) LatestOwn(ctx context.Context, ch chat.ChannelID) (chat.MessageID, error) {
	if id, ok := c.own.get(ch); ok {
		return id, nil
	}
	page, err := c.history(ctx, ch, "before", "", lookBack)
	if err != nil {
		return "", err
	}
	self := c.Self().ID
	for _, m := range page {
		if m.Author != nil && chat.UserID(m.Author.ID) == self && !m.hasStop() {
			c.own.finished(ch, chat.MessageID(m.ID))
			return chat.MessageID(m.ID), nil
		}
	}
	return "", rest.NotFound("none of the last %d messages in %s is mine; say which message you mean", lookBack, c.cache.describe(ch))
}
