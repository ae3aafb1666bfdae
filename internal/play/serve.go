package play

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"discoclaw/internal/fakediscord/userapi"
	"discoclaw/internal/llm/nearby"
	"discoclaw/internal/play/calls"
	"discoclaw/internal/play/page"
	"discoclaw/internal/play/standin"
)

// Serve shows the playground as a page on this machine until ctx ends.
func Serve(ctx context.Context, o Options) (err error) {
	listener, err := listen(o.Address) // first, so that a mistake in it changes nothing
	if err != nil {
		return err
	}
	defer listener.Close() // closed already, unless the page was never served
	site := site{listener: listener, servers: o.Servers}
	if site.servers == nil {
		site.servers = nearby.Servers
	}
	p, err := open(o, func(event string, data any) { site.publish(event, data) })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close()) }()
	site.playground = p
	if site.key, err = p.key(listener.Addr()); err != nil {
		return err
	}
	site.people = userapi.New(p.world, userapi.Options{
		Shown: p.clock.shown,
		Extra: func(publish func(string, any)) { site.publish = publish },
	})
	if p.host.calls != nil {
		p.host.calls.OnLine(func(l calls.Line) { site.publish("voice", l) })
	}
	p.onChange(func() { site.publish("bot", struct{}{}) })
	return p.run(ctx, func(ctx context.Context) error { return site.serve(ctx, o) })
}

// A site is a playground with a page.
type site struct {
	*playground
	listener net.Listener
	key      key
	servers  []nearby.Server // where local models are looked for
	people   *userapi.Handler
	publish  func(event string, data any)
}

func (s *site) serve(ctx context.Context, o Options) error {
	server := &http.Server{Handler: s.key.guard(s.routes()), ReadHeaderTimeout: 10 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(s.listener) }()
	select {
	case <-s.online:
		s.announce(o)
		s.giveAll(ctx, o.Errs)
		s.publish("clock", struct{}{}) // a page that is open already does not know the jobs that were given
		<-ctx.Done()
	case <-ctx.Done(): // the bot did not connect
	}
	s.people.Close()
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
	fmt.Fprintf(o.Out, "DiscoClaw's playground is at %s\n%s\nStop with Ctrl-C.\n", url, s.speakerHere())
	if o.Ready != nil {
		o.Ready(url)
	}
}

func (s *site) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", page.Handler())
	mux.Handle("/api/", s.people)
	mux.Handle("/attachments/", s.people)
	mux.HandleFunc("GET /api/about", func(w http.ResponseWriter, r *http.Request) {
		answering(map[string]any{"speaker": s.speaker(), "demo": s.scripted(), "strangers": s.strangers(), "voice": s.voice()}).ServeHTTP(w, r)
	})
	mux.HandleFunc("GET /api/ideas", func(w http.ResponseWriter, r *http.Request) {
		answering(map[string]any{"ideas": standin.IdeasFor(s.world)}).ServeHTTP(w, r)
	})
	mux.Handle("GET /api/models", userapi.Guard(http.HandlerFunc(s.listModels)))
	mux.Handle("POST /api/models", userapi.Guard(http.HandlerFunc(s.chooseModel)))
	mux.Handle("/api/bot", userapi.Guard(http.HandlerFunc(s.plug)))
	mux.Handle("POST /api/voice", userapi.Guard(http.HandlerFunc(s.enter)))
	mux.HandleFunc("GET /api/voice/sound", s.sound)
	mux.Handle("POST /api/voice/say", userapi.Guard(http.HandlerFunc(s.say)))
	mux.Handle("/api/trouble", userapi.Guard(&troubles{world: s.world}))
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

// plug shows how the bot is, after killing it or starting it again if it is a POST.
func (s *site) plug(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPost {
		var in struct{ Alive bool }
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1000)).Decode(&in); err != nil {
			refuse(w, http.StatusBadRequest, "say whether the bot is to be alive")
			return
		}
		do := s.kill
		if in.Alive {
			do = func(context.Context) error { return s.revive() }
		}
		if err := do(r.Context()); err != nil {
			refuse(w, http.StatusConflict, err.Error())
			return
		}
	}
	answering(s.feel()).ServeHTTP(w, r)
}
