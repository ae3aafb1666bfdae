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

// An answer is the response to one request, or the lack of one.
type answer struct {
	status int // 0 without a response
	header http.Header
	body   []byte
	word   word
	err    error // why there is no response
}

func (a answer) ok() bool      { return a.word == done }
func (a answer) limited() bool { return a.status == http.StatusTooManyRequests }

// unclear reports whether Discord may or may not have carried the request out.
func (a answer) unclear() bool { return a.word == none && !a.limited() }

// answerKey is the context key of the answer to fill in.
type answerKey struct{}

// transport stands between discordgo and the network.
//
// It sends discordgo's requests, which are built for a fixed address and an older version of
// the API, to the configured one. And it keeps the true status and headers for us while
// showing discordgo a 200: otherwise, discordgo reports a rate limit that is not JSON as a
// syntax error, drops the headers of good responses, and fails on headers it cannot parse.
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
	resp.Body = http.MaxBytesReader(nil, resp.Body, maxBody)
	return resp, nil
}

// maxBody is how much of a response is read, in bytes. The longest that Discord sends is a page of members or messages, of
// some 2 MB; a proxy in between may send anything.
const maxBody = 8 << 20

// grace is how long a request that was sent is waited for after its context has ended.
const grace = 2 * time.Second

// lingering returns a context that ends grace after ctx, and after limit anyway. Abandoning a
// request that was sent does not undo it; it only loses the outcome: a placeholder that is
// never replaced, or a message that is reported as not sent.
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

// exchange makes one attempt.
func (c *Client) exchange(ctx context.Context, q Request, p payload) answer {
	wanted := ctx
	ctx, cancel := context.WithTimeout(wanted, p.timeout())
	if q.Method != http.MethodGet { // abandoning a GET does no harm
		cancel()
		ctx, cancel = lingering(wanted, p.timeout())
	}
	defer cancel()
	address := q.Address
	if len(q.Query) > 0 {
		address += "?" + q.Query.Encode()
	}
	count(ctx)
	var a answer
	// A bucket of its own for every request: discordgo's shared ones hold a lock while they
	// sleep, and ignore the context.
	bucket := new(discordgo.Bucket)
	bucket.Lock()
	body, err := c.session.RequestWithLockedBucket(q.Method, address, p.contentType, p.data, bucket, 0,
		discordgo.WithContext(context.WithValue(ctx, answerKey{}, &a)), withReason(q.Reason))
	if err != nil {
		// A response that broke off is none. The address is left out of the error because some
		// addresses hold a token.
		if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
			err = wrapped.Err
		}
		if wanted.Err() != nil {
			err = wanted.Err()
		}
		return answer{err: err}
	}
	a.body, a.word = body, wordOf(a.status, body)
	return a
}
