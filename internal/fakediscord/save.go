package fakediscord

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Save writes the world down, so that Load can make it again: the guilds with their
// roles, members, channels and threads, their events, invites, emoji, webhooks and audit
// logs, and every message with all that belongs to it, files included. Connections, buttons that wait for an answer, faults, limits
// and exchanges are not part of a world and are left out.
//
// The file is JSON that people can read. A world that has not changed is always
// written in the same way.
func (w *World) Save(to io.Writer) error {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false) // for those who read it
	e.SetIndent("", "  ")
	if err := e.Encode(w.saved()); err != nil {
		return fmt.Errorf("save the world: %w", err)
	}
	return nil
}

// saved is the world as it is written down. Nothing in it is shared with the world
// but the data of files, which never changes.
func (w *World) saved() savedWorld {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := savedWorld{
		Format: savedFormat, Version: savedVersion, LastID: strconv.FormatInt(w.ids.last, 10),
	}
	for _, g := range w.guilds {
		w.savePeople(&s, g)
	}
	s.Guild, s.Guilds = s.Guilds[0], s.Guilds[1:]
	s.Guild.WithoutMessageContent = w.granted&intentContent == 0
	s.Guild.WithoutMemberList = w.granted&intentMembers == 0
	for _, id := range w.channelOrder {
		s.Channels = append(s.Channels, w.savedChannel(w.channels[id]))
	}
	w.saveServer(&s)
	return s
}

// savePeople adds a guild with its roles and members to a file.
func (w *World) savePeople(s *savedWorld, g *guild) {
	s.Guilds = append(s.Guilds, savedGuild{ID: g.id, Name: plain(g.name), Owner: g.owner, Bot: w.bot})
	for _, r := range g.roles {
		s.Roles = append(s.Roles, savedRole{
			ID: r.ID, Guild: w.savedOn(g.id), Name: plain(r.Name), Position: r.Position, Managed: r.Managed, Permissions: rightNames(r.Permissions),
			Color: r.Color, Hoist: r.Hoist, Mentionable: r.Mentionable,
		})
	}
	for _, m := range g.members {
		s.Members = append(s.Members, savedMember{
			ID: m.ID, Guild: w.savedOn(g.id), Name: plain(m.Name), Nick: plain(m.Nick), Bot: m.Bot, Roles: slices.Clone(m.Roles),
			Joined: m.Joined.UTC(), TimedOutUntil: m.TimedOutUntil.UTC(), NoDMs: m.NoDMs, Left: m.Left,
			Banned: m.Banned, BanReason: plain(m.BanReason),
		})
	}
}

func (w *World) savedChannel(c *Channel) savedChannel {
	s := savedChannel{
		ID: c.ID, Guild: w.savedOn(c.Guild), Type: savedKind(c.Type), Name: plain(c.Name), Topic: plain(c.Topic), Parent: c.Parent,
		Position: c.Position, Rules: c.Rules, UserLimit: c.UserLimit, RequireTag: c.RequireTag, AppliedTags: slices.Clone(c.AppliedTags),
		Owner: c.Owner, Members: slices.Clone(c.Members), Created: c.Created.UTC(), Archived: c.Archived,
		Locked: c.Locked, ArchivedAt: c.ArchivedAt.UTC(), AutoArchive: c.AutoArchive, Sent: c.Sent,
		Recipient: c.Recipient, LastPin: c.LastPin.UTC(),
	}
	for _, o := range c.Overwrites {
		s.Overwrites = append(s.Overwrites, savedOverwrite{
			Role: o.Role, Member: o.Member, Allow: rightNames(o.Allow), Deny: rightNames(o.Deny),
		})
	}
	for _, t := range c.Tags {
		s.Tags = append(s.Tags, savedTag{ID: t.ID, Name: plain(t.Name), Emoji: plain(string(t.Emoji)), Moderated: t.Moderated})
	}
	for _, id := range w.history[c.ID] {
		s.Messages = append(s.Messages, savedMessageOf(w.messages[id]))
	}
	return s
}

func savedMessageOf(original *Message) savedMessage {
	m := original.clone()
	s := savedMessage{
		ID: m.ID, Author: m.Author, Type: savedCause(m.Type), Content: plain(m.Content), Sent: m.Sent.UTC(),
		Edited: m.Edited.UTC(), Pinned: m.Pinned.UTC(), Flags: m.Flags, Nonce: plain(m.Nonce), ReplyTo: m.ReplyTo,
		ReplyPlace: m.ReplyPlace, Embeds: m.Embeds, Components: m.Components, Thread: m.Thread, OnlyFor: m.OnlyFor,
		Mentions: m.Mentions, MentionRoles: m.MentionRoles, MentionEveryone: m.MentionEveryone, Pings: m.Pings,
	}
	for _, a := range m.Attachments {
		s.Attachments = append(s.Attachments, savedAttachment{
			ID: a.ID, Name: plain(a.Name), Type: plain(a.Type), Description: plain(a.Description), Data: a.Data,
		})
	}
	for _, r := range m.Reactions {
		s.Reactions = append(s.Reactions, savedReaction{Emoji: plain(string(r.Emoji)), Users: r.Users})
	}
	if m.Poll != nil {
		s.Poll = savedPollOf(m.Poll)
	}
	if it := m.interaction; it != nil {
		s.Interaction = &savedInteraction{ID: it.id, User: it.user, Message: it.message}
	}
	return s
}

// plain makes text of bytes that are none. JSON cannot hold them, and what is
// written must not change when it is read and written again.
func plain(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// rightNames writes rights by their names, and bits without one as "bit 47".
func rightNames(p Permissions) []string {
	var all []string
	for bit := range 64 {
		switch {
		case !p.Has(1 << bit):
		case bit < len(permissionNames) && permissionNames[bit] != "":
			all = append(all, string(permissionNames[bit]))
		default:
			all = append(all, fmt.Sprintf("bit %d", bit))
		}
	}
	return all
}
