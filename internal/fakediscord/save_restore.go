package fakediscord

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"discoclaw/internal/chat"
)

// A restorer makes a world of a file that somebody may have changed by hand. What
// the rest of the world relies on is checked here: that IDs are numbers, that none
// is there twice, and that whoever and whatever is referred to exists. Messages may
// refer to messages that are gone, and everything to roles that are.
type restorer struct {
	w    *World
	last int64           // the greatest ID so far
	ids  map[string]bool // "member 123": what is there already
}

// add takes note of an ID.
func (r *restorer) add(kind, id string) error {
	n, err := strconv.ParseInt(id, 10, 64)
	// New IDs count up from the greatest, so some room must be left above it.
	if err != nil || n < 1 || n > math.MaxInt64-1<<40 || strconv.FormatInt(n, 10) != id {
		return fmt.Errorf("%q is not the ID of a %s", chat.Clip(id, 40), kind)
	}
	key := kind + " " + id
	if r.ids[key] {
		return fmt.Errorf("there are two of %s", key)
	}
	r.ids[key] = true
	r.last = max(r.last, n)
	return nil
}

// known refuses people who are not there.
func (r *restorer) known(what string, people ...chat.UserID) error {
	for _, id := range people {
		if !r.ids["member "+string(id)] {
			return fmt.Errorf("%s: there is no member %q", what, chat.Clip(string(id), 40))
		}
	}
	return nil
}

func (r *restorer) guild(s savedWorld) error {
	for _, from := range append([]savedGuild{s.Guild}, s.Guilds...) {
		if err := r.add("guild", string(from.ID)); err != nil {
			return err
		}
		if from.Name == "" {
			return errors.New("the guild has no name")
		}
		r.w.addGuild(from.ID, from.Name)
	}
	if s.Guild.WithoutMessageContent {
		r.w.granted &^= intentContent
	}
	if s.Guild.WithoutMemberList {
		r.w.granted &^= intentMembers
	}
	return nil
}

// on is the guild that something belongs to: the first, unless it says which.
func (r *restorer) on(what string, id chat.GuildID) (*guild, error) {
	if id == "" {
		return r.w.first(), nil
	}
	g := r.w.guild(id)
	if g == nil {
		return nil, fmt.Errorf("%s: there is no guild %q", what, chat.Clip(string(id), 40))
	}
	return g, nil
}

func (r *restorer) roles(s savedWorld) error {
	for _, from := range s.Roles {
		if err := r.add("role", string(from.ID)); err != nil {
			return err
		}
		rights, err := parseRights(from.Permissions)
		if err != nil {
			return fmt.Errorf("role %s: %w", from.ID, err)
		}
		g, err := r.on("role "+string(from.ID), from.Guild)
		if err != nil {
			return err
		}
		g.roles = append(g.roles, &Role{
			ID: from.ID, Guild: g.id, Name: from.Name, Permissions: rights, Position: from.Position, Managed: from.Managed,
			Color: from.Color, Hoist: from.Hoist, Mentionable: from.Mentionable,
		})
	}
	for _, g := range r.w.guilds {
		if len(g.roles) == 0 || string(g.roles[0].ID) != string(g.id) {
			return fmt.Errorf("the first role must be @everyone, which has the ID of the guild, %s", g.id)
		}
	}
	return nil
}

func (r *restorer) members(s savedWorld) error {
	for _, from := range s.Members {
		g, err := r.on("member "+string(from.ID), from.Guild)
		if err != nil {
			return err
		}
		known := r.w.user(from.ID)
		if known == nil || g.person(from.ID) != nil {
			if err := r.add("member", string(from.ID)); err != nil {
				return err
			}
		}
		// People are called by name or ID, and the bot also "bot".
		if from.Name == "" || strings.EqualFold(from.Name, "bot") || !sameName(known, from.Name) || known == nil && r.w.member(from.Name) != nil {
			return fmt.Errorf("member %s: the name %q is empty or taken", from.ID, chat.Clip(from.Name, 40))
		}
		g.members = append(g.members, &Member{
			ID: from.ID, Guild: g.id, Name: from.Name, Nick: from.Nick, Bot: from.Bot, Roles: from.Roles, Joined: from.Joined,
			TimedOutUntil: from.TimedOutUntil, NoDMs: from.NoDMs, Left: from.Left,
			Banned: from.Banned, BanReason: from.BanReason,
		})
	}
	return nil
}

// sameName says whether somebody who may be on another guild is called the same there.
func sameName(known *Member, name string) bool { return known == nil || known.Name == name }

// people finds the owners and the bot among the members.
func (r *restorer) people(s savedWorld) error {
	for i, from := range append([]savedGuild{s.Guild}, s.Guilds...) {
		g := r.w.guilds[i]
		owner, bot := g.person(from.Owner), g.person(from.Bot)
		switch {
		case owner == nil:
			return fmt.Errorf("the owner of the guild, %q, is not among the members", chat.Clip(string(from.Owner), 40))
		case bot == nil || !bot.Bot || from.Bot != s.Guild.Bot:
			return fmt.Errorf("the bot of the guild, %q, is not among the members, or is not a bot", chat.Clip(string(from.Bot), 40))
		}
		g.owner, r.w.bot, r.w.app = owner.ID, bot.ID, string(bot.ID)
	}
	return nil
}

func (r *restorer) channels(s savedWorld) error {
	for _, from := range s.Channels {
		if err := r.add("channel", string(from.ID)); err != nil {
			return err
		}
		c, err := from.channel()
		if err != nil {
			return fmt.Errorf("channel %s: %w", from.ID, err)
		}
		if c.Type != DMChannel {
			g, err := r.on("channel "+string(c.ID), from.Guild)
			if err != nil {
				return err
			}
			c.Guild = g.id
		}
		for i, t := range c.Tags {
			if err := r.add(fmt.Sprintf("tag %d of channel %s", i+1, c.ID), t.ID); err != nil {
				return err
			}
		}
		r.w.channels[c.ID] = c
		r.w.channelOrder = append(r.w.channelOrder, c.ID)
	}
	return nil
}

func (s savedChannel) channel() (*Channel, error) {
	c := &Channel{
		ID: s.ID, Type: ChannelType(s.Type), Name: s.Name, Topic: s.Topic, Parent: s.Parent, Position: s.Position,
		Rules: s.Rules, UserLimit: s.UserLimit, RequireTag: s.RequireTag, AppliedTags: s.AppliedTags, Owner: s.Owner, Members: s.Members,
		Created: s.Created, Archived: s.Archived, Locked: s.Locked, ArchivedAt: s.ArchivedAt,
		AutoArchive: s.AutoArchive, Sent: s.Sent, Recipient: s.Recipient, LastPin: s.LastPin,
	}
	for _, from := range s.Overwrites {
		allow, err := parseRights(from.Allow)
		if err != nil {
			return nil, err
		}
		deny, err := parseRights(from.Deny)
		if err != nil {
			return nil, err
		}
		if (from.Role == "") == (from.Member == "") {
			return nil, errors.New("an overwrite is for a role or for a member")
		}
		c.Overwrites = append(c.Overwrites, Overwrite{Role: from.Role, Member: from.Member, Allow: allow, Deny: deny})
	}
	for _, t := range s.Tags {
		c.Tags = append(c.Tags, Tag{ID: t.ID, Name: t.Name, Emoji: chat.Emoji(t.Emoji), Moderated: t.Moderated})
	}
	return c, nil
}

// places checks what channels say about each other and about people.
func (r *restorer) places(s savedWorld) error {
	var recipients []chat.UserID
	for _, id := range r.w.channelOrder {
		c := r.w.channels[id]
		what, parent := fmt.Sprintf("channel %s (%s)", c.ID, chat.Clip(c.Name, 40)), r.w.channels[c.Parent]
		switch {
		case c.Type.IsThread() && (parent == nil || parent.Guild != c.Guild || !parent.Type.takesThreads()):
			return fmt.Errorf("%s: it is a thread, and its parent %q is not a channel with threads", what, chat.Clip(string(c.Parent), 40))
		case !c.Type.IsThread() && c.Parent != "" && (parent == nil || parent.Guild != c.Guild || parent.Type != CategoryChannel):
			return fmt.Errorf("%s: its parent %q is not a category", what, chat.Clip(string(c.Parent), 40))
		case c.Type == DMChannel && slices.Contains(recipients, c.Recipient):
			return fmt.Errorf("%s: there is another conversation of the bot with %s", what, c.Recipient)
		}
		people := c.Members
		if c.Type == DMChannel {
			recipients = append(recipients, c.Recipient)
			people = append(slices.Clip(people), c.Recipient)
		}
		if c.Type.IsThread() {
			people = append(slices.Clip(people), c.Owner)
		}
		if err := r.known(what, people...); err != nil {
			return err
		}
	}
	return nil
}

func (r *restorer) messages(s savedWorld) error {
	for _, channel := range s.Channels {
		for _, from := range channel.Messages {
			if err := r.add("message", string(from.ID)); err != nil {
				return err
			}
			m := from.message(channel.ID)
			if err := r.message(m); err != nil {
				return err
			}
			r.w.messages[m.ID] = m
			r.w.history[m.Channel] = append(r.w.history[m.Channel], m.ID)
			if m.Nonce != "" {
				r.w.nonces[nonceKey{m.Author, m.Channel, m.Nonce}] = sentNonce{m.ID, m.Sent}
			}
		}
	}
	return nil
}

// message checks whom a message is about.
func (r *restorer) message(m *Message) error {
	people := append(slices.Clone(m.Mentions), m.Author)
	for _, reaction := range m.Reactions {
		people = append(people, reaction.Users...)
	}
	if m.OnlyFor != "" {
		people = append(people, m.OnlyFor)
	}
	if m.interaction != nil {
		people = append(people, m.interaction.user)
	}
	for _, a := range m.Attachments {
		if err := r.add("attachment", a.ID); err != nil {
			return err
		}
	}
	return r.known("message "+string(m.ID), people...)
}

func (s savedMessage) message(channel chat.ChannelID) *Message {
	m := &Message{
		ID: s.ID, Channel: channel, Author: s.Author, Type: MessageType(s.Type), Content: s.Content, Sent: s.Sent,
		Edited: s.Edited, Pinned: s.Pinned, Flags: s.Flags, Nonce: s.Nonce, ReplyTo: s.ReplyTo, ReplyPlace: s.ReplyPlace,
		Embeds: s.Embeds, Components: s.Components, Thread: s.Thread, OnlyFor: s.OnlyFor, Mentions: s.Mentions,
		MentionRoles: s.MentionRoles, MentionEveryone: s.MentionEveryone, Pings: s.Pings,
	}
	for _, a := range s.Attachments {
		m.Attachments = append(m.Attachments, Attachment(a))
	}
	for _, reaction := range s.Reactions {
		m.Reactions = append(m.Reactions, Reaction{Emoji: chat.Emoji(reaction.Emoji), Users: reaction.Users})
	}
	if s.Poll != nil {
		m.Poll = s.Poll.poll()
	}
	if it := s.Interaction; it != nil {
		// What was pressed can no longer be answered; that it was is still told.
		m.interaction = &interaction{id: it.ID, user: it.User, channel: channel, message: it.Message}
	}
	return m
}

// lastID makes sure that no ID is given twice, not even that of something deleted.
func (r *restorer) lastID(s savedWorld) error {
	if err := r.add("last thing", s.LastID); err != nil {
		return fmt.Errorf("lastId: %w", err)
	}
	r.w.ids.last = r.last
	return nil
}
