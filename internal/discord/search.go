package discord

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
	"discoclaw/internal/order"
	"discoclaw/internal/sleep"
)

// HistoryPage fetches 100 messages of a channel, newest first: the latest, or those before a
// message. next is the start of the next page, or empty if there is none. Placeholders are left
// out.
func (c *Client) HistoryPage(ctx context.Context, ch chat.ChannelID, before chat.MessageID) (page []chat.Message,
	next chat.MessageID, err error) {
	place, err := c.placeOf(ctx, ch)
	if err != nil {
		return nil, "", err
	}
	wire, err := c.history(ctx, ch, "before", before, maxMessages)
	if err != nil {
		return nil, "", err
	}
	if len(wire) == maxMessages {
		next = chat.MessageID(wire[len(wire)-1].ID)
	}
	return finished(wire, place), next, nil
}

// Limits of a search.
const (
	maxSearched    = 500 // channels in one request, as Discord documents it
	maxHits        = 25  // messages in one response, as Discord documents it
	maxSearchPages = 6   // responses that are read for a list of channels
	maxIndexWaits  = 3   // times that a search waits for Discord's index
)

// SearchMessages finds the latest messages of some channels and their public threads, newest first. more says that
// there are older ones. What the bot may not read is left out, and so are secrets, placeholders and all
// that Discord finds elsewhere: nothing in the result tells that they exist.
func (c *Client) SearchMessages(ctx context.Context, g chat.GuildID, in []chat.ChannelID,
	s chat.Search) (found []chat.Message, more bool, err error) {
	in = c.cache.legible(g, in)
	for some := range slices.Chunk(in, maxSearched) {
		page, err := c.searchSome(ctx, g, some, s)
		if err != nil {
			return nil, false, err
		}
		found = append(found, page...)
	}
	order.By(found, func(a, b chat.Message) int { return byAge(b.ID, a.ID) })
	// One of a thread comes twice if its channel was in another request.
	found = slices.CompactFunc(found, func(a, b chat.Message) bool { return a.ID == b.ID })
	if len(found) > s.Limit {
		return found[:s.Limit], true, nil
	}
	return found, false, nil
}

// legible keeps the channels that the bot may read.
func (c *cache) legible(id chat.GuildID, in []chat.ChannelID) []chat.ChannelID {
	return slices.DeleteFunc(slices.Clone(in), func(ch chat.ChannelID) bool {
		known, ok := c.channel(ch)
		return !ok || known.Guild != id || c.botRights(id, &known)&toRead != toRead
	})
}

// searchSome searches channels that fit into one request, until there are more than limit messages, or no
// more. A response may have fewer than were asked for, so their number says nothing.
func (c *Client) searchSome(ctx context.Context, g chat.GuildID, in []chat.ChannelID, s chat.Search) (found []chat.Message, err error) {
	query := url.Values{"limit": {strconv.Itoa(maxHits)}, "sort_by": {"timestamp"}, "sort_order": {"desc"}}
	for _, ch := range in {
		query.Add("channel_id", string(ch))
	}
	for name, value := range map[string]string{"content": s.Text, "author_id": string(s.Author), "min_id": string(s.After), "max_id": string(s.Before)} {
		if value != "" {
			query.Set(name, value)
		}
	}
	for range maxSearchPages {
		page, err := c.searchPage(ctx, g, query)
		if err != nil {
			return nil, err
		}
		hits := slices.Concat(page.Messages...)
		for _, w := range hits {
			place, ok := c.searched(g, in, page.Threads, w)
			if _, secret := chat.CutSecret(w.Content); ok && !secret && !w.hasStop() {
				found = append(found, w.message(place))
			}
		}
		if len(hits) == 0 || page.Total <= len(hits) || len(found) > s.Limit {
			return found, nil
		}
		query.Set("max_id", hits[len(hits)-1].ID)
	}
	return found, nil
}

// searched returns the place of a message that was found, and whether it is in one of the channels, or
// in a public thread of one.
func (c *Client) searched(g chat.GuildID, in []chat.ChannelID, threads []wireChannel, w wireMessage) (chat.Place, bool) {
	id := chat.ChannelID(w.Channel)
	for _, t := range threads {
		if _, known := c.cache.channel(id); t.ID == w.Channel && !known {
			c.cache.put(channelFrom(t, g)) // an archived one
		}
	}
	ch, known := c.cache.channel(id)
	inside := slices.Contains(in, id) || ch.Kind == chat.Thread && !ch.Private && slices.Contains(in, ch.Parent)
	return ch.Place(), known && inside
}

// wireSearch is a page of hits, or the notice that the index is not ready.
type wireSearch struct {
	Messages [][]wireMessage `json:"messages" wire:"optional"`
	Threads  []wireChannel   `json:"threads" wire:"optional"`
	Total    int             `json:"total_results"`

	Code  int `json:"code"`
	After int `json:"retry_after"` // in seconds
}

// indexNotReady is Discord's code for a server that was not searched for long.
const indexNotReady = 110000

func (c *Client) searchPage(ctx context.Context, g chat.GuildID, query url.Values) (wireSearch, error) {
	for range maxIndexWaits {
		page, err := fetch[wireSearch](ctx, c, onServer(http.MethodGet, g, "/messages/search").Needing(chat.ReadHistory).WithQuery(query))
		if err != nil || page.Code != indexNotReady {
			return page, err
		}
		if !sleep.For(ctx, time.Duration(min(max(page.After, 1), 10))*time.Second) {
			return page, rest.Stopped{Cause: ctx.Err()}
		}
	}
	return wireSearch{}, errors.New("the search on this server is not ready yet; try again in a minute, or name a channel")
}

// maxPages bounds a search for the bot's own messages in a busy channel.
const maxPages = 20

// FindOwn returns the bot's messages in a channel that were written after a time and look like
// m: the same text and buttons, and as many files. Placeholders are among them. The oldest
// come first.
func (c *Client) FindOwn(ctx context.Context, ch chat.ChannelID, after time.Time, m chat.Outgoing) ([]chat.MessageID, error) {
	var found []chat.MessageID
	self, from := c.Self().ID, snowflakeAt(after)
	if self == "" {
		return nil, errors.New("the bot does not know yet which messages are its own; wait until it has logged in")
	}
	for range maxPages {
		page, err := c.page(ctx, ch, pageOf(maxMessages, "after", from))
		if err != nil {
			return nil, err
		}
		for _, w := range slices.Backward(page) {
			if w.Author != nil && chat.UserID(w.Author.ID) == self && w.looksLike(m) {
				found = append(found, chat.MessageID(w.ID))
			}
		}
		if len(page) < maxMessages {
			break
		}
		from = page[0].ID
	}
	return found, nil
}

// looksLike reports whether the message could be m. Discord trims the text.
func (w wireMessage) looksLike(m chat.Outgoing) bool {
	same := func(have button, want chat.Button) bool { return have.ID == want.ID }
	return strings.TrimSpace(w.Content) == strings.TrimSpace(m.Text) &&
		len(w.Attachments) == len(m.Files) && slices.EqualFunc(w.buttons(), m.Buttons, same)
}

// epoch is the epoch of Discord's IDs, in milliseconds since 1970.
// https://discord.com/developers/docs/reference#snowflakes
const epoch = 1420070400000

// snowflakeAt returns the lowest ID of a time.
func snowflakeAt(t time.Time) string {
	return strconv.FormatInt(max(t.UnixMilli()-epoch, 0)<<22, 10)
}

// lookBack is how many messages are searched for the bot's latest.
const lookBack = 50

// own caches the bot's latest message in each channel.
type own struct {
	mu     sync.Mutex
	latest map[chat.ChannelID]chat.MessageID
}

func newOwn() *own { return &own{latest: map[chat.ChannelID]chat.MessageID{}} }

// finished records a message that is not a placeholder. An answer that took long can be finished after
// a newer message was sent, so the newer one stays.
func (o *own) finished(ch chat.ChannelID, id chat.MessageID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if newer(id, o.latest[ch]) {
		o.latest[ch] = id
	}
}

func (o *own) deleted(ch chat.ChannelID, ids ...chat.MessageID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if slices.Contains(ids, o.latest[ch]) {
		delete(o.latest, ch)
	}
}

// forget clears the cache, when deletions may have been missed.
func (o *own) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	clear(o.latest)
}

func (o *own) get(ch chat.ChannelID) (chat.MessageID, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	id, ok := o.latest[ch]
	return id, ok
}

// newer reports whether a was written after b.
func newer(a, b chat.MessageID) bool { return byAge(a, b) > 0 }

// byAge compares IDs, which are numbers that grow with time.
func byAge[ID ~string](a, b ID) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

// LatestOwn returns the bot's latest message in a channel, apart from placeholders.
func (c *Client) LatestOwn(ctx context.Context, ch chat.ChannelID) (chat.MessageID, error) {
	if id, ok := c.own.get(ch); ok {
		return id, nil
	}
	page, err := c.history(ctx, ch, "before", "", lookBack)
	if err != nil {
		return "", err
	}
	self := c.Self().ID
	for _, m := range page {
		if m.Author != nil && chat.UserID(m.Author.ID) == self && !m.hasStop() {
			c.own.finished(ch, chat.MessageID(m.ID))
			return chat.MessageID(m.ID), nil
		}
	}
	return "", rest.NotFound("none of the last %d messages in %s is mine; say which message you mean", lookBack, c.cache.describe(ch))
}
