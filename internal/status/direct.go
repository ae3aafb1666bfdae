package status

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/background"
	"discoclaw/internal/chat"
	"discoclaw/internal/store"
)

// each is how much time is at least between two direct messages of one kind.
const each = time.Hour

// maxHeld is how many characters of reports wait for the next message.
const maxHeld = 1500

// footer says why operators get a direct message, and how to change that.
const footer = "-# For operators, at most once an hour for each kind of trouble. `DISCOCLAW_STATUS_CHANNEL` names a channel for all reports; `DISCOCLAW_OPERATOR_DMS=0` turns these messages off."

// Direct is how operators are written to where there is no status channel.
type Direct struct {
	Operators func(ctx context.Context) []chat.UserID
	// Open returns the direct messages with a user.
	Open func(ctx context.Context, u chat.UserID) (chat.Place, error)
	// Told keeps what operators were written, so that a restart neither shortens the pause nor loses what waits for its end.
	Told *store.Cell[map[Kind]Told]
}

// Told is the last message of a kind.
type Told struct {
	At   time.Time
	Sent []string // its reports
	Held []string `json:",omitempty"` // other ones since, for the next message
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
	told    map[Kind]Told
	more    map[Kind]int // reports since then that are in no message
	refused map[chat.UserID]bool
}

func newMessenger(o Options, work *background.Group, ended <-chan struct{}) *messenger {
	m := &messenger{
		Direct: *o.Direct, send: o.Send, log: o.Log, work: work, ended: ended, online: make(chan struct{}),
		told: map[Kind]Told{}, more: map[Kind]int{}, refused: map[chat.UserID]bool{},
	}
	m.login = sync.OnceFunc(func() {
		close(m.online)
		work.Go("reports held by the last process", m.resume)
	})
	return m
}

// report writes a report to the operators after the login. If they have had a message of its kind within the hour, it waits for the next
// one, unless they know it already.
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
		if m.claim(ctx, k, what) {
			m.next(ctx, k)
		}
	})
}

// resume has the reports sent that the last process has held.
func (m *messenger) resume(ctx context.Context) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.load(ctx)
	for k, t := range m.told {
		if len(t.Held) > 0 {
			m.later(k)
		}
	}
}

// later has the reports that are held sent when the hour is over. The caller holds the lock.
func (m *messenger) later(k Kind) {
	wait := min(time.Until(m.told[k].At.Add(each)), each)
	m.work.Go("held reports to operators", func(ctx context.Context) {
		if m.work.Pause(ctx, wait) {
			m.next(ctx, k)
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

// claim adds a report to the next message of its kind, and reports whether that is due.
func (m *messenger) claim(ctx context.Context, k Kind, what string) (due bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.load(ctx)
	t := m.told[k]
	// A clock that was set back must not keep operators waiting.
	due = time.Since(t.At).Abs() >= each
	known := slices.Contains(t.Held, what) || !due && slices.Contains(t.Sent, what)
	if known || len(t.Held) > 0 && chat.Length(strings.Join(t.Held, "\n")+what) > maxHeld {
		m.more[k]++
		return due
	}
	t.Held = append(t.Held, what)
	m.told[k] = t
	if !due {
		m.save(ctx)
		if len(t.Held) == 1 {
			m.later(k)
		}
	}
	return due
}

// next sends what is held of a kind. That is recorded before: after a crash, a lost message is better than one at each start.
func (m *messenger) next(ctx context.Context, k Kind) {
	m.mu.Lock()
	held, more := m.told[k].Held, m.more[k]
	if len(held) > 0 {
		m.told[k], m.more[k] = Told{At: time.Now(), Sent: held}, 0
		m.save(ctx)
	}
	m.mu.Unlock()
	if len(held) > 0 {
		m.tell(ctx, text(strings.Join(held, "\n"), more))
	}
}

// save stores what operators were written. If that fails, as on a full disk, this process still knows it.
func (m *messenger) save(ctx context.Context) {
	if err := m.Told.Save(ctx, m.told); err != nil {
		m.log.WarnContext(ctx, "cannot write down that operators were written to", "err", err)
	}
}

// load loads when operators were last written to. The caller holds the lock.
func (m *messenger) load(ctx context.Context) {
	if m.loaded {
		return
	}
	told, err := m.Told.Load(ctx)
	if err != nil {
		m.log.WarnContext(ctx, "cannot look up when operators were last written to", "err", err)
		return
	}
	m.loaded = true
	maps.Copy(m.told, told)
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
	if chat.IsPermanent(err) {
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
