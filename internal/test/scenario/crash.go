package scenario

import (
	"errors"
	"net/http"
	"os"
	"sync/atomic"
)

// crash leaves the bot as if its process had been killed: nothing it does from now on
// reaches Discord, or its data directory.
func (st *stage) crash() error {
	left := st.t.TempDir()
	if err := os.CopyFS(left, os.DirFS(st.settings["DISCOCLAW_DATA_DIR"])); err != nil {
		return err
	}
	st.settings["DISCOCLAW_DATA_DIR"] = left
	st.line.cut.Store(true)
	st.stop()
	st.stop = func() {}
	return nil
}

// A line is the bot's connection to Discord. It can be cut.
type line struct {
	http.RoundTripper
	cut atomic.Bool
}

func (l *line) RoundTrip(r *http.Request) (*http.Response, error) {
	if l.cut.Load() {
		return nil, errors.New("the line is cut")
	}
	return l.RoundTripper.RoundTrip(r)
}
