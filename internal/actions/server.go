package actions

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"sync"
	"time"

	"discoclaw/internal/chat"
)

// Helpers for categories that act on the server of a turn. Each of them passes the methods
// of Discord that are needed, usually of its own Server.

// Guild is the server of the turn.
func (c Call) Guild() (chat.GuildID, error) {
	if c.Origin.Place.Guild == "" {
		return "", errors.New("this works on a server only")
	}
	return c.Origin.Place.Guild, nil
}

// A FindChannel resolves a reference to a channel on a server, for a member. Channels that
// are hidden from the member are not found.
type FindChannel func(ctx context.Context, g chat.GuildID, who chat.UserID, ref chat.ChannelRef) (chat.Channel, error)

// Channel finds the channel of an action; see About.
func (c Call) Channel(ctx context.Context, find FindChannel, ref chat.ChannelRef) (chat.Channel, error) {
	return c.OtherChannel(ctx, find, c.About(ref))
}

// OtherChannel finds a channel on the server of the turn, and on no other, also by ID.
// Unlike Channel it ignores Checked.
func (c Call) OtherChannel(ctx context.Context, find FindChannel, ref chat.ChannelRef) (chat.Channel, error) {
	g, err := c.Guild()
	if err != nil {
		return chat.Channel{}, err
	}
	ch, err := find(ctx, g, c.Origin.Requester, ref)
	if err != nil {
		return chat.Channel{}, err
	}
	if ch.Guild != g {
		return chat.Channel{}, fmt.Errorf("channel %q not found on this server", chat.Clip(string(ref), 100))
	}
	return ch, nil
}

// TextChannel is Channel for an action that needs a channel with messages; see RequireText.
func (c Call) TextChannel(ctx context.Context, find FindChannel, ref chat.ChannelRef, post string) (chat.Channel, error) {
	ch, err := c.Channel(ctx, find, ref)
	if err == nil {
		err = c.RequireText(ch, post)
	}
	if err != nil {
		return chat.Channel{}, err
	}
	return ch, nil
}

// RequireText returns why a channel takes no messages. Post is what would be posted there;
// it is empty for plain messages, also to read them.
func (c Call) RequireText(ch chat.Channel, post string) error {
	name := ch.ID.Mention()
	switch {
	case ch.Kind.TakesMessages(), ch.ID == c.Origin.Place.Channel && ch.Kind.HasChat():
		return nil
	case post != "":
		return fmt.Errorf("%s is a %s channel, where no %s can be posted; choose a text channel or a thread", name, ch.Kind, post)
	case ch.Kind.HasPosts():
		return fmt.Errorf("%s is a %s channel, which holds no messages itself; choose one of its posts", name, ch.Kind)
	}
	return fmt.Errorf("%s is a %s channel, which cannot be used for messages; choose a text channel or a thread", name, ch.Kind)
}

// About is the channel of an action: the one in which the requester's rights were checked,
// if they were, since a name may mean another one by now.
func (c Call) About(ref chat.ChannelRef) chat.ChannelRef {
	if checked, ok := c.Checked(); ok {
		return chat.ChannelRef(checked)
	}
	return ref
}

// Listed says how many a query has found: "read 5 messages".
func Listed(verb string, n int, one, many string) string {
	if n == 0 {
		return "found no " + many
	}
	return verb + " " + chat.Counted(n, one, many)
}

// Done is the result of an action of which a sentence tells everything, or its failure.
func Done(err error, summary string, undo ...Inverse) (Result, error) {
	if err != nil {
		return Result{}, err
	}
	return Result{Summary: summary, Undo: undo}, nil
}

// SeenIn gives what was done in a channel no line if the answer is there, too.
func (r Result) SeenIn(call Call, ch chat.ChannelID) Result {
	r.Seen = call.Origin.Place.Channel == ch
	return r
}

// FoundIn is the result of a query about channels. Its summary mentions the first of them, so that
// Discord tells its name to those only who may see it.
func FoundIn(found, did string, from ...chat.Channel) Result {
	res := Result{Found: found, Summary: did + " " + from[0].ID.Mention()}
	for _, ch := range from {
		if ch.ID != "" {
			res.From = append(res.From, ch.ID)
		}
	}
	return res
}

// Naming marks the result with the names that outsiders among some users chose.
func (r Result) Naming(call Call, users ...chat.User) Result {
	for _, u := range users {
		if call.source == nil || call.source(chat.Message{Author: u}) != "" {
			r.Outside.Add(chat.Sources("the name of " + u.ID.Mention()))
		}
	}
	return r
}

// Showing says which messages the result has.
func (r Result) Showing(call Call, messages ...chat.Message) Result {
	for _, m := range messages {
		r.Shows = append(r.Shows, m.Place)
		r.Outside.Add(m.Outside(call.source))
	}
	return r
}

// Needs says that somebody lacks rights, in a channel or on the server as a whole: "you need
// *Manage Channels* in <#1> for that".
func Needs(who string, where chat.ChannelID, rights ...chat.Permission) string {
	need, in := "needs", ""
	if who == "you" {
		need = "need"
	}
	if where != "" {
		in = " in " + where.Mention()
	}
	return fmt.Sprintf("%s %s %s%s for that", who, need, chat.Rights(rights), in)
}

// A FindReadable reports whether everybody who sees the channel here may read source as well.
type FindReadable func(ctx context.Context, g chat.GuildID, here, source chat.ChannelID) (bool, error)

// Tells reports whether a name that belongs to a channel may be told to all readers of the turn.
func (c Call) Tells(ctx context.Context, find FindReadable, ch chat.ChannelID) bool {
	here := c.Origin.Place
	if here.Guild == "" {
		return true
	}
	open, err := find(ctx, here.Guild, here.Channel, ch)
	return err == nil && open
}

// A FindMissing finds which of the permissions a member lacks in a channel.
type FindMissing func(ctx context.Context, g chat.GuildID, u chat.UserID, ch chat.ChannelID,
	needs []chat.Permission) ([]chat.Permission, error)

// May reports whether all People of the turn have a right in a channel.
func (c Call) May(ctx context.Context, find FindMissing, ch chat.ChannelID, right chat.Permission) (bool, error) {
	people := c.Origin.People()
	if len(people) == 0 {
		return false, errors.New("nobody is known to have asked for this")
	}
	for _, who := range people {
		missing, err := find(ctx, c.Origin.Place.Guild, who, ch, []chat.Permission{right})
		if err != nil {
			return false, fmt.Errorf("I could not look up what %s may do: %w", who.Mention(), err)
		}
		if len(missing) > 0 {
			return false, nil
		}
	}
	return true, nil
}

// A Pacer knows who wrote last in channels with slow mode.
type Pacer interface {
	MissingPermissions(ctx context.Context, g chat.GuildID, u chat.UserID, ch chat.ChannelID,
		needs []chat.Permission) ([]chat.Permission, error)
	// Pace records a post for a member, unless slow mode forbids it until a time. Request is the message that asks for
	// it, and release takes the record back.
	Pace(ch chat.Channel, who chat.UserID, request chat.MessageID) (until time.Time, release func())
}

// withoutPace are the rights that free a member of slow mode, each of them.
var withoutPace = []chat.Permission{chat.BypassSlowmode, chat.ManageMessages, chat.ManageChannels}

// Paced posts something, unless the channel's slow mode forbids that to one of the People of the turn. Discord
// does not hold bots back, and requesters do not get that right through the bot.
func (c Call) Paced(ctx context.Context, p Pacer, ch chat.Channel, post func() error) error {
	if ch.Slowmode == 0 {
		return post()
	}
	var taken []func()
	err := func() error {
		for _, who := range c.Origin.People() {
			missing, err := p.MissingPermissions(ctx, ch.Guild, who, ch.ID, withoutPace)
			switch {
			case err != nil:
				return fmt.Errorf("I could not look up what %s may do: %w", who.Mention(), err)
			case len(missing) < len(withoutPace):
				continue
			}
			until, release := p.Pace(ch, who, c.Origin.Place.Message)
			if !until.IsZero() {
				them := who.Mention()
				if who == c.Origin.Requester {
					them = c.Origin.Addressed()
				}
				return fmt.Errorf("slow mode in %s lets %s write again %s", ch.ID.Mention(), them, chat.FromNow(until))
			}
			taken = append(taken, release)
		}
		return post()
	}()
	if err != nil {
		for _, release := range taken {
			release()
		}
	}
	return err
}

// Emojis lists the emoji of a server.
type Emojis interface {
	Emojis(ctx context.Context, g chat.GuildID) ([]chat.ServerEmoji, error)
}

// custom is a custom emoji in a text, or alone.
var custom = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<a?:\w+:(\d{15,20})>|^\w+:(\d{15,20})$`) })

// ForEmoji is what Emoji may demand.
var ForEmoji = []chat.Permission{chat.UseExternalEmojis}

// Emoji demands Use External Emojis in a channel, if the texts for it have emoji of other servers.
func (c Call) Emoji(ctx context.Context, s Emojis, ch chat.ChannelID, texts ...string) ([]Demand, error) {
	var ids []string
	for _, text := range texts {
		for _, found := range custom().FindAllStringSubmatch(text, -1) {
			ids = append(ids, found[1]+found[2])
		}
	}
	if len(ids) == 0 || c.Origin.Place.Guild == "" {
		return nil, nil
	}
	own, err := s.Emojis(ctx, c.Origin.Place.Guild)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		if !slices.ContainsFunc(own, func(e chat.ServerEmoji) bool { return e.ID == id }) {
			return []Demand{{Channel: ch, Rights: ForEmoji}}, nil
		}
	}
	return nil, nil
}

// TakeBack are the inverses of an action that has posted a message, which is deleted again. What it is completes "delete [a poll] in
// #ops". The type is of the category messaging; if that is switched off, the message stays.
func TakeBack(what string, at chat.Place) []Inverse {
	return []Inverse{Reverse(fmt.Sprintf("delete [%s](%s) in %s", what, at.Link(), at.Channel.Mention()), "deleteMessage",
		struct {
			Channel chat.ChannelID `json:"channelId"`
			Message chat.MessageID `json:"messageId"`
		}{at.Channel, at.Message})}
}
