package fakediscord

import (
	"fmt"
	"iter"
	"slices"

	"discoclaw/internal/chat"
)

// A View is the first guild as one member sees it, with their direct messages with the
// bot, for user interfaces. It has only channels, names and messages that are visible to
// the member. A View has no state; every call reads the world as it is then.
type View struct {
	w   *World
	who chat.UserID
}

// A SeenChannel is a channel with properties that differ between members.
type SeenChannel struct {
	Channel
	CanSend  bool           // a message; in a forum, a post
	Messages int            // visible to the member
	Last     chat.MessageID // the newest of them; empty if there are none
	Inside   []chat.UserID  // who is in a voice channel
	CanEnter bool           // a voice channel
}

// ViewOf is the view of a member, by name or ID.
func (w *World) ViewOf(member string) (View, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	m := w.member(member)
	if m == nil {
		return View{}, fmt.Errorf("there is no member %s", member)
	}
	return View{w: w, who: m.ID}, nil
}

// Channels are the channels and threads that the member sees, oldest first.
func (v View) Channels() []SeenChannel {
	v.w.mu.Lock()
	defer v.w.mu.Unlock()
	var all []SeenChannel
	for _, id := range v.w.channelOrder {
		if seen, ok := v.channel(id); ok {
			all = append(all, seen)
		}
	}
	return all
}

// Channel is one channel, if the member sees it.
func (v View) Channel(id chat.ChannelID) (SeenChannel, bool) {
	v.w.mu.Lock()
	defer v.w.mu.Unlock()
	return v.channel(id)
}

func (v View) channel(id chat.ChannelID) (SeenChannel, bool) {
	c, who := v.w.channels[id], v.w.user(v.who)
	if c == nil || !v.shows(c) || !v.w.sees(who, c) {
		return SeenChannel{}, false
	}
	seen := SeenChannel{Channel: c.clone(), CanSend: v.w.canSend(who, c)}
	for m := range v.messages(c) {
		seen.Messages++
		seen.Last = m.ID
	}
	if c.Type.isVocal() {
		g := v.w.guild(c.Guild)
		for _, m := range g.members {
			if g.voice[m.ID].Channel == c.ID {
				seen.Inside = append(seen.Inside, m.ID)
			}
		}
		seen.CanEnter = v.w.mayEnterVoice(g.person(v.who), c)
	}
	return seen, true
}

// shows reports whether a channel is part of the view, which is of the first guild.
func (v View) shows(c *Channel) bool { return c.Guild == "" || c.Guild == v.w.first().ID }

// canSend checks the rights for a plain message.
func (w *World) canSend(who *Member, c *Channel) bool {
	may := w.permissions(who, c)
	if c.Type == ForumChannel {
		return may.Has(sendMessages)
	}
	return w.maySend(draft{author: who, channel: c, content: "hello"}, may) == nil
}

// messages are those of a channel that are visible to the member, oldest first.
func (v View) messages(c *Channel) iter.Seq[*Message] {
	return func(yield func(*Message) bool) {
		for _, id := range v.w.history[c.ID] {
			if m := v.w.messages[id]; (m.OnlyFor == "" || m.OnlyFor == v.who) && !yield(m) {
				return
			}
		}
	}
}

// Messages are the latest messages of a channel, or the latest before one of them,
// oldest first and at most limit. more says that there are older ones. Without Read
// Message History there are none.
func (v View) Messages(channel chat.ChannelID, before chat.MessageID, limit int) (page []Message, more bool) {
	v.w.mu.Lock()
	defer v.w.mu.Unlock()
	c, who := v.w.channels[channel], v.w.user(v.who)
	if c == nil || !v.shows(c) || !v.w.sees(who, c) || !v.w.permissions(who, c).Has(readHistory) {
		return nil, false
	}
	all := slices.Collect(v.messages(c))
	if before != "" {
		all = slices.DeleteFunc(all, func(m *Message) bool { return compareIDs(string(m.ID), string(before)) >= 0 })
	}
	from := max(0, len(all)-limit)
	for _, m := range all[from:] {
		page = append(page, m.clone())
	}
	return page, from > 0
}

// Message is one message of a channel, if the member sees it.
func (v View) Message(channel chat.ChannelID, id chat.MessageID) (Message, bool) {
	v.w.mu.Lock()
	defer v.w.mu.Unlock()
	m := v.w.messages[id]
	if m == nil || m.Channel != channel || m.OnlyFor != "" && m.OnlyFor != v.who {
		return Message{}, false
	}
	if c := v.w.channels[channel]; !v.shows(c) || !v.w.sees(v.w.user(v.who), c) {
		return Message{}, false
	}
	return m.clone(), true
}
