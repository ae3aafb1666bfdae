package discord

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/gateway"
)

// A listener decodes events: it keeps the cache up to date and calls the handler.
type listener struct {
	*Client
	handler Handler

	// expected are the servers that Discord has announced and not yet described. Until they
	// are, or describeWait is over, Ready is not called.
	expected   map[chat.GuildID]bool
	announce   bool
	guildWait  *guildWait
	newSession bool // Discord has begun one in this process

	saver     sessionSaver
	inherited bool           // the session of another process is being replayed
	replayed  chan struct{}  // closed when the replay is complete
	resuming  bool           // the RESUME of that session is not accepted yet
	servers   []chat.GuildID // of the bot when it was
	giveUp    context.CancelCauseFunc
	fetches   sync.WaitGroup // of descriptions

	late bool // the current event is replayed

	lost map[chat.ChannelID]time.Time // channels that could not be looked up, and when
	acks sync.WaitGroup               // presses being acknowledged
}

// hear handles one event. One that makes no sense is logged and skipped.
func (l *listener) hear(ctx context.Context, e gateway.Event) {
	if e.Name != "READY" && e.Name != "GUILD_CREATE" && e.Name != "GUILD_DELETE" {
		// A server that Discord cannot describe must not hold up all others.
		l.ready()
	}
	l.late = e.Late
	if err := l.take(ctx, e); err != nil {
		l.log.WarnContext(ctx, "cannot handle an event, skipping it", "event", e.Name, "err", err)
	}
}

func (l *listener) take(ctx context.Context, e gateway.Event) error {
	switch e.Name {
	case "READY":
		return with(ctx, l, e, l.begin)
	case "RESUMED":
		l.resumed(ctx)
	case "GUILD_CREATE":
		return with(ctx, l, e, l.guildCreated)
	case "GUILD_UPDATE":
		return with(ctx, l, e, l.guildChanged)
	case "GUILD_DELETE":
		return with(ctx, l, e, l.guildDeleted)
	case "GUILD_ROLE_CREATE", "GUILD_ROLE_UPDATE":
		return with(ctx, l, e, l.roleChanged)
	case "GUILD_ROLE_DELETE":
		return with(ctx, l, e, l.roleDeleted)
	case "GUILD_MEMBER_UPDATE":
		return with(ctx, l, e, l.memberChanged)
	case "CHANNEL_CREATE":
		return with(ctx, l, e, func(w wireChannel) error { return l.channelChanged(w, true) })
	case "CHANNEL_UPDATE":
		return with(ctx, l, e, func(w wireChannel) error { return l.channelChanged(w, false) })
	case "THREAD_UPDATE":
		return with(ctx, l, e, l.threadChanged)
	case "THREAD_CREATE":
		return with(ctx, l, e, func(w wireChannel) error { return l.threadOpened(ctx, w) })
	case "THREAD_MEMBER_UPDATE":
		return with(ctx, l, e, l.threadJoined)
	case "CHANNEL_DELETE", "THREAD_DELETE":
		return with(ctx, l, e, l.channelDeleted)
	case "THREAD_LIST_SYNC":
		return with(ctx, l, e, l.threadsListed)
	case "MESSAGE_CREATE":
		return with(ctx, l, e, func(w wireMessage) error {
			l.cache.spoken(chat.GuildID(w.Guild), chat.ChannelID(w.Channel), sentAt(w.ID))
			return l.written(ctx, w, l.handler.Message)
		})
	case "MESSAGE_UPDATE":
		return with(ctx, l, e, func(w wireMessage) error { return l.edited(ctx, w) })
	case "MESSAGE_DELETE":
		return with(ctx, l, e, func(w wireMessage) error { return l.deleted(ctx, w.Guild, w.Channel, w.ID) })
	case "MESSAGE_DELETE_BULK":
		return with(ctx, l, e, func(w wireDeletions) error { return l.deleted(ctx, w.Guild, w.Channel, w.Messages...) })
	case "MESSAGE_REACTION_ADD", "MESSAGE_REACTION_REMOVE":
		return with(ctx, l, e, func(w wireReaction) error { return l.reacted(ctx, w, e.Name == "MESSAGE_REACTION_REMOVE") })
	case "VOICE_STATE_UPDATE":
		return with(ctx, l, e, l.voiceChanged)
	case "VOICE_SERVER_UPDATE":
		return with(ctx, l, e, l.voiceServed)
	case "INTERACTION_CREATE":
		return with(ctx, l, e, func(w wireInteraction) error { return l.interacted(ctx, w) })
	}
	return nil // not used, or unknown
}

// with decodes an event and passes it on.
func with[T any](ctx context.Context, l *listener, e gateway.Event, f func(T) error) error {
	var v T
	if err := l.reader.Read(ctx, e.Name, e.Data, &v); err != nil {
		return err
	}
	return f(v)
}

// errNoID is for events without an ID.
var errNoID = errors.New("an ID is missing")

// wireReady is the start of a session.
type wireReady struct {
	User   wireUser    `json:"user"`
	Guilds []wireGuild `json:"guilds" wire:"optional"`
	App    struct {
		ID string `json:"id"`
	} `json:"application" wire:"optional"`
}

func (l *listener) begin(w wireReady) error {
	if w.User.ID == "" {
		return errNoID
	}
	l.undescribed.end()
	self := userFrom(w.User, nil)
	self.Bot = true
	var guilds []chat.GuildID
	l.expected, l.announce, l.newSession = map[chat.GuildID]bool{}, true, true
	for _, g := range w.Guilds {
		guilds = append(guilds, chat.GuildID(g.ID))
		l.expected[chat.GuildID(g.ID)] = true
	}
	l.cache.ready(self, guilds)
	l.app.Store(&w.App.ID)
	l.own.forget()
	l.voices.begin()
	l.described("")
	l.guildWait.begin(l.ready)
	return nil
}

// resumed is called after the last replayed event.
func (l *listener) resumed(ctx context.Context) {
	if l.caughtUp() {
		l.leaveOldVoices(ctx)
	}
}

// caughtUp marks the replay as complete. It returns true if the session of another process was
// resumed.
func (l *listener) caughtUp() (inherited bool) {
	inherited, l.inherited = l.inherited, false
	if inherited {
		close(l.replayed)
	}
	return inherited
}

// described marks a server as described.
func (l *listener) described(id chat.GuildID) {
	delete(l.expected, id)
	if len(l.expected) == 0 {
		l.ready()
	}
}

func (l *listener) ready() {
	if l.newSession {
		l.caughtUp()
	}
	if l.announce {
		l.announce = false
		l.handler.Ready(l.Self())
	}
}

func (l *listener) guildCreated(w wireGuild) error {
	if w.ID == "" {
		return errNoID
	}
	l.undescribed.forget(chat.GuildID(w.ID))
	if !w.Unavailable {
		l.cache.replace(chat.GuildID(w.ID), w.guild(l.Self().ID))
		l.voicesDescribed(w)
		if !l.announce {
			l.handler.GuildAvailable(chat.GuildID(w.ID))
		}
	}
	l.described(chat.GuildID(w.ID))
	return nil
}

func (l *listener) guildChanged(w wireGuild) error {
	l.cache.change(chat.GuildID(w.ID), func(g *guild) {
		g.owner, g.boost, g.roles = chat.UserID(w.Owner), w.Boost, rolesFrom(chat.GuildID(w.ID), w.Roles)
	})
	return nil
}

// guildDeleted removes a server that the bot has left. One with an outage stays.
func (l *listener) guildDeleted(w wireGuild) error {
	l.undescribed.forget(chat.GuildID(w.ID))
	if !w.Unavailable {
		l.cache.forget(chat.GuildID(w.ID))
		l.voiceOver(chat.GuildID(w.ID))
	}
	l.described(chat.GuildID(w.ID))
	return nil
}

// wireRoleChange is a new or changed role.
type wireRoleChange struct {
	Guild string    `json:"guild_id"`
	Role  *wireRole `json:"role"`
}

func (l *listener) roleChanged(w wireRoleChange) error {
	if w.Role == nil || w.Role.ID == "" {
		return errNoID
	}
	l.cache.putRole(chat.GuildID(w.Guild), *w.Role)
	return nil
}

type wireRoleDeletion struct {
	Guild string `json:"guild_id"`
	Role  string `json:"role_id"`
}

func (l *listener) roleDeleted(w wireRoleDeletion) error {
	l.cache.change(chat.GuildID(w.Guild), func(g *guild) { delete(g.roles, chat.RoleID(w.Role)) })
	return nil
}

// memberChanged gets changes of the bot itself; those of others need an intent that the bot
// does not have.
func (l *listener) memberChanged(w wireMember) error {
	if w.User == nil {
		return errNoID
	}
	if chat.UserID(w.User.ID) == l.Self().ID {
		bot := memberFrom(w)
		l.cache.change(chat.GuildID(w.Guild), func(g *guild) { g.bot = &bot })
	}
	return nil
}

// channelChanged puts a channel into the cache. All messages of a new one arrive as events from
// here on.
func (l *listener) channelChanged(w wireChannel, isNew bool) error {
	if w.ID == "" {
		return errNoID
	}
	ch := channelFrom(w, chat.GuildID(w.Guild))
	ch.last.known = isNew
	l.cache.put(ch)
	if isNew {
		l.channelSeen(ch)
	}
	return nil
}

// channelSeen passes a channel that takes messages on.
func (l *listener) channelSeen(ch channel) {
	if ch.Kind.TakesMessages() {
		at := ch.Place()
		at.Message = ch.last.latest
		l.handler.ChannelSeen(at)
	}
}

// wireChannelDeletion has what is needed of a channel that is gone.
type wireChannelDeletion struct {
	ID     string                `json:"id"`
	Guild  string                `json:"guild_id"`
	Type   discordgo.ChannelType `json:"type"`
	Parent string                `json:"parent_id"`
}

func (l *listener) channelDeleted(w wireChannelDeletion) error {
	l.cache.change(chat.GuildID(w.Guild), func(g *guild) { g.remove(chat.ChannelID(w.ID)) })
	l.handler.ChannelDeleted(channelFrom(wireChannel{ID: w.ID, Type: w.Type, Parent: w.Parent}, chat.GuildID(w.Guild)).Place())
	return nil
}

func (l *listener) threadChanged(w wireChannel) error {
	err := l.channelChanged(w, false)
	if err == nil {
		l.handler.ThreadChanged(channelFrom(w, chat.GuildID(w.Guild)).Channel)
	}
	return err
}

// wireThreadList is Discord's list of active threads when a channel becomes visible to the
// bot.
type wireThreadList struct {
	Guild    chat.GuildID       `json:"guild_id"`
	Channels []chat.ChannelID   `json:"channel_ids"`
	Threads  []wireChannel      `json:"threads" wire:"optional"`
	Joined   []wireThreadMember `json:"members" wire:"optional"`
}

func (l *listener) threadsListed(w wireThreadList) error {
	var active []channel
	for _, t := range w.Threads {
		ch := channelFrom(t, w.Guild)
		ch.last.known = true
		ch.joined = ch.joined || slices.ContainsFunc(w.Joined, func(m wireThreadMember) bool { return m.Thread == ch.ID })
		active = append(active, ch)
		l.channelSeen(ch)
	}
	l.cache.change(w.Guild, func(g *guild) { g.syncThreads(w.Channels, active) })
	for _, ch := range active {
		l.handler.ThreadChanged(ch.Channel)
	}
	return nil
}
