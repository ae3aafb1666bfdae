package play

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/fakegateway"
)

// troubles are what people can do to the connection between the bot and its Discord, until they take it back.
type troubles struct {
	mu      sync.Mutex
	world   *fakediscord.World
	network bool // it is cut
	limits  bool // Discord says 429 to every request
}

// patience is what Discord asks for with a 429.
const patience = time.Second

// set begins or ends a trouble.
func (t *troubles) set(network, limits bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.world.Recover()
	t.world.Gateway().Refuse(network)
	if network {
		t.world.Fail(fakediscord.Fault{Kind: fakediscord.Reset})
	}
	if network && !t.network {
		t.world.Gateway().Inject(fakegateway.Reset())
	}
	if limits {
		t.world.Fail(fakediscord.Fault{Kind: fakediscord.RateLimited, RetryAfter: patience})
	}
	t.network, t.limits = network, limits
}

// ServeHTTP shows the troubles, after changing them if it is a POST.
func (t *troubles) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		var in struct{ Network, Limits bool }
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1000)).Decode(&in); err != nil {
			http.Error(w, `{"error":"say which troubles there are"}`, http.StatusBadRequest)
			return
		}
		t.set(in.Network, in.Limits)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	answering(map[string]bool{"network": t.network, "limits": t.limits}).ServeHTTP(w, r)
}
