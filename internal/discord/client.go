package discord

import (
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/gateway"
	"discoclaw/internal/discord/rest"
)

// discordURL is where Discord's own REST API is.
const discordURL = "https://discord.com/api/v10"

// Options say who the bot is and how to reach Discord.
type Options struct {
	Token  string       // of the bot, without "Bot "
	APIURL string       // base of the REST API with its version; empty means Discord's own, version 10
	HTTP   *http.Client // its transport carries REST and the gateway; nil means http.DefaultClient
	Log    *slog.Logger // nil means no log

	// Presence is how the bot shows itself from its login on, which CheckPresence has
	// nothing against. Empty leaves that to Discord.
	Presence chat.Presence

	// Sessions lets Run go on where Run of an earlier process stopped. Nil means that
	// every Run begins a session of its own.
	Sessions Sessions
}

// A Client speaks to Discord as one bot. It is safe for concurrent use.
type Client struct {
	token   string
	apiURL  string
	http    *http.Client
	log     *slog.Logger
	rest    *rest.Client
	cache   *cache
	members *members
	own     *own
	presses presses
	voices  *voices
	replay  atomic.Pointer[chan struct{}]  // closed when the session of an earlier process has been resumed; nil if there was none
	gateway atomic.Pointer[gateway.Client] // nil while Run is not at work
	app     atomic.Pointer[string]         // the ID of the bot's application; nil until Discord has said it

	undescribed *undescribed

	presence chat.Presence // to begin with
	sessions Sessions      // or nil
}

// New returns a Client that has not said anything to Discord yet. Requests work
// at once; what is known about servers and about the bot itself comes with Run.
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

		presence: o.Presence,
		sessions: o.Sessions,
	}
	c.rest = rest.New(rest.Options{Token: o.Token, APIURL: o.APIURL, Transport: o.HTTP.Transport, Guide: guide{c}, Log: o.Log})
	c.cache = newCache(c.rest.Now)
	c.undescribed = &undescribed{cache: c.cache}
	return c
}

// Close ends the requests that are under way and refuses those that come later. It is
// for the very end, so that nothing which took too long changes anything afterwards.
func (c *Client) Close() { c.rest.Close() }

// Self is the bot itself. It is empty until Discord has said who that is.
func (c *Client) Self() chat.User { return c.cache.whoami() }
