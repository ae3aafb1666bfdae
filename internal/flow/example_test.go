package flow

import (
	"context"
	"strings"
	"testing"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/turn"
)

// byTicket is the way in of what people write in channels called #ticket-….
var byTicket = &access.Way{Name: "ticket", Flow: "ticket", Rule: access.Rule{Where: "in tickets", Open: true, Off: []string{"channels"}}}

// openTickets opens the source of tickets.
func openTickets(f *Flows) {
	m := f.messages
	source := m.in.Source // a ticket is a message, except for this:
	source.Kind = "ticket"
	source.Way = func(Event[chat.Message]) *access.Way { return byTicket }
	source.Guards = append(m.guards(), Guard[chat.Message]{"ticket", func(_ context.Context, e Event[chat.Message]) access.Refusal {
		return m.Access.Admit(byTicket, e.By, e.Place)
	}})
	source.Turn = func(_ context.Context, r Run[chat.Message]) (chat.Message, turn.Turn, error) {
		return m.turnBy(byTicket, r)
	}
	isTicket := func(ctx context.Context, said chat.Message) bool {
		return strings.HasPrefix(m.channelName(ctx, said.Place), "ticket-")
	}
	f.routes = append(f.routes, route{isTicket, open(f.Pipeline, source)})
}

// TestTheExampleOfContributingOpens: a way in is a file like this one, and a line.
func TestTheExampleOfContributingOpens(t *testing.T) {
	f := New(Options{}, PipelineOptions{})
	openTickets(f)
	if _, known := f.sources["ticket"]; !known {
		t.Error("nobody would resume a ticket")
	}
}
