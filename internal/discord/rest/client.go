// Package rest is a client of Discord's REST API. Requests of one route to one channel are sent in the order they
// were made and within the rate limits, a request is retried only if it is idempotent or certainly failed, and a refusal
// becomes an [Error] that says in one sentence why, and what helps. After Discord has refused the token, nothing more is sent.
//
// Start with [Client.Do]. The requests themselves are in package discord, which also knows the bot's servers and
// describes them through [Guide].
package rest

import (
	"context"
	"log/slog"
	"net/http"
	"sync/atomic"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord/lenient"
)

// Options are what a Client works with. All of them are required, except Transport.
type Options struct {
	Token     string            // of the bot, without "Bot "
	APIURL    string            // base of the REST API with its version, without a slash at its end
	Transport http.RoundTripper // nil means http.DefaultTransport
	Guide     Guide
	Log       *slog.Logger
}

// A Guide knows the bot's servers, as far as requests and refusals need that.
type Guide interface {
	// Describe names a channel for people; an empty one is the whole server.
	Describe(ch chat.ChannelID) string
	// Forbidden returns a sentence on what the bot lacks for a request that Discord refused, and where to grant it.
	Forbidden(q Request) string
	// Asked says who asked for a request, and where; it is empty if nobody did.
	Asked(ctx context.Context, q Request) string
	// UploadLimit returns how many bytes a file may have in a channel.
	UploadLimit(ch chat.ChannelID) int
}

// A Client makes requests as one bot. It is safe for concurrent use.
type Client struct {
	session *discordgo.Session
	limits  *limits
	reader  *lenient.Reader
	clock   clock
	guide   Guide
	log     *slog.Logger
	alive   context.Context // of all requests; cancelled by Close
	close   context.CancelFunc
	mute    atomic.Bool // Discord has refused the token

	succeeded, posted atomic.Int64
}

// New returns a Client.
func New(o Options) *Client {
	alive, stop := context.WithCancel(context.Background())
	return &Client{
		session: newSession(o.Token, o.APIURL, o.Transport),
		limits:  newLimits(),
		reader:  lenient.New(o.Log),
		guide:   o.Guide,
		log:     o.Log,
		alive:   alive,
		close:   stop,
	}
}

// Close cancels the requests in flight and refuses later ones.
func (c *Client) Close() { c.close() }

// newSession sets discordgo up to build and send requests, and nothing else.
func newSession(token, base string, next http.RoundTripper) *discordgo.Session {
	if next == nil {
		next = http.DefaultTransport
	}
	s, _ := discordgo.New("Bot " + token) // its error is always nil
	s.Client = &http.Client{Transport: transport{base: base + "/", next: next}}
	s.ShouldRetryOnRateLimit = false
	s.MaxRestRetries = 0
	s.StateEnabled = false
	return s
}
