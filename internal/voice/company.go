package voice

import (
	"context"
	"slices"
	"time"

	"discoclaw/internal/chat"
)

// patience is how long the bot stays when everybody has left. Somebody whose connection broke is back by then.
const patience = 30 * time.Second

// Follow puts the bot into the channel that somebody has entered, if [Options.Others] is there to tell when they leave. It does not if the
// bot is in voice on that server already, or on its way. It does not wait.
func (m *Manager) Follow(g chat.GuildID, ch chat.ChannelID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || m.o.Others == nil || m.rooms[g] != nil {
		return
	}
	r := m.open(g)
	m.running.Go(func() {
		ctx := context.Background() // whoever wants it to end leaves
		if err := r.join(ctx, ch, time.Now().Add(joinWait)); err != nil {
			m.o.Log.InfoContext(ctx, "nobody followed into a voice channel", "guild", g, "channel", ch, "err", err)
		}
	})
}

// A company are the people who are in a room with the bot.
type company struct {
	changed <-chan struct{} // closed when others came or went; nil while that is not asked about
	had     bool            // there was somebody, since the bot was asked to come
	leaveAt time.Time       // zero for never
}

// look sees who is there. A bot that was asked into an empty channel waits for people, but when the last one leaves, so does it.
func (r *room) look() {
	if r.Others == nil {
		return
	}
	there, changed := r.Others(r.guild, r.now().Channel)
	r.company.changed = changed
	switch {
	case slices.ContainsFunc(there, func(who chat.Occupant) bool { return !who.Bot }):
		r.company.had, r.company.leaveAt = true, time.Time{}
	case r.company.had && r.company.leaveAt.IsZero():
		r.company.leaveAt = time.Now().Add(patience)
	}
}

// leaveEmpty leaves a channel in which nobody is any more.
func (r *room) leaveEmpty(ctx context.Context) {
	r.Log.InfoContext(ctx, "left a voice channel, because nobody is there", "guild", r.guild, "channel", r.now().Channel)
	if err := r.exit(ctx); err != nil {
		r.Log.WarnContext(ctx, "voice channel not left", "guild", r.guild, "err", err)
		r.company.leaveAt = time.Now().Add(patience)
	}
}
