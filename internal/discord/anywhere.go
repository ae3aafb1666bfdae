package discord

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

// ChannelAnywhere resolves ref for an operator: an ID on any server, or else a name on server
// g. If g is empty the name is looked up on all servers, and must be unique: any user may add
// the bot to a server of their own and give a channel there the same name. During an outage of
// a server it cannot be known to be.
func (c *Client) ChannelAnywhere(ctx context.Context, g chat.GuildID, ref chat.ChannelRef) (chat.Channel, error) {
	if err := ref.UnmarshalText([]byte(ref)); err != nil {
		return chat.Channel{}, err
	}
	if id, ok := ref.ID(); ok {
		return c.ChannelByID(ctx, id)
	}
	if g != "" {
		return c.Channel(ctx, g, "", ref)
	}
	if err := c.undescribed.wait(ctx, c.undescribed.all()...); err != nil {
		return chat.Channel{}, err
	}
	var found []chat.Channel
	for _, g := range c.cache.servers() {
		found = append(found, c.cache.named(g, string(ref), forMessages, func(channel) bool { return true })...)
	}
	switch unknown := c.cache.unknown(); {
	case unknown > 0:
		return chat.Channel{}, fmt.Errorf("%d of the bot's servers are out of order, so %q may not be the channel that is meant; give its ID, or wait", unknown, chat.Clip(string(ref), 100))
	case len(found) == 0:
		return chat.Channel{}, rest.NotFound("there is no channel %q on any of the bot's servers", chat.Clip(string(ref), 100))
	case len(found) == 1:
		return found[0], nil
	}
	return chat.Channel{}, fmt.Errorf("%d channels are called %q; give one of their IDs instead: %s", len(found), string(ref), ids(found))
}

func ids(list []chat.Channel) string {
	return strings.Join(each(list, func(ch chat.Channel) string { return fmt.Sprintf("%s (%s)", ch.ID, ch.Kind) }), ", ")
}

// Servers returns the servers that the bot is on, as far as Discord has described them.
func (c *Client) Servers() []chat.GuildID { return c.cache.servers() }

// Undescribed returns the servers that the bot is on and that Discord has not described yet.
func (c *Client) Undescribed() []chat.GuildID {
	c.cache.mu.RLock()
	defer c.cache.mu.RUnlock()
	return slices.Sorted(maps.Keys(c.cache.absent))
}

// ServerName returns what a server was called when Discord described it; empty if it is unknown.
func (c *Client) ServerName(g chat.GuildID) string {
	name, _ := look(c.cache, g, func(known *guild) string { return known.name })
	return name
}

// servers returns the servers in the cache.
func (c *cache) servers() []chat.GuildID {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Sorted(maps.Keys(c.guilds))
}

// GuildPending reports whether the bot is on a server that Discord has not described yet, because
// of an outage. A server of a resumed session is not pending: it is fetched on demand.
func (c *Client) GuildPending(g chat.GuildID) bool { return c.cache.awaits(g) && !c.undescribed.has(g) }

func (c *cache) awaits(g chat.GuildID) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.absent[g]
}

// unknown returns how many of the bot's servers are not described.
func (c *cache) unknown() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.absent)
}

// sameLoosely ignores how Discord normalises the names of channels, where "Big News" becomes
// big-news, and the variation selectors of emoji. It is called for every channel of a server, so it compares
// characters and allocates nothing.
func sameLoosely(a, b string) bool {
	for {
		var x, y rune
		x, a = nextLoosely(a)
		y, b = nextLoosely(b)
		if !sameFolded(x, y) {
			return false
		}
		if x < 0 {
			return true
		}
	}
}

// nextLoosely returns the first character of a name as it is compared, or -1 at its end, and the rest.
func nextLoosely(s string) (rune, string) {
	for s != "" {
		r, n := utf8.DecodeRuneInString(s)
		s = s[n:]
		switch r {
		case '\uFE0F': // a variation selector
		case ' ', '_':
			return '-', s
		default:
			return r, s
		}
	}
	return -1, ""
}

// sameFolded is strings.EqualFold for one character.
func sameFolded(x, y rune) bool {
	if x == y {
		return true
	}
	if x < 0 || y < 0 {
		return false
	}
	for f := unicode.SimpleFold(x); f != x; f = unicode.SimpleFold(f) {
		if f == y {
			return true
		}
	}
	return false
}
