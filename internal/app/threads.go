package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/background"
	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
)

// threads joins threads where the bot answers, so that people see it among those who
// are there. It hears of public threads all the same, so nobody ever waits for it.
type threads struct {
	on      bool
	discord *discord.Client
	policy  access.Policy
	bg      *background.Group
	log     *slog.Logger
	ended   chan struct{} // closed when no more are joined

	mu    sync.Mutex
	tried map[chat.ChannelID]bool
}

// maxTried is how many threads are remembered. Who is asked again about one that was
// joined long ago knows so without asking Discord.
const maxTried = 10_000

// joinDelay is how long the bot waits before it joins: what it has to say there comes
// first.
const joinDelay = 1100 * time.Millisecond

// opened is told of a new thread.
func (t *threads) opened(thread chat.Channel) {
	if t.policy.Listens(chat.Place{Guild: thread.Guild, Channel: thread.ID, Parent: thread.Parent}) {
		t.join(thread.ID)
	}
}

// answering is told that the bot answers in a place, which may be a thread.
func (t *threads) answering(at chat.Place) {
	if at.Guild != "" && at.Parent != "" {
		t.join(at.Channel)
	}
}

// join joins a thread, once. It does not wait for that.
func (t *threads) join(thread chat.ChannelID) {
	if !t.on || !t.first(thread) {
		return
	}
	t.bg.Go("join a thread", func(ctx context.Context) {
		select {
		case <-time.After(joinDelay):
		case <-t.ended:
			return
		}
		if ch, err := t.discord.ChannelByID(ctx, thread); err == nil && (ch.Private || ch.Archived) {
			return // the one takes an invitation, the other nobody
		}
		if err := t.discord.JoinThread(ctx, thread); err != nil {
			t.log.WarnContext(ctx, "thread not joined", "channel", thread, "err", err)
		}
	})
}

// first says whether a thread is asked about for the first time.
func (t *threads) first(thread chat.ChannelID) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tried[thread] {
		return false
	}
	if t.tried == nil || len(t.tried) >= maxTried {
		t.tried = map[chat.ChannelID]bool{}
	}
	t.tried[thread] = true
	return true
}
