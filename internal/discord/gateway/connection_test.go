package gateway_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/discord/gateway"
	"discoclaw/internal/fakediscord/fakegateway"

	"github.com/google/go-cmp/cmp"
)

func TestHandlesEventsInOrder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		run := r.start()
		r.fake.Dispatch(0, fakegateway.Event{Name: "GUILD_CREATE", Data: map[string]any{"id": "7"}})
		r.fake.Dispatch(1<<9, fakegateway.Event{Name: "MESSAGE_CREATE", Data: map[string]any{"id": "8"}})
		r.fake.Dispatch(1<<0, fakegateway.Event{Name: "CHANNEL_CREATE", Data: map[string]any{"id": "9"}}) // not among the intents
		synctest.Wait()

		if diff := cmp.Diff([]string{"READY", "GUILD_CREATE", "MESSAGE_CREATE"}, run.names()); diff != "" {
			t.Fatalf("events (-want +got):\n%s", diff)
		}
		last := run.heard()[2]
		if string(last.Data) != `{"id":"8"}` || last.Sequence != 3 {
			t.Errorf("the message is %s with sequence %d", last.Data, last.Sequence)
		}
	})
}

func TestStaysConnectedForHours(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t) // closes connections that are late with their heartbeats
		run := r.start()
		const long = 6 * time.Hour
		time.Sleep(long)
		r.message(run, "good morning")
		r.requireCounts(1, 0)
		beats := int(long / (41250 * time.Millisecond))
		if got := r.fake.Counts(); got.Connections != 1 || got.Heartbeats < beats || got.Heartbeats > beats+2 {
			t.Errorf("%d connections and %d heartbeats, want 1 and about %d", got.Connections, got.Heartbeats, beats)
		}
	})
}

func TestRespondsToAHeartbeatRequestAtOnce(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		r.start()
		for want := 1; want <= 3; want++ {
			r.fake.Inject(fakegateway.RequestHeartbeat())
			synctest.Wait() // and no time passes
			if got := r.fake.Counts().Heartbeats; got != want {
				t.Errorf("%d heartbeats after %d requests", got, want)
			}
		}
	})
}

func TestResumesWhenAHeartbeatIsNotAcknowledged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		run := r.start()
		r.fake.StopACKs(true)
		// The first heartbeat comes within one interval, and one more later it is
		// clear that its ACK is missing.
		time.Sleep(2*41250*time.Millisecond + 5*time.Second)
		synctest.Wait()
		if n := r.fake.Counts().Resumes; n == 0 {
			t.Fatal("the dead connection was not noticed")
		}
		r.fake.StopACKs(false)
		time.Sleep(5 * time.Minute)
		r.message(run, "still there?")
		if n := r.fake.Counts().Identifies; n != 1 {
			t.Errorf("%d IDENTIFYs, want 1: the session was lost", n)
		}
	})
}

func TestReconnectsWithoutAHello(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		run := r.start()
		r.fake.WithholdHello(true)
		r.fake.Inject(fakegateway.Drop())
		time.Sleep(time.Hour)
		run.requireRunning()
		if n := r.fake.Counts().Connections; n < 10 {
			t.Errorf("only %d connections in an hour", n)
		}
		r.fake.WithholdHello(false)
		time.Sleep(2 * time.Minute)
		r.message(run, "still there?")
		r.requireCounts(1, 1)
	})
}

func TestDroppedConnectionsLoseAndDoubleNoEvents(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const total = 400
		r := newRig(t)
		run := r.start()
		var want []string
		for i := range total {
			text := fmt.Sprint("message ", i)
			want = append(want, text)
			r.fake.Dispatch(1<<9, fakegateway.Event{Name: "MESSAGE_CREATE", Data: map[string]any{"content": text}})
			switch {
			case i%97 == 50: // while the last ones are still being written
				r.fake.Inject(fakegateway.Drop())
			case i%10 == 0:
				time.Sleep(time.Second)
			}
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()

		if diff := cmp.Diff(want, run.messages()); diff != "" {
			t.Errorf("messages (-want +got):\n%s", diff)
		}
		for i, e := range run.heard() {
			if e.Sequence != int64(i+1) {
				t.Fatalf("event %d is %s with sequence %d, want %d", i, e.Name, e.Sequence, i+1)
			}
		}
		if got := r.fake.Counts(); got.Identifies != 1 || got.Resumes < 2 {
			t.Errorf("%d IDENTIFYs and %d RESUMEs, want 1 and a few", got.Identifies, got.Resumes)
		}
		if strings.Contains(r.log.String(), "out of sequence") {
			t.Errorf("the log has gaps:\n%s", &r.log)
		}
	})
}

func TestReadsAHugeGuild(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		run := r.start()
		r.message(run, strings.Repeat("x", 256<<10))
		r.requireCounts(1, 0)
	})
}

// hosts is a transport that records the hosts of requests and cannot reach some of them.
type hosts struct {
	http.RoundTripper
	mu     sync.Mutex
	seen   []string
	broken string
}

func (h *hosts) RoundTrip(req *http.Request) (*http.Response, error) {
	h.mu.Lock()
	h.seen = append(h.seen, req.URL.Host+"?"+req.URL.RawQuery)
	broken := h.broken == req.URL.Host
	h.mu.Unlock()
	if broken {
		return nil, fmt.Errorf("no route to %s", req.URL.Host)
	}
	return h.RoundTripper.RoundTrip(req)
}

func (h *hosts) visited() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.seen)
}

func TestResumesAtTheAddressOfTheSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		o := r.options()
		h := &hosts{RoundTripper: o.HTTP.Transport}
		o.HTTP.Transport = h
		run := r.startWith(o)
		r.fake.Inject(fakegateway.Drop())
		time.Sleep(settled)
		run.requireRunning()
		want := []string{"gateway.test?encoding=json&v=10", "resume.test?encoding=json&v=10"}
		if diff := cmp.Diff(want, h.visited()); diff != "" {
			t.Errorf("connections (-want +got):\n%s", diff)
		}
	})
}

func TestResumesAtTheGeneralAddressIfThatOfTheSessionFails(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		o := r.options()
		h := &hosts{RoundTripper: o.HTTP.Transport, broken: "resume.test"}
		o.HTTP.Transport = h
		run := r.startWith(o)
		r.fake.Inject(fakegateway.Drop())
		time.Sleep(settled)
		r.message(run, "still there?")
		r.requireCounts(1, 1)
	})
}

func TestWaitsForTheSessionStartLimit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		opening := time.Now().Add(3 * time.Hour)
		r.locate = func() (gateway.Location, error) {
			left := time.Until(opening)
			limit := gateway.StartLimit{Total: 1000, Remaining: 1000, MaxConcurrency: 1}
			if left > 0 {
				limit.Remaining, limit.ResetAfter = 0, left
			}
			return gateway.Location{URL: "ws://gateway.test", Limit: limit}, nil
		}
		run := r.start()
		time.Sleep(3*time.Hour - time.Second)
		run.requireRunning()
		r.requireCounts(0, 0)
		if !strings.Contains(r.log.String(), "cannot start a session") {
			t.Errorf("the log does not give the reason for the wait:\n%s", &r.log)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		r.requireCounts(1, 0)
	})
}
