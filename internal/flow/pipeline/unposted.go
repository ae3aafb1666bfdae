package pipeline

import (
	"context"
	"sync"

	"discoclaw/internal/chat"
	"discoclaw/internal/status"
)

// MaxUnposted is how often a turn is tried again that cannot post something, while other requests of the bot succeed. The tries
// are RetryDelay apart, so that is a quarter of an hour in which Discord was there.
const MaxUnposted = 15

// unposted are the turns of which Discord did not answer a request at the last try. Its zero value has none.
type unposted struct {
	mu    sync.Mutex
	turns map[chat.TurnID]succeeded
}

// succeeded counts the requests of the bot that had succeeded by a time.
type succeeded struct{ all, posts int }

// again records such a try. It counts if another request has succeeded since the one before: otherwise this may be an outage,
// which says nothing about the turn. Posted reports whether one of these has posted a message.
func (u *unposted) again(t chat.TurnID, soFar func() (all, posts int)) (counts, posted bool) {
	all, posts := soFar()
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.turns == nil {
		u.turns = map[chat.TurnID]succeeded{}
	}
	before, known := u.turns[t]
	u.turns[t] = succeeded{all, posts}
	return known && all > before.all, known && posts > before.posts
}

func (u *unposted) has(t chat.TurnID) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	_, known := u.turns[t]
	return known
}

func (u *unposted) forget(t chat.TurnID) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.turns, t)
}

// dropUnposted posts that Discord did not take the answer of a turn, and settles the turn. It returns false if that cannot be
// posted either, and nothing else was posted meanwhile: then Discord takes no messages at all, and the answer can wait.
func (in *Entry[E]) dropUnposted(ctx context.Context, r Run[E], posted bool) bool {
	notices := in.notices(r, Unposted)
	if !in.notifyDropped(in.p.o.Discord.Sparing(ctx), r, Unposted, notices.Text, posted) {
		return false
	}
	in.p.o.Log.WarnContext(ctx, "turn dropped", "kind", in.source.Kind, "message", r.Last().Place.Message, "reason", string(Unposted))
	if notices.Report != "" {
		in.p.o.Report(ctx, status.Replies, notices.Report)
	}
	return true
}
