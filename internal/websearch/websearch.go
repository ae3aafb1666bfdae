// Package websearch asks a search engine what the web has on a query.
//
// Start with [New]. A [Client] uses one provider: Tavily, Brave, or a SearXNG of one's own. Its results are outside text: whoever
// wrote the pages wrote them. An error is a sentence that everybody may read, with a remedy for operators that names the host and
// the variable to check (see [chat.WithRemedy]). It never quotes the server, which may quote the key.
package websearch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/sleep"
)

// A Provider is a search engine.
type Provider string

const (
	Tavily  Provider = "tavily"
	Brave   Provider = "brave"
	SearXNG Provider = "searxng"
)

// Options select the provider.
type Options struct {
	Provider Provider
	Key      string       // of Tavily and Brave
	BaseURL  string       // of SearXNG; the other two have their own, unless it is set
	HTTP     *http.Client // nil means a client of its own; redirects are never followed
}

const (
	// KeyVariable and URLVariable are the settings that errors name.
	KeyVariable = "DISCOCLAW_WEBSEARCH_API_KEY"
	URLVariable = "DISCOCLAW_WEBSEARCH_URL"

	timeout   = 15 * time.Second // of a search, with its retry
	maxAnswer = 1 << 20          // bytes

	// A busy server is asked once more, unless it wants a longer pause than whoever asked should wait for. One second is what
	// the smallest plans of Brave allow between two searches.
	retryPause    = time.Second
	maxRetryPause = 3 * time.Second
)

// A Client searches. It is safe for concurrent use.
type Client struct {
	engine engine
	client http.Client
	host   string // for errors
	hide   func(string) string
}

// An engine is what differs between providers.
type engine interface {
	// request asks for results. The address of its server is the one of the options.
	request(ctx context.Context, query string, limit int) (*http.Request, error)
	// results reads an answer. An error says what is wrong with it.
	results(answer []byte) ([]Result, error)
	// fault recognises the refusals that this provider has a status or a code of its own for.
	fault(status int, answer []byte) fault
}

// New returns a client. Nothing is sent before the first search.
func New(o Options) (*Client, error) {
	address := map[Provider]string{Tavily: tavilyURL, Brave: braveURL}[o.Provider]
	if o.BaseURL != "" {
		address = o.BaseURL
	}
	base, err := url.Parse(address)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("%s is not an address such as https://search.example.com", URLVariable)
	}
	c := &Client{host: base.Host, hide: func(text string) string { return text }}
	if o.Key != "" {
		c.hide = strings.NewReplacer(o.Key, "[redacted]").Replace
	}
	switch o.Provider {
	case Tavily:
		c.engine = tavily{base, o.Key}
	case Brave:
		c.engine = brave{base, o.Key}
	case SearXNG:
		c.engine = searxng{base}
	default:
		return nil, fmt.Errorf("there is no provider %q", o.Provider)
	}
	if c.client = (http.Client{Transport: transport()}); o.HTTP != nil {
		c.client = *o.HTTP
	}
	// A redirect would take the query, and perhaps the key, to an address that is not in the settings.
	c.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return c, nil
}

func transport() *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
		IdleConnTimeout:     90 * time.Second,
		ForceAttemptHTTP2:   true,
	}
}

var errLate = errors.New("too late")

// Search returns at most limit results, the best first. There may be none.
func (c *Client) Search(ctx context.Context, query string, limit int) ([]Result, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, errLate)
	defer cancel()
	answer, err := c.ask(ctx, query, limit)
	if busy, ok := errors.AsType[*refusal](err); ok && busy.temporary() && sleep.For(ctx, busy.pause) {
		answer, err = c.ask(ctx, query, limit)
	}
	if err == nil {
		var found []Result
		if found, err = c.engine.results(answer); err == nil {
			return c.tidy(found, limit), nil
		}
	}
	switch cause := context.Cause(ctx); {
	case cause == errLate:
		err = errLate
	case cause != nil:
		return nil, cause
	}
	return nil, c.describe(err)
}

// ask sends a request. An answer that is not one is a *refusal.
func (c *Client) ask(ctx context.Context, query string, limit int) ([]byte, error) {
	req, err := c.engine.request(ctx, query, limit)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, unreached(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	switch {
	case resp.StatusCode != http.StatusOK:
		// What is missing of its text is not needed: only short codes in it matter.
		return nil, &refusal{status: resp.StatusCode, fault: c.engine.fault(resp.StatusCode, answer), pause: pauseOf(resp.Header)}
	case err != nil:
		return nil, unreached(err)
	case len(answer) > maxAnswer:
		return nil, errTooLong
	}
	return answer, nil
}

// pauseOf is the pause before a retry. One that cannot be read is too long.
func pauseOf(h http.Header) time.Duration {
	value := h.Get("Retry-After")
	if value == "" {
		return retryPause
	}
	seconds, err := strconv.Atoi(value)
	if err != nil || seconds < 0 || seconds > int(maxRetryPause/time.Second) {
		return timeout
	}
	return max(retryPause, time.Duration(seconds)*time.Second)
}

// unreached is the error of a request without an answer. It has no address, since that has the query in it.
func unreached(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return &unreachable{err}
}

type unreachable struct{ error }

// A Result is a page that was found, in plain text of one line each.
type Result struct {
	Title   string
	Address string // http or https
	Snippet string // a few words of the page
}

const (
	maxTitle   = 120
	maxAddress = 500
	maxSnippet = 200
)

// tidy shortens results, and leaves out those that lead nowhere: a cut address does, and so does one of another scheme.
func (c *Client) tidy(found []Result, limit int) []Result {
	var kept []Result
	for _, r := range found {
		// It is hidden before it is cut: half a key would not be found.
		r.Title, r.Address, r.Snippet = c.hide(r.Title), c.hide(r.Address), c.hide(r.Snippet)
		address, err := url.Parse(strings.TrimSpace(r.Address))
		if err != nil || address.Host == "" || address.Scheme != "https" && address.Scheme != "http" {
			continue
		}
		r.Address = chat.OneLine(address.String())
		if len(r.Address) > maxAddress || strings.Contains(r.Address, " ") || len(kept) == limit {
			continue
		}
		r.Title, r.Snippet = chat.Shorten(chat.OneLine(r.Title), maxTitle), chat.Shorten(chat.OneLine(r.Snippet), maxSnippet)
		if r.Title == "" {
			r.Title = address.Host
		}
		kept = append(kept, r)
	}
	return kept
}
