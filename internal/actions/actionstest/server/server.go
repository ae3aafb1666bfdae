// Package server tests categories of actions on a small Discord with the real client. It
// is for tests only.
//
// A request takes the same way as in the bot, through the gate, the guard and the
// dispatcher, so rights are enforced. [In] builds a server, [Server.Offer] sets the
// categories, and the methods with Require compare the lines of outcomes.
package server

import (
	"context"
	"testing"
	"testing/synctest"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord/discordtest"
)

// A Server is one test's. The test may change its fields between requests.
type Server struct {
	*discordtest.World
	Bot     *discord.Client
	Asked   actions.Origin     // of all requests; by default without a requester, in #general
	Guard   actions.Middleware // checks the rights of the requester: access.Guard, with an empty policy
	Agreed  bool               // all actions are approved
	Between func()             // called after the check of rights and before the action; may be nil

	t        testing.TB
	registry *actions.Registry
	ids      map[string]string // those of WithIDs
}

// In runs a test in a bubble, on a server with the bot connected.
func In(t *testing.T, layout string, test func(t *testing.T, w *Server)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := New(t, layout)
		w.Connect()
		test(t, w)
	})
}

// New builds a server without the bot connected, for tests that need earlier events. It is
// called inside a bubble.
func New(t testing.TB, layout string) *Server {
	t.Helper()
	w := &Server{World: discordtest.New(t, layout), t: t, ids: map[string]string{}}
	w.Bot = discord.New(discord.Options{Token: w.Token(), APIURL: w.APIURL(), HTTP: w.HTTP()})
	w.Guard = access.Guard(access.Policy{}, w.Bot)
	w.Asked = actions.Origin{Flow: actions.FlowMessage, Place: chat.Place{
		Guild: w.GuildID(), Channel: w.ChannelID("#general"), Message: "111111111111111111",
	}}
	return w
}

// Connect connects the bot until the test ends.
func (w *Server) Connect() {
	w.t.Helper()
	ctx, leave := context.WithCancel(context.Background())
	ready, left := make(chan struct{}), make(chan error, 1)
	go func() { left <- w.Bot.Run(ctx, ear{ready: ready}) }()
	w.t.Cleanup(func() {
		leave()
		if err := <-left; err != nil {
			w.t.Errorf("the bot left: %v", err)
		}
	})
	select {
	case <-ready:
	case err := <-left:
		left <- nil
		w.t.Fatalf("the bot did not connect: %v", err)
	}
}

// An ear handles Ready, and no other event.
type ear struct {
	discordtest.Deaf
	ready chan struct{}
}

func (e ear) Ready(chat.User) { close(e.ready) }

// Offer sets the categories of the bot.
func (w *Server) Offer(cats ...actions.Category) {
	w.t.Helper()
	w.registry = actionstest.Registry(w.t, cats...)
}

// AskIn moves all requests to another channel or thread.
func (w *Server) AskIn(channel string) {
	w.t.Helper()
	ch, there := w.Channel(channel)
	if !there {
		w.t.Fatalf("there is no channel %s", channel)
	}
	w.Asked.Place.Channel, w.Asked.Place.Parent = ch.ID, ""
	if ch.Type.IsThread() {
		w.Asked.Place.Parent = ch.Parent
	}
}

// Must ends the test if there is an error.
func (w *Server) Must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}
