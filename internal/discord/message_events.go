package discord

import (
	"context"
	"slices"
	"time"

	"discoclaw/internal/chat"
)

// lookupTime is the timeout for looking up the channel of an event.
const lookupTime = 3 * time.Second

// lostTime is how long a failed lookup is not retried.
const lostTime = time.Minute

// written passes a message on, unless it is the bot's own.
func (l *listener) written(ctx context.Context, w wireMessage, tell func(context.Context, chat.Message)) error {
	if w.ID == "" || w.Channel == "" || w.Author == nil || w.Author.ID == "" {
		return errNoID
	}
	if chat.UserID(w.Author.ID) == l.Self().ID {
		l.ownMessage(ctx, w)
		return nil
	}
	l.rememberMember(w.Guild, *w.Author, w.Member, l.late)
	for _, u := range w.Mentions {
		l.rememberMember(w.Guild, u.wireUser, u.Member, true) // Discord does not say which fields it leaves out there
	}
	m := w.message(l.place(ctx, w.Guild, w.Channel))
	l.heard(m)
	tell(ctx, m)
	return nil
}

// ownMessage passes a message of the bot's own on.
func (l *listener) ownMessage(ctx context.Context, w wireMessage) {
	l.handler.OwnMessage(w.message(l.place(ctx, w.Guild, w.Channel)))
}

// rememberMember caches the roles of an event's user, if Discord sent them along: a requester need
// not be looked up then. Those of a replayed event may be out of date, and only KnownToLack
// uses them.
func (l *listener) rememberMember(guild string, who wireUser, m *wireMember, late bool) {
	if guild == "" || m == nil {
		return
	}
	member := *m
	member.User = &who
	l.members.put(memberKey{chat.GuildID(guild), chat.UserID(who.ID)}, memberFrom(member), late)
}

// edited passes an edit on. Discord also sends other changes of a message, such as the preview of
// a link, without an edit time or an author.
func (l *listener) edited(ctx context.Context, w wireMessage) error {
	if w.Edited == nil || w.Author == nil {
		return nil
	}
	return l.written(ctx, w, l.handler.Edited)
}

// wireDeletions are messages that were deleted together.
type wireDeletions struct {
	Guild    string   `json:"guild_id"`
	Channel  string   `json:"channel_id"`
	Messages []string `json:"ids"`
}

func (l *listener) deleted(ctx context.Context, guild, ch string, ids ...string) error {
	if ch == "" || slices.Contains(ids, "") {
		return errNoID
	}
	place := l.place(ctx, guild, ch)
	for _, id := range ids {
		place.Message = chat.MessageID(id)
		l.own.deleted(place.Channel, place.Message)
		l.handler.Deleted(ctx, place)
	}
	return nil
}

// place returns the place of an event. The parent of a thread is looked up if need be; if that
// fails, the event is passed on without it. An event without a server is a direct message, unless its channel is known:
// in direct messages others are served, and other rules apply.
func (l *listener) place(ctx context.Context, guild, ch string) chat.Place {
	place := chat.Place{Guild: chat.GuildID(guild), Channel: chat.ChannelID(ch)}
	if known, ok := l.cache.channel(place.Channel); ok && guild == "" {
		place.Guild = known.Guild
	}
	if place.Guild == "" {
		return place
	}
	if time.Since(l.lost[place.Channel]) < lostTime {
		return place
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	found, err := l.placeOf(ctx, place.Channel)
	if err != nil {
		l.log.WarnContext(ctx, "cannot look up the channel of an event", "channel", ch, "err", err)
		l.lose(place.Channel)
		return place
	}
	place.Parent = found.Parent
	return place
}

// lose records a failed lookup, so that it is not retried for every message of the channel: no event
// is handled meanwhile.
func (l *listener) lose(ch chat.ChannelID) {
	const most = 1000
	if l.lost == nil || len(l.lost) >= most {
		l.lost = map[chat.ChannelID]time.Time{}
	}
	l.lost[ch] = time.Now()
}
