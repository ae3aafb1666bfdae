package discord

import (
	"context"
	"slices"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// lookupTime is how long an event may wait for a channel to be looked up.
const lookupTime = 3 * time.Second

// lostTime is how long a channel that could not be looked up is not looked up again.
const lostTime = time.Minute

// written passes a message on, unless it is the bot's own.
func (l *listener) written(ctx context.Context, w wireMessage, tell func(context.Context, chat.Message)) error {
	if w.ID == "" || w.Channel == "" || w.Author == nil || w.Author.ID == "" {
		return errNoID
	}
	if chat.UserID(w.Author.ID) == l.Self().ID {
		l.wrote(ctx, w)
		return nil
	}
	l.met(w.Guild, *w.Author, w.Member)
	tell(ctx, w.message(l.place(ctx, w.Guild, w.Channel)))
	return nil
}

// wrote tells of a message of the bot's own.
func (l *listener) wrote(ctx context.Context, w wireMessage) {
	at := l.place(ctx, w.Guild, w.Channel)
	at.Message = chat.MessageID(w.ID)
	l.handler.OwnMessage(at)
}

// met notes which roles somebody has, where Discord tells along with what they did:
// whoever asks for something need not be looked up then. If that was a while ago, they may
// have others by now, and only Lacks goes by it.
func (l *listener) met(guild string, who discordgo.User, m *discordgo.Member) {
	if guild == "" || m == nil {
		return
	}
	member := *m
	member.User = &who
	l.members.put(memberKey{chat.GuildID(guild), chat.UserID(who.ID)}, memberFrom(member), l.late)
}

// edited passes an edit on. Discord also reports other changes of a message, such
// as the preview of a link, and those say nothing about an edit or an author.
func (l *listener) edited(ctx context.Context, w wireMessage) error {
	if w.Edited == nil || w.Author == nil {
		return nil
	}
	return l.written(ctx, w, l.handler.Edited)
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

// place is where an event happened. Whether a channel is a thread, and of which
// channel, is looked up if need be; if that fails, the event is told without it.
func (l *listener) place(ctx context.Context, guild, ch string) chat.Place {
	place := chat.Place{Guild: chat.GuildID(guild), Channel: chat.ChannelID(ch)}
	if guild == "" {
		return place // a direct message
	}
	if time.Since(l.lost[place.Channel]) < lostTime {
		return place
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	found, err := l.placeOf(ctx, place.Channel)
	if err != nil {
		l.log.WarnContext(ctx, "channel of an event is unknown", "channel", ch, "err", err)
		l.lose(place.Channel)
		return place
	}
	place.Parent = found.Parent
	return place
}

// lose remembers that a channel could not be looked up: nothing else is heard while
// somebody looks, so that is not done again for every message there.
func (l *listener) lose(ch chat.ChannelID) {
	const most = 1000
	if l.lost == nil || len(l.lost) >= most {
		l.lost = map[chat.ChannelID]time.Time{}
	}
	l.lost[ch] = time.Now()
}
