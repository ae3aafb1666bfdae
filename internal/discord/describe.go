package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

const (
	// describeTime is how long it may take to find out about all servers. Whoever
	// waits for the bot to come back waits for that.
	describeTime = 30 * time.Second

	// atOnce is how many servers are asked about at the same time.
	atOnce = 8

	// mostServers is how many servers Discord lists on a page.
	mostServers = 200
)

// describe asks Discord over REST for what a new session begins with: who the bot is,
// on which servers, and what those are like. A session that is taken up by another
// process than the one that began it does not tell that again.
func (c *Client) describe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, describeTime)
	defer cancel()
	var app struct {
		ID  string         `json:"id"`
		Bot discordgo.User `json:"bot"`
	}
	err := c.call(ctx, request{
		method:  http.MethodGet,
		route:   "/applications/@me",
		address: discordgo.EndpointApplication("@me"),
	}, &app)
	if err != nil {
		return fmt.Errorf("find out who the bot is: %w", err)
	}
	if app.ID == "" || app.Bot.ID == "" {
		return errNoID
	}
	servers, err := c.listServers(ctx)
	if err != nil {
		return fmt.Errorf("find out which servers the bot is on: %w", err)
	}
	self := userFrom(app.Bot, nil)
	self.Bot = true
	c.cache.ready(self, servers)
	c.app.Store(&app.ID)
	return c.describeAll(ctx, servers)
}

// listServers are those that the bot is on.
func (c *Client) listServers(ctx context.Context) ([]chat.GuildID, error) {
	var all []chat.GuildID
	for {
		query := url.Values{"limit": {strconv.Itoa(mostServers)}}
		if len(all) > 0 {
			query.Set("after", string(all[len(all)-1]))
		}
		page, err := fetchAll(ctx, c, request{
			method:  http.MethodGet,
			route:   "/users/@me/guilds",
			address: discordgo.EndpointUserGuilds("@me"),
			query:   query,
		}, func(w wireGuild) chat.GuildID { return chat.GuildID(w.ID) })
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
		if len(page) < mostServers {
			return all, nil
		}
	}
}

func (c *Client) describeAll(ctx context.Context, servers []chat.GuildID) error {
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	var wg sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for _, id := range servers {
		places <- struct{}{}
		wg.Go(func() {
			defer func() { <-places }()
			if err := c.describeServer(ctx, id); err != nil {
				giveUp(fmt.Errorf("find out about server %s: %w", id, err))
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}

// describeServer puts what a server is like into the cache. One that the bot has left
// in this moment is left out.
func (c *Client) describeServer(ctx context.Context, id chat.GuildID) error {
	var w wireGuild
	var self discordgo.Member
	var threads wireThreadList
	for _, part := range []struct {
		route, address string
		into           any
	}{
		{"/guilds/{guild}", discordgo.EndpointGuild(string(id)), &w},
		{"/guilds/{guild}/channels", discordgo.EndpointGuildChannels(string(id)), &w.Channels},
		{"/guilds/{guild}/threads/active", discordgo.EndpointGuildActiveThreads(string(id)), &threads},
		{"/guilds/{guild}/members/{user}", discordgo.EndpointGuildMember(string(id), string(c.Self().ID)), &self},
	} {
		err := c.call(ctx, request{method: http.MethodGet, route: part.route, address: part.address, guild: id, needs: onTheServer}, part.into)
		if errors.Is(err, ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	for _, t := range threads.Threads {
		if slices.ContainsFunc(threads.Joined, func(m wireThreadMember) bool { return string(m.Thread) == t.ID }) {
			t.Member = &discordgo.ThreadMember{} // that there is one says so
		}
		w.Threads = append(w.Threads, t)
	}
	w.Members = []discordgo.Member{self}
	c.cache.replace(id, w.guild(c.Self().ID))
	return nil
}
