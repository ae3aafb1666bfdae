// Package rest asks things of Discord over its REST API, and decides what holds for every request: requests of one kind to
// one channel leave in the order they were made and within the rate limits, a request is repeated only if that
// cannot do the thing twice, and a refusal becomes an [Error] that says in one sentence why, and what helps.
//
// Start with [Client.Do]. What a request means is the business of package discord, which also knows the bot's servers
// and tells of them through [Guide].
package rest

import (
	"context"
	"log/slog"
	"net/http"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
)

// Options are what a Client works with. All of them are required, except Transport.
type Options struct {
	Token     string            // of the bot, without "Bot "
	APIURL    string            // base of the REST API with its version, without a slash at its end
	Transport http.RoundTripper // nil means http.DefaultTransport
	Guide     Guide
	Log       *slog.Logger
}

// A Guide knows what the bot's servers are like, as far as that shapes requests and sentences.
type Guide interface {
	// Describe names a channel for people; an empty one is the whole server.
	Describe(ch chat.ChannelID) string
	// Forbidden says what the bot lacks for a request that Discord refused, and where to grant it.
	Forbidden(q Request) string
	// UploadLimit is how many bytes a file may have in a channel.
	UploadLimit(ch chat.ChannelID) int
}

// A Client makes requests as one bot. It is safe for concurrent use.
type Client struct {
	session *discordgo.Session
	limits  *limits
	clock   clock
	guide   Guide
	log     *slog.Logger
	alive   context.Context // of all requests; ends with Close
	close   context.CancelFunc
}

// New returns a Client that has not asked anything yet.
func New(o Options) *Client {
	alive, stop := context.WithCancel(context.Background())
	return &Client{
		session: newSession(o.Token, o.APIURL, o.Transport),
		limits:  newLimits(),
		guide:   o.Guide,
		log:     o.Log,
		alive:   alive,
		close:   stop,
	}
}

// Close ends the requests that are under way and refuses those that come later.
func (c *Client) Close() { c.close() }

// newSession sets discordgo up as a maker of requests and nothing else.
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
