package flow_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/test/disk/fulldisk"
)

// onSmallDisk runs a test with a bot that is online, has answered one message, and whose model has some more answers.
// At the end it requires that no placeholder is left.
func onSmallDisk(t *testing.T, test func(h *host), answers ...script.Answer) {
	t.Helper()
	onHost(t, apptest.World, func(h *host) {
		h.model = script.New(append([]script.Answer{script.Say("Yes.")}, answers...)...)
		h.start()
		h.ask("are you there?")
		time.Sleep(time.Minute)
		test(h)
		h.stop()
		if strings.Contains(h.Transcript(), "[button") {
			t.Errorf("something is never finished:\n%s", h.Transcript())
		}
	}, noHistory, "DISCOCLAW_DISCORD_ACTIONS_CHANNELS=1")
}

// next ends the process, and starts another one on a disk with room.
func (h *host) next(killed bool) {
	if killed {
		h.kill()
	} else {
		_, _ = h.end() // fails, since the end cannot be recorded
	}
	h.disk.Become(fulldisk.Roomy, 0)
	h.start()
	time.Sleep(3 * time.Minute)
}

// pondering is an answer that takes some seconds.
func pondering(text string) script.Answer {
	return script.Answer{script.Pause(5 * time.Second), script.Text(text)}
}

// TestMessagesRefusedOnAFullDiskAreAnsweredWhenThereIsRoom, however many and however old they are. The channel is told
// once, and nothing is done before there is room.
func TestMessagesRefusedOnAFullDiskAreAnsweredWhenThereIsRoom(t *testing.T) {
	t.Parallel()
	const many = 130 // more than gapPage and maxMissed
	for _, tt := range []struct {
		name string
		then func(h *host)
	}{
		{"by itself", func(*host) {}},
		{"as soon as an event is accepted", func(h *host) { h.ask("and now?") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var answers []script.Answer
			for range many {
				answers = append(answers, script.Say(apptest.Indeed))
			}
			onSmallDisk(t, func(h *host) {
				h.disk.Become(fulldisk.Spent, 0)
				var last chat.MessageID
				for i := range many {
					last = h.ask(fmt.Sprint("question ", i))
					time.Sleep(time.Second)
				}
				time.Sleep(24 * time.Hour)
				h.shows(1, "general", "My disk is full, so I cannot start anything safely. I will answer this when there is room.")
				h.shows(0, "general", apptest.Indeed)
				h.disk.Become(fulldisk.Roomy, 0)
				tt.then(h)
				time.Sleep(10 * time.Minute)
				if n, _ := apptest.SortReplies(h.World, "general", last, apptest.Indeed); n != 1 {
					t.Errorf("%d answers to the last question:\n%s", n, h.Transcript())
				}
			}, answers...)
		})
	}
}

// TestATurnStopsWhenTheDiskIsFull checks that a turn stops before its next effect, says so, and is resumed when there
// is room, by this process or by the next one. Nothing is done twice.
func TestATurnStopsWhenTheDiskIsFull(t *testing.T) {
	t.Parallel()
	const action = `Sure.<discord-action>{"type":"channelCreate","name":"room"}</discord-action>`
	for _, tt := range []struct {
		name string
		then func(h *host)
	}{
		{"and goes on", func(h *host) { h.disk.Become(fulldisk.Roomy, 0); time.Sleep(3 * time.Minute) }},
		{"and the bot is stopped", func(h *host) { h.next(false) }},
		{"and the bot is killed", func(h *host) { h.next(true) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onSmallDisk(t, func(h *host) {
				h.ask("make a room")
				time.Sleep(time.Second)
				h.disk.Become(fulldisk.Spent, 0)
				time.Sleep(10 * time.Second)
				h.shows(1, "general", "My disk is full, so I stopped here. I will go on with this when there is room.")
				if n := h.rooms(); n != 1 {
					t.Errorf("%d channels, though nothing could be written down", n)
				}
				tt.then(h)
				h.shows(1, "general", "Done: created <#")
				h.shows(0, "general", "disk is full")
				if n := h.rooms(); n != 2 {
					t.Errorf("%d channels\n%s", n, h.Transcript())
				}
			}, pondering(action), script.Say(action))
		})
	}
}

// afterEdit fills the disk when the first message has been edited.
type afterEdit struct {
	http.RoundTripper
	disk *fulldisk.Disk
}

func (a afterEdit) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := a.RoundTripper.RoundTrip(r)
	if r.Method == http.MethodPatch {
		a.disk.Become(fulldisk.Spent, 0)
	}
	return resp, err
}

// TestADeliveredAnswerThatCouldNotBeSettledIsNotRepeated: the disk is full when the turn is to be settled.
func TestADeliveredAnswerThatCouldNotBeSettledIsNotRepeated(t *testing.T) {
	t.Parallel()
	for _, killed := range []bool{false, true} {
		t.Run(fmt.Sprintf("killed: %v", killed), func(t *testing.T) {
			onSmallDisk(t, func(h *host) {
				h.stop()
				h.start(afterEdit{h.HTTP().Transport, h.disk})
				h.ask("tell me")
				time.Sleep(10 * time.Second)
				h.shows(1, "general", "The answer.")
				h.next(killed)
				h.shows(1, "general", "The answer.")
			}, script.Say("The answer."))
		})
	}
}

// TestPeopleAreAskedToRepeatReactionsRefusedOnAFullDisk. An answer to a question is found when there is room.
func TestPeopleAreAskedToRepeatReactionsRefusedOnAFullDisk(t *testing.T) {
	onSmallDisk(t, func(h *host) {
		said := h.ask("ask me")
		time.Sleep(time.Minute)
		question := h.Messages("general")[len(h.Messages("general"))-1].ID
		h.disk.Become(fulldisk.Spent, 0)
		h.must(h.React("ada", said, "👀"))
		time.Sleep(time.Minute)
		h.shows(1, "general", "Please react again when there is room.")
		h.must(h.React("ada", question, "✅"))
		time.Sleep(time.Minute)
		h.disk.Become(fulldisk.Roomy, 0)
		time.Sleep(3 * time.Minute)
		h.shows(1, "general", "You chose.")
	}, script.Say(`<discord-action>{"type":"reactionPrompt","question":"Ship it?","choices":["✅","❌"]}</discord-action>`), script.Say("You chose."))
}

// rooms returns how many channels the server has.
func (h *host) rooms() (n int) {
	for _, ch := range h.Channels() {
		if ch.Type != fakediscord.DMChannel {
			n++
		}
	}
	return n
}
