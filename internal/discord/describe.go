package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/rest"
)

const (
	// describeTime is the timeout for fetching the bot's user and servers, and for fetching one server. No event is
	// handled meanwhile if one waits for it.
	describeTime = 30 * time.Second

	// describers is how many servers are fetched concurrently, besides those that an event or a caller waits for.
	// More would take the rate limit from the answers that people wait for.
	describers = 2
)

// identify fetches over REST what READY has in a new session: the bot's user and its servers.
func (c *Client) identify(ctx context.Context) ([]chat.GuildID, error) {
	ctx, cancel := context.WithTimeout(ctx, describeTime)
	defer cancel()
	app, err := c.fetchApplication(ctx)
	if err != nil {
		return nil, fmt.Errorf("find out who the bot is: %w", err)
	}
	memberships, err := c.Memberships(ctx)
	if err != nil {
		return nil, fmt.Errorf("find out which servers the bot is on: %w", err)
	}
	var servers []chat.GuildID
	for _, m := range memberships {
		servers = append(servers, m.Server)
	}
	self := userFrom(app.Bot, nil)
	self.Bot = true
	c.cache.ready(self, servers)
	c.app.Store(&app.ID)
	return servers, nil
}

// fetchGuild fetches the description of a server. It is nil if the bot has just left it.
func (c *Client) fetchGuild(ctx context.Context, id chat.GuildID) (*guild, error) {
	ctx, cancel := context.WithTimeout(ctx, describeTime)
	defer cancel()
	var w wireGuild
	var self wireMember
	var threads wireThreadList
	for _, part := range []struct {
		request rest.Request
		into    any
	}{
		{onServer(http.MethodGet, id, ""), &w},
		{onServer(http.MethodGet, id, "/channels"), &w.Channels},
		{onServer(http.MethodGet, id, "/threads/active"), &threads},
		{onServer(http.MethodGet, id, "/members/{user}", string(c.Self().ID)), &self},
	} {
		err := c.rest.Do(ctx, part.request.Needing(onTheServer), part.into)
		if errors.Is(err, ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, fmt.Errorf("find out about server %s: %w", id, err)
		}
	}
	for _, t := range threads.Threads {
		if slices.ContainsFunc(threads.Joined, func(m wireThreadMember) bool { return string(m.Thread) == t.ID }) {
			t.Member = &struct{}{}
		}
		w.Threads = append(w.Threads, t)
	}
	w.Members = []wireMember{self}
	return w.guild(c.Self().ID), nil
}
