package fakediscord

import (
	"slices"
	"strings"
	"time"

	"discoclaw/internal/chat"
)

// A ChannelType is Discord's number for a kind of channel.
type ChannelType int

// https://discord.com/developers/docs/resources/channel#channel-object-channel-types
const (
	TextChannel         ChannelType = 0
	DMChannel           ChannelType = 1
	VoiceChannel        ChannelType = 2
	CategoryChannel     ChannelType = 4
	AnnouncementChannel ChannelType = 5
	AnnouncementThread  ChannelType = 10
	PublicThread        ChannelType = 11
	PrivateThread       ChannelType = 12
	StageChannel        ChannelType = 13
	ForumChannel        ChannelType = 15
)

// mediaChannel is a kind that is not built.
const mediaChannel ChannelType = 16

// creatable are the kinds that a layout or the bot can create.
var creatable = []ChannelType{TextChannel, VoiceChannel, CategoryChannel, AnnouncementChannel, StageChannel, ForumChannel}

// IsThread reports whether this is one of the three kinds of thread.
func (t ChannelType) IsThread() bool {
	return t == AnnouncementThread || t == PublicThread || t == PrivateThread
}

func (t ChannelType) isVocal() bool { return t == VoiceChannel || t == StageChannel }

// takesMessages reports whether such a channel has messages of its own.
func (t ChannelType) takesMessages() bool { return t != CategoryChannel && t != ForumChannel }

// A Channel is a channel, a thread or a direct message channel of the bot.
type Channel struct {
	ID         chat.ChannelID `json:"id"`
	Guild      chat.GuildID   `json:"guild,omitempty"` // empty for a direct message
	Type       ChannelType    `json:"type"`
	Name       string         `json:"name"`
	Topic      string         `json:"topic,omitempty"`
	Adults     bool           `json:"adults,omitempty"`   // it is age-restricted
	Slowmode   int            `json:"slowmode,omitempty"` // seconds between the messages of a member
	Parent     chat.ChannelID `json:"parent,omitempty"`   // the category of a channel, the channel of a thread
	Position   int            `json:"position"`
	Overwrites []Overwrite    `json:"overwrites,omitempty"`
	Rules      bool           `json:"rules,omitempty"`     // the guild's rules channel, which cannot be deleted
	UserLimit  int            `json:"userLimit,omitempty"` // of a voice channel; 0 for none

	// Of forums only.
	Tags       []Tag `json:"tags,omitempty"` // that posts may have
	RequireTag bool  `json:"requireTag,omitempty"`

	// Of threads only.
	AppliedTags []string      `json:"appliedTags,omitempty"` // of a forum's post: IDs of its tags
	Owner       chat.UserID   `json:"owner,omitempty"`
	Members     []chat.UserID `json:"members,omitempty"`
	Created     time.Time     `json:"created,omitzero"`
	NoInvites   bool          `json:"noInvites,omitempty"` // of a private thread: only who manages threads may add people
	Archived    bool          `json:"archived,omitempty"`
	Locked      bool          `json:"locked,omitempty"`
	Flags       int           `json:"flags,omitempty"`
	ArchivedAt  time.Time     `json:"archivedAt,omitzero"`   // the last change of Archived
	AutoArchive int           `json:"autoArchive,omitempty"` // minutes
	Sent        int           `json:"sent,omitempty"`        // messages ever sent, without the starter

	Recipient chat.UserID `json:"recipient,omitempty"` // of a direct message: the user besides the bot
	LastPin   time.Time   `json:"lastPin,omitzero"`
}

func (c *Channel) clone() Channel {
	copied := *c
	copied.Overwrites = slices.Clone(c.Overwrites)
	copied.Members = slices.Clone(c.Members)
	copied.Tags = slices.Clone(c.Tags)
	copied.AppliedTags = slices.Clone(c.AppliedTags)
	return copied
}

// String is the channel's name as in Discord's client.
func (c *Channel) String() string {
	if c.Type == DMChannel {
		return "@" + c.Name
	}
	return "#" + c.Name
}

// channel finds a channel or thread by name or ID. Of several with one name on one
// guild the oldest wins; if they are on several guilds, none does, and the name must
// say which guild is meant, as in disco/general.
func (w *World) channel(nameOrID string) *Channel {
	if c := w.channels[chat.ChannelID(nameOrID)]; c != nil {
		return c
	}
	if c, err := only(w, nameOrID, "channel", w.channelOn); err == nil {
		return c
	}
	return w.directMessages(nameOrID)
}

// channelOn finds a channel or thread of a guild by name.
func (w *World) channelOn(g *guild, name string) *Channel {
	name = strings.TrimPrefix(name, "#")
	for _, id := range w.channelOrder {
		if c := w.channels[id]; c.Guild == g.ID && strings.EqualFold(c.Name, name) {
			return c
		}
	}
	return nil
}

// directMessages finds the direct message channel with a member, written @name.
func (w *World) directMessages(name string) *Channel {
	who, ok := strings.CutPrefix(name, "@")
	if m := w.member(who); ok && m != nil {
		for _, c := range w.channels {
			if c.Type == DMChannel && c.Recipient == m.ID {
				return c
			}
		}
	}
	return nil
}

func (w *World) addChannel(c *Channel) *Channel {
	if c.ID == "" {
		c.ID = chat.ChannelID(w.newID())
	}
	if parent := w.channels[c.Parent]; parent != nil {
		c.Guild = parent.Guild
	}
	c.Position = len(w.channelOrder)
	w.channels[c.ID] = c
	w.channelOrder = append(w.channelOrder, c.ID)
	return c
}

// openDM returns the direct message channel of the bot and a member, opened if need be.
func (w *World) openDM(m *Member) *Channel {
	if c := w.directMessages("@" + string(m.ID)); c != nil {
		return c
	}
	return w.addChannel(&Channel{Type: DMChannel, Name: m.Name, Recipient: m.ID})
}
