package app

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
)

// TestWhatIsSaidInANewPlaceWhileTheBotIsAwayIsAnswered: places that are made while it is
// away, and places that were made while it listened, but in which nothing was said then.
func TestWhatIsSaidInANewPlaceWhileTheBotIsAwayIsAnswered(t *testing.T) {
	t.Parallel()
	channel := func(t *testing.T, w *discordtest.World, _ chat.MessageID) string {
		if _, err := w.AddChannel("#news"); err != nil {
			t.Fatal(err)
		}
		return "news"
	}
	thread := func(t *testing.T, w *discordtest.World, _ chat.MessageID) string {
		if _, err := w.StartThread("ada", "general", "chatter"); err != nil {
			t.Fatal(err)
		}
		return "chatter"
	}
	onOld := func(t *testing.T, w *discordtest.World, old chat.MessageID) string {
		if _, err := w.StartThreadOn("ada", old, "chatter"); err != nil {
			t.Fatal(err)
		}
		return "chatter"
	}
	for _, tt := range []struct {
		name string
		make func(t *testing.T, w *discordtest.World, old chat.MessageID) string
		away bool // when it is made
	}{
		{"a channel", channel, true},
		{"a thread", thread, true},
		{"a thread on an old message", onOld, true},
		{"a channel that was made before", channel, false},
		{"a thread that was started before", thread, false},
		{"a thread on an old message that was started before", onOld, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, apptest.World)
				env, out := apptest.Env(t, w), Outside{HTTP: w.HTTP(), Runtime: apptest.Talkative(), Log: t.Output()}
				old := w.MustSay("ada", "general", "from before the bot came").ID
				time.Sleep(time.Hour)
				_, stop := begins(t, env, out)
				var place string
				if !tt.away {
					place = tt.make(t, w, old)
				}
				time.Sleep(time.Minute)
				w.MustSay("ada", "general", "before")
				time.Sleep(time.Minute)
				if _, err := stop(); err != nil {
					t.Error(err)
				}
				w.Gateway().ForgetSessions()
				if tt.away {
					place = tt.make(t, w, old)
				}
				time.Sleep(time.Minute)
				said := w.MustSay("ada", place, "is anybody here?").ID
				time.Sleep(time.Minute)
				for range 2 { // and not once more
					_, stop = begins(t, env, out)
					time.Sleep(time.Minute)
					if _, err := stop(); err != nil {
						t.Error(err)
					}
					w.Gateway().ForgetSessions()
				}
				if n := apptest.Answers(t, w, place, said, "Indeed."); n != 1 {
					t.Errorf("%d answers\n%s", n, w.Transcript())
				}
			})
		})
	}
}

// TestWhatIsSaidWhileTheBotIsNotOnTheServerIsNotAnswered: somebody removes it and invites it
// again, while it runs no process. It knows the channels from before.
func TestWhatIsSaidWhileTheBotIsNotOnTheServerIsNotAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		env, out := apptest.Env(t, w), Outside{HTTP: w.HTTP(), Runtime: apptest.Talkative(), Log: t.Output()}
		_, stop := begins(t, env, out)
		w.MustSay("ada", "general", "before")
		time.Sleep(time.Minute)
		if _, err := stop(); err != nil {
			t.Error(err)
		}
		w.Gateway().ForgetSessions()
		if err := w.RemoveMember("bot"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		between := w.MustSay("ada", "general", "nobody hears us").ID
		time.Sleep(time.Minute)
		if _, err := w.Join("bot"); err != nil {
			t.Fatal(err)
		}
		_, stop = begins(t, env, out)
		time.Sleep(time.Minute)
		since := w.MustSay("ada", "general", "welcome back").ID
		time.Sleep(time.Minute)
		if _, err := stop(); err != nil {
			t.Error(err)
		}
		if apptest.Answers(t, w, "general", between, "Indeed.") != 0 || apptest.Answers(t, w, "general", since, "Indeed.") != 1 {
			t.Errorf("answers to what was said before it came again:\n%s", w.Transcript())
		}
	})
}

// TestAnAnswerFromAServerThatIsOutOfOrderIsSeen, and nothing is asked about choices that
// nobody has made.
func TestAnAnswerFromAServerThatIsOutOfOrderIsSeen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		model := script.New(script.Say(`I ask. <discord-action>{"type":"reactionPrompt","question":"Tea?","choices":["👍","👎"]}</discord-action>`), script.Say("No tea then."))
		_, stop := begins(t, apptest.Env(t, w), Outside{HTTP: w.HTTP(), Runtime: model})
		w.MustSay("ada", "general", "ask me")
		time.Sleep(10 * time.Second)
		w.Outage(true)
		asked := w.Messages("general")[2]
		if err := w.React("ada", asked.ID, "👎"); err != nil {
			t.Fatalf("%s: %v", asked.Content, err)
		}
		time.Sleep(time.Minute)
		before := len(w.Requests())
		w.Outage(false)
		time.Sleep(time.Minute)
		_, _ = stop()
		looks := 0
		for _, r := range w.Requests()[before:] {
			if r.Route == "GET /channels/{channel}/messages/{message}/reactions/{emoji}" {
				looks++
			}
		}
		if strings.Count(w.Transcript(), "No tea then.") != 1 || looks != 1 {
			t.Errorf("%d looks, and\n%s", looks, w.Transcript())
		}
	})
}

// refused are changes that a database does not take, as on a full disk.
var refused = []string{"INSERT ON inbox", "INSERT ON marks", "UPDATE ON marks", "UPDATE ON lifetime"}

// TestWhatCouldNotBeAcceptedIsAnsweredByTheNextProcess, once: the database took nothing, and then
// the process ended.
func TestWhatCouldNotBeAcceptedIsAnsweredByTheNextProcess(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, answer string }{{"hello", "Indeed."}, {"!health", "**Health**"}} {
		t.Run(tt.text, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, apptest.World)
				env, out := apptest.Env(t, w), Outside{HTTP: w.HTTP(), Runtime: apptest.Talkative(), Log: t.Output()}
				bot, stop := begins(t, env, out)
				w.MustSay("ada", "general", "are you there?")
				time.Sleep(10 * time.Second)
				bot.refuse(t, refused...)
				w.MustSay("ada", "general", tt.text)
				time.Sleep(10 * time.Second)
				_, _ = stop()
				w.Gateway().ForgetSessions()
				takesAgain(t, filepath.Join(env["DISCOCLAW_DATA_DIR"], store.FileName), refused...)
				_, stop = begins(t, env, out)
				time.Sleep(time.Minute)
				_, _ = stop()
				if got := apptest.Contents(w, "general"); strings.Count(got, "I cannot write anything down") != 1 || strings.Count(got, tt.answer) != strings.Count("Indeed. Indeed.", tt.answer)+strings.Count("**Health**", tt.answer) {
					t.Error(w.Transcript())
				}
			})
		})
	}
}

// refuse makes the bot's database one that refuses some changes.
func (b *Bot) refuse(t *testing.T, changes ...string) {
	t.Helper()
	for _, what := range changes {
		trigger := fmt.Sprintf("CREATE TRIGGER \"%s\" BEFORE %[1]s BEGIN SELECT RAISE(FAIL, 'there is no room'); END", what)
		if _, err := b.core.db.ExecContext(t.Context(), trigger); err != nil {
			t.Fatal(err)
		}
	}
}

// takesAgain lets a database take what it refused.
func takesAgain(t *testing.T, path string, changes ...string) {
	t.Helper()
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range changes {
		if _, err := db.ExecContext(t.Context(), fmt.Sprintf("DROP TRIGGER %q", what)); err != nil {
			t.Error(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// TestWhatCannotBeReadIsReadLater: no further login reminds the bot of it.
func TestWhatCannotBeReadIsReadLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		env, out := apptest.Env(t, w), Outside{HTTP: w.HTTP(), Runtime: apptest.Talkative(), Log: t.Output()}
		_, stop := begins(t, env, out)
		w.MustSay("ada", "general", "before")
		time.Sleep(time.Minute)
		_, _ = stop()
		w.Gateway().ForgetSessions()
		missed := w.MustSay("ada", "general", "missed").ID
		w.Fail(fakediscord.Fault{Match: "GET /channels/{channel}/messages", Status: http.StatusBadGateway})
		_, stop = begins(t, env, out)
		time.Sleep(10 * time.Minute)
		if n := apptest.Answers(t, w, "general", missed, "Indeed."); n != 0 {
			t.Errorf("%d answers to what cannot be read", n)
		}
		w.Recover()
		time.Sleep(3 * time.Minute)
		_, _ = stop()
		if n := apptest.Answers(t, w, "general", missed, "Indeed."); n != 1 {
			t.Errorf("%d answers\n%s", n, w.Transcript())
		}
	})
}
