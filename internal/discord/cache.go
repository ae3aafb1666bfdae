package discord

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// cache is the state of the bot's servers, from gateway events. It needs no requests, and may be
// behind: a channel in it need not exist any more.
type cache struct {
	now func() time.Time // Discord's time

	mu     sync.RWMutex
	self   chat.User
	guilds map[chat.GuildID]*guild
	absent map[chat.GuildID]bool // servers of the bot that are not described yet
}

// A guild is one server.
type guild struct {
	name     string // when it was described
	owner    chat.UserID
	boost    int // level, from 0 to 3
	size     int // members when it was described; 0 if unknown
	roles    map[chat.RoleID]role
	channels map[chat.ChannelID]channel
	bot      *chat.Member    // the bot itself; nil if unknown
	views    map[viewer]view // of members, from all of the above; without them after each change
}

// A channel is a chat.Channel with its permission overwrites.
type channel struct {
	chat.Channel
	letters    string                 // of its name
	adults     bool                   // it is age-restricted, and so are its threads
	joined     bool                   // of a thread: the bot is known to be a member
	flags      discordgo.ChannelFlags // also those that have a field of their own
	overwrites []overwrite
	last       lastMessage
}

// A lastMessage is the latest message of a channel from before its events arrived.
type lastMessage struct {
	known  bool           // set once events of the channel arrive
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

// ready sets the bot's own user, and forgets the servers that it is no longer on.
// The others keep their state until Discord describes them anew.
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

// replace replaces the state of a server by a new description.
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

// change calls f with a server, unless it is unknown. Whatever members see has to be computed again after it.
func (c *cache) change(id chat.GuildID, f func(*guild)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g := c.guilds[id]; g != nil {
		g.views = nil
		f(g)
	}
}

// look returns what f finds on a server. One that is not in the cache is an error.
func look[T any](c *cache, id chat.GuildID, f func(*guild) T) (found T, err error) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if g := c.guilds[id]; g != nil {
		return f(g), nil
	}
	return found, unknownServer(id)
}

// put adds or replaces a channel or a thread.
func (c *cache) put(ch channel) {
	c.change(ch.Guild, func(g *guild) {
		if old := g.channels[ch.ID]; old.last.known && old.Name != "" {
			ch.last = old.last // its events have arrived since
		}
		ch.joined = ch.joined || g.channels[ch.ID].joined // not every event has it
		if old := g.channels[ch.ID].Active; old.After(ch.Active) {
			ch.Active = old // of a forum, Discord knows only its latest post
		}
		g.channels[ch.ID] = ch
		if ch.Kind.HasPosts() {
			g.dropTags(ch)
		}
	})
}

// spoken records that a message was written in a channel. A post stands for its forum as well. It is no change
// for members until the next day: it comes with every message, and views are costly.
func (c *cache) spoken(server chat.GuildID, id chat.ChannelID, at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	g := c.guilds[server]
	if g == nil {
		return
	}
	for ch, known := g.channels[id]; known; ch, known = g.channels[ch.Parent] {
		if at.After(ch.Active) {
			if ch.Kind != chat.Thread && day(at) != day(ch.Active) {
				g.views = nil
			}
			ch.Active = at
			g.channels[ch.ID] = ch
		}
		if ch.Kind != chat.Thread || !g.channels[ch.Parent].Kind.HasPosts() {
			return
		}
	}
}

// dropTags removes tags that a forum no longer has from its posts, for which Discord sends no
// events.
func (g *guild) dropTags(forum channel) {
	for id, post := range g.channels {
		if post.Parent != forum.ID || len(post.AppliedTags) == 0 {
			continue
		}
		var kept []string // a new list, because callers may have the old one
		for _, tag := range post.AppliedTags {
			if slices.ContainsFunc(forum.Tags, func(t chat.Tag) bool { return t.ID == tag }) {
				kept = append(kept, tag)
			}
		}
		post.AppliedTags = kept
		g.channels[id] = post
	}
}

// remove removes a channel with its threads. The channels of a category stay without one.
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

// syncThreads replaces the active threads of some channels, or of all of them if none are
// named, by Discord's list.
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
	return id.Mention()
}

// label returns a channel's name as people write it.
func label(ch chat.Channel) string {
	switch ch.Kind {
	case chat.Thread:
		return "the thread “" + chat.Name(ch.Name) + "”"
	case chat.CategoryKind:
		return "the category “" + chat.Name(ch.Name) + "”"
	}
	return "#" + chat.Name(ch.Name)
}

// nature names the kind of a channel, for errors about a wrong kind.
func nature(ch chat.Channel) string {
	switch ch.Kind {
	case chat.Thread, chat.CategoryKind:
		return fmt.Sprintf("%s is a %s", ch.ID.Mention(), ch.Kind)
	}
	return fmt.Sprintf("%s is a %s channel", ch.ID.Mention(), ch.Kind)
}
