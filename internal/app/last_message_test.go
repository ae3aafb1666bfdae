package app

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/dialect"
	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/flow"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

// TestTheLastMessageOfSignalsIsTheBotsOwn: neither the placeholder of the turn that asks for it, nor what anybody else has said since.
func TestTheLastMessageOfSignalsIsTheBotsOwn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general #quiet\nmember ada: owner\nmember bob\nstranger Friend: bot")
		var bot *Bot
		answers := 0
		model := script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
			answers++
			text := fmt.Sprintf("Answer %d.", answers)
			asked := req.Messages[len(req.Messages)-1].Text
			for _, name := range []string{"delete_last_message", "pin_last_message"} {
				switch {
				case strings.HasSuffix(asked, "in #quiet]: "+name):
					text = signalled(t, w, bot, "quiet", "[COMMAND:"+name+"]")
				case strings.HasSuffix(asked, "]: "+name):
					text = signalled(t, w, bot, "general", "[EXECUTE:"+name+"]")
				}
			}
			return script.Answer{script.Text(text)}.Stream(ctx)
		})
		bot, stop := begins(t, apptest.Env(t, w), Outside{HTTP: w.HTTP(), Runtime: model})
		say := func(channel, text string) string {
			t.Helper()
			w.MustSay("ada", channel, text)
			time.Sleep(5 * time.Second)
			synctest.Wait()
			all := w.Messages(channel)
			return all[len(all)-1].Content
		}
		say("general", "hello")
		second := say("general", "hello again")
		w.MustSay("bob", "general", "I was not asked")
		w.MustSay("Friend", "general", "nor was I")

		if got := say("general", "delete_last_message"); !strings.Contains(got, "Done: deleted a message") {
			t.Error(got)
		}
		for _, m := range w.Messages("general") {
			if m.Content == second {
				t.Errorf("%q is still there", second)
			}
		}
		if n := len(w.Messages("general")); n != 7 {
			t.Errorf("%d messages are left:\n%s", n, w.Transcript())
		}
		pinned := say("general", "pin_last_message")
		for _, m := range w.Messages("general") {
			if !m.Pinned.IsZero() != strings.Contains(m.Content, "Done: deleted a message") {
				t.Errorf("that %q is pinned is %v, after %s", m.Content, !m.Pinned.IsZero(), pinned)
			}
		}
		if got := say("quiet", "delete_last_message"); !strings.Contains(got, "Failed: deleteMessage: none of the last 50 messages in") {
			t.Error(got)
		}
		if _, err := stop(); err != nil {
			t.Error(err)
		}
	})
}

// signalled carries out a signal as a turn does, while the placeholder of a turn in the channel waits for the answer. It returns the lines.
func signalled(t *testing.T, w *discordtest.World, bot *Bot, channel, text string) string {
	t.Helper()
	all := w.Messages(channel)
	if last := all[len(all)-1]; len(last.Buttons()) == 0 || last.Buttons()[0].Label != chat.StopLabel {
		t.Errorf("the last message is no placeholder: %q", last.Content)
	}
	core := bot.core
	o := actions.Origin{
		Flow: actions.FlowMessage, Requester: w.UserID("ada"),
		Place: chat.Place{Guild: w.GuildID(), Channel: w.ChannelID(channel), Message: all[len(all)-2].ID},
	}
	gate := core.registry.Gate(actionstest.Open(core.registry), flow.Narrowings(o)...)
	list, err := dialect.Options{Named: core.registry.Named}.List()
	if err != nil {
		t.Fatal(err)
	}
	try, _ := gate.Split(list.Parser(gate).Parse(text).Requests)
	dispatcher := actions.NewDispatcher(actions.DispatcherOptions{}, access.Guard(core.policy(), core.discord))
	outs := dispatcher.ExecuteApproved(t.Context(), o, gate, dialect.Bind(gate, o.Place, try))
	return strings.Join(actions.AllLines(outs), "\n")
}
