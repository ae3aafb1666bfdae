package play

import (
	"crypto/rand"
	"crypto/subtle"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"discoclaw/internal/config"
	"discoclaw/internal/disk/atomicfile"
)

// A key keeps other users of this machine, and pages of other sites, out of the playground. It is part of the address that
// is printed; the page then has it as a cookie.
type key struct {
	text   string
	cookie string // its name; with the port, since the ports of a host share their cookies
}

func newKey(at net.Addr, text string) key {
	_, port, err := net.SplitHostPort(at.String())
	if err != nil {
		port = "0" // it is no address of a network
	}
	return key{text, "discoclaw-" + port}
}

// keyFile is in the bot's data directory.
const keyFile = "playground.key"

// key returns the key of a playground. Beside a world that is kept it is kept as well, so that an open page goes on after a restart.
func (p *playground) key(at net.Addr) (key, error) {
	if p.file == nil {
		return newKey(at, rand.Text()), nil
	}
	file := filepath.Join(p.data, keyFile)
	if text, err := os.ReadFile(file); err == nil && len(text) == len(rand.Text()) {
		return newKey(at, string(text)), nil
	}
	k := newKey(at, rand.Text())
	err := os.MkdirAll(p.data, 0o700)
	if err == nil {
		err = atomicfile.WritePath(file, 0o600, func(to io.Writer) error {
			_, err := io.WriteString(to, k.text)
			return err
		})
	}
	if err != nil {
		return k, config.Mistakef("the key of the page cannot be kept in %s (%v); make sure that the folder can be written to, or name another one with --data", file, err)
	}
	return k, nil
}

// address returns the address of a page with the key.
func (k key) address(page string) string { return page + "/?key=" + k.text }

// guard lets requests pass that have the key, and makes a cookie of the one in the address.
func (k key) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if given := r.URL.Query().Get("key"); r.URL.Path == "/" && k.fits(given) {
			http.SetCookie(w, &http.Cookie{Name: k.cookie, Value: given, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
			http.Redirect(w, r, "/", http.StatusSeeOther) // so that the key does not stay in the address bar
			return
		}
		if c, err := r.Cookie(k.cookie); err != nil || !k.fits(c.Value) {
			w.Header().Set("X-Content-Type-Options", "nosniff")
			http.Error(w, "This playground has a key: open the address that discoclaw play has printed.", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (k key) fits(given string) bool {
	return subtle.ConstantTimeCompare([]byte(given), []byte(k.text)) == 1
}
