package websearch

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"discoclaw/internal/chat"
)

// A fault is why a server refused a search.
type fault uint8

const (
	byStatus fault = iota // what the status alone tells
	wrongKey
	usedUp   // the account has no searches left
	noFormat // the server does not speak JSON
)

// A refusal is a response without results.
type refusal struct {
	status int
	fault  fault
	pause  time.Duration // before it may be asked again
}

func (r *refusal) Error() string { return fmt.Sprintf("status %d", r.status) }

var (
	errTooLong  = errors.New("its answer is too long")
	errNoAnswer = errors.New("its answer is not a list of search results")
	errPartial  = errors.New("not all search engines have answered")
)

// Sentences for everybody.
const (
	notNow   = "the web search is not available right now; try again a little later"
	unusable = "the web search cannot be used right now, and only the people who run me can change that"
)

// describe makes a sentence for everybody of an error, with a remedy for operators.
func (c *Client) describe(err error) error {
	say := func(says, remedy string, args ...any) error {
		return chat.WithRemedy(errors.New(says), c.hide(fmt.Sprintf(remedy, append([]any{c.host}, args...)...)))
	}
	if refused, ok := errors.AsType[*refusal](err); ok {
		return refused.describe(say, c.check())
	}
	switch _, silent := errors.AsType[*unreachable](err); {
	case err == errLate:
		return say("the web search took too long; try again a little later", "%s did not answer within %v", timeout)
	case silent:
		return say(notNow, "%s could not be reached (%v); %s", err, c.check())
	case err == errPartial:
		return say("nothing was found, but "+err.Error()+"; try again a little later", "%s says why on its page of statistics")
	}
	return say(unusable, "%s answered, but %v; %s", err, c.check())
}

// check says what to look at if a server is not there, or is another one than it should be.
func (c *Client) check() string {
	if _, own := c.engine.(searxng); own {
		return "check " + URLVariable
	}
	return "check whether this machine can reach it, and through which proxy"
}

func (r *refusal) describe(say func(says, remedy string, args ...any) error, check string) error {
	switch {
	case r.fault == wrongKey:
		return say(unusable, "%s did not accept the key; check %s", KeyVariable)
	case r.fault == usedUp:
		return say("my web searches are used up for now", "the account at %s has none left; raise its limit there, or put the key of another one into %s", KeyVariable)
	case r.fault == noFormat:
		return say(unusable, "%s answers people only; allow json under search.formats in its settings.yml, and these searches by its limiter")
	case r.status == http.StatusTooManyRequests:
		return say("the web search takes no more queries for now; try again a little later", "%s has a rate limit (status %d)", r.status)
	case r.status >= 500:
		return say(notNow, "%s failed (status %d)", r.status)
	case r.status/100 == 3 || r.status == http.StatusNotFound || r.status == http.StatusMethodNotAllowed:
		return say(unusable, "%s has no search at this address (status %d); %s", r.status, check)
	}
	return say("the web search refused this query; try other words", "%s refused it (status %d)", r.status)
}

// temporary reports whether the same request may succeed in a moment.
func (r *refusal) temporary() bool {
	busy := r.status == http.StatusTooManyRequests || r.status >= 500
	return busy && r.fault == byStatus && r.pause <= maxRetryPause
}
