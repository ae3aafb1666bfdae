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
func openTickets(m *messages) {
	tickets := m.source("ticket", func(pipeline.Event[chat.Message]) *access.Way { return byTicket })
	isTicket := func(ctx context.Context, said chat.Message) bool {
		return !said.Author.Bot && strings.HasPrefix(m.gather.ChannelName(ctx, said.Place.Top()), "ticket-")
	}
	m.router.add(isTicket, pipeline.Open(m.pipe, tickets))
}

// ticketRoom is a Server whose channel is a ticket.
type ticketRoom struct{ oneRoom }

func (ticketRoom) ChannelByID(_ context.Context, id chat.ChannelID) (chat.Channel, error) {
	return chat.Channel{ID: id, Guild: "1", Name: "ticket-7", Kind: chat.TextChannel}, nil
}

// TestTheExampleInContributingTakesTickets: the example of a way in compiles, and gets its messages. A continuation and
// a redo of such a message come in by the same way: otherwise they would get around its rule.
func TestTheExampleInContributingTakesTickets(t *testing.T) {
	f := New(Options{Server: ticketRoom{}}, pipeline.Options{})
	openTickets(f.messages)
	for author, want := range map[chat.User]bool{{ID: "ada"}: true, {ID: "friend", Bot: true}: false} {
		m := chat.Message{Place: chat.Place{Guild: "1", Channel: "2"}, Author: author, Text: "it does not work"}
		if got := f.router.entryOf(t.Context(), m) != f.messages.in; got != want {
			t.Errorf("a message of %s is a ticket: %v, want %v", author.ID, got, want)
		}
		said := []chat.Message{m}
		on, again := f.messages.continuations.way(chain{Said: said}), f.redos.way(redo{Said: said})
		if (on == byTicket) != want || (again == byTicket) != want {
			t.Errorf("what goes on with a message of %s comes in by %v, a further answer by %v", author.ID, on, again)
		}
	}
}
