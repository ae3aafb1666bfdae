package server

import (
	"context"
	"encoding/json"
	"testing/synctest"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
)

// Do runs the requests of one reply to a member; an empty name means an unknown requester.
// Names in braces stand for IDs, as in WithIDs.
func (w *Server) Do(who string, payloads ...string) []actions.Outcome {
	w.t.Helper()
	reqs := w.requests(payloads)
	d, gate := w.Dispatcher()
	run := d.Execute
	if w.Agreed {
		run = d.ExecuteApproved
	}
	outs := run(w.t.Context(), w.Origin(who), gate, reqs)
	synctest.Wait() // for the events to arrive
	return outs
}

// Run is Do that returns the lines, one for each request.
func (w *Server) Run(who string, payloads ...string) []string {
	w.t.Helper()
	return actions.AllLines(w.Do(who, payloads...))
}

// Pending runs requests without approval, and returns what is held.
func (w *Server) Pending(who string, payloads ...string) ([]actions.Pending, []actions.Outcome) {
	w.t.Helper()
	reqs := w.requests(payloads)
	d, gate := w.Dispatcher()
	asked := &recorder{}
	d.Hold = asked
	outs := d.Execute(w.t.Context(), w.Origin(who), gate, reqs)
	return asked.held, outs
}

// A recorder is a Holder that records what is held.
type recorder struct{ held []actions.Pending }

func (d *recorder) Hold(_ context.Context, _ actions.Origin, held []actions.Pending) error {
	d.held = append(d.held, held...)
	return nil
}

// Undo runs the inverses of an action, for ada. There must be some.
func (w *Server) Undo(out actions.Outcome) {
	w.t.Helper()
	if len(out.Result.Undo) == 0 {
		w.t.Errorf("%s: there is no inverse", out.Request.Args)
	}
	for _, back := range out.Result.Undo {
		if got := w.Do("ada", string(back.Request.Args))[0]; got.Err != nil || back.Text == "" {
			w.t.Errorf("%s (%s): %v", back.Request.Args, back.Text, got.Err)
		}
	}
}

// NeedsIn is the channel of a request of ada's.
func (w *Server) NeedsIn(payload string) (chat.ChannelID, error) {
	w.t.Helper()
	r := w.requests([]string{payload})[0]
	a, there := w.registry.Lookup(r.Type)
	if !there {
		w.t.Fatalf("%s: no such action", payload)
	}
	b, err := a.Bind(r.Args)
	if err != nil {
		w.t.Fatalf("%s: %v", payload, err)
	}
	return b.NeedsIn(w.t.Context(), actions.Call{Origin: w.Origin("ada")})
}

// Origin is that of a member's request.
func (w *Server) Origin(who string) actions.Origin {
	w.t.Helper()
	o := w.Asked
	if who != "" {
		o.Requester = w.UserID(who)
	}
	return o
}

// Dispatcher is that of the bot, with its middlewares, after all events so far have
// arrived.
func (w *Server) Dispatcher() (*actions.Dispatcher, actions.Gate) {
	w.t.Helper()
	synctest.Wait()
	return actions.NewDispatcher(actions.DispatcherOptions{}, w.Guard, w.pause), w.registry.Gate(actionstest.Open(w.registry))
}

func (w *Server) pause(next actions.Handler) actions.Handler {
	return func(ctx context.Context, call actions.Call, b actions.Bound) (actions.Result, error) {
		if w.Between != nil {
			w.Between()
			synctest.Wait()
		}
		return next(ctx, call, b)
	}
}

func (w *Server) requests(payloads []string) []actions.Request {
	w.t.Helper()
	var reqs []actions.Request
	for _, payload := range payloads {
		args := []byte(w.WithIDs(payload))
		var head struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal(args, &head); err != nil {
			w.t.Fatalf("%s: %v", payload, err)
		}
		reqs = append(reqs, actions.Request{Type: head.Type, Args: args})
	}
	return reqs
}
