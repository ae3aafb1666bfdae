package app

import (
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/store"
)

// crash ends a process that can neither say nor write down anything any more.
func crash(b *Bot, w *discordtest.World, stop func() (time.Duration, error)) {
	_ = b.core.db.Close() // what is being written has its reasons to fail
	w.Fail(fakediscord.Fault{Kind: fakediscord.Reset})
	_, _ = stop()
	w.Recover()
}

// attempt begins the turn of an event, as a process does that ends before the turn is over.
func attempt(t *testing.T, b *inbox.Inbox, turn chat.TurnID, id inbox.EventID) {
	t.Helper()
	err := b.Tx(t.Context(), func(tx *store.Tx) error {
		_, err := b.Begin(t.Context(), tx, turn, id)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
