package discord

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// wireGuild is the description of a server.
type wireGuild struct {
	ID          string        `json:"id"`
	Unavailable bool          `json:"unavailable"`
	Owner       string        `json:"owner_id"`
	Roles       []wireRole    `json:"roles"`
	Name        string        `json:"name" wire:"optional"`
	Boost       int           `json:"premium_tier" wire:"optional"`
	Size        int           `json:"member_count" wire:"optional"`
	Channels    []wireChannel `json:"channels" wire:"optional"`
	Threads     []wireChannel `json:"threads" wire:"optional"`
	Members     []wireMember  `json:"members" wire:"optional"`
	Voices      []wireVoice   `json:"voice_states" wire:"optional"`
}

type wireRole struct {
	ID          string   `json:"id"`
	Permissions wireBits `json:"permissions"`
	Position    int      `json:"position"`
	Managed     bool     `json:"managed"`
	Name        string   `json:"name" wire:"optional"`
	Color       int      `json:"color" wire:"optional"`
	Hoist       bool     `json:"hoist" wire:"optional"`
	Mentionable bool     `json:"mentionable" wire:"optional"`
}

// wireBits are permissions. Discord writes the number as a string.
type wireBits int64

func (b *wireBits) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	n, err := strconv.ParseInt(strings.Trim(string(data), `"`), 10, 64)
	*b = wireBits(n)
	return err
}

// guild makes a cache entry of it. self is the bot's ID.
func (w wireGuild) guild(self chat.UserID) *guild {
	id := chat.GuildID(w.ID)
	g := &guild{
		name:     w.Name,
		owner:    chat.UserID(w.Owner),
		boost:    w.Boost,
		size:     w.Size,
		roles:    rolesFrom(id, w.Roles),
		channels: map[chat.ChannelID]channel{},
	}
	for _, list := range [][]wireChannel{w.Channels, w.Threads} {
		for _, ch := range list {
			known := channelFrom(ch, id)
			known.last.known = true
			g.channels[known.ID] = known
		}
	}
	for _, m := range w.Members {
		if m.User != nil && chat.UserID(m.User.ID) == self {
			bot := memberFrom(m)
			g.bot = &bot
		}
	}
	return g
}

func rolesFrom(g chat.GuildID, list []wireRole) map[chat.RoleID]role {
	roles := map[chat.RoleID]role{}
	for _, r := range list {
		roles[chat.RoleID(r.ID)] = roleFrom(g, r)
	}
	return roles
}

// kinds are the channel types that chat has names for.
var kinds = map[discordgo.ChannelType]chat.Kind{
	discordgo.ChannelTypeGuildText:          chat.TextChannel,
	discordgo.ChannelTypeGuildNews:          chat.Announcements,
	discordgo.ChannelTypeGuildNewsThread:    chat.Thread,
	discordgo.ChannelTypeGuildPublicThread:  chat.Thread,
	discordgo.ChannelTypeGuildPrivateThread: chat.Thread,
	discordgo.ChannelTypeGuildForum:         chat.Forum,
	discordgo.ChannelTypeGuildMedia:         chat.Media,
	discordgo.ChannelTypeGuildVoice:         chat.Voice,
	discordgo.ChannelTypeGuildStageVoice:    chat.Stage,
	discordgo.ChannelTypeGuildCategory:      chat.CategoryKind,
	discordgo.ChannelTypeDM:                 chat.DirectMessage,
}

// wireChannel is a channel or a thread.
type wireChannel struct {
	ID          string                 `json:"id"`
	Guild       string                 `json:"guild_id"`
	Type        discordgo.ChannelType  `json:"type"`
	Parent      string                 `json:"parent_id"`
	Overwrites  []wireOverwrite        `json:"permission_overwrites"`
	Name        string                 `json:"name" wire:"optional"`
	Topic       string                 `json:"topic" wire:"optional"`
	Adults      bool                   `json:"nsfw" wire:"optional"`
	Position    int                    `json:"position" wire:"optional"`
	Slowmode    int                    `json:"rate_limit_per_user" wire:"optional"` // seconds
	Limit       int                    `json:"user_limit" wire:"optional"`
	Flags       discordgo.ChannelFlags `json:"flags" wire:"optional"`
	LastMessage string                 `json:"last_message_id" wire:"optional"`
	Tags        []wireTag              `json:"available_tags" wire:"optional"`
	AppliedTags []string               `json:"applied_tags" wire:"optional"`
	Owner       string                 `json:"owner_id" wire:"optional"`
	Member      *struct{}              `json:"member" wire:"optional"` // not nil means that the bot has joined the thread
	Thread      *wireThread            `json:"thread_metadata" wire:"optional"`
}

// wireThread has what only threads have.
type wireThread struct {
	Archived     bool      `json:"archived"`
	Locked       bool      `json:"locked" wire:"optional"`
	ArchivedAt   time.Time `json:"archive_timestamp"`
	ArchiveAfter int       `json:"auto_archive_duration" wire:"optional"` // minutes
	// Created is when the thread was started. One on a message has that message's ID, which may be much older. For
	// threads from before 2022, it is unknown.
	// https://discord.com/developers/docs/resources/channel#thread-metadata-object
	Created *time.Time `json:"create_timestamp" wire:"optional"`
}

type wireOverwrite struct {
	ID    string                            `json:"id"`
	Type  discordgo.PermissionOverwriteType `json:"type"`
	Allow wireBits                          `json:"allow"`
	Deny  wireBits                          `json:"deny"`
}

type wireTag struct {
	ID        string `json:"id"`
	Name      string `json:"name" wire:"optional"`
	Moderated bool   `json:"moderated" wire:"optional"`
	EmojiID   string `json:"emoji_id" wire:"optional"`
	EmojiName string `json:"emoji_name" wire:"optional"`
}

// flagObfuscated marks a channel that the bot cannot see: Discord sends its ID, and false values
// for the rest.
const flagObfuscated discordgo.ChannelFlags = 1 << 17

// channelFrom makes a channel of guild g, which descriptions of a whole server
// leave out of its channels.
func channelFrom(w wireChannel, g chat.GuildID) channel {
	kind, known := kinds[w.Type]
	if !known {
		kind = chat.OtherKind
	}
	ch := channel{Channel: chat.Channel{
		ID:          chat.ChannelID(w.ID),
		Guild:       g,
		Name:        w.Name,
		Kind:        kind,
		Parent:      chat.ChannelID(w.Parent),
		Topic:       w.Topic,
		Position:    w.Position,
		Private:     w.Type == discordgo.ChannelTypeGuildPrivateThread,
		Created:     sentAt(w.ID),
		AppliedTags: w.AppliedTags,
		Slowmode:    time.Duration(w.Slowmode) * time.Second,
		Limit:       w.Limit,
		RequireTag:  w.Flags&discordgo.ChannelFlagRequireTag != 0,
		Pinned:      w.Flags&discordgo.ChannelFlagPinned != 0,
	}, adults: w.Adults, flags: w.Flags, last: lastMessage{latest: chat.MessageID(w.LastMessage)}}
	for _, t := range w.Tags {
		ch.Tags = append(ch.Tags, tagFrom(t))
	}
	if w.Flags&flagObfuscated != 0 {
		ch.Name = "" // it is the same for all of them
	}
	ch.letters = chat.Letters(ch.Name)
	if w.LastMessage != "" {
		ch.Active = sentAt(w.LastMessage)
	}
	if w.Thread != nil {
		ch.Archived, ch.Locked = w.Thread.Archived, w.Thread.Locked
		ch.Owner, ch.ArchivedAt = chat.UserID(w.Owner), w.Thread.ArchivedAt.UTC()
		ch.ArchiveAfter = time.Duration(w.Thread.ArchiveAfter) * time.Minute
	}
	if w.Thread != nil && w.Thread.Created != nil {
		ch.Created = w.Thread.Created.UTC()
	}
	ch.joined = w.Member != nil
	for _, o := range w.Overwrites {
		rule := overwrite{allow: int64(o.Allow), deny: int64(o.Deny)}
		if o.Type == discordgo.PermissionOverwriteTypeMember {
			rule.member = chat.UserID(o.ID)
		} else {
			rule.role = chat.RoleID(o.ID)
		}
		ch.overwrites = append(ch.overwrites, rule)
	}
	return ch
}

func tagFrom(w wireTag) chat.Tag {
	t := chat.Tag{ID: w.ID, Name: w.Name, Emoji: chat.Emoji(w.EmojiName), Moderated: w.Moderated}
	if w.EmojiID != "" {
		t.Emoji = chat.Emoji(":" + w.EmojiID)
	}
	return t
}

type wireUser struct {
	ID         string `json:"id"`
	Username   string `json:"username" wire:"optional"`
	GlobalName string `json:"global_name" wire:"optional"`
	Bot        bool   `json:"bot"`
}

// wireMember is a member of a server. Events of messages leave out the user.
type wireMember struct {
	Guild         string     `json:"guild_id"` // in events of members
	User          *wireUser  `json:"user"`
	Nick          string     `json:"nick" wire:"optional"`
	Roles         []string   `json:"roles"`
	Joined        time.Time  `json:"joined_at" wire:"optional"`
	TimedOutUntil *time.Time `json:"communication_disabled_until"`
}

type wireBan struct {
	User *wireUser `json:"user"`
}

// userFrom uses the name that members see. m may be nil.
func userFrom(u wireUser, m *wireMember) chat.User {
	nick := ""
	if m != nil {
		nick = m.Nick
	}
	return chat.User{ID: chat.UserID(u.ID), Name: cmp.Or(nick, u.GlobalName, u.Username), Handle: u.Username, Bot: u.Bot}
}

func memberFrom(m wireMember) chat.Member {
	out := chat.Member{Nickname: m.Nick, Joined: m.Joined}
	if m.User != nil {
		out.User, out.DisplayName = userFrom(*m.User, &m), m.User.GlobalName
	}
	for _, r := range m.Roles {
		out.Roles = append(out.Roles, chat.RoleID(r))
	}
	if m.TimedOutUntil != nil {
		out.TimedOutUntil = *m.TimedOutUntil
	}
	return out
}
