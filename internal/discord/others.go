package discord

import (
	"cmp"
	"maps"
	"slices"

	"discoclaw/internal/chat"
)

// Others returns who is in a voice channel of a server besides the bot, or, without a channel, in all of them. changed is closed at the
// next change on the server. After a restart in which the gateway session goes on, only those are known who have moved since: Discord
// does not tell again.
func (c *Client) Others(g chat.GuildID, ch chat.ChannelID) (there []chat.Occupant, changed <-chan struct{}) {
	v := c.voices
	v.mu.Lock()
	defer v.mu.Unlock()
	o := v.othersOn(g)
	for _, who := range o.people {
		if ch == "" || who.Channel == ch {
			there = append(there, who)
		}
	}
	slices.SortFunc(there, byID)
	return there, o.changed
}

// entered passes on who has entered a channel. It does not while the session of another process is replayed, after which the bot leaves
// all channels.
func (l *listener) entered(g chat.GuildID, list []chat.Occupant) {
	for _, who := range list {
		if ch, _ := l.cache.channel(who.Channel); ch.Kind == chat.Voice && !l.inherited {
			l.handler.EnteredVoice(g, who)
		}
	}
}

// others are the members of a server that are in voice, without the bot.
type others struct {
	people  map[chat.UserID]chat.Occupant
	changed chan struct{} // closed at the next change
}

// othersOn returns the others on a server. The caller holds the lock.
func (v *voices) othersOn(g chat.GuildID) *others {
	if v.others[g] == nil {
		v.others[g] = &others{map[chat.UserID]chat.Occupant{}, make(chan struct{})}
	}
	return v.others[g]
}

// moved notes where somebody else is now. It returns those who have entered a channel.
func (v *voices) moved(w wireVoice) (entered []chat.Occupant) {
	v.mu.Lock()
	defer v.mu.Unlock()
	o := v.othersOn(w.Guild)
	now := maps.Clone(o.people)
	if w.Channel == "" {
		delete(now, w.User)
	} else {
		now[w.User] = w.occupant(o.people[w.User].User)
	}
	return o.become(now)
}

// described notes where all others are, as the description of a server has it, like moved.
func (v *voices) described(w wireGuild, own chat.UserID) (entered []chat.Occupant) {
	names := map[chat.UserID]chat.User{}
	for _, m := range w.Members {
		if m.User != nil {
			names[chat.UserID(m.User.ID)] = userFrom(*m.User, &m)
		}
	}
	now := map[chat.UserID]chat.Occupant{}
	for _, state := range w.Voices {
		if state.User != own && state.User != "" && state.Channel != "" {
			now[state.User] = state.occupant(names[state.User])
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.othersOn(chat.GuildID(w.ID)).become(now)
}

func (o *others) become(now map[chat.UserID]chat.Occupant) (entered []chat.Occupant) {
	if maps.Equal(now, o.people) {
		return nil // they only muted themselves, for example
	}
	for id, who := range now {
		if who.Channel != o.people[id].Channel {
			entered = append(entered, who)
		}
	}
	slices.SortFunc(entered, byID)
	o.people = now
	close(o.changed)
	o.changed = make(chan struct{})
	return entered
}

func byID(a, b chat.Occupant) int { return cmp.Compare(a.ID, b.ID) }

// occupant makes one of the state of a user who may be known.
func (w wireVoice) occupant(known chat.User) chat.Occupant {
	if w.Member != nil && w.Member.User != nil {
		known = userFrom(*w.Member.User, w.Member)
	}
	known.ID = w.User
	return chat.Occupant{User: known, Channel: w.Channel, Suppressed: w.Suppress}
}
