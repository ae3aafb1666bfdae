package flow_test

import (
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/fakegateway"
	"discoclaw/internal/llm/script"
)

// asking is a host whose bot has asked a question in #general, with the given choices, and is off. Ben
// and ada are served.
type asking struct {
	*host
	model    *script.Replies
	general  chat.ChannelID
	question chat.MessageID
}

func asks(t *testing.T, choices string, test func(a asking)) {
	t.Helper()
	onHost(t, "guild disco: #general #hall\nmember ada: owner\nmember ben\n", func(h *host) {
		h.serves("ada", "ben")
		a := asking{host: h, general: h.ChannelID("general"), model: script.New(script.Say(`<discord-action>{"type":"reactionPrompt","question":"Tea?","choices":[` + choices + `]}</discord-action>`))}
		h.model = a.model
		h.run(func() { h.ask("ask us") })
		for _, m := range h.Messages("general") {
			if strings.HasPrefix(m.Content, "Tea?") {
				a.question = m.ID
			}
		}
		if a.question == "" {
			h.t.Fatalf("no question:\n%s", h.Transcript())
		}
		test(a)
	}, "DISCOCLAW_RESPOND=all")
}

func (a asking) react(who string, e chat.Emoji) {
	a.t.Helper()
	a.must(a.React(who, a.question, e))
}

// TestAReactionOfAMemberWhoLostAccessIsNoAnswer: it is still there when the bot comes back, but the member could not
// react any more. The question stays open for others.
func TestAReactionOfAMemberWhoLostAccessIsNoAnswer(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(h *host) error{
		"has left":               func(h *host) error { return h.RemoveMember("ben") },
		"cannot see the channel": func(h *host) error { return h.Deny("general", "ben", chat.ViewChannel) },
		"cannot read what was":   func(h *host) error { return h.Deny("general", "ben", chat.ReadHistory) },
	} {
		t.Run(name, func(t *testing.T) {
			asks(t, `"✅","❌"`, func(a asking) {
				a.react("ben", "✅")
				a.must(lose(a.host))
				a.model.Add(script.Say("So be it."))
				a.start()
				time.Sleep(time.Minute)
				if a.model.Left() != 1 {
					t.Errorf("the model was asked:\n%s", a.Transcript())
				}
				a.react("ada", "❌")
				time.Sleep(time.Minute)
				a.leave()
				if a.model.Left() != 0 {
					t.Errorf("no other reaction answers:\n%s", a.Transcript())
				}
			})
		})
	}
}

// TestAMissedChoiceThatIsAStopSignStopsNothing: while the bot was off, ben chose the stop sign and ada something else.
// One of the reactions answers the question; the other does nothing, and above all does not stop the turn that
// follows.
func TestAMissedChoiceThatIsAStopSignStopsNothing(t *testing.T) {
	asks(t, `"✅","🛑"`, func(a asking) {
		a.react("ada", "✅")
		a.react("ben", "🛑")
		a.model.Add(script.Answer{script.Text("I shall"), script.Pause(10 * time.Second), script.Text(" make tea.")})
		a.run(nil)
		if got := a.last("general"); !strings.Contains(got, "I shall make tea.") {
			t.Errorf("the answer became %q:\n%s", got, a.Transcript())
		}
	})
}

// TestNewServersDoNotCauseQuestionsToBeReadAgain: anyone can add the bot to a server of their own, as often as they
// like.
func TestNewServersDoNotCauseQuestionsToBeReadAgain(t *testing.T) {
	asks(t, `"✅","❌"`, func(a asking) {
		a.start()
		time.Sleep(time.Minute)
		before := a.looked()
		for range 5 {
			a.Gateway().Dispatch(1, fakegateway.Event{Name: "GUILD_CREATE", Data: map[string]any{"id": "999999999999999999"}})
			time.Sleep(time.Second)
		}
		time.Sleep(time.Minute)
		a.leave()
		if n := a.looked() - before; n != 0 {
			t.Errorf("strangers had the question read %d times", n)
		}
	})
}

// TestAQuestionDeletedDuringAnAbsenceIsForgotten: Discord is asked about it once, and not at later logins. A question
// that the bot only lacks access to for a while is read again.
func TestAQuestionDeletedDuringAnAbsenceIsForgotten(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		lose  func(a asking) error
		looks []int // number of fetches at each later login
	}{
		{"the message", func(a asking) error { return a.DeleteAs("ada", a.question) }, []int{1, 0, 0}},
		{"the channel", func(a asking) error { return a.DeleteChannel("general") }, []int{1, 0, 0}},
		{"the right to read", func(a asking) error { return a.Deny("general", "bot", chat.ReadHistory) }, []int{1, 1, 1}},
		{"nothing", func(asking) error { return nil }, []int{1, 1, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asks(t, `"✅","❌"`, func(a asking) {
				a.must(tt.lose(a))
				for login, want := range tt.looks {
					before := a.looked()
					a.run(nil)
					if n := a.looked() - before; n != want {
						t.Errorf("login %d asks %d times for it, want %d", login+1, n, want)
					}
				}
			})
		})
	}
}

// TestAnAnswerOnAnUnavailableServerIsFoundLater, when the server returns, with one request for reactions: the other
// choice has none.
func TestAnAnswerOnAnUnavailableServerIsFoundLater(t *testing.T) {
	asks(t, `"👍","👎"`, func(a asking) {
		a.model.Add(script.Say("No tea then."))
		a.start()
		time.Sleep(10 * time.Second)
		a.Outage(true)
		a.react("ada", "👎")
		time.Sleep(time.Minute)
		before := len(a.Requests())
		a.Outage(false)
		time.Sleep(time.Minute)
		a.stop()
		looks := 0
		for _, r := range a.Requests()[before:] {
			if r.Route == "GET /channels/{channel}/messages/{message}/reactions/{emoji}" {
				looks++
			}
		}
		if strings.Count(a.Transcript(), "No tea then.") != 1 || looks != 1 {
			t.Errorf("%d looks, and\n%s", looks, a.Transcript())
		}
	})
}

// looked returns how often the bot has fetched the question, or its channel.
func (a asking) looked() int {
	n := 0
	for _, x := range a.Requests() {
		if x.Method == "GET" && (strings.HasSuffix(x.Path, "/messages/"+string(a.question)) || strings.HasSuffix(x.Path, "/channels/"+string(a.general))) {
			n++
		}
	}
	return n
}
