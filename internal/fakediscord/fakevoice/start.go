package fakevoice

import (
	"net/http"
	"testing"

	"discoclaw/internal/memnet"
)

// Start serves a new Server in memory until the test ends, and returns the client whose websockets all go to it. It fails the test for
// complaints that Complaints has not returned before.
func Start(t testing.TB, o Options) (*Server, *http.Client) {
	t.Helper()
	s, l := New(o), memnet.New()
	web := &http.Server{Handler: s}
	go func() { _ = web.Serve(l) }() // which ends with Close
	client := l.HTTPClient()
	t.Cleanup(func() {
		client.CloseIdleConnections()
		s.Close()
		_ = web.Close()
		for _, c := range s.Complaints() {
			t.Errorf("the voice server complains: %s", c)
		}
	})
	return s, client
}
