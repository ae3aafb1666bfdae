package scenario

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
)

// crash leaves the bot as if its process had been killed: nothing it does from now on
// reaches Discord, or its data directory.
func (st *stage) crash() error {
	left, data := st.t.TempDir(), st.settings["DISCOCLAW_DATA_DIR"]
	if err := os.CopyFS(left, os.DirFS(data)); err != nil {
		return err
	}
	st.line.cut.Store(true)
	st.stop()
	st.stop = func() {}
	// It is put back in its place, which a repository with worktrees remembers. What is there now is moved away: a child of the
	// dead process may still write.
	if err := os.Rename(data, filepath.Join(st.t.TempDir(), "dead")); err != nil {
		return err
	}
	return os.CopyFS(data, os.DirFS(left))
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
