package discord

import (
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"

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
