package flow

import (
	"context"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/flow/pipeline"
)

// A route directs the messages it takes to a source of their own.
type route struct {
	takes func(context.Context, chat.Message) bool
	in    *pipeline.Entry[chat.Message]
}

// A router passes messages to their sources. It is filled before the first message.
type router struct {
	routes []route
	rest   *pipeline.Entry[chat.Message] // for those that no route takes
}

// add adds a route, which has its turn after those before.
func (r *router) add(takes func(context.Context, chat.Message) bool, in *pipeline.Entry[chat.Message]) {
	r.routes = append(r.routes, route{takes, in})
}

// entryOf returns the entry for a message: that of the first route that takes it, or else that of messages.
func (r *router) entryOf(ctx context.Context, m chat.Message) *pipeline.Entry[chat.Message] {
	for _, route := range r.routes {
		if route.takes(ctx, m) {
			return route.in
		}
	}
	return r.rest
}

// wayOf returns the way in of a message. A continuation and a redo of its turn follow the same rule.
func (r *router) wayOf(m chat.Message) *access.Way {
	return r.entryOf(context.Background(), m).Way(pipeline.Event[chat.Message]{Body: m})
}

// tell passes a message to its source.
func (r *router) tell(ctx context.Context, m chat.Message, a pipeline.Arrival) {
	r.entryOf(ctx, m).Tell(ctx, m, a)
}

// isForBot reports whether a message that was missed would be answered.
func (r *router) isForBot(ctx context.Context, m chat.Message) bool {
	in := r.entryOf(ctx, m)
	return in.Objection(ctx, in.Event(m, pipeline.Missed)) == access.Admitted
}
