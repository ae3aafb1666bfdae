package openai

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"discoclaw/internal/llm"
)

// maxErrorBody bounds the body that is read of a response that is no answer.
const maxErrorBody = 64 << 10

// A door is how the library reaches the server. It lets only answers through.
type door struct {
	client http.Client
	hide   func(string) string
}

func newDoor(client *http.Client, key string) *door {
	if client == nil {
		client = &http.Client{Transport: transport()}
	}
	d := &door{client: *client, hide: func(text string) string { return text }}
	// A redirect would take the conversation, and perhaps the key, to an address that is not in the
	// settings.
	d.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if key != "" {
		d.hide = strings.NewReplacer(key, "[redacted]").Replace
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

// Do sends a request. The response it returns is one with an answer in it.
func (d *door) Do(req *http.Request) (*http.Response, error) {
	if err := convertFiles(req); err != nil {
		return nil, err
	}
	began := time.Now()
	var sent atomic.Bool
	trace := &httptrace.ClientTrace{WroteRequest: func(i httptrace.WroteRequestInfo) { sent.Store(i.Err == nil) }}
	resp, err := d.client.Do(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil {
		return nil, unanswered(err, sent.Load(), time.Since(began))
	}
	if resp.StatusCode/100 != 2 {
		defer resp.Body.Close()
		return nil, d.refusal(resp)
	}
	resp.Body = newBody(resp.Body, d.hide)
	return resp, nil
}

// convertFiles gives the files in a request their proper form.
func convertFiles(req *http.Request) error {
	if req.Body == nil {
		return nil
	}
	text, err := io.ReadAll(req.Body) // a buffer of the library's
	if err != nil {
		return err
	}
	if bytes.Contains(text, []byte(fileMarker)) {
		if text, err = withFiles(text); err != nil {
			return err
		}
	}
	req.Body, req.ContentLength, req.GetBody = io.NopCloser(bytes.NewReader(text)), int64(len(text)), nil
	return nil
}

// unanswered classifies a request that got no response.
func unanswered(err error, sent bool, took time.Duration) *llm.Error {
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
	return &llm.Error{Kind: llm.Unavailable, Remedy: "try again a little later, or " + checkURL, Err: err}
}

// refusal classifies a response that is no answer.
func (d *door) refusal(resp *http.Response) *llm.Error {
	// A truncated text is fine: it is for the log only.
	text, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	f, _ := parseFault(text)
	e := f.err(resp.StatusCode, d.hide)
	e.RetryAfter = retryAfter(resp.Header)
	return e
}

// retryAfter reads the pause that the server asks for. OpenAI also sends it in milliseconds.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return span(ms, time.Millisecond)
	}
	value := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil {
		return span(s, time.Second)
	}
	if t, err := http.ParseTime(value); err == nil {
		return span(float64(time.Until(t)), 1)
	}
	return 0
}

// span makes a duration of a number from outside, which may be negative, infinite or not a
// number.
func span(n float64, unit time.Duration) time.Duration {
	const most = 24 * time.Hour
	switch n *= float64(unit); {
	case n >= float64(most):
		return most
	case n > 0:
		return time.Duration(n)
	default:
		return 0
	}
}
