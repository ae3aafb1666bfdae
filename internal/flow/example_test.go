package flow

import (
	"context"
	"strings"
	"testing"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
)

// byTicket is the way in of what people write in channels called #ticket-…, and in threads there.
// All of it is answered.
var byTicket = &access.Way{Name: "ticket", Flow: "ticket", Everything: true, Rule: access.Rule{Where: "in tickets", Open: true, Off: []string{"channels"}}}

// openTickets opens the source of tickets.
func openTickets(f *Flows) {
	m := f.messages
	tickets := m.source("ticket", func(Event[chat.Message]) *access.Way { return byTicket })
	isTicket := func(ctx context.Context, said chat.Message) bool {
		return !said.Author.Bot && strings.HasPrefix(m.channelName(ctx, said.Place.Top()), "ticket-")
	}
	f.routes = append(f.routes, route{isTicket, open(f.Pipeline, tickets)})
}

// TestTheExampleInContributingOpens checks that the example of a way in compiles and can be opened.
func TestTheExampleInContributingOpens(t *testing.T) {
	f := New(Options{}, PipelineOptions{})
	openTickets(f)
	if _, known := f.sources["ticket"]; !known {
		t.Error("nobody would resume a ticket")
	}
}
