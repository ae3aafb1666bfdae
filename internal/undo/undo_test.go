package undo_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/chat"
	"discoclaw/internal/confirm"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/flow"
	"discoclaw/internal/journal"
	"discoclaw/internal/store"
	"discoclaw/internal/undo"
)

// hands are those of a process that dies before the first action, and of one that lives.
type hands struct {
	dies bool
	dead chan struct{}
	done int
}

func (h *hands) May(context.Context, actions.Origin, []actions.Request) error { return nil }
func (h *hands) Do(_ context.Context, _ actions.Origin, reqs []actions.Request) []actions.Outcome {
	if h.dies {
		<-h.dead // for ever, as far as this process is concerned
	}
	h.done++
	var outs []actions.Outcome
	for _, r := range reqs {
		outs = append(outs, actions.Outcome{Request: r, Action: flip, Verdict: actions.Verdict{}, Result: actions.Result{Summary: "Flipped"}})
	}
	return outs
}

var flip = actionstest.Define("flip")

var _ confirm.Hands = flow.Approved{}

func TestAnInterruptedUndoIsNotCalledTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "\nguild disco: #general\nmember ada: owner\n")
		client := discord.New(discord.Options{Token: w.Token(), APIURL: w.APIURL(), HTTP: w.HTTP()})
		db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
		if err != nil {
			t.Fatal(err)
		}
		log := slog.New(slog.DiscardHandler)
		start := func(h *hands) (*undo.Undo, *confirm.Desk, func()) {
			j := journal.New(db, journal.Options{})
			desk := confirm.New(confirm.Options{DB: db, Server: client, Log: log, Token: func() string { return "a-token" }})
			u := &undo.Undo{Journal: j, Desk: desk, NewTurn: func() string { return "back" }, Log: log}
			desk.Serve(h, u)
			ctx, cancel := context.WithCancel(context.Background())
			over := make(chan struct{})
			go func() { desk.Run(ctx); close(over) }()
			return u, desk, func() { cancel(); <-over }
		}
		place := chat.Place{Guild: w.GuildID(), Channel: w.ChannelID("#general"), Message: "1"}
		dead := make(chan struct{})
		u, desk, stop := start(&hands{dies: true, dead: dead})
		o := actions.Origin{Flow: actions.FlowMessage, Place: place, Requester: w.UserID("ada"), Turn: "t1"}
		u.Journal.Settled(t.Context(), o, actions.Outcome{Request: actions.Request{Type: "flip"}, Action: flip,
			Result: actions.Result{Summary: "Flipped", Undo: []actions.Inverse{{Request: actions.Request{Type: "flip", Args: []byte(`{}`)}, Text: "flip it back"}}}})
		m := chat.Message{Place: place, Author: chat.User{ID: w.UserID("ada"), Name: "ada"}}
		if text, err := u.Offer(t.Context(), m); text != "" || err != nil {
			t.Fatal(text, err)
		}
		go desk.Confirm(context.Background(), "a-token", m.Author, place)
		synctest.Wait() // the process is killed here, before anything was taken back
		stop()

		u, _, stop = start(&hands{})
		time.Sleep(time.Second)
		synctest.Wait()
		turns, err := u.Journal.Recent(t.Context(), place.Channel, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, turn := range turns {
			if why := journal.Why(turn, turn.Requester); strings.Contains(why, "Taken back") {
				t.Errorf("nothing was taken back, but !why says:\n%s", why)
			}
		}
		text, err := u.Offer(t.Context(), m)
		t.Logf("card:\n%s", w.Transcript())
		if text != "" {
			t.Errorf("asked again, as the card says: %s (%v)", text, err)
		}
		stop()
		close(dead)
		synctest.Wait()
		_ = db.Close()
	})
}

// The process dies after the action was done and before that was written down. The
// journal must not say that it was not approved and not done.
func TestAnInterruptedActionIsNotCalledNotDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "\nguild disco: #general\nmember ada: owner\n")
		client := discord.New(discord.Options{Token: w.Token(), APIURL: w.APIURL(), HTTP: w.HTTP()})
		db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
		if err != nil {
			t.Fatal(err)
		}
		log := slog.New(slog.DiscardHandler)
		j := journal.New(db, journal.Options{})
		place := chat.Place{Guild: w.GuildID(), Channel: w.ChannelID("#general"), Message: "1"}
		o := actions.Origin{Flow: actions.FlowMessage, Place: place, Requester: w.UserID("ada"), Turn: "t1"}
		held := actions.Held{Request: actions.Request{Type: "flip", Args: []byte(`{}`)}, What: "Flip it."}
		j.Settled(t.Context(), o, actions.Outcome{Request: held.Request, Action: flip, Held: &held})
		start := func(h *hands) (*confirm.Desk, func()) {
			desk := confirm.New(confirm.Options{DB: db, Server: client, Log: log, Token: func() string { return "a-token" }})
			desk.Serve(h, &undo.Undo{Journal: j, Desk: desk, Log: log})
			ctx, cancel := context.WithCancel(context.Background())
			over := make(chan struct{})
			go func() { desk.Run(ctx); close(over) }()
			return desk, func() { cancel(); <-over }
		}
		dead := make(chan struct{})
		desk, stop := start(&hands{dies: true, dead: dead}) // what it does is done on Discord by then
		if err := desk.Hold(t.Context(), o, []actions.Held{held}); err != nil {
			t.Fatal(err)
		}
		go desk.Confirm(context.Background(), "a-token", chat.User{ID: w.UserID("ada")}, place)
		synctest.Wait()
		stop()
		_, stop = start(&hands{})
		time.Sleep(time.Second)
		turns, err := j.Recent(t.Context(), place.Channel, 1)
		if err != nil {
			t.Fatal(err)
		}
		if why := journal.Why(turns[0], turns[0].Requester); strings.Contains(why, "not approved") {
			t.Errorf("it was approved, and perhaps done:\n%s\n%s", why, turns[0].Actions[0].Line)
		}
		stop()
		close(dead)
		synctest.Wait()
		_ = db.Close()
	})
}
