package fakevoice

import (
	"fmt"
	"net/http"
	"strconv"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/memnet"
)

// A Test is what Start needs of a testing.TB, which a program outside of tests is not to bring along.
type Test interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
}

// Start serves a new Server in memory until the test ends, and returns the client whose websockets all go to it. It fails the test for
// complaints that Complaints has not returned before.
func Start(t Test, o Options) (*Server, *http.Client) {
	t.Helper()
	s, l := New(o), memnet.New()
	web := &http.Server{Handler: s}
	go func() { _ = web.Serve(l) }() // which ends with Close
	client := l.HTTPClient()
	t.Cleanup(func() {
		client.CloseIdleConnections()
		s.Close()
		_ = web.Close()
		for _, c := range s.Complaints() {
			t.Errorf("the voice server complains: %s", c)
		}
	})
	return s, client
}

// Serve is the voice server of a world from now on: it lets those in who are in voice channels there. The endpoint is where it is served.
func (s *Server) Serve(w *fakediscord.World, endpoint string) {
	w.UseVoiceServer(fakediscord.VoiceServer{
		Endpoint: endpoint,
		Admit:    func(p fakediscord.VoicePass) { s.Admit(TicketOf(p)) },
		Expel: func(p fakediscord.VoicePass) {
			t := TicketOf(p)
			s.Expel(t.Guild, t.User)
		},
	})
}

// TicketOf is what a world gave a member's client, in numbers.
func TicketOf(p fakediscord.VoicePass) Ticket {
	return Ticket{
		Guild: number(string(p.Guild)), Channel: number(string(p.Channel)), User: number(string(p.User)),
		Session: p.Session, Token: p.Token,
	}
}

func number(id string) uint64 {
	n, err := strconv.ParseUint(id, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("fakevoice: the world has the ID %q", id))
	}
	return n
}
