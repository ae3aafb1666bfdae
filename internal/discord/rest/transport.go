package rest

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/bwmarrin/discordgo"

	"discoclaw/internal/sleep"
)

// An answer is what came back for one request, whatever it was.
type answer struct {
	status int // 0 if nothing came back
	header http.Header
	body   []byte
	err    error // why nothing came back
}

func (a answer) ok() bool      { return a.status >= 200 && a.status < 300 }
func (a answer) limited() bool { return a.status == http.StatusTooManyRequests }

// unclear says that Discord may or may not have done what it was asked.
func (a answer) unclear() bool { return a.status == 0 || a.status >= 500 }

// answerKey is where a request's context carries the answer to fill in.
type answerKey struct{}

// transport stands between discordgo and the network.
//
// It sends discordgo's requests, which are built for a fixed address and an older
// version of the API, to the configured one. And it keeps the true status and
// headers for us while telling discordgo that all went well: left to itself,
// discordgo reports a rate limit that is not JSON as a syntax error, drops the
// headers of good answers, and stumbles over headers it cannot read.
type transport struct {
	base string // ends in a slash
	next http.RoundTripper
}

func (t transport) RoundTrip(req *http.Request) (*http.Response, error) {
	path, ok := strings.CutPrefix(req.URL.String(), discordgo.EndpointAPI)
	if !ok {
		return nil, errors.New("not a request to Discord's API")
	}
	target, err := url.Parse(t.base + path)
	if err != nil {
		return nil, err
	}
	moved := req.Clone(req.Context())
	moved.URL, moved.Host = target, ""
	resp, err := t.next.RoundTrip(moved)
	if err != nil {
		return nil, err
	}
	if a, ok := req.Context().Value(answerKey{}).(*answer); ok {
		a.status, a.header = resp.StatusCode, resp.Header
	}
	resp.StatusCode, resp.Header = http.StatusOK, http.Header{}
	return resp, nil
}

// grace is how long a request that has left is waited for when nobody wants it any
// more.
const grace = 2 * time.Second

// lingering returns a context that ends a while after ctx, and after limit anyway.
// To abandon a request that has left does not undo it; it only leaves nobody who
// knows what came of it: a placeholder that nobody will ever replace, or a message
// that is reported as not sent.
func lingering(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	unhook := context.AfterFunc(ctx, func() {
		if sleep.For(longer, grace) {
			cancel()
		}
	})
	return longer, func() {
		unhook()
		cancel()
	}
}

// exchange sends one request and returns what came of it.
func (c *Client) exchange(ctx context.Context, q Request, p payload) answer {
	wanted := ctx
	ctx, cancel := context.WithTimeout(wanted, p.patience())
	if q.Method != http.MethodGet { // to look harms nobody
		cancel()
		ctx, cancel = lingering(wanted, p.patience())
	}
	defer cancel()
	address := q.Address
	if len(q.Query) > 0 {
		address += "?" + q.Query.Encode()
	}
	count(ctx)
	var a answer
	// A bucket of its own for every request: discordgo's shared ones keep a lock
	// while they sleep, where no context reaches them.
	bucket := new(discordgo.Bucket)
	bucket.Lock()
	body, err := c.session.RequestWithLockedBucket(q.Method, address, p.contentType, p.data, bucket, 0,
		discordgo.WithContext(context.WithValue(ctx, answerKey{}, &a)), withReason(q.Reason))
	if err != nil {
		// An answer that broke off is no answer. The address is left out of the
		// error because some addresses hold a token.
		if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		if wanted.Err() != nil {
			err = wanted.Err()
		}
		return answer{err: err}
	}
	a.body = body
	return a
}
