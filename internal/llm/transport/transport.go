// Package transport is how adapters of HTTP APIs reach their servers: with a timeout for everything but the
// answer, without redirects, and with errors that name the setting to check and hold neither key nor address.
//
// Start with [New]. [Transport.Do] sends a request and returns a response that has an answer in it, [Transport.Answer] makes
// a stream of events out of what the adapter reads from it.
package transport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"discoclaw/internal/llm"
)

// maxErrorBody bounds the body that is read of a response that is no answer.
const maxErrorBody = 64 << 10

// Options describe a server.
type Options struct {
	Runtime string // its name in errors and settings
	Prefix  string // of its variables: OPENAI for OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL
	Key     string // may be empty
	Home    string // the vendor's own address, which need not stand in the settings
	BaseURL string // empty means Home
	Ending  string // of most addresses with this API, such as /v1; empty means that they differ

	// HTTP sends the requests. Nil means a client with timeouts for everything but the
	// answer itself. Redirects are never followed.
	HTTP *http.Client
	// Refusal makes an error of the body of a response that is no answer, usually by Fault.
	Refusal func(d *Transport, status int, body []byte) *llm.Error
}

// A Transport leads to one server. It is safe for concurrent use.
type Transport struct {
	Options
	client http.Client
	host   string // of the address, for errors
	bad    error  // why the address cannot be used
	hide   func(string) string
}

// New returns a transport. Nothing is sent before the first request.
func New(o Options) *Transport {
	client := o.HTTP
	if client == nil {
		client = &http.Client{Transport: transport()}
	}
	o.BaseURL = cmp.Or(o.BaseURL, o.Home)
	d := &Transport{Options: o, client: *client, hide: func(text string) string { return text }}
	// A redirect would take the conversation, and perhaps the key, to an address that is not in the
	// settings.
	d.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if o.Key != "" {
		d.hide = strings.NewReplacer(o.Key, "[redacted]").Replace
	}
	u, err := url.Parse(o.BaseURL)
	if bad, ok := errors.AsType[*url.Error](err); ok {
		d.bad = fmt.Errorf("the address cannot be used: %w", bad.Err) // without the address, which may hold a password
	} else {
		d.host = u.Host
	}
	return d
}

// transport has a timeout for everything but the answer itself, which has its own in the
// settings.
func transport() *http.Transport {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		TLSHandshakeTimeout: 10 * time.Second,
		IdleConnTimeout:     90 * time.Second,
		ForceAttemptHTTP2:   true,
		// A connection that has died without a close would swallow one request after another.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
}

// An Access selects a server and its model.
type Access struct {
	Key     string
	BaseURL string // as in https://example.com; empty means the vendor's own
	Model   string // for requests that name none

	// HTTP sends the requests. Nil means a client with timeouts for everything but the
	// answer itself. Redirects are never followed.
	HTTP *http.Client
}

// Post sends an object. The server knows the key by a header, unless there is none.
func (d *Transport) Post(ctx context.Context, address string, object any, header, key string) (*http.Response, error) {
	body, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	post, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	post.Header.Set("Content-Type", "application/json")
	if d.Key != "" {
		post.Header.Set(header, key)
	}
	return d.Do(post)
}

// Do sends a request. The response it returns is one with an answer in it.
func (d *Transport) Do(req *http.Request) (*http.Response, error) {
	began := time.Now()
	var sent atomic.Bool
	trace := &httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) { sent.Store(i.Err == nil) }}
	resp, err := d.client.Do(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil {
		return nil, d.unanswered(err, sent.Load(), time.Since(began))
	}
	if resp.StatusCode/100 == 2 {
		return resp, nil
	}
	defer resp.Body.Close()
	// A truncated text is fine: it is for the log only.
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	e := d.Refusal(d, resp.StatusCode, text)
	e.RetryAfter = cmp.Or(retryAfter(resp.Header), e.RetryAfter)
	return nil, e
}

// unanswered classifies a request that got no response.
func (d *Transport) unanswered(err error, sent bool, took time.Duration) *llm.Error {
	timeout := false
	if u, ok := errors.AsType[*url.Error](err); ok {
		timeout = u.Timeout()
		err = u.Err // without the address, which may hold a password
	}
	// The server has the request and may be at work on it, for money. Only an unreachable server
	// may be retried.
	switch {
	case sent && timeout:
		return &llm.Error{Kind: llm.Stalled, Waited: took, Err: err}
	case sent:
		return &llm.Error{Kind: llm.Broken, Err: err}
	}
	return &llm.Error{Kind: llm.Unavailable, Remedy: "try again a little later, or " + d.checkURL(), Err: err}
}

// Answer passes on what an adapter reads, which it asks for only while ctx lasts. An error ends the stream, as an
// *llm.Error of this runtime, or as the context's cause once that has ended.
func (d *Transport) Answer(ctx context.Context, model string, read iter.Seq2[llm.Event, error]) iter.Seq2[llm.Event, error] {
	return func(yield func(llm.Event, error) bool) {
		switch {
		case ctx.Err() != nil:
			yield(nil, context.Cause(ctx))
			return
		case d.bad != nil:
			yield(nil, d.describe(&llm.Error{Kind: llm.Refused, Remedy: d.checkURL(), Err: d.bad}, model))
			return
		}
		for event, err := range read {
			if err != nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			} else if err != nil {
				err = d.describe(err, model)
			}
			if !yield(event, err) || err != nil {
				return
			}
		}
	}
}

// Finish ends an answer that the server has ended: with an error if it is not whole, or else with its calls.
func Finish(usage llm.Usage, objection *llm.Error, calls []llm.ToolCall, yield func(llm.Event, error) bool) {
	if usage != (llm.Usage{}) && !yield(usage, nil) {
		return
	}
	if objection != nil {
		yield(nil, objection)
		return
	}
	for _, call := range calls {
		if !yield(call, nil) {
			return
		}
	}
}

// describe makes an *llm.Error of any error, with the variables of this runtime in its
// remedy.
func (d *Transport) describe(err error, model string) *llm.Error {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		e = &llm.Error{Kind: llm.Refused, Err: err} // a library that does not send the request
	}
	e.Runtime, e.Host = d.Runtime, d.host
	e.Remedy = cmp.Or(e.Remedy, d.remedy(e, model))
	return e
}
