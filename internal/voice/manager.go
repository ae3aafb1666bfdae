package voice

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/player"
)

var (
	errNowhere = errors.New("I'm not in a voice channel here; ask me to join one first")
	errClosed  = errors.New("I'm shutting down, so I join no voice channel")
)

// A Manager keeps the bot in voice channels. It is safe for concurrent use.
type Manager struct {
	transport Transport
	o         Options
	running   sync.WaitGroup

	mu     sync.Mutex
	closed bool
	rooms  map[chat.GuildID]*room // where the bot is, or wants to be
}

// Options are what a Manager needs besides a Transport. The zero value works.
type Options struct {
	// Others says who else is in a channel, and closes changed when that is no longer so. With it, the bot comes and goes with people: see
	// [Manager.Follow]. When the last one has left, so does the bot. Nil means that it only does what it is asked to.
	Others func(g chat.GuildID, ch chat.ChannelID) (there []chat.Occupant, changed <-chan struct{})
	// Talk is run for each call that the bot is in, until ctx ends, which is when the call is over. Nil means that nothing is heard there.
	Talk func(ctx context.Context, g chat.GuildID, call *link.Call, p *player.Player)
	// Adjusted is called after the bot was muted or deafened, or neither any more. Nil means that nobody asks.
	Adjusted func(g chat.GuildID, now Status)
	Log      *slog.Logger // nil means none
}

// New returns a Manager of a bot that is in no channel.
func New(t Transport, o Options) *Manager {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	return &Manager{transport: t, o: o, rooms: map[chat.GuildID]*room{}}
}

// Join puts the bot into a voice channel of a server, from another one if it is
// there. It returns when the bot is in the channel, or after 20 seconds with the
// reason why it is not; then it is where it was. A later Join to another channel, or
// a Leave, ends one that waits.
func (m *Manager) Join(ctx context.Context, g chat.GuildID, ch chat.ChannelID) error {
	deadline := time.Now().Add(joinWait)
	for {
		r, err := m.enter(g)
		if err != nil {
			return err
		}
		if err := r.join(ctx, ch, deadline); !errors.Is(err, errOver) {
			return err
		}
	}
}

// Leave takes the bot out of voice on a server, if it is there or wants to be.
func (m *Manager) Leave(ctx context.Context, g chat.GuildID) error {
	r := m.room(g)
	if r == nil {
		return nil
	}
	if err := r.leave(ctx); !errors.Is(err, errOver) {
		return err
	}
	return nil
}

// SetMute makes the bot silent on a server, or lets it speak again.
func (m *Manager) SetMute(ctx context.Context, g chat.GuildID, on bool) error {
	return m.adjust(ctx, g, func(s *Status) { s.Mute = on })
}

// SetDeaf makes the bot deaf on a server, or lets it hear again.
func (m *Manager) SetDeaf(ctx context.Context, g chat.GuildID, on bool) error {
	return m.adjust(ctx, g, func(s *Status) { s.Deaf = on })
}

func (m *Manager) adjust(ctx context.Context, g chat.GuildID, change func(*Status)) error {
	r := m.room(g)
	if r == nil {
		return errNowhere
	}
	err := r.ask(ctx, func(ctx context.Context) error { return r.adjust(ctx, change) })
	if errors.Is(err, errOver) {
		return errNowhere
	}
	return err
}

// Status is what is known about the bot in voice on a server, if it is in voice
// there or wants to be.
func (m *Manager) Status(g chat.GuildID) (Status, bool) {
	r := m.room(g)
	if r == nil {
		return Status{}, false
	}
	return r.now(), true
}

// Call is the call that the bot is in on a server, or nil.
func (m *Manager) Call(g chat.GuildID) *link.Call {
	r := m.room(g)
	if r == nil {
		return nil
	}
	return r.currentCall()
}

// Player plays into the call that the bot is in on a server; nil without one. It is closed when the call is over.
func (m *Manager) Player(g chat.GuildID) *player.Player {
	r := m.room(g)
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.held.player
}

// LeaveAll takes the bot out of voice everywhere, for good: nothing can be joined
// afterwards. When ctx ends before that is done, the rest is left to Discord, which
// takes a bot out that is gone.
func (m *Manager) LeaveAll(ctx context.Context) {
	var leaving sync.WaitGroup
	for _, r := range m.close() {
		leaving.Go(func() {
			if err := r.leave(ctx); err != nil && !errors.Is(err, errOver) {
				m.o.Log.WarnContext(ctx, "voice channel not left", "guild", r.guild, "err", err)
			}
			r.stop()
		})
	}
	leaving.Wait()
	m.running.Wait()
}

func (m *Manager) close() []*room {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return slices.Collect(maps.Values(m.rooms))
}

func (m *Manager) room(g chat.GuildID) *room {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.rooms[g]
}

// enter is room, with a new one if there is none.
func (m *Manager) enter(g chat.GuildID) (*room, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errClosed
	}
	if r := m.rooms[g]; r != nil {
		return r, nil
	}
	return m.open(g), nil
}

// open makes a room. The caller holds the lock.
func (m *Manager) open(g chat.GuildID) *room {
	ctx, stop := context.WithCancel(context.Background())
	r := newRoom(m, g, stop)
	m.rooms[g] = r
	m.running.Go(func() {
		defer stop()
		defer close(r.gone)
		defer m.forget(r)
		r.run(ctx)
	})
	return r
}

func (m *Manager) forget(r *room) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.rooms, r.guild)
}
