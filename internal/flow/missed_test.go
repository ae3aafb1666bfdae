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
	"discoclaw/internal/fakediscord/fakegateway"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/test/disk/fulldisk"
)

// cannotRead is a fault that keeps the bot from reading channels.
var cannotRead = fakediscord.Fault{Match: "GET /channels/{channel}/messages", Status: http.StatusBadGateway}

// TestTheFirstMessageOfANewChannelIsMissedAndAnswered: the channel or thread is created while the bot is off, or
// before that, but without a message that could be its watermark.
func TestTheFirstMessageOfANewChannelIsMissedAndAnswered(t *testing.T) {
	t.Parallel()
	channel := func(h *host, _ chat.MessageID) string {
		_, err := h.AddChannel("#news")
		h.must(err)
		return "news"
	}
	thread := func(h *host, _ chat.MessageID) string {
		_, err := h.StartThread("ada", "general", "chatter")
		h.must(err)
		return "chatter"
	}
	onOld := func(h *host, old chat.MessageID) string {
		_, err := h.StartThreadOn("ada", old, "chatter")
		h.must(err)
		return "chatter"
	}
	for _, tt := range []struct {
		name string
		make func(h *host, old chat.MessageID) string
		off  bool // the channel is created while the bot is off
	}{
		{"a channel", channel, true},
		{"a thread", thread, true},
		{"a thread on an old message", onOld, true},
		{"a channel that was made before", channel, false},
		{"a thread that was started before", thread, false},
		{"a thread on an old message that was started before", onOld, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onHost(t, apptest.World, func(h *host) {
				old := h.ask("from before the bot came")
				time.Sleep(time.Hour)
				var place string
				h.run(func() {
					if !tt.off {
						place = tt.make(h, old)
					}
					time.Sleep(time.Minute)
					h.ask("before")
				})
				if tt.off {
					place = tt.make(h, old)
				}
				time.Sleep(time.Minute)
				said := h.MustSay("ada", place, "is anybody here?").ID
				time.Sleep(time.Minute)
				h.run(nil)
				h.run(nil)
				h.answeredIn(1, "after two starts", place, said, apptest.Indeed)
			})
		})
	}
}

// TestTheGapOfANewChannelStaysOpenUntilItIsRead: the channel was created while the bot was off, and messages in other
// channels are accepted before it can be read.
func TestTheGapOfANewChannelStaysOpenUntilItIsRead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		early bool // something is said there before the bot comes back, but cannot be read then
	}{
		{"one that cannot be read at first", true},
		{"one that is empty at first", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onHost(t, apptest.World, func(h *host) {
				talk := func() {
					time.Sleep(time.Minute)
					h.ask("hello")
				}
				h.run(talk)
				_, err := h.AddChannel("#news")
				h.must(err)
				var said chat.MessageID
				if tt.early {
					said = h.MustSay("ada", "news", "is anybody here?").ID
					h.Fail(cannotRead)
				}
				h.run(func() {
					talk()
					time.Sleep(time.Minute)
					h.Recover()
				})
				if !tt.early {
					said = h.MustSay("ada", "news", "is anybody here?").ID
				}
				h.run(talk)
				h.answeredIn(1, "in the new channel", "news", said, apptest.Indeed)
			})
		})
	}
}

// TestMessagesOfAServerThatTheBotHadLeftAreNotAnswered: the bot is removed and invited again while no process runs, and
// still has the watermarks of the channels.
func TestMessagesOfAServerThatTheBotHadLeftAreNotAnswered(t *testing.T) {
	onHost(t, apptest.World, func(h *host) {
		h.run(func() { h.ask("before") })
		h.must(h.RemoveMember("bot"))
		time.Sleep(time.Minute)
		between := h.ask("the bot is not here")
		time.Sleep(time.Minute)
		_, err := h.Join("bot")
		h.must(err)
		var since chat.MessageID
		h.run(func() {
			time.Sleep(time.Minute)
			since = h.ask("welcome back")
		})
		h.answered(0, "before it came again", between)
		h.answered(1, "since then", since)
	})
}

// TestRefusedMessagesAreAnsweredByTheNextProcess once, although the gap could not be written either before the process
// ended or was killed.
func TestRefusedMessagesAreAnsweredByTheNextProcess(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text, answer string
		killed       bool
	}{{"hello", apptest.Indeed, false}, {"hello", apptest.Indeed, true}, {"!health", "**Health**", false}} {
		t.Run(fmt.Sprintf("%s, killed: %v", tt.text, tt.killed), func(t *testing.T) {
			onHost(t, apptest.World, func(h *host) {
				h.start()
				h.ask("are you there?")
				time.Sleep(10 * time.Second)
				h.disk.Become(fulldisk.Broken, 0)
				said := h.ask(tt.text)
				time.Sleep(10 * time.Second)
				if tt.killed {
					h.kill()
				} else {
					_, _ = h.end() // fails, since the end cannot be recorded
				}
				h.disk.Become(fulldisk.Roomy, 0)
				h.Gateway().ForgetSessions()
				h.run(nil)
				h.shows(1, "general", "I cannot write anything down")
				if n, _ := apptest.SortReplies(h.World, "general", said, tt.answer); n != 1 {
					t.Errorf("%d answers\n%s", n, h.Transcript())
				}
			})
		})
	}
}

// TestReadingAGapIsRetried by the same process, without another login.
func TestReadingAGapIsRetried(t *testing.T) {
	onHost(t, apptest.World, func(h *host) {
		h.run(func() { h.ask("before") })
		missed := h.ask("missed")
		h.Fail(cannotRead)
		h.start()
		time.Sleep(10 * time.Minute)
		h.answered(0, "before it can be read", missed)
		h.Recover()
		time.Sleep(3 * time.Minute)
		h.stop()
		h.answered(1, "afterwards", missed)
	})
}

// TestAnUnreadableChannelKeepsItsWatermark: the bot is killed, and cannot read the gap until it has answered a later
// message of the same author.
func TestAnUnreadableChannelKeepsItsWatermark(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		next func(h *host) // causes another login
	}{
		{"in the same process", func(h *host) { h.Gateway().Inject(fakegateway.InvalidSession(false)) }},
		{"in a third process", func(h *host) {
			h.kill()
			h.Gateway().ForgetSessions()
			h.start()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onHost(t, apptest.World, func(h *host) {
				say := func(text string) chat.MessageID {
					defer time.Sleep(time.Minute)
					return h.ask(text)
				}
				h.start()
				before := say("before")
				h.kill()
				h.Gateway().ForgetSessions()
				during := say("during")
				h.Fail(cannotRead)
				h.start()
				time.Sleep(5 * time.Minute)
				after := say("after")
				h.Recover()
				tt.next(h)
				time.Sleep(5 * time.Minute)
				h.stop()
				h.answered(1, "before", before)
				h.answered(1, "during", during)
				h.answered(1, "after", after)
			})
		})
	}
}

// TestGapsAreReadTwoAtATime. Channels without new messages are not read.
func TestGapsAreReadTwoAtATime(t *testing.T) {
	onHost(t, "guild disco: #a #b #c #d #e #quiet\nmember ada: owner", func(h *host) {
		h.start()
		h.stop()
		for _, channel := range []string{"a", "b", "c", "d", "e"} {
			h.MustSay("ada", channel, "hello")
		}
		slow := &reading{RoundTripper: h.HTTP().Transport}
		h.start(slow)
		time.Sleep(10 * time.Second)
		h.stop()
		if slow.most != 2 || slow.all != 5 || strings.Count(h.Transcript(), apptest.Indeed) != 5 {
			t.Errorf("%d at once of %d:\n%s", slow.most, slow.all, h.Transcript())
		}
	}, noHistory)
}

// TestLiveMessagesKeepTheirOrderWhileAGapIsRead: the connection is lost at that moment, so that one of two messages
// arrives live and the other is read from the gap.
func TestLiveMessagesKeepTheirOrderWhileAGapIsRead(t *testing.T) {
	onHost(t, apptest.World, func(h *host) {
		h.run(nil)
		h.ask("I have a wish.")
		model := script.New(script.Say("Understood."))
		h.model = model
		slow := &reading{RoundTripper: h.HTTP().Transport}
		h.start(slow)
		for slow.underWay() == 0 {
			time.Sleep(10 * time.Millisecond)
		}
		h.ask("Delete everything.")
		time.Sleep(time.Millisecond)
		h.Gateway().Inject(fakegateway.Drop())
		last := h.ask("No, better not.")
		time.Sleep(time.Minute)
		h.stop()
		h.answeredIn(1, "all of it", "general", last, "Understood.")
		asked := model.Requests()
		if len(asked) != 1 {
			t.Fatalf("%d requests\n%s", len(asked), h.Transcript())
		}
		prompt := asked[0].Messages[len(asked[0].Messages)-1].Text
		if strings.Index(prompt, "Delete everything.") > strings.Index(prompt, "No, better not.") {
			t.Error(prompt)
		}
	}, noHistory)
}
