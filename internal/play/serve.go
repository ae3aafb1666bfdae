package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/userapi"
	"discoclaw/internal/play/page"
	"discoclaw/internal/turn"
)

// Serve shows the playground as a page on this machine until ctx ends.
func Serve(ctx context.Context, o Options) (err error) {
	listener, err := listen(o.Address) // first, so that a mistake in it changes nothing
	if err != nil {
		return err
	}
	defer listener.Close()                      // closed already, unless the page was never served
	site := site{publish: func(string, any) {}} // until there is a handler
	p, err := open(o, site.tell)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	site.playground, site.listener, site.key = p, listener, newKey(listener.Addr())
	if err := saveWorld(p.world, o.World); err != nil {
		return err
	}
	err = p.run(ctx, func(ctx context.Context) error { return site.serve(ctx, o) })
	// All replies are final only now.
	return errors.Join(err, saveWorld(p.world, o.World))
}

// A site is a playground with a page.
type site struct {
	*playground
	listener net.Listener
	key      key
	publish  func(event string, data any)
}

// tell publishes a finished turn.
func (s *site) tell(t turn.Report) {
	r := recordOf(t)
	if s.demo && t.Command == "" {
		r = r.by("a script")
	}
	s.publish("turn", r)
}

func (s *site) serve(ctx context.Context, o Options) error {
	people := userapi.New(s.world, userapi.Options{
		Note:  note,
		Shown: s.clock.shown,
		Extra: func(publish func(string, any)) { s.publish = publish },
	})
	server := &http.Server{Handler: s.key.guard(s.routes(people)), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(s.listener) }()
	select {
	case <-s.online:
		s.announce(o)
		s.keep(ctx, o)
	case <-ctx.Done(): // the bot did not connect
	}
	people.Close()
	closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if server.Shutdown(closing) != nil {
		_ = server.Close() // a request is still open
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// announce prints the address of the page.
func (s *site) announce(o Options) {
	url := s.key.address("http://" + s.listener.Addr().String())
	fmt.Fprintf(o.Out, "DiscoClaw's playground is at %s\n%s\nStop with Ctrl-C.\n", url, s.speaker())
	if o.Ready != nil {
		o.Ready(url)
	}
}

func (s *site) routes(people http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", page.Handler())
	mux.Handle("/api/", people)
	mux.Handle("/attachments/", people)
	mux.Handle("GET /api/about", answering(map[string]any{"speaker": s.speaker(), "demo": s.demo}))
	mux.Handle("GET /api/ideas", answering(map[string]any{"ideas": ideas}))
	mux.Handle("GET /api/clock", userapi.Guard(http.HandlerFunc(s.readClock)))
	mux.Handle("POST /api/clock", userapi.Guard(http.HandlerFunc(s.moveClock)))
	return mux
}

// answering is a handler with a fixed response.
func answering(what any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_ = json.NewEncoder(w).Encode(what) // the reader may be gone
	})
}

// keep saves the world now and then, if it has a file, until the end. A failed save is
// retried later.
func (s *site) keep(ctx context.Context, o Options) {
	changed := make(chan struct{}, 1)
	s.world.Watch(func(fakediscord.Event) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	for o.World != "" && ctx.Err() == nil {
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
		if err := saveWorld(s.world, o.World); err != nil {
			fmt.Fprintf(o.Out, "The world could not be saved, and will be tried again: %v\n", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(saveEvery):
		}
	}
	<-ctx.Done()
}

// saveEvery is the minimum pause between saves.
const saveEvery = 5 * time.Second
