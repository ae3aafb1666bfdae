package discord

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// Channel finds what ref means on a server: an ID, or else a name, where case
// makes no difference. Of several channels with a name, those that take messages
// come first, and open threads before archived ones; if that leaves more than one,
// the error lists their IDs.
func (c *Client) Channel(ctx context.Context, g chat.GuildID, ref chat.ChannelRef) (chat.Channel, error) {
	if err := ref.UnmarshalText([]byte(ref)); err != nil {
		return chat.Channel{}, fmt.Errorf("channel: %w", err)
	}
	if id, ok := ref.ID(); ok {
		ch, err := c.channelOf(ctx, g, id)
		if !errors.Is(err, ErrNotFound) {
			return ch.Channel, err
		}
	}
	best := c.cache.named(g, string(ref))
	switch len(best) {
	case 0:
		return chat.Channel{}, c.noSuchChannel(g, string(ref))
	case 1:
		return best[0], nil
	}
	return chat.Channel{}, fmt.Errorf("%d channels are called %q; give one of their IDs instead: %s", len(best), string(ref), ids(best))
}

// ChannelByID finds a channel on any server, or a direct message.
func (c *Client) ChannelByID(ctx context.Context, id chat.ChannelID) (chat.Channel, error) {
	ch, err := c.channelByID(ctx, id)
	return ch.Channel, err
}

// channelOf finds a channel by its ID, on one server only: what people may do on
// one says nothing about another.
func (c *Client) channelOf(ctx context.Context, g chat.GuildID, id chat.ChannelID) (channel, error) {
	ch, err := c.channelByID(ctx, id)
	if err == nil && ch.Guild != g {
		return channel{}, notFound("there is no channel %s on this server", id)
	}
	return ch, err
}

func (c *Client) channelByID(ctx context.Context, id chat.ChannelID) (channel, error) {
	if ch, ok := c.cache.channel(id); ok {
		return ch, nil
	}
	if !chat.IsID(string(id)) {
		return channel{}, notFound("%q is not a channel's ID (15 to 20 digits)", chat.Clip(string(id), 40))
	}
	var wire discordgo.Channel
	err := c.call(ctx, request{
		method:  http.MethodGet,
		route:   "/channels/{channel}",
		address: discordgo.EndpointChannel(string(id)),
		channel: id,
	}, &wire)
	if refused := (*Error)(nil); errors.As(err, &refused) && refused.Code == discordgo.ErrCodeMissingAccess {
		// Discord says so for channels of other people's servers as well.
		return channel{}, notFound("there is no channel %s that the bot may see", id)
	}
	if err != nil {
		return channel{}, err
	}
	ch := channelFrom(wire, chat.GuildID(wire.GuildID))
	c.cache.put(ch)
	return ch, nil
}

// named finds the channels that a name most likely means.
func (c *cache) named(id chat.GuildID, name string) []chat.Channel {
	c.mu.RLock()
	defer c.mu.RUnlock()
	g := c.guilds[id]
	if g == nil {
		return nil
	}
	for _, same := range []func(a, b string) bool{strings.EqualFold, sameLoosely} {
		var found []chat.Channel
		for _, ch := range g.channels {
			if same(ch.Name, name) {
				found = append(found, ch.Channel)
			}
		}
		if len(found) > 0 {
			return mostUseful(found)
		}
	}
	return nil
}

// sameLoosely sees over what Discord itself does to the names of channels, where
// "Big News" becomes big-news, and over how emoji are drawn.
func sameLoosely(a, b string) bool {
	tidy := strings.NewReplacer(" ", "-", "_", "-", "\uFE0F", "")
	return strings.EqualFold(tidy.Replace(a), tidy.Replace(b))
}

// mostUseful keeps the channels that rank highest.
func mostUseful(list []chat.Channel) []chat.Channel {
	rank := func(ch chat.Channel) int {
		switch {
		case ch.Kind.TakesMessages() && !ch.Archived:
			return 0
		case ch.Kind.TakesMessages():
			return 1
		default:
			return 2
		}
	}
	slices.SortFunc(list, func(a, b chat.Channel) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.ID, b.ID))
	})
	end := 1
	for end < len(list) && rank(list[end]) == rank(list[0]) {
		end++
	}
	return list[:end]
}

func ids(list []chat.Channel) string {
	var out []string
	for _, ch := range list {
		out = append(out, fmt.Sprintf("%s (%s)", ch.ID, ch.Kind))
	}
	return strings.Join(out, ", ")
}

// noSuchChannel is the error for a name that nothing has, with the names that may
// have been meant.
func (c *Client) noSuchChannel(g chat.GuildID, name string) error {
	text := fmt.Sprintf("there is no channel %q on this server", chat.Clip(name, 100))
	if near := c.cache.similar(g, name); len(near) > 0 {
		text += "; there is " + strings.Join(near, ", ")
	}
	return &Error{kind: ErrNotFound, text: text}
}

// similar names channels, at most three, that everybody on the server can see: who
// asks may not be allowed to know about others.
func (c *cache) similar(id chat.GuildID, name string) []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	g := c.guilds[id]
	if g == nil || chat.Length(name) > longestName {
		return nil
	}
	var near []string
	for _, ch := range g.channels {
		open := g.rights(id, "", member{}, &ch)&discordgo.PermissionViewChannel != 0
		if open && !ch.Private && ch.Kind.TakesMessages() && alike(ch.Name, name) {
			near = append(near, label(ch.Channel))
		}
	}
	slices.Sort(near)
	return near[:min(len(near), 3)]
}

// alike says whether one name is part of the other, or a slip of the pen away.
// Very short names are like nothing: they are part of too many.
func alike(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	shorter := min(len(a), len(b))
	if shorter < 3 {
		return false
	}
	return strings.Contains(a, b) || strings.Contains(b, a) || chat.Slips(a, b) <= shorter/3
}
