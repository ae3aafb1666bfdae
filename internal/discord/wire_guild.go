package discord

import (
	"strconv"
	"strings"

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
