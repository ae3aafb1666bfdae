package play

import (
	"crypto/rand"
	"fmt"
	"net"
	"net/http"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/memnet"
)

// A host serves a world to the bot: in memory, or to a process of its own on this machine.
type host struct {
	world  *fakediscord.World
	base   string
	dial   *memnet.Listener // nil outside of memory
	server *http.Server
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
		secret := "/" + rand.Text() // since others on this machine can reach the port
		h.base = "http://" + listener.Addr().String() + secret
		h.server.Handler = http.StripPrefix(secret, h.server.Handler)
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

func (h *host) api() string { return h.base + "/api/v10" }

// client reaches a world in memory.
func (h *host) client() *http.Client { return h.dial.HTTPClient() }

func (h *host) close() {
	h.world.Close()
	_ = h.server.Close() // nothing to lose
	<-h.done
}
