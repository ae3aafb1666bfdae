package voice

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/player"
)

// What the goroutine of a room does. Nothing here is called by any other.

// enter puts the bot into a channel because somebody asked for it.
func (r *room) enter(ctx context.Context, ch chat.ChannelID, deadline time.Time) error {
	before := r.now()
	if r.conn != nil && before.State == Ready && before.Channel == ch {
		return nil
	}
	if !time.Now().Before(deadline) {
		r.over = before.State == ""
		return errOutOfTime
	}
	r.retries, r.dueAt, r.company = 0, time.Time{}, company{}
	err := r.try(ctx, ch, deadline)
	switch {
	case err == nil:
	case r.conn == nil:
		r.over = true
	default:
		r.revert(before)
		r.follow(ctx)
	}
	return err
}

// revert takes a status back that came to nothing.
func (r *room) revert(s Status) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status = s
}

// try asks the transport for a connection and takes it.
func (r *room) try(ctx context.Context, ch chat.ChannelID, deadline time.Time) error {
	s := r.now()
	r.become(Status{Channel: ch, State: Signalling, Mute: s.Mute, Deaf: s.Deaf})
	ctx, abandon := context.WithCancelCause(ctx)
	defer abandon(nil)
	r.aimAt(ch, abandon)
	defer r.aimAt("", nil)

	limited, cancel := context.WithDeadline(ctx, deadline)
	defer cancel()
	conn, err := r.transport.Join(limited, r.guild, ch, s.Mute, s.Deaf, r.conn)
	if err != nil {
		if context.Cause(ctx) == errOtherwise {
			return errOtherwise
		}
		return err
	}
	r.hold(conn)
	r.follow(ctx)
	return nil
}

// hold sets the connection of the room. The talk of the former one is over.
func (r *room) hold(c Conn) {
	r.conn = c
	var now held
	if c != nil {
		now.call = c.Call()
	}
	if now.call != nil {
		now.player = player.New(now.call)
	}
	before := r.carry(now)
	if before.player != nil {
		before.player.Close()
	}
	r.hush()
	if r.Talk != nil && now.call != nil {
		ctx, hush := context.WithCancel(context.Background())
		var talking sync.WaitGroup
		talking.Go(func() { r.Talk(ctx, r.guild, now.call, now.player) })
		r.hush = func() { hush(); talking.Wait() }
	}
}

// carry sets what carries the sound, and returns what did before.
func (r *room) carry(now held) (before held) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, r.held = r.held, now
	return before
}

// drop forgets the connection of the room.
func (r *room) drop() {
	if r.conn != nil {
		r.conn.Drop()
	}
	r.hold(nil)
	r.changed = nil
}

// aimAt lets others know what is being tried, and lets them end it.
func (r *room) aimAt(ch chat.ChannelID, abandon context.CancelCauseFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.aim, r.abandon = ch, abandon
}

// exit takes the bot out of voice.
func (r *room) exit(ctx context.Context) error {
	if r.conn != nil {
		ctx, cancel := context.WithTimeout(ctx, askWait)
		defer cancel()
		if err := r.conn.Close(ctx); err != nil {
			return err
		}
	}
	r.over = true
	return nil
}

// adjust mutes or deafens the bot as the change of its status says.
func (r *room) adjust(ctx context.Context, change func(*Status)) error {
	want := r.now()
	change(&want)
	switch {
	case r.conn == nil:
		return errRestoring
	case want == r.now():
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	if err := r.conn.Adjust(ctx, want.Mute, want.Deaf); err != nil {
		return err
	}
	r.follow(ctx)
	if r.Adjusted != nil {
		r.Adjusted(r.guild, r.now())
	}
	return nil
}

// follow makes the room what Discord says that it is.
func (r *room) follow(ctx context.Context) {
	now, changed, err := r.conn.State()
	r.changed = changed
	before := r.now()
	switch {
	case now.Channel == "" && now.Lost:
		r.lose(ctx)
	case now.Channel == "":
		r.Log.InfoContext(ctx, "taken out of voice", "guild", r.guild, "channel", before.Channel)
		r.over = true
	case err != nil:
		r.ended(ctx, err)
		return
	case now.Served:
		r.become(Status{Channel: now.Channel, State: Ready, Mute: now.Mute, Deaf: now.Deaf})
		r.dueAt = time.Time{}
	default:
		r.forgive(before)
		r.become(Status{Channel: now.Channel, State: Connecting, Mute: now.Mute, Deaf: now.Deaf})
		if before.State != Connecting || r.dueAt.IsZero() {
			r.dueAt = time.Now().Add(joinWait)
		}
	}
	if now.Channel != "" {
		r.look()
	}
}

// ended leaves the channel of a call that is over. Unless trying again cannot help, the bot comes back.
func (r *room) ended(ctx context.Context, why error) {
	r.Log.WarnContext(ctx, "call over", "guild", r.guild, "channel", r.now().Channel, "err", why)
	closing, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	_ = r.conn.Close(closing) // it is of no use any more
	if final(why) {
		r.over = true
		return
	}
	r.lose(ctx)
}

// final reports whether a call that has ended so, or did not begin, is not to be tried again.
func final(err error) bool {
	return slices.ContainsFunc([]error{
		link.ErrRemoved, link.ErrCallEnded, link.ErrRateLimited, link.ErrEncryption, link.ErrNeedsUpdate, link.ErrUDPBlocked,
	}, func(end error) bool { return errors.Is(err, end) })
}

// mend does what has become due: it tries to make a connection again, or gives one up
// that has had no server for too long.
func (r *room) mend(ctx context.Context) {
	if r.conn != nil {
		closing, cancel := context.WithTimeout(ctx, askWait)
		defer cancel()
		_ = r.conn.Close(closing) // it is of no use any more
		r.lose(ctx)
		return
	}
	err := r.try(ctx, r.now().Channel, time.Now().Add(joinWait))
	switch {
	case err == nil:
	case errors.Is(err, errOtherwise):
		r.disconnected()
		r.dueAt = time.Now().Add(firstPause) // unless what was asked for instead comes
	default:
		r.Log.WarnContext(ctx, "voice channel not joined again", "guild", r.guild, "channel", r.now().Channel, "try", r.retries, "err", err)
		if r.over = final(err); !r.over {
			r.lose(ctx)
		}
	}
}

// lose forgets a connection and says when to make it again, or that it was lost too
// often.
func (r *room) lose(ctx context.Context) {
	s := r.now()
	r.forgive(s)
	r.disconnected()
	if r.retries == maxRetries {
		r.Log.WarnContext(ctx, "voice channel given up", "guild", r.guild, "channel", s.Channel, "try", r.retries)
		r.over = true
		return
	}
	r.dueAt = time.Now().Add(firstPause << r.retries)
	r.retries++
}

// forgive counts anew after a connection that has held.
func (r *room) forgive(before Status) {
	if before.State == Ready && time.Since(before.Since) >= steady {
		r.retries = 0
	}
}

func (r *room) disconnected() {
	s := r.now()
	s.State = Disconnected
	r.become(s)
	r.drop()
}
