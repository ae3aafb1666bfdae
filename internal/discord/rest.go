package discord

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

// A request is one thing to ask of Discord.
type request struct {
	method  string
	route   string // the path as Discord documents it, with {…} for what changes
	address string // the same with values, made by one of discordgo's Endpoint functions
	query   url.Values
	body    any // sent as JSON; nil for none
	files   []chat.File

	// unique says that Discord recognises a repetition of this POST.
	unique bool
	// interaction says that this answers an interaction.
	interaction bool
	// once says that who asks tries again themselves.
	once bool

	reason string // for the server's audit log; empty for none

	guild   chat.GuildID      // whose business it is, if it is not a channel's
	channel chat.ChannelID    // where it happens; empty for the whole server
	needs   []chat.Permission // what Discord asks of the bot for it
}

// onTheServer is what it takes to look at a server as a whole. Being there is enough;
// a bot that is refused nevertheless sees nothing of it.
var onTheServer = []chat.Permission{chat.ViewChannel}

// lane names what Discord counts together: the route, and on it each channel and
// server by itself.
func (q request) lane() string {
	if q.interaction {
		return q.address // there is but one answer to each
	}
	return q.method + " " + q.route + " " + cmp.Or(string(q.guild), string(q.channel))
}

// check refuses an address that is not what the route says. An ID that somebody
// made up must not lead the bot to another address.
func (q request) check() error {
	path, _ := strings.CutPrefix(q.address, strings.TrimSuffix(discordgo.EndpointAPI, "/"))
	got, want := strings.Split(path, "/"), strings.Split(q.route, "/")
	for i, part := range got {
		switch {
		case i < len(want) && part == want[i]:
		case i < len(want) && (want[i] == "{emoji}" || want[i] == "{token}") && strings.Trim(part, ".") != "":
		case i < len(want) && strings.HasPrefix(want[i], "{") && isNumber(part):
		default:
			return notFound("%q names nothing on Discord; IDs are numbers", chat.Clip(part, 40))
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
func (q request) repeatable() bool { return q.method != http.MethodPost || q.unique }

func (q request) tries() int {
	if q.once {
		return 1
	}
	return tries
}

// call does what a request asks and decodes the answer into out, unless that is
// nil. Every request of this package goes through here.
func (c *Client) call(ctx context.Context, q request, out any) error {
	if err := q.check(); err != nil {
		return err
	}
	p, err := q.encode(c.uploadLimit(q.channel))
	if err != nil {
		return err
	}
	if err := c.alive.Err(); err != nil {
		return stopped{cause: err}
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

// fetchAll calls for a list and reads all that is on it.
func fetchAll[Wire, Thing any](ctx context.Context, c *Client, q request, read func(Wire) Thing) ([]Thing, error) {
	var wire []Wire
	if err := c.call(ctx, q, &wire); err != nil {
		return nil, err
	}
	var all []Thing
	for _, w := range wire {
		all = append(all, read(w))
	}
	return all, nil
}

// attempt sends a request until it is done, refused, or not worth another try.
func (c *Client) attempt(ctx context.Context, q request, lane string, p payload) (answer, error) {
	bounded, cancel := context.WithTimeout(ctx, patience+p.patience())
	defer cancel()
	var last answer
	unclear := false // an earlier try may have been carried out
	for try := 1; try <= q.tries(); try++ {
		if err := c.pause(bounded, q, lane, last, try); err != nil {
			if ctx.Err() != nil {
				return answer{}, stopped{ctx.Err(), unclear}
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
			return answer{}, stopped{ctx.Err(), last.unclear()}
		case last.limited():
		case last.unclear() && q.repeatable():
			unclear = true
		case unclear && q.method == http.MethodDelete && last.status == http.StatusNotFound:
			// The earlier try did it.
			return answer{status: http.StatusNoContent}, nil
		default:
			return answer{}, c.refusal(q, last)
		}
	}
	return answer{}, c.refusal(q, last)
}

// stopped is the error of a request that was not wanted any more.
type stopped struct {
	cause error
	maybe bool // it may have been carried out
}

func (e stopped) Unwrap() error { return e.cause }

func (e stopped) Error() string {
	if e.maybe {
		return "stopped; it may have been done, so look before trying again"
	}
	return "stopped before it was done"
}

// pause waits before a try for as long as the limits ask, and after a fault a
// little longer each time.
func (c *Client) pause(ctx context.Context, q request, lane string, last answer, try int) error {
	if try > 1 {
		c.log.DebugContext(ctx, "discord request is tried again", "method", q.method, "route", q.route, "status", last.status, "try", try)
	}
	if try > 1 && last.unclear() {
		half := 250 * time.Millisecond << (try - 2)
		if !sleep.For(ctx, half+rand.N(half)) {
			return ctx.Err()
		}
	}
	if err := c.limits.pace(ctx, lane, !q.interaction); err != nil {
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
