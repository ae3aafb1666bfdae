package flow_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
)

// killThrice posts a message of ada, and kills the process at each attempt of its turn until there are none left.
func (h *host) killThrice(text string) {
	h.model = apptest.Endless()
	for i := range 3 {
		h.start()
		if i == 0 {
			h.ask(text)
		}
		time.Sleep(10 * time.Second)
		h.kill()
	}
}

func TestDroppedTurnsAndUnreadMessagesAreReportedToOperators(t *testing.T) {
	onHost(t, "guild disco: #general #ops #status\nmember ada: owner", func(h *host) {
		h.killThrice("the word that kills")
		h.Gateway().ForgetSessions() // so that what follows is missed
		for i := range 51 {
			h.MustSay("ada", "ops", fmt.Sprint("message ", i))
		}
		var answers []script.Answer
		for range 6 {
			answers = append(answers, script.Say("Yes."))
		}
		model := script.New(answers...)
		h.model = model
		h.run(nil)
		h.shows(1, "status", fmt.Sprintf("A message in <#%s> was given up after 3 tries", h.ChannelID("general")))
		h.shows(1, "status", fmt.Sprintf("more was said in <#%s> than it takes up afterwards: of the last 1 hour, at most 1000 messages, and 50 of them for the bot", h.ChannelID("ops")))
		if !strings.Contains(h.last("general"), "after three tries") || len(model.Requests()) != 5 {
			t.Errorf("%d requests, and\n%s", len(model.Requests()), h.Transcript())
		}
	}, "DISCOCLAW_STATUS_CHANNEL=status")
}

// faulty is a model that causes a panic in the bot.
func faulty() llm.Runtime {
	return script.Func(func(context.Context, llm.Request) iter.Seq2[llm.Event, error] { panic("broken") })
}

// TestTheLedgerOfASettledTurnIsEmptied, however the turn ended, but not before it is settled.
func TestTheLedgerOfASettledTurnIsEmptied(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		attempts int // after the first
		change   func(h *host)
		left     bool
	}{
		{name: "the third attempt", attempts: 2},
		{name: "an author who is not served any more", change: func(h *host) { h.serves() }},
		{name: "a fault in the bot", change: func(h *host) { h.model = faulty() }},
		{name: "the third attempt, which cannot be settled", attempts: 2, left: true, change: func(h *host) {
			h.exec("CREATE TRIGGER refusing BEFORE UPDATE ON inbox BEGIN SELECT RAISE(FAIL, 'there is no room'); END")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onHost(t, apptest.World, func(h *host) {
				hangs := script.Answer{script.Pause(24 * time.Hour)}
				h.model = script.New(script.Say(`Let me see.<discord-action>{"type":"channelList"}</discord-action>`), hangs, hangs, hangs)
				h.start()
				h.ask("how many channels are there?")
				time.Sleep(10 * time.Second)
				h.kill()
				for range tt.attempts {
					h.start()
					time.Sleep(10 * time.Second)
					h.kill()
				}
				if h.rounds() == 0 {
					t.Fatal("the ledger has no answer of the model")
				}
				h.model = script.New()
				if tt.change != nil {
					tt.change(h)
				}
				h.start()
				time.Sleep(time.Minute)
				h.kill()
				if left := h.rounds(); (left > 0) != tt.left {
					t.Errorf("%d rounds are left\n%s", left, h.Transcript())
				}
			})
		})
	}
}

// rounds returns how many answers of the model are in the ledger of a bot that is not running.
func (h *host) rounds() (n int) {
	h.t.Helper()
	h.data(func(db *store.DB) {
		h.must(db.QueryRowContext(h.t.Context(), "SELECT COUNT(*) FROM rounds").Scan(&n))
	})
	return n
}

// TestAnUndeliverableAnswerIsReportedToOperators, whether it is the model's or that of a command.
func TestAnUndeliverableAnswerIsReportedToOperators(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"hello":   "A reply failed in",
		"!health": "`!health` failed in",
	} {
		t.Run(said, func(t *testing.T) {
			onHost(t, "guild disco: #general #status\nmember ada: owner\nbot DiscoClaw: View Channel, Send Messages, Read Message History\ndeny #general @everyone: Send Messages\ndeny #general DiscoClaw: Send Messages", func(h *host) {
				h.start()
				h.ask(said)
				time.Sleep(time.Minute)
				told := h.last("status")
				h.stop()
				if !strings.Contains(told, want) || !strings.Contains(told, "*Send Messages*") {
					t.Errorf("the operators are told %q\n%s", told, h.Transcript())
				}
			}, "DISCOCLAW_STATUS_CHANNEL=status")
		})
	}
}
