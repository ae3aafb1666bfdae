package fakediscord

import (
	"slices"
	"time"

	"discoclaw/internal/chat"
)

// TakesThreads reports whether threads can be started in such a channel.
func (t ChannelType) TakesThreads() bool {
	return t == TextChannel || t == AnnouncementChannel || t == ForumChannel
}

// threads is the default kind of thread in such a channel.
func (t ChannelType) threads() ChannelType {
	if t == AnnouncementChannel {
		return AnnouncementThread
	}
	return PublicThread
}

// startThread adds a thread with its first members.
func (w *World) startThread(c *Channel, by *Member) *Channel {
	c.Created, c.ArchivedAt, c.Owner = w.now(), w.now(), by.ID
	c.Members = []chat.UserID{by.ID}
	if c.AutoArchive == 0 {
		c.AutoArchive = int((24 * time.Hour).Minutes())
	}
	return w.addChannel(c)
}

// wake unarchives a thread, as a new message does.
func (w *World) wake(c *Channel) {
	if c.Archived {
		c.archive(false, w.now())
		w.emit("THREAD_UPDATE", intentGuilds, c, w.threadJSON(c))
	}
}

// joinThread puts a member into a thread.
func (w *World) joinThread(c *Channel, m *Member) {
	if slices.Contains(c.Members, m.ID) {
		return
	}
	c.Members = append(c.Members, m.ID)
	o := w.threadMemberJSON(c, m.ID)
	o["member"], o["presence"] = w.memberJSON(m), nil // members have none here
	w.emitThreadMembers(c, m.ID, []object{o}, nil)
}

// leaveThread takes a member out of a thread.
func (w *World) leaveThread(c *Channel, id chat.UserID) {
	c.Members = slices.DeleteFunc(c.Members, func(each chat.UserID) bool { return each == id })
	w.emitThreadMembers(c, id, nil, []chat.UserID{id})
}

// emitThreadMembers emits that members have joined or left a thread. Changes of the bot itself need no intent for members.
// https://discord.com/developers/docs/events/gateway-events#thread-members-update
func (w *World) emitThreadMembers(c *Channel, who chat.UserID, joined []object, left []chat.UserID) {
	intent := intentMembers
	if who == w.bot {
		intent = intentGuilds
	}
	w.emit("THREAD_MEMBERS_UPDATE", intent, c, object{
		"id": c.ID, "guild_id": c.Guild, "member_count": min(len(c.Members), 50), "added_members": list(joined), "removed_member_ids": list(left),
	})
}
