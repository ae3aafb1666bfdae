package server

import (
	"context"
	"encoding/json"
	"testing/synctest"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
)

// Do runs what a model asks for in one reply to somebody; an empty name is for nobody.
// Names in braces stand for IDs, as WithIDs says.
func (w *Server) Do(who string, payloads ...string) []actions.Outcome {
	w.t.Helper()
	reqs := w.requests(payloads)
	d, gate := w.Dispatcher()
	run := d.Execute
	if w.Agreed {
		run = d.ExecuteApproved
	}
	outs := run(w.t.Context(), w.Origin(who), gate, reqs)
	synctest.Wait() // for what was done to reach everybody
	return outs
}

// Run is Do for those who only want the lines, one for each request.
func (w *Server) Run(who string, payloads ...string) []string {
	w.t.Helper()
	return actions.AllLines(w.Do(who, payloads...))
}

// Pending runs requests that nobody has agreed to, and returns what a person is asked
// about them.
func (w *Server) Pending(who string, payloads ...string) ([]actions.Pending, []actions.Outcome) {
	w.t.Helper()
	reqs := w.requests(payloads)
	d, gate := w.Dispatcher()
	asked := &recorder{}
	d.Hold = asked
	outs := d.Execute(w.t.Context(), w.Origin(who), gate, reqs)
	return asked.held, outs
}

// A recorder takes note of what people are asked about.
type recorder struct{ held []actions.Pending }

func (d *recorder) Hold(_ context.Context, _ actions.Origin, held []actions.Pending) error {
	d.held = append(d.held, held...)
	return nil
}

// Undo takes back what an action did, for ada. There must be a way.
func (w *Server) Undo(out actions.Outcome) {
	w.t.Helper()
	if len(out.Result.Undo) == 0 {
		w.t.Errorf("%s: there is no way back", out.Request.Args)
	}
	for _, back := range out.Result.Undo {
		if got := w.Do("ada", string(back.Request.Args))[0]; got.Err != nil || back.Text == "" {
			w.t.Errorf("%s (%s): %v", back.Request.Args, back.Text, got.Err)
		}
	}
}

// NeedsIn is the channel that a request of ada's is about.
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

// Origin is where a request of somebody's comes from.
func (w *Server) Origin(who string) actions.Origin {
	w.t.Helper()
	o := w.Asked
	if who != "" {
		o.Requester = w.UserID(who)
	}
	return o
}

// Dispatcher is what runs requests, with all that stands before it. The bot has heard
// of what happened until now.
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
