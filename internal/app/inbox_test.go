package app

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/fakegateway"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

// TestWhatIsToldAgainIsNotDoneAgain: after a restart, Discord may tell once more what the
// bot has heard before.
func TestWhatIsToldAgainIsNotDoneAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		env := apptest.Env(t, w)
		ada := chat.User{ID: w.UserID("ada"), Name: "ada"}
		at := func(m chat.MessageID) chat.Place {
			return chat.Place{Guild: w.GuildID(), Channel: w.ChannelID("general"), Message: m}
		}
		hello, help := w.MustSay("ada", "general", "hello").ID, w.MustSay("ada", "general", "!help").ID
		tell := func(b *Bot) {
			ctx := t.Context()
			b.flows.Message(ctx, chat.Message{ID: hello, Place: at(hello), Author: ada, Text: "hello", Sent: time.Now()})
			b.flows.Message(ctx, chat.Message{ID: help, Place: at(help), Author: ada, Text: "!help", Sent: time.Now()})
			b.flows.Reacted(ctx, chat.Reacted{Place: at(hello), User: ada, Author: ada.ID, Emoji: "👍", Sent: time.Now()})
			time.Sleep(time.Second)
		}
		model := script.New(script.Say("Hi."), script.Say("Thanks."))
		bot, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: model})
		tell(bot)
		_, _ = stop()
		said := w.Transcript()
		if len(w.Messages("general")) != 5 || !strings.Contains(said, "Hi.") || !strings.Contains(said, "Thanks.") {
			t.Error(said)
		}
		bot, stop = begins(t, env, Outside{HTTP: w.HTTP(), Runtime: model})
		tell(bot)
		_, _ = stop()
		if again := w.Transcript(); again != said || len(model.Requests()) != 2 {
			t.Errorf("%d requests, and\n%s", len(model.Requests()), again)
		}
	})
}

// TestATurnThatIsCutOffTwiceKnowsHowFarItCame: the second process ends while it looks that up.
func TestATurnThatIsCutOffTwiceKnowsHowFarItCame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general\nmember ada: owner\n")
		env := apptest.Env(t, w, "DISCOCLAW_DISCORD_ACTIONS_CHANNELS=1")
		thinks := 24 * time.Hour
		model := script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
			if slices.ContainsFunc(req.Messages, func(m llm.Message) bool { return m.Role == llm.Assistant }) {
				return script.Answer{script.Pause(thinks), script.Text("There it is.")}.Stream(ctx)
			}
			return script.Say(`On it.<discord-action>{"type":"channelCreate","name":"new"}</discord-action><discord-action>{"type":"channelList"}</discord-action>`).Stream(ctx)
		})
		out := Outside{HTTP: w.HTTP(), Runtime: model}
		_, stop := begins(t, env, out)
		w.MustSay("ada", "general", "make a channel")
		time.Sleep(10 * time.Second)
		_, _ = stop()

		bot, err := NewBot(env, out)
		if err != nil {
			t.Fatal(err)
		}
		bot.flows.Runner.Remember = func(ctx context.Context, _ chat.TurnID) (turn.Ledger, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_ = bot.Run(ctx)

		thinks = 0
		_, stop = begins(t, env, out)
		time.Sleep(10 * time.Second)
		_, _ = stop()
		made := 0
		for _, ch := range w.Channels() {
			if ch.Name == "new" {
				made++
			}
		}
		if said := w.Transcript(); made != 1 || strings.Count(said, "There it is.") != 1 || strings.Contains(said, "restarted in the middle") {
			t.Errorf("%d channels\n%s", made, said)
		}
	})
}

// TestWhatCouldNotBeReadIsNotTakenForAnswered: the bot crashes, and Discord does not show
// what was said meanwhile until it has answered what its author said afterwards.
func TestWhatCouldNotBeReadIsNotTakenForAnswered(t *testing.T) {
	t.Parallel()
	for _, crashes := range []int{1, 2} {
		t.Run(fmt.Sprint("crashes ", crashes), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, apptest.World)
				env, out := apptest.Env(t, w), Outside{HTTP: w.HTTP(), Runtime: apptest.Talkative(), Log: t.Output()}
				bot, stop := begins(t, env, out)
				crash := func() {
					_ = bot.core.db.Close() // so that nothing is written down any more
					_, _ = stop()
					w.Gateway().ForgetSessions()
				}
				say := func(text string) chat.MessageID {
					id := w.MustSay("ada", "general", text).ID
					time.Sleep(time.Minute)
					return id
				}
				before := say("before")
				crash()
				during := say("during")
				w.Fail(fakediscord.Fault{Match: "GET /channels/{channel}/messages", Status: http.StatusBadGateway})
				bot, stop = begins(t, env, out)
				time.Sleep(5 * time.Minute)
				after := say("after")
				w.Recover()
				if crashes > 1 {
					crash()
					bot, stop = begins(t, env, out)
				} else {
					w.Gateway().Inject(fakegateway.InvalidSession(false))
				}
				time.Sleep(5 * time.Minute)
				if _, err := stop(); err != nil {
					t.Error(err)
				}
				if apptest.Answers(t, w, "general", before, "Indeed.") != 1 || apptest.Answers(t, w, "general", during, "Indeed.") != 1 || apptest.Answers(t, w, "general", after, "Indeed.") != 1 {
					t.Error(w.Transcript())
				}
			})
		})
	}
}

// TestManyTurnsAreTakenUpAtOnce: the first goes on while the others are still looked for.
func TestManyTurnsAreTakenUpAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #a #b #c #d #e\nmember ada: owner")
		env := apptest.Env(t, w)
		slow := script.Answer{script.Pause(24 * time.Hour)}
		_, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: script.New(slow, slow, slow, slow, slow)})
		channels := []string{"a", "b", "c", "d", "e"}
		for _, channel := range channels {
			w.MustSay("ada", channel, "hello")
		}
		time.Sleep(time.Second)
		_, _ = stop()
		hi := script.Say("Hi.")
		_, stop = begins(t, env, Outside{HTTP: w.HTTP(), Runtime: script.New(hi, hi, hi, hi, hi)})
		time.Sleep(time.Minute)
		_, _ = stop()
		for _, channel := range channels {
			if apptest.Last(w, channel) != "Hi." {
				t.Errorf("no answer in #%s:\n%s", channel, w.Transcript())
			}
		}
	})
}

// crash ends a process that can neither say nor write down anything any more.
func crash(b *Bot, w *discordtest.World, stop func() (time.Duration, error)) {
	_ = b.core.db.Close() // what is being written has its reasons to fail
	w.Fail(fakediscord.Fault{Kind: fakediscord.Reset})
	_, _ = stop()
	w.Recover()
}

// TestACrashBeforeAFollowUpLosesNothing: the message has a reply already, which is not all
// that there is to say.
func TestACrashBeforeAFollowUpLosesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		model := script.New(
			script.Say(`Let me see.<discord-action>{"type":"channelList"}</discord-action>`),
			script.Answer{script.Pause(24 * time.Hour)},
			script.Say("There is one channel."),
		)
		env, out := apptest.Env(t, w), Outside{HTTP: w.HTTP(), Runtime: model}
		bot, stop := begins(t, env, out)
		w.MustSay("ada", "general", "how many channels are there?")
		time.Sleep(10 * time.Second)
		crash(bot, w, stop)
		_, stop = begins(t, env, out)
		time.Sleep(time.Minute)
		_, _ = stop()
		for _, once := range []string{"Let me see.", "There is one channel."} {
			if strings.Count(w.Transcript(), once) != 1 {
				t.Errorf("%q is not there once:\n%s", once, w.Transcript())
			}
		}
	})
}

// TestTheAnswerToACommandIsNoAnswerToWhatWaits: a command does not wait for what was said
// before it.
func TestTheAnswerToACommandIsNoAnswerToWhatWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		model := script.New(script.Answer{script.Pause(24 * time.Hour)}, script.Say("Once upon a time."), script.Say("Now you."))
		env, out := apptest.Env(t, w), Outside{HTTP: w.HTTP(), Runtime: model}
		bot, stop := begins(t, env, out)
		w.MustSay("ada", "general", "tell me a story")
		time.Sleep(time.Second)
		waits := w.MustSay("ada", "general", "and then ask me for one").ID
		command := w.MustSay("ada", "general", "!health").ID
		time.Sleep(time.Second)
		crash(bot, w, stop)
		_, stop = begins(t, env, out)
		time.Sleep(time.Minute)
		_, _ = stop()
		if apptest.Answers(t, w, "general", waits, "Now you.") != 1 || apptest.Answers(t, w, "general", command, "**Health**") != 1 || model.Left() != 0 {
			t.Errorf("%d answers are left:\n%s", model.Left(), w.Transcript())
		}
	})
}

// attempt begins the turn of an event, as a process does that ends before the turn is over.
func attempt(t *testing.T, b *inbox.Inbox, turn chat.TurnID, id inbox.EventID) {
	t.Helper()
	err := b.Tx(t.Context(), func(tx *store.Tx) error {
		_, err := b.Begin(t.Context(), tx, turn, id)
		return err
	})
	if err != nil {
		t.Error(err)
	}
}
