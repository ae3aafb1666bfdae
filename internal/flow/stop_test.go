package flow

import (
	"context"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/delivery/ledger"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/flow/pipeline"
	"discoclaw/internal/store"
)

// chores is Work with a button on the message of each piece. Each is a goroutine that ends when it is stopped.
type chores struct {
	mu      sync.Mutex
	running map[chat.MessageID]context.CancelFunc
}

func startChores(t *testing.T, messages ...chat.MessageID) *chores {
	t.Helper()
	c := &chores{running: map[chat.MessageID]context.CancelFunc{}}
	for _, m := range messages {
		ctx, cancel := context.WithCancel(t.Context())
		c.running[m] = cancel
		go func() { <-ctx.Done() }()
	}
	return c
}

func (c *chores) StopMessage(m chat.MessageID, _ chat.UserID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	cancel, ok := c.running[m]
	if ok {
		cancel()
		delete(c.running, m)
	}
	return ok
}

func (c *chores) StopAll(by chat.UserID) (n int) {
	for _, m := range c.messages() {
		if c.StopMessage(m, by) {
			n++
		}
	}
	return n
}

func (c *chores) Pressed(_ context.Context, p chat.Press) bool {
	m, ok := strings.CutPrefix(p.Button, "chore:")
	return ok && c.StopMessage(chat.MessageID(m), p.User.ID)
}

func (c *chores) messages() []chat.MessageID {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Sorted(maps.Keys(c.running))
}

// asked is Questions that remember the buttons.
type asked struct{ buttons []string }

func (a *asked) Pressed(_ context.Context, p chat.Press) { a.buttons = append(a.buttons, p.Button) }

// A busy bot serves ada in channel 2, where a turn writes message 20, and chores report in the messages 30 and 31.
type busy struct {
	*Flows
	t         *testing.T
	stopped   chan error // has why the turn was stopped
	chores    *chores
	questions *asked
}

func whileBusy(t *testing.T, o Reactions, test func(b busy)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		b := busy{t: t, stopped: make(chan error, 1), chores: startChores(t, "30", "31"), questions: &asked{}}
		db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
		if err != nil {
			t.Fatal(err)
		}
		b.Flows = New(Options{
			Server: wallClock{}, Access: access.Policy{Users: []chat.UserID{"ada"}}, Choices: choices.NewStore(db), Reactions: o,
			Work: b.chores, Questions: b.questions, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		}, pipeline.Options{
			Inbox: inbox.New(db), NewTurn: func() chat.TurnID { return "t" },
			Ledger: ledger.New(db, slog.New(slog.DiscardHandler)), Outbox: outbox.New(db, nil, nil),
		})
		b.self.Become(chat.User{ID: "bot"})
		talk := pipeline.Open(b.pipe, pipeline.Source[chat.MessageID]{
			Kind: "talk",
			Key: func(m chat.MessageID) pipeline.Key {
				return pipeline.Key{ID: inbox.EventID(m), Place: chat.Place{Guild: "1", Channel: "2", Message: m}, By: chat.User{ID: "ada"}}
			},
			Do: func(ctx context.Context, _ pipeline.Run[chat.MessageID]) (pipeline.Done, error) {
				<-ctx.Done()
				b.stopped <- context.Cause(ctx)
				return pipeline.Done{}, nil
			},
		})
		talk.Tell(t.Context(), "20", pipeline.Live)
		b.pipe.Stoppable("20", "20")
		synctest.Wait()
		test(b)
		b.StopAll("ada")
		if err := b.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestAStopSignStopsTurnsAndOtherWork(t *testing.T) {
	t.Parallel()
	all, one := Reactions{Added: true}, Reactions{Added: true, StopOne: true}
	both := []chat.MessageID{"30", "31"}
	for _, tt := range []struct {
		name  string
		scope Reactions
		by    chat.UserID
		on    chat.MessageID
		turn  bool // is stopped
		left  []chat.MessageID
	}{
		{"all, on an answer", all, "ada", "20", true, nil},
		{"all, on a report", all, "ada", "30", true, nil},
		{"all, on another message", all, "ada", "40", true, nil},
		{"one, on an answer", one, "ada", "20", true, both},
		{"one, on a report", one, "ada", "30", false, both[1:]},
		{"one, on another message", one, "ada", "40", false, both},
		{"all, by a stranger", all, "zed", "30", false, both},
		{"one, by a stranger", one, "zed", "30", false, both},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			whileBusy(t, tt.scope, func(b busy) {
				b.Reacted(b.t.Context(), chat.Reacted{
					Place: chat.Place{Guild: "1", Channel: "2", Message: tt.on}, Sent: time.Now(), Author: "bot", User: chat.User{ID: tt.by}, Emoji: stopSign,
				})
				b.requireStopped(tt.turn, tt.left)
			})
		})
	}
}

func (b busy) requireStopped(turn bool, left []chat.MessageID) {
	b.t.Helper()
	synctest.Wait()
	if got := len(b.stopped) > 0; got != turn {
		b.t.Errorf("the turn was stopped: %v, want %v", got, turn)
	}
	if got := b.chores.messages(); !slices.Equal(got, left) {
		b.t.Errorf("%q are left, want %q", got, left)
	}
}

func TestStoppingEverythingCountsTurnsAndOtherWork(t *testing.T) {
	t.Parallel()
	whileBusy(t, Reactions{}, func(b busy) {
		if turns, work := b.StopAll("ada"); turns != 1 || work != 2 {
			b.t.Errorf("%d turns and %d pieces of work, want 1 and 2", turns, work)
		}
		b.requireStopped(true, nil)
	})
}

func TestAPressReachesWhoseButtonItIs(t *testing.T) {
	t.Parallel()
	both := []chat.MessageID{"30", "31"}
	for _, tt := range []struct {
		name   string
		by     chat.User
		button string
		turn   bool // is stopped
		left   []chat.MessageID
		asked  []string
	}{
		{"of a turn", chat.User{ID: "ada"}, "stop:20", true, both, nil},
		{"of other work", chat.User{ID: "ada"}, "chore:30", false, both[1:], nil},
		{"of other work that is over", chat.User{ID: "ada"}, "chore:29", false, both, []string{"chore:29"}},
		{"of a question", chat.User{ID: "ada"}, "approve:x", false, both, []string{"approve:x"}},
		{"of other work, by a stranger", chat.User{ID: "zed"}, "chore:30", false, both, nil},
		{"of other work, by a bot", chat.User{ID: "ada", Bot: true}, "chore:30", false, both, nil},
		{"of a question, by a stranger", chat.User{ID: "zed"}, "approve:x", false, both, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			whileBusy(t, Reactions{}, func(b busy) {
				b.Pressed(b.t.Context(), chat.Press{Place: chat.Place{Guild: "1", Channel: "2", Message: "20"}, User: tt.by, Button: tt.button})
				b.requireStopped(tt.turn, tt.left)
				if !slices.Equal(b.questions.buttons, tt.asked) {
					t.Errorf("the questions were told of %q, want %q", b.questions.buttons, tt.asked)
				}
			})
		})
	}
}

// TestABotWithoutOtherWorkStopsItsTurns, and its buttons are those of questions.
func TestABotWithoutOtherWorkStopsItsTurns(t *testing.T) {
	t.Parallel()
	questions := &asked{}
	f := New(Options{Access: access.Policy{Users: []chat.UserID{"ada"}}, Questions: questions}, pipeline.Options{})
	if turns, work := f.StopAll("ada"); turns != 0 || work != 0 {
		t.Errorf("%d turns and %d pieces of work", turns, work)
	}
	f.Pressed(t.Context(), chat.Press{User: chat.User{ID: "ada"}, Button: "approve:x"})
	if !slices.Equal(questions.buttons, []string{"approve:x"}) {
		t.Errorf("the questions were told of %q", questions.buttons)
	}
}
