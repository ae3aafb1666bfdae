package flow

import (
	"context"
	"strings"
	"testing"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/flow/pipeline"
)

// byTicket is the way in of what people write in channels called #ticket-…, and in threads there.
// All of it is answered.
var byTicket = &access.Way{Name: "ticket", Flow: "ticket", Everything: true, Rule: access.Rule{Where: "in tickets", Open: true, Off: []string{"channels"}}}

// openTickets opens the source of tickets.
func openTickets(f *Flows, _ Options) {
	m := f.messages
	tickets := m.source("ticket", func(pipeline.Event[chat.Message]) *access.Way { return byTicket })
	isTicket := func(ctx context.Context, said chat.Message) bool {
		return !said.Author.Bot && strings.HasPrefix(m.gather.ChannelName(ctx, said.Place.Top()), "ticket-")
	}
	f.routes = append(f.routes, route{isTicket, pipeline.Open(f.pipe, tickets)})
}

// TestTheExampleInContributingOpens checks that the example of a way in compiles and can be opened.
func TestTheExampleInContributingOpens(t *testing.T) {
	f := New(Options{}, pipeline.Options{})
	openTickets(f, Options{})
	if last := f.routes[len(f.routes)-1]; last.in == nil {
		t.Error("nobody would answer a ticket")
	}
}
