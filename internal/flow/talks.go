package flow

import (
	"context"
	"slices"
	"strings"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/flow/pipeline"
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

// joinTalk remembers the thread of a message that mentions the bot or replies to it, unless the bot answers everything anyway.
func (s *messages) joinTalk(ctx context.Context, m chat.Message) {
	if !s.addressedOnly || m.Place.Parent == "" || m.Author.Bot || !s.self.IsMentioned(m) && !s.isReplyToBot(m) {
		return
	}
	ctx, cancel := pipeline.Writing(ctx)
	defer cancel()
	if err := s.talks.add(ctx, m.Place.Channel); err != nil {
		s.log.WarnContext(ctx, "cannot remember a thread, so the bot answers only mentions there after a restart", "channel", m.Place.Channel, "err", err)
	}
}

// talksIn reports whether the bot is part of the talk in a thread: it has opened the thread, or was addressed there before.
func (k *deps) talksIn(at chat.Place) bool {
	if at.Guild == "" || at.Parent == "" {
		return false
	}
	if k.server.OpenedThread(at.Channel) {
		return true
	}
	ctx, cancel := pipeline.Writing(context.Background())
	defer cancel()
	joined, err := k.talks.has(ctx, at.Channel)
	if err != nil {
		k.log.WarnContext(ctx, "cannot look up the threads in which the bot talks", "channel", at.Channel, "err", err)
	}
	return joined
}

// isForOthers reports whether a message answers another person's, or begins with a mention of others.
func (s *messages) isForOthers(m chat.Message) bool {
	return m.ReplyTo != "" && !s.isReplyToBot(m) || strings.HasPrefix(strings.TrimSpace(m.Text), "<@")
}
