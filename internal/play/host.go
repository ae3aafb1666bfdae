package play

import (
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"strings"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/memnet"
	"discoclaw/internal/play/calls"
)

// A host serves a world to the bot: in memory, or to a process of its own on this machine, which can also talk in its calls.
type host struct {
	world  *fakediscord.World
	base   string
	dial   *memnet.Listener // nil outside of memory
	server *http.Server
	calls  *calls.Calls // nil in memory
	done   chan struct{}
}

// inMemory is never resolved. Its host is loopback, to which plain http is allowed.
const inMemory = "http://localhost"

func serve(world *fakediscord.World, own bool) (*host, error) {
	h := &host{world: world, base: inMemory, server: &http.Server{Handler: world.Handler()}, done: make(chan struct{})}
	var listener net.Listener
	if own {
		var err error
		if listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			return nil, fmt.Errorf("serve the playground's Discord: %w", err)
		}
		at := listener.Addr().String()
		if h.calls, err = calls.New(world, "ws://"+at); err != nil {
			listener.Close()
			return nil, err
		}
		secret := "/" + rand.Text() // since others on this machine can reach the port
		h.base = "http://" + at + secret
		h.server.Handler = h.routes(secret, h.server.Handler)
	} else {
		h.dial = memnet.New()
		listener = h.dial
	}
	world.SetURL(h.base)
	go func() {
		defer close(h.done)
		_ = h.server.Serve(listener) // until close
	}()
	return h, nil
}

// routes serves Discord and the speech service below a secret path, and the voice gateway, which asks for tokens, at the root.
func (h *host) routes(secret string, discord http.Handler) http.Handler {
	discord, speech := http.StripPrefix(secret, discord), http.StripPrefix(secret+speechPath, h.calls.Speech())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/":
			h.calls.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, secret+speechPath+"/"):
			speech.ServeHTTP(w, r)
		default:
			discord.ServeHTTP(w, r)
		}
	})
}

const speechPath = "/speech"

func (h *host) api() string { return h.base + "/api/v10" }

// speech is the base URL of the speech service.
func (h *host) speech() string { return h.base + speechPath + "/v1" }

// client reaches a world in memory.
func (h *host) client() *http.Client { return h.dial.HTTPClient() }

func (h *host) close() {
	if h.calls != nil {
		h.calls.Close()
	}
	h.world.Close()
	_ = h.server.Close() // nothing to lose
	<-h.done
}
