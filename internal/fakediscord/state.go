package fakediscord

import (
	"slices"
	"strconv"

	"discoclaw/internal/chat"
)

// A State is the persistent part of a world, as plain data: all but connections, pending
// interactions, faults, limits and exchanges.
type State struct {
	LastID     string   `json:"lastId"` // the last ID of any object, deleted ones included
	Guild      Guild    `json:"guild"`
	MoreGuilds []Guild  `json:"moreGuilds,omitempty"`
	Roles      []Role   `json:"roles"` // of each guild, @everyone first
	Members    []Member `json:"members"`
	Channels   []Place  `json:"channels"`

	Events   []ScheduledEvent `json:"events,omitempty"` // oldest first, as the lists below
	Invites  []Invite         `json:"invites,omitempty"`
	AuditLog []AuditEntry     `json:"auditLog,omitempty"`
	Emojis   []GuildEmoji     `json:"emojis,omitempty"`
	Webhooks []Webhook        `json:"webhooks,omitempty"`
}

// A Place is a channel with its messages, oldest first.
type Place struct {
	Channel
	Messages []Message `json:"messages,omitempty"`
}

// Guilds are all guilds, the first one first.
func (s *State) Guilds() []Guild { return append([]Guild{s.Guild}, s.MoreGuilds...) }

// State returns a copy of the world's state. The data of files is shared, because it
// never changes.
func (w *World) State() State {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state(w.history)
}

// Changes is State with only the messages that were posted or changed since the last call, and the IDs of those that
// were deleted one by one: the messages of a deleted channel are gone with it. With all set, or the first time, it is
// the whole State.
func (w *World) Changes(all bool) (s State, gone []chat.MessageID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	some, gone := w.touched, w.gone
	if all || some == nil {
		some, gone = w.history, nil
	}
	w.touched, w.gone = map[chat.ChannelID][]chat.MessageID{}, nil
	return w.state(some), gone
}

// touch says that a message is new or has changed. The events about messages call it: of every such change, somebody is
// told.
func (w *World) touch(m *Message) {
	if w.touched != nil && !slices.Contains(w.touched[m.Channel], m.ID) {
		w.touched[m.Channel] = append(w.touched[m.Channel], m.ID)
	}
}

// state is a copy of the state, with some of the messages.
func (w *World) state(messages map[chat.ChannelID][]chat.MessageID) State {
	s := State{LastID: strconv.FormatInt(max(w.ids.last, w.auditIDs.last), 10), Invites: values(w.openInvites()), Webhooks: values(w.webhooks)}
	for _, g := range w.guilds {
		g.Bot = w.bot
		s.MoreGuilds = append(s.MoreGuilds, g.Guild)
		s.Roles = append(s.Roles, values(g.roles)...)
		for _, m := range g.members {
			s.Members = append(s.Members, m.clone())
		}
		s.Events = append(s.Events, values(g.scheduled)...)
		s.AuditLog = append(s.AuditLog, values(g.auditLog)...)
		s.Emojis = append(s.Emojis, values(g.emojis)...)
	}
	s.Guild, s.MoreGuilds = s.MoreGuilds[0], s.MoreGuilds[1:]
	s.Guild.WithoutMessageContent = w.granted&intentContent == 0
	s.Guild.WithoutMemberList = w.granted&intentMembers == 0
	for _, id := range w.channelOrder {
		p := Place{Channel: w.channels[id].clone()}
		for _, id := range messages[id] {
			if m := w.messages[id]; m != nil { // it may have been deleted after it was touched
				p.Messages = append(p.Messages, m.clone())
			}
		}
		s.Channels = append(s.Channels, p)
	}
	return s
}

func values[T any](of []*T) []T {
	var all []T
	for _, x := range of {
		all = append(all, *x)
	}
	return all
}

// Restore makes the world of a state, and takes ownership of the state. All its references
// must be valid; the package save checks that.
func Restore(s State) *World {
	w := newWorld()
	for _, g := range s.Guilds() {
		w.addGuild(g)
	}
	// Discord gives an application and its bot the same ID.
	w.bot, w.app = s.Guild.Bot, string(s.Guild.Bot)
	if s.Guild.WithoutMessageContent {
		w.granted &^= intentContent
	}
	if s.Guild.WithoutMemberList {
		w.granted &^= intentMembers
	}
	w.ids.last = idNumber(s.LastID)
	for _, r := range pointers(s.Roles) {
		w.guild(r.Guild).roles = append(w.guild(r.Guild).roles, r)
	}
	for _, m := range pointers(s.Members) {
		w.guild(m.Guild).members = append(w.guild(m.Guild).members, m)
	}
	for i := range s.Channels {
		w.restoreChannel(&s.Channels[i])
	}
	w.invites, w.webhooks = pointers(s.Invites), pointers(s.Webhooks)
	for _, e := range pointers(s.Events) {
		w.guild(e.Guild).scheduled = append(w.guild(e.Guild).scheduled, e)
	}
	for _, e := range pointers(s.AuditLog) {
		w.guild(e.Guild).auditLog = append(w.guild(e.Guild).auditLog, e)
		w.auditIDs.last = max(w.auditIDs.last, idNumber(e.ID))
	}
	for _, e := range pointers(s.Emojis) {
		w.guild(e.Guild).emojis = append(w.guild(e.Guild).emojis, e)
	}
	return w
}

// restoreChannel adds a channel with its messages to the world. Their nonces are still
// deduped.
func (w *World) restoreChannel(p *Place) {
	w.channels[p.ID] = &p.Channel
	w.channelOrder = append(w.channelOrder, p.ID)
	for _, m := range pointers(p.Messages) {
		m.Channel = p.ID
		w.messages[m.ID] = m
		w.history[p.ID] = append(w.history[p.ID], m.ID)
		if m.Poll != nil && !m.Poll.Closed(w.clock()) { // one that ended meanwhile has no result
			w.awaitEnd(m)
		}
		if m.Nonce != "" {
			w.nonces[nonceKey{m.Author, p.ID, m.Nonce}] = sentNonce{m.ID, m.Sent}
		}
	}
}

func pointers[T any](to []T) []*T {
	var all []*T
	for i := range to {
		all = append(all, &to[i])
	}
	return all
}
