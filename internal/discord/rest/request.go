package rest

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/sleep"
)

const (
	// maxAttempts limits how often a request is sent.
	maxAttempts = 5
	// requestTimeout bounds a request with all its attempts and waits, from when its turn in the
	// lane came. Sending a lot of data takes longer; see payload.timeout.
	requestTimeout = time.Minute
)

// A Request is a request to the REST API.
type Request struct {
	Method  string
	Route   string // the path as Discord documents it, with {…} for what changes
	Address string // the same with values, on discordgo.EndpointAPI
	Query   url.Values
	Body    any // sent as JSON; nil for none
	Files   []chat.File

	// Unique marks a POST that Discord dedupes.
	Unique bool
	// Interaction marks the answer to an interaction.
	Interaction bool
	// Once marks a request that is not retried here, because the caller does so.
	Once bool

	Reason string // for the server's audit log, before who asked; may be empty

	Guild   chat.GuildID      // it is about, if it is not about a channel
	Channel chat.ChannelID    // it is about; empty for the whole server
	Needs   []chat.Permission // that the bot must have for it
}

// Needing adds permissions that the bot must have.
func (q Request) Needing(needs ...chat.Permission) Request {
	q.Needs = slices.Concat(q.Needs, needs)
	return q
}

// WithQuery sets the query.
func (q Request) WithQuery(query url.Values) Request {
	q.Query = query
	return q
}

// WithBody sets the body.
func (q Request) WithBody(body any) Request {
	q.Body = body
	return q
}

// lane names the rate limit of a request: the route, and on it each channel and server by
// itself.
func (q Request) lane() string {
	if q.Interaction {
		return q.Address // each has one answer
	}
	return q.Method + " " + q.Route + " " + cmp.Or(string(q.Guild), string(q.Channel))
}

// check refuses an address that does not match the route. A made-up ID must not lead to another
// address.
func (q Request) check() error {
	path, _ := strings.CutPrefix(q.Address, strings.TrimSuffix(discordgo.EndpointAPI, "/"))
	got, want := strings.Split(path, "/"), strings.Split(q.Route, "/")
	for i, part := range got {
		switch {
		case i < len(want) && part == want[i]:
		case i < len(want) && (want[i] == "{emoji}" || want[i] == "{token}") && strings.Trim(part, ".") != "":
		case i < len(want) && strings.HasPrefix(want[i], "{") && isNumber(part):
		default:
			return NotFound("%q names nothing on Discord; IDs are numbers", chat.Clip(part, 40))
		}
	}
	return nil
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// isIdempotent reports whether the request can be retried when the outcome of an attempt is
// unclear. Every method but POST is.
func (q Request) isIdempotent() bool { return q.Method != http.MethodPost || q.Unique }

func (q Request) maxAttempts(s *sparing) int {
	if q.Once || s.active() {
		return 1
	}
	return maxAttempts
}

// Do sends a request and decodes the response into out, unless that is nil. Every request goes
// through here.
func (c *Client) Do(ctx context.Context, q Request, out any) error {
	if err := q.check(); err != nil {
		return err
	}
	p, err := q.encode(c.guide.UploadLimit(q.Channel))
	if err != nil {
		return err
	}
	if err := c.alive.Err(); err != nil {
		return Stopped{Cause: err}
	}
	q.Reason = c.reason(ctx, q)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.alive, cancel)()
	lane := q.lane()
	if err := c.limits.enter(ctx, lane); err != nil {
		return err
	}
	defer c.limits.leave(lane)
	s := sparingOf(ctx)
	if err := s.refusal(); err != nil {
		return err
	}
	a, err := c.attempt(ctx, q, lane, p)
	if err == nil && out != nil {
		err = c.read(ctx, q, a, out)
	}
	if err == nil && (out != nil || a.status == http.StatusNoContent) { // a proxy may answer with any other JSON
		c.succeeded.Add(1)
		if q.Unique {
			c.posted.Add(1)
		}
	}
	s.learn(q, err)
	return err
}

func (c *Client) read(ctx context.Context, q Request, a answer, out any) error {
	err := c.reader.Read(ctx, q.Method+" "+q.Route, a.body, out)
	if err == nil {
		return nil
	}
	c.log.WarnContext(ctx, "cannot read a response of Discord", "method", q.Method, "route", q.Route, "err", err)
	return &Error{Status: a.status, unclear: true, cause: err, text: "the answer from Discord makes no sense (is DISCORD_API_URL right?)"}
}

// Succeeded returns how many requests Discord has certainly carried out, and how many of them have posted a message.
func (c *Client) Succeeded() (all, posts int) { return int(c.succeeded.Load()), int(c.posted.Load()) }

// attempt sends a request until it succeeds, is refused, or is not worth a retry.
func (c *Client) attempt(ctx context.Context, q Request, lane string, p payload) (answer, error) {
	bounded, cancel := context.WithTimeout(ctx, requestTimeout+p.timeout())
	defer cancel()
	var last answer
	unclear := false // an earlier attempt may have succeeded
	for try := 1; try <= q.maxAttempts(sparingOf(ctx)); try++ {
		if err := c.pause(bounded, q, lane, last, try); err != nil {
			if ctx.Err() != nil {
				return answer{}, Stopped{ctx.Err(), unclear}
			}
			return answer{}, c.refusal(q, giveUp(last, err))
		}
		if c.mute.Load() {
			return answer{}, tokenRefused()
		}
		last = c.exchange(bounded, q, p)
		c.limits.learn(lane, last)
		c.clock.learn(last)
		switch {
		case last.ok():
			return last, nil
		case ctx.Err() != nil:
			return answer{}, Stopped{ctx.Err(), last.unclear()}
		case last.limited():
		case last.unclear() && q.isIdempotent():
			unclear = true
		case unclear && q.Method == http.MethodDelete && last.status == http.StatusNotFound:
			// The earlier attempt did it.
			return answer{status: http.StatusNoContent}, nil
		default:
			if last.refusesToken(q) {
				c.stopSending(ctx, q)
			}
			return answer{}, c.refusal(q, last)
		}
	}
	return answer{}, c.refusal(q, last)
}

// stopSending ends all requests: Discord bans an address that sends too many invalid ones. The login, which is retried by its
// caller, reports its error itself.
func (c *Client) stopSending(ctx context.Context, q Request) {
	if !c.mute.Swap(true) && !q.Once {
		c.log.ErrorContext(ctx, "Discord refused the token: nothing more is sent until the bot is restarted with a valid DISCORD_TOKEN", "method", q.Method, "route", q.Route)
	}
}

// A Stopped is the error of a cancelled request.
type Stopped struct {
	Cause error
	Maybe bool // it may have been done
}

func (e Stopped) Unwrap() error { return e.Cause }

func (e Stopped) Error() string {
	if e.Maybe {
		return "stopped; it may have been done, so look before trying again"
	}
	return "stopped before it was done"
}

// pause waits before an attempt until the rate limits have room, and after a failure for a
// backoff.
func (c *Client) pause(ctx context.Context, q Request, lane string, last answer, try int) error {
	if try > 1 {
		c.log.DebugContext(ctx, "discord request failed, retrying", "method", q.Method, "route", q.Route, "status", last.status, "try", try)
	}
	if try > 1 && last.unclear() {
		half := 250 * time.Millisecond << (try - 2)
		if !sleep.For(ctx, half+rand.N(half)) {
			return ctx.Err()
		}
	}
	if err := c.limits.pace(ctx, lane, !q.Interaction); err != nil {
		return err
	}
	return ctx.Err()
}

// giveUp returns the answer to report when a wait ended the attempts: the last one, unless the
// wait itself is the reason.
func giveUp(last answer, err error) answer {
	if long := (tooLong{}); errors.As(err, &long) {
		return answer{status: http.StatusTooManyRequests, err: long}
	}
	if last.status == 0 && last.err == nil {
		last.err = err
	}
	return last
}
