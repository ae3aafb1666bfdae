package fakediscord

import (
	"fmt"
	"slices"

	"discoclaw/internal/chat"
)

// Messages are the messages of a channel, oldest first, ephemeral ones included. An
// unknown channel has none.
func (w *World) Messages(channel string) []Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.channel(channel)
	if c == nil {
		return nil
	}
	var all []Message
	for _, id := range w.history[c.ID] {
		all = append(all, w.messages[id].clone())
	}
	return all
}

// Message finds a message by its ID.
func (w *World) Message(id chat.MessageID) (Message, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := w.messages[id]
	if m == nil {
		return Message{}, false
	}
	return m.clone(), true
}

// Pins are the pinned messages of a channel, the latest pin first.
func (w *World) Pins(channel string) []Message {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []Message
	if c := w.channel(channel); c != nil {
		for _, m := range w.pinned(c) {
			all = append(all, m.clone())
		}
	}
	return all
}

// Channels are all channels and threads, oldest first, then the bot's direct message
// channels.
func (w *World) Channels() []Channel {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []Channel
	for _, id := range w.channelOrder {
		all = append(all, w.channels[id].clone())
	}
	slices.SortStableFunc(all, func(a, b Channel) int { return private(a) - private(b) })
	return all
}

func private(c Channel) int {
	if c.Type == DMChannel {
		return 1
	}
	return 0
}

// Members are those of the first guild, in the order in which they joined.
func (w *World) Members() []Member {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []Member
	for _, m := range w.first().members {
		if !m.Left {
			all = append(all, m.clone())
		}
	}
	return all
}

// Permissions are the rights of a member in a channel.
func (w *World) Permissions(member, channel string) (Permissions, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m, c := w.member(member), w.channel(channel)
	switch {
	case m == nil:
		return 0, fmt.Errorf("there is no member %s", member)
	case c == nil:
		return 0, w.noChannel(channel)
	case !w.sees(m, c):
		return 0, nil
	}
	return w.permissions(m, c), nil
}

// Channel finds a channel or thread by name or ID, or the direct messages with a member,
// written @name.
func (w *World) Channel(nameOrID string) (Channel, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.channel(nameOrID)
	if c == nil {
		return Channel{}, false
	}
	return c.clone(), true
}

// Member finds a member by name or ID; "bot" is the bot.
func (w *World) Member(nameOrID string) (Member, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := w.member(nameOrID)
	if m == nil {
		return Member{}, false
	}
	return m.clone(), true
}

// GuildID is the ID of the first guild.
func (w *World) GuildID() chat.GuildID {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.first().ID
}
