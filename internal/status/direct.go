package status

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"discoclaw/internal/background"
	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// each is how much time is at least between two direct messages of one kind.
const each = time.Hour

// footer says why operators get a direct message, and how to change that.
const footer = "-# For operators, at most once an hour for each kind of trouble. `DISCOCLAW_STATUS_CHANNEL` names a channel for all reports; `DISCOCLAW_OPERATOR_DMS=0` turns these messages off."

// Direct is how operators are written to where there is no status channel.
type Direct struct {
	Operators func(ctx context.Context) []chat.UserID
	// Open returns the direct messages with a user.
	Open func(ctx context.Context, u chat.UserID) (chat.Place, error)
	// Last keeps when operators were last written to, so that a restart does not shorten the pause.
	Last *store.Cell[map[Kind]time.Time]
}

// A messenger writes reports to operators.
type messenger struct {
	Direct
	send   func(ctx context.Context, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error)
	log    *slog.Logger
	work   *background.Group
	online chan struct{} // closed by login
	login  func()
	ended  <-chan struct{}

	mu      sync.Mutex
	loaded  bool
	last    map[Kind]time.Time
	more    map[Kind]int // reports since then
	refused map[chat.UserID]bool
}

func newMessenger(o Options, work *background.Group, ended <-chan struct{}) *messenger {
	m := &messenger{
		Direct: *o.Direct, send: o.Send, log: o.Log, work: work, ended: ended, online: make(chan struct{}),
		last: map[Kind]time.Time{}, more: map[Kind]int{}, refused: map[chat.UserID]bool{},
	}
	m.login = sync.OnceFunc(func() { close(m.online) })
	return m
}

// report writes a report to the operators after the login, unless they have had one of its kind within the hour.
func (m *messenger) report(k Kind, what string) {
	if k == News {
		return
	}
	m.work.Go("direct message to operators", func(ctx context.Context) {
		select {
		case <-m.online:
		case <-m.ended:
			return
		case <-ctx.Done():
			return
		}
		if more, ok := m.claim(ctx, k); ok {
			m.tell(ctx, text(what, more))
		}
	})
}

// text returns a direct message, with the number of earlier reports that were not written.
func text(what string, more int) string {
	below := "\n" + footer
	if more > 0 {
		below = "\n" + fmt.Sprintf("-# Since the last message about this, the log has %s.", chat.Counted(more, "more report", "more reports")) + below
	}
	return chat.Clip(what, maxPostLength-chat.Length(below)) + below
}

// claim reports whether a message of a kind is due, and if so records it before it is sent: after a crash, a lost
// message is better than one at each start. If the record cannot be written, as on a full disk, this process still
// knows it.
func (m *messenger) claim(ctx context.Context, k Kind) (more int, due bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.load(ctx)
	now := time.Now()
	// A clock that was set back must not keep operators waiting.
	if last, told := m.last[k]; told && now.Sub(last).Abs() < each {
		m.more[k]++
		return 0, false
	}
	m.last[k] = now
	more, m.more[k] = m.more[k], 0
	if err := m.Last.Save(ctx, m.last); err != nil {
		m.log.WarnContext(ctx, "cannot write down that operators were written to", "err", err)
	}
	return more, true
}

// load loads when operators were last written to. The caller holds the lock.
func (m *messenger) load(ctx context.Context) {
	if m.loaded {
		return
	}
	last, err := m.Last.Load(ctx)
	if err != nil {
		m.log.WarnContext(ctx, "cannot look up when operators were last written to", "err", err)
		return
	}
	m.loaded = true
	for k, at := range last {
		m.last[k] = at
	}
}

// tell writes to each operator. It is not retried, since the log has the report, too.
func (m *messenger) tell(ctx context.Context, what string) {
	for _, u := range m.Operators(ctx) {
		if m.isRefused(u) {
			continue
		}
		at, err := m.Open(ctx, u)
		if err == nil {
			_, err = m.send(ctx, at.Channel, chat.Outgoing{Text: what})
		}
		if err != nil {
			m.failed(ctx, u, err)
		}
	}
}

// failed logs that an operator cannot be written to. If Discord refuses it, as for people who take no direct messages of
// the server, it is not tried again by this process.
func (m *messenger) failed(ctx context.Context, u chat.UserID, err error) {
	if refusal := (permanent)(nil); errors.As(err, &refusal) && refusal.Permanent() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.refused[u] = true
		m.log.WarnContext(ctx, "cannot write to an operator, which is not tried again before the next start", "user", u, "err", err)
		return
	}
	m.log.WarnContext(ctx, "cannot write to an operator", "user", u, "err", err)
}

func (m *messenger) isRefused(u chat.UserID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.refused[u]
}
