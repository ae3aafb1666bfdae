package discord

import (
	"cmp"
	"time"

	"discoclaw/internal/chat"
)

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
