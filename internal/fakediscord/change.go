package fakediscord

import (
	"fmt"
	"slices"
	"time"

	"discoclaw/internal/chat"
)

// Changes that no member makes: the test is the administrator. The bot gets the events of
// them.

// Allow grants a member or a role rights in a channel.
func (w *World) Allow(channel, who string, rights ...chat.Permission) error {
	return w.overwrite(channel, who, rights, func(p Permissions) (allow, deny Permissions) { return p, 0 })
}

// Deny denies a member or a role rights in a channel.
func (w *World) Deny(channel, who string, rights ...chat.Permission) error {
	return w.overwrite(channel, who, rights, func(p Permissions) (allow, deny Permissions) { return 0, p })
}

func (w *World) overwrite(channel, who string, rights []chat.Permission, split func(Permissions) (allow, deny Permissions)) error {
	return w.reshape(func() error {
		p, err := parsePermissions(rights...)
		if err != nil {
			return err
		}
		allow, deny := split(p)
		changed, err := w.setOverwrite(channel, who, allow, deny)
		for _, c := range changed {
			w.emitChannel("CHANNEL_UPDATE", c)
		}
		return err
	})
}

// setOverwrite changes what a role or a member may do in a channel.
func (w *World) setOverwrite(channel, who string, allow, deny Permissions) (changed []*Channel, err error) {
	c := w.channel(channel)
	if c == nil {
		return nil, w.noChannel(channel)
	}
	g := w.guild(c.Guild)
	target := Overwrite{Allow: allow, Deny: deny}
	if m := w.memberOn(g, who); m != nil {
		target.Member = m.ID
	} else if r := g.roleNamed(who); r != nil {
		target.Role = r.ID
	} else {
		return nil, fmt.Errorf("there is no member and no role %s", who)
	}
	return w.setRules(c, withOverwrite(c.Overwrites, target)), nil
}

// withOverwrite adds a rule to those there are.
func withOverwrite(rules []Overwrite, target Overwrite) []Overwrite {
	rules = slices.Clone(rules)
	for i := range rules {
		if o := &rules[i]; o.Role == target.Role && o.Member == target.Member {
			o.Allow, o.Deny = o.Allow&^target.Deny|target.Allow, o.Deny&^target.Allow|target.Deny
			return rules
		}
	}
	return append(rules, target)
}

// SetPermission grants or removes a right of a role on the whole guild. The role @everyone
// is that of all members, the role bot that of the bot.
func (w *World) SetPermission(role string, right chat.Permission, on bool) error {
	return w.reshape(func() error {
		r, err := w.soleRole(role)
		if err != nil {
			return err
		}
		p, err := ParsePermission(right)
		if err != nil {
			return err
		}
		r.Permissions &^= p
		if on {
			r.Permissions |= p
		}
		w.emitRole("GUILD_ROLE_UPDATE", r)
		return nil
	})
}

// RenameRole gives a role another name.
func (w *World) RenameRole(role, name string) error {
	return w.reshape(func() error {
		r, err := w.soleRole(role)
		if err != nil {
			return err
		}
		r.Name = name
		w.emitRole("GUILD_ROLE_UPDATE", r)
		return nil
	})
}

// GrantRole gives a member a role.
func (w *World) GrantRole(member, role string) error {
	return w.changeRoles(member, role, func(roles []chat.RoleID, id chat.RoleID) []chat.RoleID {
		if slices.Contains(roles, id) {
			return roles
		}
		return append(roles, id)
	})
}

// RevokeRole takes a role from a member.
func (w *World) RevokeRole(member, role string) error {
	return w.changeRoles(member, role, func(roles []chat.RoleID, id chat.RoleID) []chat.RoleID {
		return slices.DeleteFunc(roles, func(r chat.RoleID) bool { return r == id })
	})
}

func (w *World) changeRoles(member, role string, f func([]chat.RoleID, chat.RoleID) []chat.RoleID) error {
	return w.changeMember(member, func(m *Member) error {
		r := w.guild(m.Guild).roleNamed(role)
		if r == nil {
			return fmt.Errorf("there is no role %s", role)
		}
		m.Roles = f(m.Roles, r.ID)
		return nil
	})
}

// SetNick sets a member's nickname. Empty removes it.
func (w *World) SetNick(member, nick string) error {
	return w.changeMember(member, func(m *Member) error {
		m.Nick = nick
		return nil
	})
}

// SetDisplayName sets the name that a member has on all guilds, where no nickname hides it. Empty removes it.
func (w *World) SetDisplayName(member, name string) error {
	return w.changeMember(member, func(m *Member) error {
		m.Display = name
		return nil
	})
}

// TimeOut times a member out, who can then only read.
func (w *World) TimeOut(member string, d time.Duration) error {
	return w.changeMember(member, func(m *Member) error {
		m.TimedOutUntil = w.now().Add(d)
		return nil
	})
}

func (w *World) changeMember(name string, f func(*Member) error) error {
	return w.reshape(func() error {
		m, err := w.soleMember(name)
		if err != nil {
			return err
		}
		if err := f(m); err != nil {
			return err
		}
		w.emitMember(m)
		return nil
	})
}

// RemoveMember makes a member leave the guild. Their messages stay.
func (w *World) RemoveMember(name string) error {
	return w.change(func() error {
		m, err := w.soleMember(name)
		if err != nil {
			return err
		}
		w.leave(m)
		return nil
	})
}

// RefuseDMs makes a member refuse direct messages from the bot.
func (w *World) RefuseDMs(name string) error {
	return w.change(func() error {
		m := w.member(name)
		if m == nil {
			return fmt.Errorf("there is no member %s", name)
		}
		w.user(m.ID).NoDMs = true // on every guild
		return nil
	})
}

// AddChannel makes a channel, written as in a layout: #name, or name:kind, with the
// guild before it if there are several: disco/#name.
func (w *World) AddChannel(written string) (Channel, error) {
	var added Channel
	err := w.reshape(func() error {
		g, rest, err := w.newOn(written)
		if err != nil {
			return err
		}
		name, kind, err := parseChannel(rest)
		if err != nil {
			return err
		}
		c := w.addChannel(&Channel{Guild: g.ID, Type: kind, Name: name})
		w.emitChannel("CHANNEL_CREATE", c)
		added = c.clone()
		return nil
	})
	return added, err
}

// RenameChannel gives a channel or thread another name, as the owner of its guild would.
func (w *World) RenameChannel(channel, name string) error {
	return w.changeChannel(channel, func(c *Channel) error {
		c.Name = name
		return nil
	})
}

// RestrictAge makes a channel one for adults.
func (w *World) RestrictAge(channel string) error {
	return w.changeChannel(channel, func(c *Channel) error {
		c.Adults = true
		return nil
	})
}

// SetTopic gives a channel another topic.
func (w *World) SetTopic(channel, topic string) error {
	return w.changeChannel(channel, func(c *Channel) error {
		c.Topic = topic
		return nil
	})
}

// MakeRules makes a channel the one for the guild's rules, which cannot be deleted.
func (w *World) MakeRules(channel string) error {
	return w.changeChannel(channel, func(c *Channel) error {
		c.Rules = true
		return nil
	})
}

// TagPost replaces the tags of a forum's post, given by their IDs.
func (w *World) TagPost(post string, tags ...string) error {
	return w.changeChannel(post, func(c *Channel) error {
		c.AppliedTags = slices.Clone(tags)
		return nil
	})
}

// Archive puts a thread into the archive.
func (w *World) Archive(thread string) error { return w.setArchive(thread, true, false) }

// Unarchive takes a thread out of the archive, and unlocks it.
func (w *World) Unarchive(thread string) error { return w.setArchive(thread, false, false) }

// Lock archives a thread so that only those who manage threads can write in it.
func (w *World) Lock(thread string) error { return w.setArchive(thread, true, true) }

func (w *World) setArchive(thread string, archived, locked bool) error {
	return w.changeChannel(thread, func(c *Channel) error {
		if !c.Type.IsThread() {
			return fmt.Errorf("%s is not a thread", c)
		}
		c.archive(archived, w.now())
		c.Locked = locked
		return nil
	})
}

func (w *World) changeChannel(name string, f func(*Channel) error) error {
	return w.reshape(func() error {
		c := w.channel(name)
		if c == nil {
			return w.noChannel(name)
		}
		before := c.Name
		if err := f(c); err != nil {
			return err
		}
		if c.Type.IsThread() {
			g := w.guild(c.Guild)
			w.emitThread(c, before, g.person(g.Owner))
		} else {
			w.emitChannel("CHANNEL_UPDATE", c)
		}
		return nil
	})
}

// emitThread tells of a change of a thread. A new name is also said in it, as a message of the user who chose it.
// https://discord.com/developers/docs/topics/threads#new-message-types
func (w *World) emitThread(c *Channel, before string, by *Member) {
	w.emit("THREAD_UPDATE", intentGuilds, c, w.threadJSON(c))
	if c.Name != before && by != nil {
		w.post(draft{author: by, channel: c, kind: NameChange, content: c.Name})
	}
}

// DeleteChannel deletes a channel with its threads, or a thread.
func (w *World) DeleteChannel(name string) error {
	return w.reshape(func() error {
		c := w.channel(name)
		if c == nil {
			return w.noChannel(name)
		}
		w.removeChannel(c)
		return nil
	})
}

// removeChannel removes a channel with its threads. The channels of a category stay.
func (w *World) removeChannel(c *Channel) {
	if c.Type.IsThread() {
		w.emit("THREAD_DELETE", intentGuilds, c, object{"id": c.ID, "guild_id": c.Guild, "parent_id": c.Parent, "type": int(c.Type)})
	} else {
		w.emitChannel("CHANNEL_DELETE", c)
		w.emptyVoice(c)
	}
	for _, child := range w.under(c.ID, "") {
		child.Parent = ""
		w.emitChannel("CHANNEL_UPDATE", child)
	}
	for _, id := range slices.Clone(w.channelOrder) {
		if id == c.ID || w.channels[id].Type.IsThread() && w.channels[id].Parent == c.ID {
			w.forgetChannel(id)
		}
	}
}

func (w *World) forgetChannel(id chat.ChannelID) {
	for _, m := range w.history[id] {
		delete(w.messages, m)
	}
	w.closeChannel(id)
	delete(w.history, id)
	delete(w.channels, id)
	w.channelOrder = slices.DeleteFunc(w.channelOrder, func(other chat.ChannelID) bool { return other == id })
}
