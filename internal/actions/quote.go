package actions

import (
	"cmp"
	"context"
	"regexp"
	"sync"

	"discoclaw/internal/chat"
)

// A FindMessage finds a message of a channel.
type FindMessage func(ctx context.Context, ch chat.ChannelID, m chat.MessageID) (chat.Message, error)

// quotes are the words of messages on a card.
type quotes struct {
	words   []string
	outside chat.Sources
}

// maxQuote is how much of a message a card quotes: enough to know which one is meant.
const maxQuote = 80

// Quoting is a message on a card: its author, a link, and its first words if all readers of the card may read them. The noun says what it
// is, such as "message" or "poll".
func (c Call) Quoting(ctx context.Context, m chat.Message, noun string) string {
	name := chat.Clip(chat.OneLine(cmp.Or(m.Author.Handle, m.Author.Name, "somebody")), 60)
	what := chat.Literal(name) + "'s [" + noun + "](" + m.Place.Link() + ")"
	text := chat.OneLine(m.Text)
	_, secret := chat.CutSecret(m.Text)
	if text == "" || secret || c.quoted == nil || c.readable == nil || !c.Tells(ctx, c.readable, m.Place.Channel) {
		return what
	}
	// Whom it mentions does not matter here, and their IDs say nothing.
	words := chat.Visible(mentions().ReplaceAllString(Quoted(chat.Clip(text, maxQuote)), "@…"))
	c.quoted.words = append(c.quoted.words, words)
	c.quoted.outside.Add(m.Outside(c.source))
	return what + " " + words
}

// quoteAt is Quoting for the message of a place; its link alone if it cannot be found.
func (c Call) quoteAt(ctx context.Context, at chat.Place, noun string) string {
	if c.messages != nil {
		if m, err := c.messages(ctx, at.Channel, at.Message); err == nil {
			return c.Quoting(ctx, m, noun)
		}
	}
	return "[this " + noun + "](" + at.Link() + ")"
}

// pending is a request that waits for approval, with what its card says.
func (c Call) pending(ctx context.Context, r Request, what string) Pending {
	what = chat.Visible(what)
	return Pending{Request: r, What: what, Words: c.quoted.words, Outside: c.quoted.outside, Names: c.namesIn(ctx, what)}
}

var channelMention = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<#(\d{17,20})>`) })

// namesIn are the names of the channels that a text mentions, for when these are deleted. The name of a channel that not all readers may
// see is left out, and so are those of threads, which anybody may have chosen.
func (c Call) namesIn(ctx context.Context, text string) map[string]string {
	if c.channels == nil || c.readable == nil {
		return nil
	}
	names := map[string]string{}
	for _, m := range channelMention().FindAllStringSubmatch(text, -1) {
		ch, err := c.channels(ctx, c.Origin.Place.Guild, c.Origin.Requester, chat.ChannelRef(m[1]))
		if err == nil && ch.Kind != chat.Thread && c.Tells(ctx, c.readable, ch.ID) {
			names[m[0]] = "#" + chat.Literal(ch.Name)
		}
	}
	return names
}
