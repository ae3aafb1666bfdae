package app

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/fakegateway"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/turn"
)

// TestWhatIsToldAgainIsNotDoneAgain: after a restart, Discord may tell once more what the
// bot has heard before.
func TestWhatIsToldAgainIsNotDoneAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, world)
		env := inWorld(t, w)
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
		env := inWorld(t, w, "DISCOCLAW_DISCORD_ACTIONS_CHANNELS=1")
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
		bot.flows.Runner.Remember = func(ctx context.Context, _ string) (turn.Ledger, error) {
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

// TestWhatIsSaidWhileASessionIsLostIsAnswered: the process goes on, but Discord begins
// anew and tells nothing of what was said before.
func TestWhatIsSaidWhileASessionIsLostIsAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, world)
		model := script.New(script.Say("One."), script.Say("Two."), script.Say("Three."))
		_, stop := begins(t, inWorld(t, w), Outside{HTTP: w.HTTP(), Runtime: model})
		w.MustSay("ada", "general", "first")
		time.Sleep(time.Second)
		w.Gateway().Refuse(true)
		w.Gateway().Inject(fakegateway.CloseCode(4000))
		w.Gateway().ForgetSessions()
		time.Sleep(time.Second)
		w.MustSay("ada", "general", "second")
		w.Gateway().Refuse(false)
		time.Sleep(5 * time.Minute)
		w.MustSay("ada", "general", "third")
		time.Sleep(time.Second)
		_, _ = stop()
		if got := w.Gateway().Counts().Identifies; got != 2 {
			t.Errorf("%d sessions", got)
		}
		for _, answer := range []string{"One.", "Two.", "Three."} {
			if strings.Count(w.Transcript(), answer) != 1 {
				t.Errorf("%s is not there once:\n%s", answer, w.Transcript())
			}
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
				w := discordtest.New(t, world)
				env, out := inWorld(t, w), Outside{HTTP: w.HTTP(), Runtime: talkative(), Log: t.Output()}
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
				if answers(w, before) != 1 || answers(w, during) != 1 || answers(w, after) != 1 {
					t.Error(w.Transcript())
				}
			})
		})
	}
}

func TestWhatCannotBeTakenUpIsReported(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general #ops #status\nmember ada: owner")
		env := inWorld(t, w, "DISCOCLAW_STATUS_CHANNEL=status")
		bot, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: endless()})
		deadly := w.MustSay("ada", "general", "the word that kills").ID
		time.Sleep(time.Second)
		for range mostAttempts {
			if err := bot.inbox.Begin(t.Context(), "turn", string(deadly)); err != nil {
				t.Fatal(err)
			}
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
		if !strings.Contains(last(w, "general"), "after three tries") || len(model.Requests()) != 5 {
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
		{name: "a fault in the bot", spoil: func(b *Bot) { b.flows.Model = func() string { panic("broken") } }},
		{name: "a disk that takes nothing", again: 2, full: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, world)
				env := inWorld(t, w)
				model := script.New(script.Say(`Let me see.<discord-action>{"type":"channelList"}</discord-action>`), script.Answer{script.Pause(24 * time.Hour)})
				bot, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: model})
				said := w.MustSay("ada", "general", "how many channels are there?").ID
				time.Sleep(10 * time.Second)
				list, err := bot.inbox.Unfinished(t.Context())
				if err != nil || len(list) != 1 || rounds(t, bot) == 0 {
					t.Fatalf("%v, %v", list, err)
				}
				for range tt.again {
					if err := bot.inbox.Begin(t.Context(), list[0].Turn, string(said)); err != nil {
						t.Fatal(err)
					}
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

// TestManyTurnsAreTakenUpAtOnce: the first goes on while the others are still looked for.
func TestManyTurnsAreTakenUpAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #a #b #c #d #e\nmember ada: owner")
		env := inWorld(t, w)
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
			if last(w, channel) != "Hi." {
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
		w := discordtest.New(t, world)
		model := script.New(
			script.Say(`Let me see.<discord-action>{"type":"channelList"}</discord-action>`),
			script.Answer{script.Pause(24 * time.Hour)},
			script.Say("There is one channel."),
		)
		env, out := inWorld(t, w), Outside{HTTP: w.HTTP(), Runtime: model}
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
		w := discordtest.New(t, world)
		model := script.New(script.Answer{script.Pause(24 * time.Hour)}, script.Say("Once upon a time."), script.Say("Now you."))
		env, out := inWorld(t, w), Outside{HTTP: w.HTTP(), Runtime: model}
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
		if answers(w, waits) != 1 || answers(w, command) != 1 || model.Left() != 0 {
			t.Errorf("%d answers are left:\n%s", model.Left(), w.Transcript())
		}
	})
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
				_, stop := begins(t, inWorld(t, w, "DISCOCLAW_STATUS_CHANNEL=status"), Outside{HTTP: w.HTTP(), Runtime: script.New(script.Say("Hi."))})
				w.MustSay("ada", "general", said)
				time.Sleep(time.Minute)
				told := last(w, "status")
				_, _ = stop()
				if !strings.Contains(told, want) || !strings.Contains(told, "“Send Messages”") {
					t.Errorf("the operators are told %q\n%s", told, w.Transcript())
				}
			})
		})
	}
}

// TestACommandWhoseAnswerIsCutOffIsToldOfLater: it was carried out, and nobody has heard
// what came of it.
func TestACommandWhoseAnswerIsCutOffIsToldOfLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, world)
		env := inWorld(t, w)
		_, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: script.New()})
		w.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Kind: fakediscord.Hang})
		w.MustSay("ada", "general", "!health")
		time.Sleep(time.Second)
		_, _ = stop()
		w.Recover()
		_, stop = begins(t, env, Outside{HTTP: w.HTTP(), Runtime: script.New()})
		time.Sleep(time.Minute)
		_, _ = stop()
		if got := last(w, "general"); !strings.Contains(got, undelivered) {
			t.Errorf("it says %q", got)
		}
	})
}

// mostAttempts is how often the bot begins with something.
const mostAttempts = 3

// TestCatchingUpIsGentle: not all channels are read at once, and those without news not
// at all.
func TestCatchingUpIsGentle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #a #b #c #d #e #quiet\nmember ada: owner")
		env := inWorld(t, w, "DISCOCLAW_MESSAGE_HISTORY_BUDGET=0")
		_, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: script.New()})
		_, _ = stop()
		var answers []script.Answer
		for _, channel := range []string{"a", "b", "c", "d", "e"} {
			w.MustSay("ada", channel, "hello")
			answers = append(answers, script.Say("Hi."))
		}
		slow := &reading{RoundTripper: w.HTTP().Transport}
		_, stop = begins(t, env, Outside{HTTP: &http.Client{Transport: slow}, Runtime: script.New(answers...)})
		time.Sleep(10 * time.Second)
		_, _ = stop()
		if slow.most != 2 || slow.all != 5 || strings.Count(w.Transcript(), "Hi.") != 5 {
			t.Errorf("%d at once of %d:\n%s", slow.most, slow.all, w.Transcript())
		}
	})
}

// TestWhatIsHeardWhileAChannelIsReadKeepsItsOrder: the connection is lost in that moment, so
// that of two messages the bot hears one and reads the other.
func TestWhatIsHeardWhileAChannelIsReadKeepsItsOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, world)
		env := inWorld(t, w, "DISCOCLAW_MESSAGE_HISTORY_BUDGET=0")
		_, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: talkative()})
		time.Sleep(time.Minute)
		_, _ = stop()
		w.Gateway().ForgetSessions()
		w.MustSay("ada", "general", "I have a wish.")
		model := script.New(script.Say("Understood."))
		slow := &reading{RoundTripper: w.HTTP().Transport}
		_, stop = begins(t, env, Outside{HTTP: &http.Client{Transport: slow}, Runtime: model, Log: t.Output()})
		for slow.under() == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		w.MustSay("ada", "general", "Delete everything.")
		synctest.Wait()
		w.Gateway().Inject(fakegateway.Drop())
		last := w.MustSay("ada", "general", "No, better not.").ID
		time.Sleep(time.Minute)
		_, _ = stop()
		asked := model.Requests()
		if len(asked) != 1 || answers(w, last) != 1 {
			t.Fatalf("%d requests\n%s", len(asked), w.Transcript())
		}
		prompt := asked[0].Messages[len(asked[0].Messages)-1].Text
		if strings.Index(prompt, "Delete everything.") > strings.Index(prompt, "No, better not.") {
			t.Error(prompt)
		}
	})
}

// reading counts requests for messages, each of which takes a second.
type reading struct {
	http.RoundTripper
	mu             sync.Mutex
	all, now, most int
}

func (r *reading) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodGet && strings.HasSuffix(req.URL.Path, "/messages") {
		r.count(1)
		time.Sleep(time.Second)
		defer r.count(-1)
	}
	return r.RoundTripper.RoundTrip(req)
}

func (r *reading) count(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now += n
	r.all += max(n, 0)
	r.most = max(r.most, r.now)
}

// under is how many are under way.
func (r *reading) under() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now
}
