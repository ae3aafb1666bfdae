package discord

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
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
	for _, w := range wire {
		if !w.hasStop() {
			page = append(page, w.message(place))
		}
	}
	if len(wire) == maxMessages {
		next = chat.MessageID(wire[len(wire)-1].ID)
	}
	return page, next, nil
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
