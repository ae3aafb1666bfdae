package flow_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm/script"
)

// TestAnAnswerIsDeliveredAfterAnOutage: Discord refuses all requests for a while. The model is not called again, and
// there is one reply.
func TestAnAnswerIsDeliveredAfterAnOutage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		after time.Duration // the question
		lasts time.Duration
		posts int // that still fail after it
	}{
		{"before the placeholder", 0, 3 * time.Minute, 0},
		{"before the placeholder, for long, and a little longer for the reply", 0, 40 * time.Minute, 1},
		{"before the final edit, for long", 2 * time.Second, 40 * time.Minute, 0},
		{"before the final edit, and back when the reply says that it failed", 2 * time.Second, 22 * time.Second, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onHost(t, "guild disco: #general #status\nmember ada: owner", func(h *host) {
				model := script.New(script.Answer{script.Text(apptest.Indeed), script.Pause(3 * time.Second), script.Text(" And so on.")})
				h.model = model
				h.start()
				time.Sleep(time.Minute)
				if tt.after == 0 {
					h.Fail(outOfOrder)
				}
				asked := h.ask("is it?")
				time.Sleep(tt.after)
				h.Fail(outOfOrder)
				time.Sleep(tt.lasts)
				h.Recover()
				if tt.posts > 0 {
					h.Fail(fakediscord.Fault{Match: posting, Times: tt.posts})
				}
				time.Sleep(5 * time.Minute)
				h.stop()
				h.answeredIn(1, "in the end", "general", asked, "Indeed. And so on.")
				if len(h.Messages("general")) != 2 || !strings.HasSuffix(h.last("general"), "Indeed. And so on.") || len(model.Requests()) != 1 {
					t.Errorf("the model was asked %d times:\n%s", len(model.Requests()), h.Transcript())
				}
				h.shows(0, "status", "failed") // since the reply has come
			}, "DISCOCLAW_STATUS_CHANNEL=status")
		})
	}
}

// A wall answers some messages to a channel in Discord's place.
type wall struct {
	http.RoundTripper
	channel chat.ChannelID
	status  int

	mu      sync.Mutex
	with    string // what the body of such a request holds
	down    bool
	refused []time.Time
}

func (w *wall) RoundTrip(req *http.Request) (*http.Response, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	writes := req.Method == http.MethodPost || req.Method == http.MethodPatch
	if w.down || !writes || !strings.Contains(req.URL.Path, "/channels/"+string(w.channel)+"/messages") {
		return w.RoundTripper.RoundTrip(req)
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	if !bytes.Contains(body, []byte(w.with)) {
		req.Body = io.NopCloser(bytes.NewReader(body))
		return w.RoundTripper.RoundTrip(req)
	}
	w.refused = append(w.refused, time.Now())
	return &http.Response{StatusCode: w.status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader("<html>No.</html>"))}, nil
}

// since counts the requests that were refused from a time on.
func (w *wall) since(at time.Time) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.refused {
		if !t.Before(at) {
			n++
		}
	}
	return n
}

// TestAMessageThatCannotBePostedIsDropped after 15 minutes in which Discord carried out other requests, also if the bot
// is restarted meanwhile.
func TestAMessageThatCannotBePostedIsDropped(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		status int
		with   func(asked chat.MessageID) string // what is refused
		told   string                            // the channel in which that is told
		words  string
		heals  bool // before the next message is written
	}{
		{"a reply to it", 502, func(asked chat.MessageID) string { return `"message_id":"` + string(asked) }, "general", "Discord did not accept all of my answer to https://", false},
		{"any message there", 404, func(chat.MessageID) string { return "" }, "status", "A reply failed in", true},
		{"the words of the answer", 403, func(chat.MessageID) string { return apptest.Indeed }, "general", "Discord did not accept all of my answer to https://", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onHost(t, "guild disco: #general #ops #status\nmember ada: owner", func(h *host) {
				w := &wall{RoundTripper: h.HTTP().Transport, channel: h.ChannelID("general"), status: tt.status, with: "nothing yet"}
				h.start(w)
				w.mu.Lock()
				w.with = tt.with(h.ask("first"))
				w.mu.Unlock()
				others := func(minutes int) {
					for range minutes {
						h.MustSay("ada", "ops", "hello")
						time.Sleep(time.Minute)
					}
				}
				others(2)
				later := time.Now()
				others(5)
				if n := w.since(later); n < 4 || n > 6 {
					t.Errorf("%d requests in five minutes", n)
				}
				h.stop()
				h.start(w)
				others(7)
				h.shows(0, tt.told, tt.words)
				others(7)
				h.shows(1, tt.told, tt.words)
				over := time.Now()
				w.mu.Lock()
				w.down = tt.heals
				w.mu.Unlock()
				second := h.ask("second")
				others(5)
				h.stop()
				h.answered(1, "the second", second)
				if n := w.since(over); n > 0 {
					t.Errorf("%d requests after it was dropped", n)
				}
				h.shows(1, tt.told, tt.words)
			}, "DISCOCLAW_STATUS_CHANNEL=status")
		})
	}
}
