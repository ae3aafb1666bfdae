package flow_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/app"
	"discoclaw/internal/app/apptest"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/fakegateway"
	"discoclaw/internal/llm/script"
)

// TestRestartsLoseNoMessage: messages before, during and after a restart are answered once each, whether or not Discord
// resumes the session.
func TestRestartsLoseNoMessage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		off      time.Duration
		forgets  bool // Discord has ended the session
		identify int
	}{
		{name: "at once", identify: 1},
		{name: "after a while", off: 2 * time.Minute, identify: 1},
		{name: "after Discord has given the session up", off: 50 * time.Minute, forgets: true, identify: 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onHost(t, apptest.World, func(h *host) {
				h.start()
				before := h.ask("before")
				time.Sleep(time.Minute)
				h.stop()
				meanwhile := h.ask("meanwhile")
				time.Sleep(tt.off)
				if tt.forgets {
					h.Gateway().ForgetSessions()
				}
				h.start()
				time.Sleep(time.Minute)
				after := h.ask("after")
				time.Sleep(time.Minute)
				h.stop()
				h.answered(1, "before", before)
				h.answered(1, "meanwhile", meanwhile)
				h.answered(1, "after", after)
				if n := h.Gateway().Counts(); n.Identifies != tt.identify || n.Resumes != 1 {
					t.Errorf("%d IDENTIFYs and %d RESUMEs, want %d and 1", n.Identifies, n.Resumes, tt.identify)
				}
			})
		})
	}
}

// TestARestartCommandIsNotResumed by the process that it leads to, which would restart again.
func TestARestartCommandIsNotResumed(t *testing.T) {
	onHost(t, apptest.World, func(h *host) {
		h.start()
		h.ask("!restart")
		time.Sleep(time.Minute)
		if _, err := h.end(); !errors.Is(err, app.ErrRestart) {
			t.Fatalf("it ended with %v", err)
		}
		h.start()
		time.Sleep(time.Minute)
		h.stop() // fails if the process has ended for another restart
	})
}

// TestReplayedEventsAreDeduped: after a restart, Discord may replay events that an earlier process received.
func TestReplayedEventsAreDeduped(t *testing.T) {
	onHost(t, apptest.World, func(h *host) {
		model := script.New(script.Say("Hi."), script.Say("Thanks."))
		h.model = model
		var told []fakediscord.Event
		h.Watch(func(e fakediscord.Event) { told = append(told, e) })
		h.start()
		hello := h.ask("hello")
		h.ask("!help")
		time.Sleep(time.Second)
		h.must(h.React("ada", hello, "👍"))
		time.Sleep(time.Second)
		h.stop()
		said := h.Transcript()
		if len(h.Messages("general")) != 5 || !strings.Contains(said, "Hi.") || !strings.Contains(said, "Thanks.") {
			t.Error(said)
		}
		h.start()
		for _, e := range told {
			if e.Name == "MESSAGE_CREATE" || e.Name == "MESSAGE_REACTION_ADD" {
				h.Gateway().Dispatch(0, fakegateway.Event{Name: e.Name, Data: e.Data})
			}
		}
		time.Sleep(time.Second)
		h.stop()
		if again := h.Transcript(); again != said || len(model.Requests()) != 2 {
			t.Errorf("%d requests, and\n%s", len(model.Requests()), again)
		}
	})
}

// TestTurnsAreResumedConcurrently: none of them waits for another.
func TestTurnsAreResumedConcurrently(t *testing.T) {
	channels := []string{"a", "b", "c", "d", "e"}
	onHost(t, "guild disco: #a #b #c #d #e\nmember ada: owner", func(h *host) {
		h.model = apptest.Endless()
		h.start()
		for _, channel := range channels {
			h.MustSay("ada", channel, "hello")
		}
		time.Sleep(time.Second)
		h.stop()
		h.model = apptest.Talkative()
		h.start()
		time.Sleep(time.Minute)
		h.stop()
		for _, channel := range channels {
			if h.last(channel) != apptest.Indeed {
				t.Errorf("no answer in #%s:\n%s", channel, h.Transcript())
			}
		}
	})
}

// TestATurnKilledBeforeItsFollowUpIsResumed: its message has a reply already, but the turn has another round.
func TestATurnKilledBeforeItsFollowUpIsResumed(t *testing.T) {
	onHost(t, apptest.World, func(h *host) {
		h.model = script.New(
			script.Say(`I make #ops.<discord-action>{"type":"channelCreate","name":"ops"}</discord-action><discord-action>{"type":"channelList"}</discord-action>`),
			script.Answer{script.Pause(24 * time.Hour)},
			script.Say("There are two channels."),
		)
		h.start()
		h.ask("make #ops; how many channels are there?")
		time.Sleep(10 * time.Second)
		h.kill()
		h.start()
		time.Sleep(time.Minute)
		h.stop()
		h.shows(1, "general", "I make #ops.")
		h.shows(1, "general", "There are two channels.")
	})
}

// TestTheAnswerToACommandSettlesNoQueuedMessage: a command does not wait for earlier messages, so its answer comes
// first.
func TestTheAnswerToACommandSettlesNoQueuedMessage(t *testing.T) {
	onHost(t, apptest.World, func(h *host) {
		model := script.New(script.Answer{script.Pause(24 * time.Hour)}, script.Say("Once upon a time."), script.Say("Now you."))
		h.model = model
		h.start()
		h.ask("tell me a story")
		time.Sleep(time.Second)
		waits := h.ask("and then ask me for one")
		command := h.ask("!health")
		time.Sleep(time.Second)
		h.kill()
		h.start()
		time.Sleep(time.Minute)
		h.stop()
		h.answeredIn(1, "what waits", "general", waits, "Now you.")
		h.answeredIn(1, "the command", "general", command, "**Health**")
		if model.Left() != 0 {
			t.Errorf("%d answers are left:\n%s", model.Left(), h.Transcript())
		}
	})
}

// TestAFailedTurnDoesNotUseUpTheStartupNote if it fails before the model is called.
func TestAFailedTurnDoesNotUseUpTheStartupNote(t *testing.T) {
	onHost(t, apptest.World, func(h *host) {
		h.start()
		h.kill()
		h.Gateway().ForgetSessions()
		model := script.New(script.Say("Hello."))
		h.model = model
		h.start()
		time.Sleep(10 * time.Second)
		h.ask("hello")
		time.Sleep(10 * time.Second)
		h.shows(1, "general", "has no context file")
		folder := filepath.Join(h.env["DISCOCLAW_DATA_DIR"], "content", "discord")
		h.must(os.MkdirAll(filepath.Join(folder, "channels"), 0o700))
		h.must(os.WriteFile(filepath.Join(folder, "DISCORD.md"), []byte("| #general | "+string(h.ChannelID("general"))+" |"), 0o600))
		h.must(os.WriteFile(filepath.Join(folder, "channels", "general.md"), []byte("Be terse."), 0o600))
		h.ask("hello again")
		time.Sleep(10 * time.Second)
		h.stop()
		if asked := model.Requests(); len(asked) != 1 || !strings.Contains(fmt.Sprint(asked[0]), "You ended unexpectedly") {
			t.Errorf("the model was not told of the crash: %v\n%s", asked, h.Transcript())
		}
	}, "DISCORD_AUTO_INDEX_CHANNEL_CONTEXT=0")
}

// TestAReactionIsAcceptedWhenTheRowOfItsMessageHasExpired: without the row, the answer to the message must not be taken
// for an answer to an earlier reaction.
func TestAReactionIsAcceptedWhenTheRowOfItsMessageHasExpired(t *testing.T) {
	onHost(t, apptest.World, func(h *host) {
		h.model = script.New(script.Say("It is raining."), script.Say("Still raining."))
		h.start()
		asked := h.ask("how is the weather?")
		time.Sleep(time.Minute)
		h.stop()
		time.Sleep(5 * 24 * time.Hour)
		h.start() // deletes old rows
		h.must(h.React("ada", asked, "👀"))
		time.Sleep(time.Minute)
		h.stop()
		h.shows(1, "general", "Still raining.")
	}, "DISCOCLAW_REACTION_MAX_AGE_HOURS=0")
}
