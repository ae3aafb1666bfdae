package app

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/fakegateway"
	"discoclaw/internal/llm/script"
)

// asking is a bot that has asked a question in #general, with the given choices, and is
// off. Ben and ada are served.
type asking struct {
	w        *discordtest.World
	model    *script.Replies
	general  chat.ChannelID
	question chat.MessageID
	up       func() (stop func())
}

func asks(t *testing.T, choices string) asking {
	t.Helper()
	w := discordtest.New(t, "guild disco: #general #hall\nmember ada: owner\nmember ben\n")
	env := apptest.Env(t, w, "DISCORD_ALLOW_USER_IDS="+string(w.UserID("ada"))+","+string(w.UserID("ben")), "DISCOCLAW_RESPOND=all")
	a := asking{w: w, general: w.ChannelID("general"), model: script.New(script.Say(`<discord-action>{"type":"reactionPrompt","question":"Tea?","choices":[` + choices + `]}</discord-action>`))}
	a.up = func() func() {
		_, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: a.model, Log: t.Output()})
		return func() {
			if _, err := stop(); err != nil {
				t.Error(err)
			}
			w.Gateway().ForgetSessions()
		}
	}
	stop := a.up()
	w.MustSay("ada", "general", "ask us")
	time.Sleep(time.Minute)
	stop()
	for _, m := range w.Messages("general") {
		if strings.HasPrefix(m.Content, "Tea?") {
			a.question = m.ID
		}
	}
	if a.question == "" {
		t.Fatalf("nobody was asked:\n%s", w.Transcript())
	}
	return a
}

func (a asking) react(t *testing.T, who string, e chat.Emoji) {
	t.Helper()
	if err := a.w.React(who, a.question, e); err != nil {
		t.Fatal(err)
	}
}

// TestWhoMayNotReadAQuestionAnyMoreDoesNotAnswerIt: the reaction is still there, but nobody
// could react now who cannot see the channel. The question waits for somebody else.
func TestWhoMayNotReadAQuestionAnyMoreDoesNotAnswerIt(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(w *discordtest.World) error{
		"has left":               func(w *discordtest.World) error { return w.RemoveMember("ben") },
		"cannot see the channel": func(w *discordtest.World) error { return w.Deny("general", "ben", chat.ViewChannel) },
		"cannot read what was":   func(w *discordtest.World) error { return w.Deny("general", "ben", chat.ReadHistory) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := asks(t, `"✅","❌"`)
				a.react(t, "ben", "✅")
				if err := lose(a.w); err != nil {
					t.Fatal(err)
				}
				a.model.Add(script.Say("So be it."))
				stop := a.up()
				time.Sleep(time.Minute)
				if a.model.Left() != 1 {
					t.Errorf("the model was asked:\n%s", a.w.Transcript())
				}
				a.react(t, "ada", "❌")
				time.Sleep(time.Minute)
				stop()
				if a.model.Left() != 0 {
					t.Errorf("nobody else can answer:\n%s", a.w.Transcript())
				}
			})
		})
	}
}

// TestAChoiceThatIsAStopSignStopsNothingLater: while the bot was off, one chose the stop
// sign and another something else. One of them answers the question; the other does
// nothing, to the turn that follows least of all.
func TestAChoiceThatIsAStopSignStopsNothingLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := asks(t, `"✅","🛑"`)
		a.react(t, "ada", "✅")
		a.react(t, "ben", "🛑")
		a.model.Add(script.Answer{script.Text("I shall"), script.Pause(10 * time.Second), script.Text(" make tea.")})
		stop := a.up()
		time.Sleep(time.Minute)
		stop()
		if got := apptest.Last(a.w, "general"); !strings.Contains(got, "I shall make tea.") {
			t.Errorf("the answer became %q:\n%s", got, a.w.Transcript())
		}
	})
}

// TestOtherServersDoNotHaveQuestionsReadAgain: anybody can put the bot on a server of
// their own, as often as they like.
func TestOtherServersDoNotHaveQuestionsReadAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := asks(t, `"✅","❌"`)
		stop := a.up()
		time.Sleep(time.Minute)
		before := a.looked()
		for range 5 {
			a.w.Gateway().Dispatch(1, fakegateway.Event{Name: "GUILD_CREATE", Data: map[string]any{"id": "999999999999999999"}})
			time.Sleep(time.Second)
		}
		time.Sleep(time.Minute)
		stop()
		if n := a.looked() - before; n != 0 {
			t.Errorf("strangers had the question read %d times", n)
		}
	})
}

// TestAQuestionThatWasDeletedMeanwhileIsOver: Discord is asked about it once, and at no login
// after that. What the bot only cannot see for a while is looked for again.
func TestAQuestionThatWasDeletedMeanwhileIsOver(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		lose  func(a asking) error
		looks []int // at the logins that follow
	}{
		{"the message", func(a asking) error { return a.w.DeleteAs("ada", a.question) }, []int{1, 0, 0}},
		{"the channel", func(a asking) error { return a.w.DeleteChannel("general") }, []int{1, 0, 0}},
		{"the right to read", func(a asking) error { return a.w.Deny("general", "bot", chat.ReadHistory) }, []int{1, 1, 1}},
		{"nothing", func(asking) error { return nil }, []int{1, 1, 1}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				a := asks(t, `"✅","❌"`)
				if err := tt.lose(a); err != nil {
					t.Fatal(err)
				}
				for login, want := range tt.looks {
					before := a.looked()
					stop := a.up()
					time.Sleep(time.Minute)
					stop()
					if n := a.looked() - before; n != want {
						t.Errorf("login %d asks %d times for it, want %d", login+1, n, want)
					}
				}
			})
		})
	}
}

// looked is how often the bot has asked for the question, or for the channel that it is in.
func (a asking) looked() int {
	n := 0
	for _, x := range a.w.Requests() {
		if x.Method == "GET" && (strings.HasSuffix(x.Path, "/messages/"+string(a.question)) || strings.HasSuffix(x.Path, "/channels/"+string(a.general))) {
			n++
		}
	}
	return n
}
