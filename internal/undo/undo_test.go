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

// An executor is that of a process that hangs before the first action, or of one that runs.
type executor struct {
	dies bool
	dead chan struct{}
	done int
}

func (h *executor) May(context.Context, actions.Origin, []actions.Request) error { return nil }
func (h *executor) Do(_ context.Context, _ actions.Origin, reqs []actions.Request) []actions.Outcome {
	if h.dies {
		<-h.dead // as if this process were killed
	}
	h.done++
	var outs []actions.Outcome
	for _, r := range reqs {
		outs = append(outs, actions.Outcome{Request: r, Action: flip, Verdict: actions.Verdict{}, Result: actions.Result{Summary: "Flipped"}})
	}
	return outs
}

var flip = actionstest.Define("flip")

var _ confirm.Executor = flow.Approved{}

// A shop has the processes of a bot, one after the other, and a turn of ada's.
type shop struct {
	*discordtest.World
	client *discord.Client
	db     *store.DB
	origin actions.Origin // of a turn of hers
	dead   chan struct{}  // closed to release hanging processes
}

func inShop(t *testing.T, test func(t *testing.T, s *shop)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &shop{World: discordtest.New(t, "\nguild disco: #general\nmember ada: owner\n"), dead: make(chan struct{})}
		s.client = discord.New(discord.Options{Token: s.Token(), APIURL: s.APIURL(), HTTP: s.HTTP()})
		db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
		if err != nil {
			t.Fatal(err)
		}
		s.db = db
		place := chat.Place{Guild: s.GuildID(), Channel: s.ChannelID("#general"), Message: "1"}
		s.origin = actions.Origin{Flow: actions.FlowMessage, Place: place, Requester: s.UserID("ada"), Turn: "t1"}
		test(t, s)
		close(s.dead)
		synctest.Wait()
		_ = db.Close()
	})
}

// start starts a process. If it dies, it hangs in the middle of an approved question.
func (s *shop) start(dies bool) (u *undo.Undo, stop func()) {
	log := slog.New(slog.DiscardHandler)
	kept := journal.New(s.db, journal.Options{})
	service := confirm.New(confirm.Options{
		DB: s.db, Server: s.client, Log: log, Token: func() string { return "a-token" },
	})
	u = &undo.Undo{Journal: kept, Confirm: service, NewTurn: func() chat.TurnID { return "back" }}
	ctx, cancel := context.WithCancel(context.Background())
	over, live := make(chan struct{}), confirm.Live{Executor: &executor{dies: dies, dead: s.dead}, Observer: undo.Observer{Journal: kept, Log: log}}
	go func() { service.Run(ctx, live); close(over) }()
	return u, func() { cancel(); <-over }
}

func TestAnInterruptedUndoIsNotReportedAsDone(t *testing.T) {
	inShop(t, func(t *testing.T, s *shop) {
		u, stop := s.start(true)
		u.Journal.Settled(t.Context(), s.origin, actions.Outcome{Request: actions.Request{Type: "flip"}, Action: flip,
			Result: actions.Result{Summary: "Flipped", Undo: []actions.Inverse{{Request: actions.Request{Type: "flip", Args: []byte(`{}`)}, Text: "flip it back"}}}})
		m := chat.Message{Place: s.origin.Place, Author: chat.User{ID: s.UserID("ada"), Name: "ada"}}
		if text, err := u.Offer(t.Context(), m, false); text != "" || err != nil {
			t.Fatal(text, err)
		}
		go u.Confirm.Confirm(context.Background(), "a-token", m.Author, m.Place)
		synctest.Wait() // the process is killed here, before any inverse ran
		stop()

		u, stop = s.start(false)
		time.Sleep(time.Second)
		synctest.Wait()
		turns, err := u.Journal.Recent(t.Context(), m.Place.Channel, 10)
		if err != nil {
			t.Fatal(err)
		}
		for _, turn := range turns {
			if why := journal.Why(turn, false); strings.Contains(why, "Undone") {
				t.Errorf("nothing was undone, but !why says:\n%s", why)
			}
		}
		text, err := u.Offer(t.Context(), m, false)
		t.Logf("card:\n%s", s.Transcript())
		if text != "" {
			t.Errorf("second offer: %s (%v)", text, err)
		}
		stop()
	})
}

// TestACardOfUndoHidesNothing: an inverse may have the words of a model.
func TestACardOfUndoHidesNothing(t *testing.T) {
	inShop(t, func(t *testing.T, s *shop) {
		u, stop := s.start(false)
		u.Journal.Settled(t.Context(), s.origin, actions.Outcome{Request: actions.Request{Type: "flip"}, Action: flip,
			Result: actions.Result{Summary: "Flipped", Undo: []actions.Inverse{{Request: actions.Request{Type: "flip", Args: []byte(`{}`)}, Text: "flip\u202e it"}}}})
		if text, err := u.Offer(t.Context(), chat.Message{Place: s.origin.Place, Author: chat.User{ID: s.UserID("ada"), Name: "ada"}}, false); text != "" || err != nil {
			t.Fatal(text, err)
		}
		if card := s.Transcript(); !strings.Contains(card, "flip it?") {
			t.Errorf("%+q", card)
		}
		stop()
	})
}

// The process dies after the action was done and before that was recorded. The journal must
// not have it as not approved or not done.
func TestAnInterruptedActionIsNotReportedAsNotDone(t *testing.T) {
	inShop(t, func(t *testing.T, s *shop) {
		u, stop := s.start(true) // its action is done on Discord by then
		held := actions.Pending{Request: actions.Request{Type: "flip", Args: []byte(`{}`)}, What: "Flip it."}
		u.Journal.Settled(t.Context(), s.origin, actions.Outcome{Request: held.Request, Action: flip, Pending: &held})
		if err := u.Confirm.Hold(t.Context(), s.origin, []actions.Pending{held}); err != nil {
			t.Fatal(err)
		}
		go u.Confirm.Confirm(context.Background(), "a-token", chat.User{ID: s.UserID("ada")}, s.origin.Place)
		synctest.Wait()
		stop()

		u, stop = s.start(false)
		time.Sleep(time.Second)
		turns, err := u.Journal.Recent(t.Context(), s.origin.Place.Channel, 1)
		if err != nil {
			t.Fatal(err)
		}
		if why := journal.Why(turns[0], true); strings.Contains(why, "not approved") || !strings.Contains(why, "Approved by "+s.UserID("ada").Mention()) {
			t.Errorf("it was approved, and perhaps done:\n%s\n%s", why, turns[0].Actions[0].Line)
		}
		stop()
	})
}
