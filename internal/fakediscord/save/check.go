package save

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// belongings are the guild references of a state, with the kind of each object.
func belongings(s *fakediscord.State) iter.Seq2[string, *chat.GuildID] {
	return func(yield func(string, *chat.GuildID) bool) {
		ok := true
		tell := func(kind, id string, guild *chat.GuildID) { ok = ok && yield(kind+" "+id, guild) }
		for i := range s.Roles {
			tell("role", string(s.Roles[i].ID), &s.Roles[i].Guild)
		}
		for i := range s.Members {
			tell("member", string(s.Members[i].ID), &s.Members[i].Guild)
		}
		for i := range s.Channels {
			if c := &s.Channels[i]; c.Type != fakediscord.DMChannel { // it has no guild
				tell("channel", string(c.ID), &c.Guild)
			}
		}
		for i := range s.Events {
			tell("event", string(s.Events[i].ID), &s.Events[i].Guild)
		}
		for i := range s.AuditLog {
			tell("audit log entry", s.AuditLog[i].ID, &s.AuditLog[i].Guild)
		}
		for i := range s.Emojis {
			tell("emoji", s.Emojis[i].ID, &s.Emojis[i].Guild)
		}
	}
}

// A checker checks a state, which may have been edited by hand, for what a world relies
// on: IDs are numbers and unique, and all referenced members and channels exist. Messages
// may refer to deleted messages, and everything to deleted roles.
type checker struct {
	*fakediscord.State
	last     int64           // the greatest ID so far
	ids      map[string]bool // "member 123": IDs by kind
	channels map[chat.ChannelID]*fakediscord.Place
}

// check completes a state that was read, or returns what is wrong with it.
func check(s *fakediscord.State) error {
	c := &checker{State: s, ids: map[string]bool{}, channels: map[chat.ChannelID]*fakediscord.Place{}}
	for _, step := range []func() error{c.guilds, c.homes, c.roles, c.members, c.people, c.places, c.relations, c.messages, c.server, c.lastID} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// add records an ID.
func (c *checker) add(kind, id string) error {
	n, err := strconv.ParseInt(id, 10, 64)
	// New IDs count up from the greatest, so there must be room above it.
	if err != nil || n < 1 || n > math.MaxInt64-1<<40 || strconv.FormatInt(n, 10) != id {
		return fmt.Errorf("%q is not the ID of a %s", chat.Clip(id, 40), kind)
	}
	key := kind + " " + id
	if c.ids[key] {
		return fmt.Errorf("there are two of %s", key)
	}
	c.ids[key] = true
	c.last = max(c.last, n)
	return nil
}

// known refuses unknown members.
func (c *checker) known(what string, people ...chat.UserID) error {
	for _, id := range people {
		if !c.ids["member "+string(id)] {
			return fmt.Errorf("%s: there is no member %q", what, chat.Clip(string(id), 40))
		}
	}
	return nil
}

func (c *checker) guilds() error {
	for _, g := range c.Guilds() {
		if err := c.add("guild", string(g.ID)); err != nil {
			return err
		}
		if g.Name == "" {
			return errors.New("the guild has no name")
		}
	}
	return nil
}

// homes puts all objects without a guild on the first one.
func (c *checker) homes() error {
	for what, guild := range belongings(c.State) {
		if *guild == "" {
			*guild = c.Guild.ID
		}
		if !c.ids["guild "+string(*guild)] {
			return fmt.Errorf("%s: there is no guild %q", what, chat.Clip(string(*guild), 40))
		}
	}
	return nil
}

func (c *checker) roles() error {
	first := map[chat.GuildID]chat.RoleID{}
	for _, r := range c.Roles {
		if err := c.add("role", string(r.ID)); err != nil {
			return err
		}
		if first[r.Guild] == "" {
			first[r.Guild] = r.ID
		}
	}
	for _, g := range c.Guilds() {
		if string(first[g.ID]) != string(g.ID) {
			return fmt.Errorf("the first role must be @everyone, which has the ID of the guild, %s", g.ID)
		}
	}
	return nil
}

// members checks that each member is on a guild once, and has the same unique name on all
// guilds. The bot also has the name "bot".
func (c *checker) members() error {
	for i, m := range c.Members {
		if !c.ids["member "+string(m.ID)] {
			if err := c.add("member", string(m.ID)); err != nil {
				return err
			}
		}
		taken := m.Name == "" || strings.EqualFold(m.Name, "bot")
		for _, other := range c.Members[:i] {
			switch {
			case other.ID != m.ID:
				taken = taken || strings.EqualFold(other.Name, m.Name) || string(other.ID) == m.Name
			case other.Guild == m.Guild:
				return fmt.Errorf("there are two of member %s", m.ID)
			default:
				taken = taken || other.Name != m.Name
			}
		}
		if taken {
			return fmt.Errorf("member %s: the name %q is empty or taken", m.ID, chat.Clip(m.Name, 40))
		}
	}
	return nil
}

// people finds the owners and the bot among the members.
func (c *checker) people() error {
	for _, g := range c.Guilds() {
		on := func(id chat.UserID, mustBeBot bool) bool {
			return slices.ContainsFunc(c.Members, func(m fakediscord.Member) bool {
				return m.Guild == g.ID && m.ID == id && (m.Bot || !mustBeBot)
			})
		}
		switch {
		case !on(g.Owner, false):
			return fmt.Errorf("the owner of the guild, %q, is not among the members", chat.Clip(string(g.Owner), 40))
		case !on(g.Bot, true) || g.Bot != c.Guild.Bot:
			return fmt.Errorf("the bot of the guild, %q, is not among the members, or is not a bot", chat.Clip(string(g.Bot), 40))
		}
	}
	return nil
}

func (c *checker) places() error {
	for i := range c.Channels {
		p := &c.Channels[i]
		if err := c.add("channel", string(p.ID)); err != nil {
			return err
		}
		if slices.ContainsFunc(p.Overwrites, func(o fakediscord.Overwrite) bool { return (o.Role == "") == (o.Member == "") }) {
			return fmt.Errorf("channel %s: an overwrite is for a role or for a member", p.ID)
		}
		for n, t := range p.Tags {
			if err := c.add(fmt.Sprintf("tag %d of channel %s", n+1, p.ID), t.ID); err != nil {
				return err
			}
		}
		c.channels[p.ID] = p
	}
	return nil
}

// relations checks the references of channels to each other and to members.
func (c *checker) relations() error {
	recipients := map[chat.UserID]bool{}
	for _, p := range c.Channels {
		what, parent := fmt.Sprintf("channel %s (%s)", p.ID, chat.Clip(p.Name, 40)), c.channels[p.Parent]
		outside := parent == nil || parent.Guild != p.Guild
		switch {
		case p.Type.IsThread() && (outside || !parent.Type.TakesThreads()):
			return fmt.Errorf("%s: it is a thread, and its parent %q is not a channel with threads", what, chat.Clip(string(p.Parent), 40))
		case !p.Type.IsThread() && p.Parent != "" && (outside || parent.Type != fakediscord.CategoryChannel):
			return fmt.Errorf("%s: its parent %q is not a category", what, chat.Clip(string(p.Parent), 40))
		case p.Type == fakediscord.DMChannel && recipients[p.Recipient]:
			return fmt.Errorf("%s: there is another conversation of the bot with %s", what, p.Recipient)
		}
		people := slices.Clone(p.Members)
		if p.Type == fakediscord.DMChannel {
			recipients[p.Recipient] = true
			people = append(people, p.Recipient)
		}
		if p.Type.IsThread() {
			people = append(people, p.Owner)
		}
		if err := c.known(what, people...); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) messages() error {
	for _, p := range c.Channels {
		for _, m := range p.Messages {
			if err := c.message(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// message checks the members that a message refers to.
func (c *checker) message(m fakediscord.Message) error {
	if err := c.add("message", string(m.ID)); err != nil {
		return err
	}
	people := append(slices.Clone(m.Mentions), m.Author)
	for _, reaction := range m.Reactions {
		people = append(people, reaction.Users...)
	}
	if m.OnlyFor != "" {
		people = append(people, m.OnlyFor)
	}
	if m.Poll != nil {
		for _, v := range m.Poll.Votes {
			people = append(people, v.By)
		}
	}
	if m.Interaction != nil {
		people = append(people, m.Interaction.User)
	}
	for _, a := range m.Attachments {
		if err := c.add("attachment", a.ID); err != nil {
			return err
		}
	}
	return c.known("message "+string(m.ID), people...)
}

// server checks the other objects of the guilds. The audit log may refer to deleted ones.
func (c *checker) server() error {
	for _, e := range c.Events {
		if err := c.thing("event", string(e.ID), e.Channel, e.Creator); err != nil {
			return err
		}
	}
	for _, i := range c.Invites {
		if i.Channel == "" {
			return fmt.Errorf("the invite %s leads nowhere", chat.Clip(i.Code, 40))
		}
		if err := c.placed("invite", i.Channel, i.Inviter); err != nil {
			return err
		}
	}
	for _, e := range c.AuditLog {
		if err := c.thing("audit log entry", e.ID, "", e.By); err != nil {
			return err
		}
	}
	for _, e := range c.Emojis {
		if err := c.add("emoji", e.ID); err != nil {
			return err
		}
	}
	for _, h := range c.Webhooks {
		if h.Channel == "" {
			return fmt.Errorf("webhook %s: it has no channel", chat.Clip(h.ID, 40))
		}
		if err := c.thing("webhook", h.ID, h.Channel, h.Creator); err != nil {
			return err
		}
	}
	return nil
}

// thing records an object with an ID and an author, in a channel unless that is empty.
func (c *checker) thing(kind, id string, ch chat.ChannelID, by chat.UserID) error {
	if err := c.add(kind, id); err != nil {
		return err
	}
	return c.placed(kind+" "+id, ch, by)
}

// placed refuses unknown channels and members.
func (c *checker) placed(what string, ch chat.ChannelID, by chat.UserID) error {
	if ch != "" && c.channels[ch] == nil {
		return fmt.Errorf("%s: there is no channel %q", what, chat.Clip(string(ch), 40))
	}
	return c.known(what, by)
}

// lastID makes sure that no ID is reused, not even that of a deleted object.
func (c *checker) lastID() error {
	if err := c.add("last thing", c.LastID); err != nil {
		return fmt.Errorf("lastId: %w", err)
	}
	c.LastID = strconv.FormatInt(c.last, 10)
	return nil
}
