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

// threads joins the threads in which the bot answers, so that people see it among the members. The
// bot gets the events of public threads in any case, so nothing waits for it.
type threads struct {
	on      bool
	discord *discord.Client
	policy  access.Policy
	bg      *background.Group
	log     *slog.Logger
	ended   chan struct{} // closed at the shutdown, after which no thread is joined

	mu    sync.Mutex
	tried map[chat.ChannelID]bool
}

// maxTried limits the size of tried, which is emptied then. Trying a thread again is cheap: the
// client knows from its cache that the bot has joined it.
const maxTried = 10_000

// joinDelay is the pause before joining a thread, so that the bot's answer there is sent first.
const joinDelay = 1100 * time.Millisecond

// opened handles a new thread.
func (t *threads) opened(thread chat.Channel) {
	if t.policy.Listens(chat.Place{Guild: thread.Guild, Channel: thread.ID, Parent: thread.Parent}) {
		t.join(thread.ID)
	}
}

// answering handles that the bot begins to answer in a place, which may be a thread.
func (t *threads) answering(at chat.Place) {
	if at.Guild != "" && at.Parent != "" {
		t.join(at.Channel)
	}
}

// join joins a thread in the background, once.
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
			return // a private thread takes an invitation, an archived one no members
		}
		if err := t.discord.JoinThread(ctx, thread); err != nil {
			t.log.WarnContext(ctx, "thread not joined", "channel", thread, "err", err)
		}
	})
}

// first reports whether a thread has not been tried before.
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
