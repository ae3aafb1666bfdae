package discord

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/chat"
)

// cache is what Discord has told about the bot's servers. It answers without
// asking, and may be behind: that a channel is in it does not prove that the
// channel still exists.
type cache struct {
	now func() time.Time // on Discord

	mu     sync.RWMutex
	self   chat.User
	guilds map[chat.GuildID]*guild
	absent map[chat.GuildID]bool // servers of which nothing is known but that they are there
}

// A guild is one server.
type guild struct {
	owner    chat.UserID
	boost    int // level, from 0 to 3
	roles    map[chat.RoleID]role
	channels map[chat.ChannelID]channel
	bot      *chat.Member // the bot itself; nil if Discord has not told
}

// A channel is a chat.Channel with what decides who may do what there.
type channel struct {
	chat.Channel
	locked     bool // of a thread: only those who manage threads may write
	joined     bool // of a thread: the bot is a member, as far as Discord has told
	overwrites []overwrite
	past       past
}

// A past is what was said in a channel before the bot heard what is said there.
type past struct {
	known  bool           // whether anything was
	latest chat.MessageID // empty for none
}

// An overwrite changes the rights of a role or a member in one channel.
type overwrite struct {
	role        chat.RoleID // or empty
	member      chat.UserID // or empty
	allow, deny int64
}

func newCache(now func() time.Time) *cache {
	return &cache{now: now, guilds: map[chat.GuildID]*guild{}}
}

func (c *cache) whoami() chat.User {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.self
}

// ready notes who the bot is, and forgets the servers that it is no longer on.
// Those it is on keep what is known until Discord describes them anew.
func (c *cache) ready(self chat.User, guilds []chat.GuildID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.self = self
	for id := range c.guilds {
		if !slices.Contains(guilds, id) {
			delete(c.guilds, id)
		}
	}
	c.absent = map[chat.GuildID]bool{}
	for _, id := range guilds {
		if c.guilds[id] == nil {
			c.absent[id] = true
		}
	}
}

// replace puts a server's new description in place of all that was known of it.
func (c *cache) replace(id chat.GuildID, g *guild) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.guilds[id] = g
	delete(c.absent, id)
}

func (c *cache) forget(id chat.GuildID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.guilds, id)
	delete(c.absent, id)
}

// change calls f with a server, unless it is unknown.
func (c *cache) change(id chat.GuildID, f func(*guild)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g := c.guilds[id]; g != nil {
		f(g)
	}
}

// put adds or replaces a channel or a thread.
func (c *cache) put(ch channel) {
	c.change(ch.Guild, func(g *guild) {
		if old := g.channels[ch.ID]; old.past.known && old.Name != "" {
			ch.past = old.past // it has been heard since
		}
		ch.joined = ch.joined || g.channels[ch.ID].joined // it is not said every time
		g.channels[ch.ID] = ch
		if ch.Kind.HasPosts() {
			g.dropTags(ch)
		}
	})
}

// dropTags takes tags that a forum no longer has off its posts, about which Discord
// does not tell one by one.
func (g *guild) dropTags(forum channel) {
	for id, post := range g.channels {
		if post.Parent != forum.ID || len(post.AppliedTags) == 0 {
			continue
		}
		var kept []string // a list of its own, because others have seen the old one
		for _, tag := range post.AppliedTags {
			if slices.ContainsFunc(forum.Tags, func(t chat.Tag) bool { return t.ID == tag }) {
				kept = append(kept, tag)
			}
		}
		post.AppliedTags = kept
		g.channels[id] = post
	}
}

// remove takes out a channel together with its threads. The channels of a category
// stay without one.
func (g *guild) remove(id chat.ChannelID) {
	delete(g.channels, id)
	for _, ch := range g.channels {
		switch {
		case ch.Parent != id:
		case ch.Kind == chat.Thread:
			delete(g.channels, ch.ID)
		default:
			ch.Parent = ""
			g.channels[ch.ID] = ch
		}
	}
}

// syncThreads takes Discord's list of active threads under some channels, or under
// all of them if none are named.
func (g *guild) syncThreads(under []chat.ChannelID, active []channel) {
	for id, ch := range g.channels {
		if ch.Kind == chat.Thread && !ch.Archived && (len(under) == 0 || slices.Contains(under, ch.Parent)) {
			delete(g.channels, id)
		}
	}
	for _, ch := range active {
		g.channels[ch.ID] = ch
	}
}

// channel finds a channel on any server.
func (c *cache) channel(id chat.ChannelID) (channel, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.find(id)
}

func (c *cache) find(id chat.ChannelID) (channel, bool) {
	for _, g := range c.guilds {
		if ch, ok := g.channels[id]; ok {
			return ch, true
		}
	}
	return channel{}, false
}

// describe names a channel for people.
func (c *cache) describe(id chat.ChannelID) string {
	if id == "" {
		return "this server"
	}
	if ch, ok := c.channel(id); ok && ch.Name != "" {
		return label(ch.Channel)
	}
	return "channel " + string(id)
}

// label is a channel's name as people write it.
func label(ch chat.Channel) string {
	switch ch.Kind {
	case chat.Thread:
		return "the thread “" + ch.Name + "”"
	case chat.CategoryKind:
		return "the category “" + ch.Name + "”"
	}
	return "#" + ch.Name
}

// nature says what a channel is, for people who took it for something else.
func nature(ch chat.Channel) string {
	switch ch.Kind {
	case chat.Thread, chat.CategoryKind:
		return fmt.Sprintf("“%s” is a %s", ch.Name, ch.Kind)
	}
	return fmt.Sprintf("#%s is a %s channel", ch.Name, ch.Kind)
}

// boost is a server's level, 0 if it is unknown.
func (c *cache) boost(id chat.GuildID) int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if g := c.guilds[id]; g != nil {
		return g.boost
	}
	return 0
}
