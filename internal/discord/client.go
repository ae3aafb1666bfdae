package discord

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/gateway"
	"discoclaw/internal/discord/lenient"
	"discoclaw/internal/discord/rest"
)

// discordURL is where Discord's own REST API is.
const discordURL = "https://discord.com/api/v10"

// Options are the bot's token and the way to reach Discord.
type Options struct {
	Token  string       // of the bot, without "Bot "
	APIURL string       // base of the REST API with its version; empty means Discord's own, version 10
	HTTP   *http.Client // its transport carries REST and the gateway; nil means http.DefaultClient
	Log    *slog.Logger // nil means no log

	// LinkPreviews lets Discord show a preview of what a message links to. It fetches the address for that, which a
	// model may have composed of what only it was told.
	LinkPreviews bool

	// Presence is the initial presence, which must pass CheckPresence. Empty leaves that to
	// Discord.
	Presence chat.Presence

	// Sessions lets Run resume the session of an earlier process. With nil, every Run begins a
	// session of its own.
	Sessions Sessions
}

// A Client is one bot on Discord. It is safe for concurrent use.
type Client struct {
	token   string
	apiURL  string
	http    *http.Client
	log     *slog.Logger
	rest    *rest.Client
	reader  *lenient.Reader // of events
	cache   *cache
	members *members
	own     *own
	presses presses
	voices  *voices
	slow    *slowmode
	replay  atomic.Pointer[chan struct{}]  // closed when the session of an earlier process has been resumed; nil if there was none
	gateway atomic.Pointer[gateway.Client] // nil while Run does not run
	app     atomic.Pointer[string]         // the ID of the bot's application; nil until it is known

	undescribed *undescribed

	flags    int           // of every new message
	presence chat.Presence // to begin with
	sessions Sessions      // or nil
}

// New returns a Client. Requests work at once; the state of servers and of the bot itself comes
// with Run.
func New(o Options) *Client {
	if o.APIURL == "" {
		o.APIURL = discordURL
	}
	o.APIURL = strings.TrimRight(o.APIURL, "/")
	if o.HTTP == nil {
		o.HTTP = http.DefaultClient
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := &Client{
		token:   o.Token,
		apiURL:  o.APIURL,
		http:    o.HTTP,
		log:     o.Log,
		members: newMembers(),
		own:     newOwn(),
		voices:  newVoices(),
		slow:    newSlowmode(),

		presence: o.Presence,
		sessions: o.Sessions,
	}
	if !o.LinkPreviews {
		c.flags = int(discordgo.MessageFlagsSuppressEmbeds)
	}
	c.rest = rest.New(rest.Options{Token: o.Token, APIURL: o.APIURL, Transport: o.HTTP.Transport, Guide: guide{c}, Log: o.Log})
	c.reader = lenient.New(o.Log)
	c.cache = newCache(c.rest.Now)
	c.undescribed = &undescribed{cache: c.cache}
	return c
}

// Close cancels the requests in flight and refuses later ones. It is for the end of the
// process, so that no slow request changes anything afterwards.
func (c *Client) Close() { c.rest.Close() }

// Self returns the bot's user. It is zero until Discord has sent it.
func (c *Client) Self() chat.User { return c.cache.whoami() }

// onTheServer is needed to read a server as a whole. Being a member is enough; a bot that is
// refused nevertheless sees nothing of it.
const onTheServer = chat.ViewChannel

// request returns a request for a route, in which the IDs stand for the parts in braces.
func request(method, route string, ids ...string) rest.Request {
	parts := strings.Split(strings.TrimPrefix(route, "/"), "/")
	for i, part := range parts {
		if strings.HasPrefix(part, "{") {
			parts[i], ids = ids[0], ids[1:]
		}
	}
	return rest.Request{Method: method, Route: route, Address: discordgo.EndpointAPI + strings.Join(parts, "/")}
}

// onChannel returns a request about a channel, which the bot must see. The route is the part after the channel.
func onChannel(method string, ch chat.ChannelID, route string, ids ...string) rest.Request {
	q := request(method, "/channels/{channel}"+route, append([]string{string(ch)}, ids...)...)
	q.Channel = ch
	return q.Needing(chat.ViewChannel)
}

// onServer returns a request about a server. The route is the part after the server.
func onServer(method string, g chat.GuildID, route string, ids ...string) rest.Request {
	q := request(method, "/guilds/{guild}"+route, append([]string{string(g)}, ids...)...)
	q.Guild = g
	return q
}

// inChannel returns the permissions for something in a channel, or on the whole server if that is empty.
func inChannel(ch chat.ChannelID, needs ...chat.Permission) []chat.Permission {
	if ch == "" {
		return needs
	}
	return append([]chat.Permission{chat.ViewChannel}, needs...)
}

// pageOf asks for a page of a list: with so many entries, before or after one of them unless that is empty.
func pageOf(limit int, side, of string) url.Values {
	query := url.Values{"limit": {strconv.Itoa(limit)}}
	if of != "" {
		query.Set(side, of)
	}
	return query
}

// fetch sends a request and returns the response.
func fetch[T any](ctx context.Context, c *Client, q rest.Request) (response T, err error) {
	err = c.rest.Do(ctx, q, &response)
	return response, err
}

// fetchAll fetches a list and converts its elements.
func fetchAll[Wire, Thing any](ctx context.Context, c *Client, q rest.Request, read func(Wire) Thing) ([]Thing, error) {
	wire, err := fetch[[]Wire](ctx, c, q)
	return each(wire, read), err
}

// each converts the elements of a list. The result is never nil, which JSON has as null.
func each[A, B any](list []A, f func(A) B) []B {
	all := make([]B, len(list))
	for i, a := range list {
		all[i] = f(a)
	}
	return all
}

// Counting returns a context, and a function that counts the requests sent with it so far,
// retries included.
func (c *Client) Counting(ctx context.Context) (context.Context, func() int) {
	return rest.Counting(ctx)
}

// Sparing returns a context for another try of work that Discord did not answer: the first request that is not answered either
// is the last. See [rest.Sparing].
func (c *Client) Sparing(ctx context.Context) context.Context { return rest.Sparing(ctx) }

// Succeeded returns how many requests Discord has certainly carried out, and how many of them have posted a message.
func (c *Client) Succeeded() (all, posts int) { return c.rest.Succeeded() }

// Now returns Discord's time, as of its latest response. Run has had one by the time it has
// logged in.
func (c *Client) Now() time.Time { return c.rest.Now() }

// Paused returns the latest time in which Discord took no requests of the bot at all. It is zero if there was none.
func (c *Client) Paused() rest.Pause { return c.rest.Paused() }

// An Error says in one sentence what Discord did not do, why, and what helps.
type Error = rest.Error

// Kinds of errors, for errors.Is.
var (
	ErrNotFound = rest.ErrNotFound
	ErrArchived = rest.ErrArchived
)

// unknownServer returns the error for a server that is not in the cache. It may be later: a server with
// an outage is described when that is over.
func unknownServer(g chat.GuildID) error {
	return rest.Refused(0, fmt.Sprintf("I know nothing about server %s; invite me there, or wait until Discord has described it", g))
}
