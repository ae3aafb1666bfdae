package attach

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// discordsHosts are those of Discord's CDN.
var discordsHosts = []string{"cdn.discordapp.com", "media.discordapp.net"}

// A refusal is why a file was not fetched, in words for the model. It never contains the
// address, with which anyone can read the file.
type refusal string

func (r refusal) Error() string { return string(r) }

const (
	elsewhere = refusal("not fetched, since Discord does not keep it")
	late      = refusal("could not be fetched in time")
	larger    = refusal("larger than Discord said, so it was not opened")
)

// noteOf is the model's note on an error.
func noteOf(err error) string {
	if r := refusal(""); errors.As(err, &r) {
		return r.Error()
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return late.Error()
	}
	return "could not be fetched"
}

// fetch reads a whole picture, or a text up to its limit.
func (o *Opener) fetch(ctx context.Context, it *item) ([]byte, error) {
	if !o.mayVisit(it.file.URL) {
		return nil, elsewhere
	}
	ctx, cancel := context.WithTimeout(ctx, fileTime)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, it.file.URL, nil)
	if err != nil {
		return nil, elsewhere
	}
	resp, err := o.client.Do(req)
	if err != nil {
		return nil, withoutAddress(err)
	}
	defer resp.Body.Close() // only read
	if resp.StatusCode != http.StatusOK {
		return nil, refusal(fmt.Sprintf("could not be fetched (status %d)", resp.StatusCode))
	}
	return it.take(resp)
}

// mayVisit reports whether files may be fetched from an address.
func (o *Opener) mayVisit(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil {
		return false
	}
	if u.Scheme == "https" && slices.Contains(discordsHosts, strings.ToLower(u.Host)) {
		return true
	}
	named := slices.ContainsFunc(o.hosts, func(host string) bool { return strings.EqualFold(host, u.Host) })
	return named && (u.Scheme == "https" || u.Scheme == "http")
}

// take reads the planned number of bytes from a response.
func (it *item) take(resp *http.Response) ([]byte, error) {
	whole := it.kind != isText
	if whole && resp.ContentLength > int64(it.most) {
		return nil, larger
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, int64(it.most)+1))
	switch {
	case err != nil:
		return nil, withoutAddress(err)
	case whole && len(data) > it.most:
		return nil, larger
	}
	return data, nil
}

func withoutAddress(err error) error {
	if wrapped := (*url.Error)(nil); errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}
