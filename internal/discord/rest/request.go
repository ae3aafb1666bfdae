package rest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/chat"
	"discoclaw/internal/sleep"
)

const (
	// tries is how often a request is sent at most.
	tries = 5
	// patience is how long one request may take with all its tries and waits, from
	// when its turn came. Sending a lot of data takes longer; see payload.patience.
	patience = time.Minute
)

// A Request is one thing to ask of Discord.
type Request struct {
	Method  string
	Route   string // the path as Discord documents it, with {…} for what changes
	Address string // the same with values, made by one of discordgo's Endpoint functions
	Query   url.Values
	Body    any // sent as JSON; nil for none
	Files   []chat.File

	// Unique says that Discord recognises a repetition of this POST.
	Unique bool
	// Interaction says that this answers an interaction.
	Interaction bool
	// Once says that who asks tries again themselves.
	Once bool

	Reason string // for the server's audit log; empty for none

	Guild   chat.GuildID      // whose business it is, if it is not a channel's
	Channel chat.ChannelID    // where it happens; empty for the whole server
	Needs   []chat.Permission // what Discord asks of the bot for it
}

// lane names what Discord counts together: the route, and on it each channel and
// server by itself.
func (q Request) lane() string {
	if q.Interaction {
		return q.Address // there is but one answer to each
	}
	return q.Method + " " + q.Route + " " + cmp.Or(string(q.Guild), string(q.Channel))
}

// check refuses an address that is not what the route says. An ID that somebody
// made up must not lead the bot to another address.
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

// repeatable says whether the request can be sent again when it is not clear
// whether the last one was carried out. Every method but POST says what shall be
// the case, not what shall be done.
func (q Request) repeatable() bool { return q.Method != http.MethodPost || q.Unique }

func (q Request) tries() int {
	if q.Once {
		return 1
	}
	return tries
}

// Do does what a request asks and decodes the answer into out, unless that is
// nil. Every request goes through here.
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
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.alive, cancel)()
	lane := q.lane()
	if err := c.limits.enter(ctx, lane); err != nil {
		return err
	}
	defer c.limits.leave(lane)
	a, err := c.attempt(ctx, q, lane, p)
	if err != nil || out == nil {
		return err
	}
	if err := json.Unmarshal(a.body, out); err != nil {
		return fmt.Errorf("the answer from Discord makes no sense (is DISCORD_API_URL right?): %w", err)
	}
	return nil
}

// attempt sends a request until it is done, refused, or not worth another try.
func (c *Client) attempt(ctx context.Context, q Request, lane string, p payload) (answer, error) {
	bounded, cancel := context.WithTimeout(ctx, patience+p.patience())
	defer cancel()
	var last answer
	unclear := false // an earlier try may have been carried out
	for try := 1; try <= q.tries(); try++ {
		if err := c.pause(bounded, q, lane, last, try); err != nil {
			if ctx.Err() != nil {
				return answer{}, Stopped{ctx.Err(), unclear}
			}
			return answer{}, c.refusal(q, giveUp(last, err))
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
		case last.unclear() && q.repeatable():
			unclear = true
		case unclear && q.Method == http.MethodDelete && last.status == http.StatusNotFound:
			// The earlier try did it.
			return answer{status: http.StatusNoContent}, nil
		default:
			return answer{}, c.refusal(q, last)
		}
	}
	return answer{}, c.refusal(q, last)
}

// A Stopped is the error of a request that was not wanted any more.
type Stopped struct {
	Cause error
	Maybe bool // it may have been carried out
}

func (e Stopped) Unwrap() error { return e.Cause }

func (e Stopped) Error() string {
	if e.Maybe {
		return "stopped; it may have been done, so look before trying again"
	}
	return "stopped before it was done"
}

// pause waits before a try for as long as the limits ask, and after a fault a
// little longer each time.
func (c *Client) pause(ctx context.Context, q Request, lane string, last answer, try int) error {
	if try > 1 {
		c.log.DebugContext(ctx, "discord request is tried again", "method", q.Method, "route", q.Route, "status", last.status, "try", try)
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

// giveUp is the answer to report when a wait ended the tries: the last one, unless
// the wait itself is the reason.
func giveUp(last answer, err error) answer {
	if long := (tooLong{}); errors.As(err, &long) {
		return answer{status: http.StatusTooManyRequests, err: long}
	}
	if last.status == 0 && last.err == nil {
		last.err = err
	}
	return last
}
