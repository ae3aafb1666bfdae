package flow

import (
	"context"
	"slices"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// maxTalks is how many threads are remembered. The one that has been known longest is forgotten first.
const maxTalks = 1000

// threadTalks are the threads in which the bot was addressed, the latest last. They outlive the process.
type threadTalks struct {
	stored *store.Cell[[]chat.ChannelID] // nil if they are kept in memory only

	mu     sync.Mutex
	loaded bool
	in     []chat.ChannelID
}

// load reads the threads of earlier processes, once. The mutex is held.
func (t *threadTalks) load(ctx context.Context) error {
	if t.loaded || t.stored == nil {
		return nil
	}
	in, err := t.stored.Load(ctx)
	if err == nil {
		t.in, t.loaded = append(in, t.in...), true
	}
	return err
}

func (t *threadTalks) has(ctx context.Context, thread chat.ChannelID) (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	err := t.load(ctx)
	return slices.Contains(t.in, thread), err
}

func (t *threadTalks) add(ctx context.Context, thread chat.ChannelID) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.load(ctx); err != nil || slices.Contains(t.in, thread) {
		return err
	}
	t.in = append(t.in, thread)
	t.in = t.in[max(0, len(t.in)-maxTalks):]
	if t.stored == nil {
		return nil
	}
	return t.stored.Save(ctx, t.in)
}
