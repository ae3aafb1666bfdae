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
	"discoclaw/internal/discord/rest"
	"discoclaw/internal/order"
)

// A meaning is the kind of channels that a reference can stand for.
type meaning struct {
	one string
	// rank returns how likely a channel is meant, the most likely with 0, and a kind that is
	// never meant with less. A reference that leaves two of one rank is ambiguous.
	rank func(chat.Channel) int
}

var (
	forMessages = meaning{"channel", func(ch chat.Channel) int {
		switch {
		case ch.Kind.TakesMessages() && ch.Kind != chat.Thread:
			return 0
		case ch.Kind == chat.Thread && !ch.Archived:
			return 1
		case ch.Kind == chat.Thread:
			return 2
		}
		return 3
	}}
	ofAnyKind = meaning{"channel", func(ch chat.Channel) int {
		switch {
		case ch.Kind != chat.Thread:
			return 0
		case !ch.Archived:
			return 1
		}
		return 2
	}}
	aCategory = meaning{"category", func(ch chat.Channel) int {
		if ch.Kind != chat.CategoryKind {
			return -1
		}
		return 0
	}}
	aThread = meaning{"thread", func(ch chat.Channel) int {
		switch {
		case ch.Kind != chat.Thread:
			return -1
		case !ch.Archived:
			return 0
		}
		return 1
	}}
)

// written returns a reference as people write it.
func (m meaning) written(ref string) string {
	switch ref = chat.Clip(chat.OneLine(ref), 100); {
	case chat.IsID(ref):
		return "<#" + ref + ">"
	case m.one == aCategory.one || m.one == aThread.one:
		return "“" + ref + "”"
	}
	return "#" + ref
}

// likely reports whether a channel is worth a suggestion.
func (m meaning) likely(ch chat.Channel) bool { r := m.rank(ch); return r == 0 || r == 1 }

// Channel resolves ref on a server for a user: an ID, or else a name, where case makes no
// difference. Channels that the user may not see do not exist; an empty who sees all that the
// bot does. Of several channels with a name, those that take messages come first, and open
// threads before archived ones, then those that are spelt like ref before those that only have its
// letters; if that leaves more than one, the error lists them.
func (c *Client) Channel(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error) {
	return c.resolve(ctx, g, who, ref, forMessages)
}

// AnyChannel is Channel for any kind: a name that a text channel and a voice channel have is
// ambiguous. Threads come after everything else.
func (c *Client) AnyChannel(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error) {
	return c.resolve(ctx, g, who, ref, ofAnyKind)
}

// Category is Channel for categories alone.
func (c *Client) Category(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error) {
	return c.resolve(ctx, g, who, ref, aCategory)
}

// Thread is Channel for threads alone. An archived one is found by its ID; by its name only if
// it is in the cache.
func (c *Client) Thread(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error) {
	return c.resolve(ctx, g, who, ref, aThread)
}

func (c *Client) resolve(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef, m meaning) (chat.Channel, error) {
	if err := ref.UnmarshalText([]byte(ref)); err != nil {
		return chat.Channel{}, fmt.Errorf("%s: %w", m.one, err)
	}
	if err := c.undescribed.wait(ctx, g); err != nil {
		return chat.Channel{}, err
	}
	sees := c.visibleTo(ctx, g, who)
	if id, ok := ref.ID(); ok {
		ch, err := c.channelOf(ctx, g, id)
		if err == nil && (ch.Name == "" || !sees(ch)) {
			return chat.Channel{}, c.noSuchChannel(g, string(ref), m, sees)
		}
		switch {
		case err == nil && m.rank(ch.Channel) < 0:
			// Without its name, which the requester may not be allowed to see.
			return chat.Channel{}, fmt.Errorf("%s is not a %s", id, m.one)
		case !errors.Is(err, ErrNotFound):
			return ch.Channel, err
		}
		// Not a name: an ID must never mean another channel that was given such a name
		// since.
		return chat.Channel{}, c.noSuchChannel(g, string(ref), m, sees)
	}
	best := c.cache.named(g, string(ref), m, sees)
	switch len(best) {
	case 0:
		return chat.Channel{}, c.noSuchChannel(g, string(ref), m, sees)
	case 1:
		return best[0], nil
	}
	return chat.Channel{}, fmt.Errorf("which %s, %s?", m.written(string(ref)), c.cache.tellApart(g, best))
}

// ChannelByID returns a channel of any server, or a direct message.
func (c *Client) ChannelByID(ctx context.Context, id chat.ChannelID) (chat.Channel, error) {
	ch, err := c.channelByID(ctx, id)
	return ch.Channel, err
}

// WithoutGone replaces the mentions of channels that are gone in a text. Discord would show them as #unknown.
func (c *Client) WithoutGone(ctx context.Context, text string) string {
	for _, id := range chat.Linked(text) {
		if mention := id.Mention(); strings.Contains(text, mention) {
			if _, err := c.channelByID(ctx, id); chat.IsGone(err) {
				text = strings.ReplaceAll(text, mention, "**#deleted-channel**")
			}
		}
	}
	return text
}

// channelOf returns a channel by its ID, on one server only: permissions on one server say nothing
// about another.
func (c *Client) channelOf(ctx context.Context, g chat.GuildID, id chat.ChannelID) (channel, error) {
	ch, err := c.channelByID(ctx, id)
	if err == nil && ch.Guild != g {
		return channel{}, rest.NotFound("there is no channel %s on this server", id)
	}
	return ch, err
}

func (c *Client) channelByID(ctx context.Context, id chat.ChannelID) (channel, error) {
	if ch, ok := c.cache.channel(id); ok {
		return ch, nil
	}
	return c.fetchChannel(ctx, id)
}

// fetchChannel fetches a channel, whatever the cache has.
func (c *Client) fetchChannel(ctx context.Context, id chat.ChannelID) (channel, error) {
	if !chat.IsID(string(id)) {
		return channel{}, rest.NotFound("%q is not a channel's ID (15 to 20 digits)", chat.Clip(string(id), 40))
	}
	wire, err := fetch[wireChannel](ctx, c, onChannel(http.MethodGet, id, ""))
	if refused := (*Error)(nil); errors.As(err, &refused) && refused.Code == discordgo.ErrCodeMissingAccess {
		// Discord responds like that for channels of other servers as well.
		return channel{}, rest.NotFound("there is no channel %s that the bot may see; if there is one, allow “%s” for the bot's role there, under %s", id, chat.ViewChannel, rest.InTheChannel)
	}
	if err != nil {
		return channel{}, err
	}
	ch := channelFrom(wire, chat.GuildID(wire.Guild))
	c.cache.put(ch)
	return ch, nil
}

// named returns the channels that a name most likely means, among those that sees lets through.
// Others do not exist for the requester, so they make no name ambiguous.
func (c *cache) named(id chat.GuildID, name string, m meaning, sees func(channel) bool) []chat.Channel {
	var found []chat.Channel
	for _, ch := range c.called(id, name, m) {
		if sees(ch) {
			found = append(found, ch.Channel)
		}
	}
	// The kind comes before the spelling: any member may start a thread with a name that is closer
	// to the reference than the channel that was meant.
	likely := mostLikely(found, m)
	for _, same := range []func(a, b string) bool{strings.EqualFold, sameLoosely} {
		if closer := slices.DeleteFunc(slices.Clone(likely), func(ch chat.Channel) bool { return !same(ch.Name, name) }); len(closer) > 0 {
			return closer
		}
	}
	return likely
}

// called returns all channels with the letters of a name.
func (c *cache) called(id chat.GuildID, name string, m meaning) []channel {
	c.mu.RLock()
	defer c.mu.RUnlock()
	g := c.guilds[id]
	if g == nil {
		return nil
	}
	var found []channel
	letters := chat.Letters(name)
	for _, ch := range g.channels {
		if (letters != "" && ch.letters == letters || sameLoosely(ch.Name, name)) && m.rank(ch.Channel) >= 0 {
			found = append(found, ch)
		}
	}
	return found
}

// visibleTo returns a filter for the channels that a user may see. It lets all through if who is
// empty or cannot be looked up: their permissions are checked for every action anyway.
func (c *Client) visibleTo(ctx context.Context, g chat.GuildID, who chat.UserID) func(channel) bool {
	return func(ch channel) bool {
		if who == "" {
			return true
		}
		if _, err := c.member(ctx, g, who); err != nil {
			return true
		}
		missing, err := c.MissingPermissions(ctx, g, who, ch.ID, []chat.Permission{chat.ViewChannel})
		return err == nil && len(missing) == 0
	}
}

// mostLikely keeps the channels that rank highest.
func mostLikely(list []chat.Channel, m meaning) []chat.Channel {
	if len(list) == 0 {
		return nil
	}
	order.By(list, func(a, b chat.Channel) int {
		return cmp.Or(cmp.Compare(m.rank(a), m.rank(b)), byAge(a.ID, b.ID))
	})
	end := 1
	for end < len(list) && m.rank(list[end]) == m.rank(list[0]) {
		end++
	}
	return list[:end]
}

// tellApart lists channels of one name, each with its kind, if that differs, and its category. That
// of a thread is its channel.
func (c *cache) tellApart(id chat.GuildID, list []chat.Channel) string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	g := c.guilds[id]
	kinds := slices.ContainsFunc(list, func(ch chat.Channel) bool { return ch.Kind != list[0].Kind })
	var found []string
	for _, ch := range list[:min(len(list), maxCandidates)] {
		var traits []string
		if kinds {
			traits = append(traits, string(ch.Kind))
		}
		if g != nil {
			traits = append(traits, c.around(id, g, ch)...)
		}
		mention := "<#" + string(ch.ID) + ">"
		if len(traits) > 0 {
			mention += " (" + strings.Join(traits, ", ") + ")"
		}
		found = append(found, mention)
	}
	if more := len(list) - len(found); more > 0 {
		found = append(found, fmt.Sprintf("%d more", more))
	}
	last := len(found) - 1
	return strings.Join(found[:last], ", ") + " or " + found[last]
}

// around returns where a channel is. The name of a category that is not open to all stays unsaid:
// others may read the error.
func (c *cache) around(id chat.GuildID, g *guild, ch chat.Channel) []string {
	parent, known := g.channels[ch.Parent]
	switch {
	case ch.Kind == chat.CategoryKind:
		return nil
	case ch.Parent == "":
		return []string{"no category"}
	case ch.Kind == chat.Thread:
		return []string{"in <#" + string(ch.Parent) + ">"}
	case known && c.open(id, g, parent):
		return []string{chat.Literal(parent.Name)}
	}
	return nil
}

// noSuchChannel returns the error for an unknown name, with similar names.
func (c *Client) noSuchChannel(g chat.GuildID, name string, m meaning, sees func(channel) bool) error {
	text := fmt.Sprintf("I can't see a %s %s", m.one, m.written(name))
	var near []string
	for _, ch := range c.cache.similar(g, name, m) {
		if len(near) < 3 && sees(ch) {
			near = append(near, label(ch.Channel))
		}
	}
	if len(near) > 0 {
		text += "; did you mean " + strings.Join(near, ", ") + "?"
	}
	return rest.NotFound("%s", text)
}

// similar returns channels that every member of the server can see, in order of their names: the
// reader may not be allowed to know about others.
func (c *cache) similar(id chat.GuildID, name string, m meaning) []channel {
	c.mu.RLock()
	defer c.mu.RUnlock()
	g := c.guilds[id]
	if g == nil || chat.Length(name) > maxNameLength {
		return nil
	}
	var near []channel
	for _, ch := range g.channels {
		if c.open(id, g, ch) && !ch.Private && m.likely(ch.Channel) && alike(ch.Name, name) {
			near = append(near, ch)
		}
	}
	order.By(near, func(a, b channel) int { return cmp.Compare(label(a.Channel), label(b.Channel)) })
	return near
}

// open reports whether every member of a server sees a channel.
func (c *cache) open(id chat.GuildID, g *guild, ch channel) bool {
	return g.rights(id, "", chat.Member{}, &ch, c.now())&discordgo.PermissionViewChannel != 0 && !g.hiddenFromSome(ch)
}

// alike reports whether one name is part of the other, or a typo of it. Very short names are
// like none: they are part of too many.
func alike(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	shorter := min(len(a), len(b))
	if shorter < 3 {
		return false
	}
	return strings.Contains(a, b) || strings.Contains(b, a) || chat.Slips(a, b) <= shorter/3
}

// hiddenFromSome reports whether a role or a member may not see the channel. A thread is visible
// like its channel.
func (g *guild) hiddenFromSome(ch channel) bool {
	rules := ch.overwrites
	if ch.Kind == chat.Thread {
		rules = g.channels[ch.Parent].overwrites
	}
	return slices.ContainsFunc(rules, func(o overwrite) bool { return o.deny&discordgo.PermissionViewChannel != 0 })
}
