package app

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

func TestWhatCannotBeTakenUpIsReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general #ops #status\nmember ada: owner")
		env := apptest.Env(t, w, "DISCOCLAW_STATUS_CHANNEL=status")
		bot, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: apptest.Endless()})
		deadly := w.MustSay("ada", "general", "the word that kills").ID
		time.Sleep(time.Second)
		for range maxAttempts {
			attempt(t, bot.inbox, "turn", inbox.EventID(deadly))
		}
		_, _ = stop()
		w.Gateway().ForgetSessions() // so that what follows is not just told again
		for i := range 51 {
			w.MustSay("ada", "ops", fmt.Sprint("message ", i))
		}
		answers := make([]script.Answer, 6)
		for i := range answers {
			answers[i] = script.Say("Yes.")
		}
		model := script.New(answers...)
		_, stop = begins(t, env, Outside{HTTP: w.HTTP(), Runtime: model})
		time.Sleep(time.Minute)
		_, _ = stop()
		var told strings.Builder
		for _, m := range w.Messages("status") {
			told.WriteString(m.Content + "\n")
		}
		for _, want := range []string{
			fmt.Sprintf("A message in <#%s> was given up after 3 tries", w.ChannelID("general")),
			fmt.Sprintf("more was said in <#%s> than it takes up afterwards. It has read the first 50 messages", w.ChannelID("ops")),
		} {
			if strings.Count(told.String(), want) != 1 {
				t.Errorf("%q is not said once:\n%s", want, &told)
			}
		}
		if !strings.Contains(apptest.Last(w, "general"), "after three tries") || len(model.Requests()) != 5 {
			t.Errorf("%d requests, and\n%s", len(model.Requests()), w.Transcript())
		}
	})
}

// TestATurnThatIsGivenUpIsForgotten, for whatever reason, but not before that is written down.
func TestATurnThatIsGivenUpIsForgotten(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		again int // how often it is begun once more
		env   string
		spoil func(b *Bot)
		full  bool // the disk
	}{
		{name: "the third try", again: 2},
		{name: "somebody who is not served any more", env: "DISCORD_ALLOW_USER_IDS="},
		{name: "a fault in the bot", spoil: func(b *Bot) { b.flows.Model = func() llm.Choice { panic("broken") } }},
		{name: "a disk that takes nothing", again: 2, full: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, apptest.World)
				env := apptest.Env(t, w)
				model := script.New(script.Say(`Let me see.<discord-action>{"type":"channelList"}</discord-action>`), script.Answer{script.Pause(24 * time.Hour)})
				bot, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: model})
				said := w.MustSay("ada", "general", "how many channels are there?").ID
				time.Sleep(10 * time.Second)
				list, err := bot.inbox.Unfinished(t.Context())
				if err != nil || len(list) != 1 || rounds(t, bot) == 0 {
					t.Fatalf("%v, %v", list, err)
				}
				for range tt.again {
					attempt(t, bot.inbox, list[0].Turn, inbox.EventID(said))
				}
				if tt.full {
					bot.refuse(t, "UPDATE ON inbox")
				}
				crash(bot, w, stop)
				if name, value, ok := strings.Cut(tt.env, "="); ok {
					env[name] = value
				}
				bot, err = NewBot(env, Outside{HTTP: w.HTTP(), Runtime: script.New()})
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error)
				if tt.spoil != nil {
					tt.spoil(bot)
				}
				go func() { ended <- bot.Run(ctx) }()
				time.Sleep(time.Minute)
				if left := rounds(t, bot); (left > 0) != tt.full {
					t.Errorf("%d rounds are left", left)
				}
				cancel()
				<-ended
			})
		})
	}
}

// rounds is how many answers of the model the ledger knows.
func rounds(t *testing.T, b *Bot) (n int) {
	t.Helper()
	if err := b.core.db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM rounds").Scan(&n); err != nil {
		t.Error(err)
	}
	return n
}

// TestAnAnswerThatCannotBeDeliveredIsReported, be it the model's or that of a command.
func TestAnAnswerThatCannotBeDeliveredIsReported(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"hello":   "A reply failed in",
		"!health": "`!health` failed in",
	} {
		t.Run(said, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, "guild disco: #general #status\nmember ada: owner\nbot DiscoClaw: View Channel, Send Messages, Read Message History\ndeny #general @everyone: Send Messages\ndeny #general DiscoClaw: Send Messages")
				_, stop := begins(t, apptest.Env(t, w, "DISCOCLAW_STATUS_CHANNEL=status"), Outside{HTTP: w.HTTP(), Runtime: script.New(script.Say("Hi."))})
				w.MustSay("ada", "general", said)
				time.Sleep(time.Minute)
				told := apptest.Last(w, "status")
				_, _ = stop()
				if !strings.Contains(told, want) || !strings.Contains(told, "“Send Messages”") {
					t.Errorf("the operators are told %q\n%s", told, w.Transcript())
				}
			})
		})
	}
}

// TestACommandWhoseAnswerIsCutOffIsAnsweredLater: it was carried out, and nobody has heard
// what came of it.
func TestACommandWhoseAnswerIsCutOffIsAnsweredLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		env := apptest.Env(t, w)
		_, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: script.New()})
		w.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Kind: fakediscord.Hang})
		w.MustSay("ada", "general", "!health")
		time.Sleep(time.Second)
		_, _ = stop()
		w.Recover()
		_, stop = begins(t, env, Outside{HTTP: w.HTTP(), Runtime: script.New()})
		time.Sleep(time.Minute)
		_, _ = stop()
		if got := apptest.Last(w, "general"); !strings.Contains(got, "**Health**") {
			t.Errorf("it says %q", got)
		}
	})
}

// maxAttempts is how often the bot begins with something.
const maxAttempts = 3
