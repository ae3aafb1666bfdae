package flow_test

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

const steerWorld = "guild disco: #general #ops\nmember ada: owner\n"

// counting is a model that repeats the numbers that it is told, and writes each in #ops. Its first answer takes half a minute.
func counting(asked *atomic.Int32) llm.Runtime {
	number := regexp.MustCompile(`number (\d+)`)
	return script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		text := "Heard"
		for _, found := range number.FindAllStringSubmatch(req.Messages[0].Text, -1) {
			text += " " + found[1] + "," + fmt.Sprintf(`<discord-action>{"type":"sendMessage","channel":"ops","content":"did %s,"}</discord-action>`, found[1])
		}
		pause := time.Duration(0)
		if asked.Add(1) == 1 {
			pause = 30 * time.Second
		}
		return script.Answer{script.Text("So. "), script.Pause(pause), script.Text(text)}.Stream(ctx)
	})
}

// requireCounted requires that each number was heard once and written once, and that no other message of the bot is left.
func (h *host) requireCounted(numbers int) {
	h.t.Helper()
	for n := 1; n <= numbers; n++ {
		h.shows(1, "general", fmt.Sprintf(" %d,", n))
		h.shows(1, "ops", fmt.Sprintf("did %d,", n))
	}
	for _, m := range h.Messages("general") {
		if m.Author == h.UserID("bot") && (m.Unfinished() || !strings.Contains(m.Content, "Heard")) {
			h.t.Errorf("%q is left\n%s", m.Content, h.Transcript())
		}
	}
}

// A trigger kills the process at a request, before or after that reaches Discord.
type trigger struct {
	http.RoundTripper
	h    *host
	at   string // the method
	nth  atomic.Int32
	late bool // it reaches Discord
}

func (k *trigger) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method != k.at || !strings.Contains(r.URL.Path, "/messages") || k.nth.Add(-1) != 0 {
		return k.RoundTripper.RoundTrip(r)
	}
	if k.late {
		resp, err := k.RoundTripper.RoundTrip(r)
		k.h.must(err)
		_ = resp.Body.Close() // a dead process does not read it
	}
	k.h.die()
	return nil, errDead
}

// TestAKillWhileAnAnswerIsStopped for a further message loses and doubles nothing: at the request that deletes the placeholder, at the one
// that posts the next, and at the ones that carry out and deliver the answer to both.
func TestAKillWhileAnAnswerIsStopped(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, method string
		nth          int32
	}{
		{"placeholder deleted", http.MethodDelete, 1},
		{"next placeholder", http.MethodPost, 2},
		{"action", http.MethodPost, 3},
		{"answer", http.MethodPatch, 3},
	} {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, late: %v", tt.name, late), func(t *testing.T) {
				onHost(t, steerWorld, func(h *host) {
					var asked atomic.Int32
					h.model = counting(&asked)
					k := &trigger{RoundTripper: h.HTTP().Transport, h: h, at: tt.method, late: late}
					k.nth.Store(tt.nth)
					h.start(k)
					h.ask("number 1")
					time.Sleep(10 * time.Second)
					h.ask("number 2")
					time.Sleep(10 * time.Second)
					if !h.dead.Load() {
						t.Fatalf("it was not killed\n%s", h.Transcript())
					}
					h.kill()
					h.start()
					time.Sleep(10 * time.Minute)
					h.stop()
					h.requireCounted(2)
				}, "DISCOCLAW_STEER=on", noHistory)
			})
		}
	}
}

// TestAFurtherMessageDuringAnOutage: Discord has posted the placeholder, and does not say so. It is not left behind, and both messages are answered.
func TestAFurtherMessageDuringAnOutage(t *testing.T) {
	onHost(t, steerWorld, func(h *host) {
		var asked atomic.Int32
		h.model = counting(&asked)
		h.start()
		h.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Kind: fakediscord.Reset, Accepted: true})
		h.ask("number 1")
		time.Sleep(200 * time.Millisecond)
		h.ask("number 2")
		time.Sleep(2 * time.Minute)
		h.Recover()
		time.Sleep(10 * time.Minute)
		h.stop()
		h.requireCounted(2)
	}, "DISCOCLAW_STEER=on", noHistory)
}

// TestABurstOfMessages: some come before the placeholder of the first is posted, or while it is deleted. Each is answered once.
func TestABurstOfMessages(t *testing.T) {
	t.Parallel()
	for _, pause := range []time.Duration{0, time.Millisecond, 100 * time.Millisecond} {
		t.Run(pause.String(), func(t *testing.T) {
			onHost(t, steerWorld, func(h *host) {
				var asked atomic.Int32
				h.model = counting(&asked)
				h.start()
				for n := range 9 {
					h.ask(fmt.Sprint("number ", n+1))
					time.Sleep(pause)
				}
				time.Sleep(10 * time.Minute)
				h.stop()
				h.requireCounted(9)
			}, "DISCOCLAW_STEER=on", noHistory)
		})
	}
}

// TestCorrectionsInDifferentChannels do not meet: each stops the answer of its own conversation.
func TestCorrectionsInDifferentChannels(t *testing.T) {
	onHost(t, "guild disco: #general #ops #other\nmember ada: owner\n", func(h *host) {
		var asked atomic.Int32
		h.model = counting(&asked)
		h.start()
		h.ask("number 1")
		time.Sleep(10 * time.Second)
		h.MustSay("ada", "other", "number 2")
		time.Sleep(10 * time.Minute)
		h.stop()
		h.shows(1, "general", " 1,")
		h.shows(1, "other", " 2,")
		if n := asked.Load(); n != 2 {
			t.Errorf("the model was asked %d times", n)
		}
	}, "DISCOCLAW_STEER=on", noHistory)
}
