package lifecycle

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/background"
	"discoclaw/internal/chat"
)

// A Server adds and removes the bot's own reactions.
type Server interface {
	React(ctx context.Context, ch chat.ChannelID, m chat.MessageID, e chat.Emoji) error
	Unreact(ctx context.Context, ch chat.ChannelID, m chat.MessageID, e chat.Emoji) error
}

const (
	maxMessages = 1000             // that are followed at a time; on further ones nothing is shown
	requestTime = time.Minute      // of one reaction, with its retries
	retryDelay  = time.Minute      // after a failure that may pass
	maxTries    = 5                // of one phase
	patience    = time.Second      // from which on quiet shows that a message waits: less is not worth two requests
	restTime    = 10 * time.Minute // for which a channel that refuses reactions is left alone
)

// A Driver shows the phases of messages. A nil one shows nothing. It is safe for concurrent use, and its methods do not block.
type Driver struct {
	server Server
	mode   Mode
	emojis Emojis
	log    *slog.Logger
	bg     *background.Group

	mu       sync.Mutex
	messages map[chat.MessageID]*state
	resting  map[chat.ChannelID]time.Time // until when a channel is left alone
}

// state is what is known of a message that is not over, or whose last phase is not shown yet.
type state struct {
	phase Phase
	over  bool         // no other phase follows
	shown []chat.Emoji // reactions that are there, or that an earlier process may have left
	busy  bool         // a goroutine works on it
}

// New returns a driver, or nil if nothing is to be shown.
func New(s Server, m Mode, e Emojis, log *slog.Logger) *Driver {
	if m == Off {
		return nil
	}
	return &Driver{
		server: s, mode: m, emojis: e, log: log, bg: background.New(log),
		messages: map[chat.MessageID]*state{}, resting: map[chat.ChannelID]time.Time{},
	}
}

// Close lets what is under way end, until ctx does.
func (d *Driver) Close(ctx context.Context) error {
	if d == nil {
		return nil
	}
	return d.bg.Close(ctx)
}

// Received tells that a message was accepted. Waits says that other work comes first; without that, quiet shows nothing.
func (d *Driver) Received(at chat.Place, waits bool) {
	if d != nil && (waits || d.mode == Full) {
		d.set(at, Received, false)
	}
}

// Resumed tells that a message is taken up that an earlier process has not finished. That one may have left reactions.
func (d *Driver) Resumed(at chat.Place) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.follow(at); s != nil && s.phase == Nothing && len(s.shown) == 0 {
		for _, p := range []Phase{Received, Processing} {
			if e := d.emojis.of(p, d.mode); e != "" {
				s.shown = append(s.shown, e)
			}
		}
	}
}

// Begins tells that a turn runs for a message.
func (d *Driver) Begins(at chat.Place) {
	if d != nil {
		d.set(at, Processing, false)
	}
}

// Ends tells in which phase a message is over. Its last reaction is that of the phase.
func (d *Driver) Ends(at chat.Place, p Phase) {
	if d != nil {
		d.set(at, p, true)
	}
}

// Forget tells that a message was deleted before its turn began.
func (d *Driver) Forget(at chat.Place) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.messages[at.Message]; s != nil {
		s.phase, s.shown, s.over = Nothing, nil, true
		delete(d.messages, at.Message)
	}
}

// follow returns the state of a message, which is nil if there are too many. The lock is held.
func (d *Driver) follow(at chat.Place) *state {
	s := d.messages[at.Message]
	if s == nil && len(d.messages) < maxMessages {
		s = &state{}
		d.messages[at.Message] = s
	}
	return s
}

func (d *Driver) set(at chat.Place, p Phase, over bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := d.follow(at)
	if s == nil || s.over {
		return
	}
	if over && p == Nothing {
		s.phase = Nothing
	} else {
		s.phase = s.phase.after(p)
	}
	s.over = over
	if !s.busy && !d.isShown(s) {
		s.busy = d.bg.Go("reaction", func(ctx context.Context) { d.work(ctx, at, s) })
	}
	d.drop(at, s)
}

// isShown reports whether a message has the reaction that it is to have, and no other. The lock is held.
func (d *Driver) isShown(s *state) bool {
	want := d.emojis.of(s.phase, d.mode)
	if want == "" {
		return len(s.shown) == 0
	}
	return len(s.shown) == 1 && s.shown[0] == want
}

// drop forgets a message on which nothing is to be done any more, or nothing is shown. The lock is held.
func (d *Driver) drop(at chat.Place, s *state) {
	if !s.busy && (s.over || len(s.shown) == 0) && d.messages[at.Message] == s {
		delete(d.messages, at.Message)
	}
}

// work shows the latest phase of a message until there is none that is not shown.
func (d *Driver) work(ctx context.Context, at chat.Place, s *state) {
	if d.isWaiting(s) {
		d.bg.Pause(ctx, patience)
	}
	for tries := 0; ; {
		want, had, due := d.next(at, s)
		if !due {
			return
		}
		shown, err := d.change(ctx, at, want, had)
		d.mu.Lock()
		s.shown = shown
		d.mu.Unlock()
		if err == nil {
			tries = 0
			continue
		}
		if tries++; tries == maxTries || !d.mayPass(ctx, at, err) || !d.bg.Pause(ctx, retryDelay) {
			d.leave(at, s)
			return
		}
	}
}

// isWaiting reports whether a message is shown to wait, in quiet.
func (d *Driver) isWaiting(s *state) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.mode == Quiet && s.phase == Received
}

// next returns the reaction that a message is to have, and those that it has. If nothing is to be done, the goroutine ends: under
// the same lock, so that it misses no phase.
func (d *Driver) next(at chat.Place, s *state) (want chat.Emoji, had []chat.Emoji, due bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.isShown(s) || time.Now().Before(d.resting[at.Channel]) {
		s.busy = false
		d.drop(at, s)
		return "", nil, false
	}
	return d.emojis.of(s.phase, d.mode), s.shown, true
}

// leave gives a message up as it is.
func (d *Driver) leave(at chat.Place, s *state) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s.busy = false
	d.drop(at, s)
}

// change adds a reaction, if there is one to add, and then removes the others. It returns those that are there.
func (d *Driver) change(ctx context.Context, at chat.Place, want chat.Emoji, had []chat.Emoji) (shown []chat.Emoji, err error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	left := slices.Clone(had)
	if want != "" {
		if err := d.server.React(ctx, at.Channel, at.Message, want); err != nil {
			return left, err
		}
		shown = []chat.Emoji{want}
	}
	for i, e := range left {
		if want != "" && e.Same(want) {
			continue
		}
		if err := d.server.Unreact(ctx, at.Channel, at.Message, e); err != nil && !chat.IsPermanent(err) {
			return append(shown, left[i:]...), err
		} else if chat.IsGone(err) {
			return nil, err
		}
	}
	return shown, nil
}

// mayPass reports whether a request may succeed later. A channel that refuses reactions is left alone for a while; of a message
// that was deleted nothing is said.
func (d *Driver) mayPass(ctx context.Context, at chat.Place, err error) bool {
	switch {
	case chat.IsGone(err):
		return false
	case !chat.IsPermanent(err):
		d.log.DebugContext(ctx, "reaction not changed", "channel", at.Channel, "message", at.Message, "err", err)
		return true
	}
	d.log.WarnContext(ctx, "no reactions to messages here for ten minutes", "channel", at.Channel, "message", at.Message, "err", err)
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	for ch, until := range d.resting {
		if now.After(until) {
			delete(d.resting, ch)
		}
	}
	d.resting[at.Channel] = now.Add(restTime)
	return false
}
