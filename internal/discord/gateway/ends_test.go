package gateway_test

import (
	"context"
	"errors"
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

// TestKeepsTryingAtStart: a machine may start before its network, and Discord may be out of order.
func TestKeepsTryingAtStart(t *testing.T) {
	t.Parallel()
	down := errors.New("no such host")
	for _, tt := range []struct {
		name        string
		spoil, mend func(r *rig)
		cause       string
	}{
		{"it cannot be located",
			func(r *rig) { r.locateAt("", down) },
			func(r *rig) { r.locateAt("ws://gateway.test", nil) }, "no such host"},
		{"its address is nonsense",
			func(r *rig) { r.locateAt("ws://%%", nil) },
			func(r *rig) { r.locateAt("ws://gateway.test", nil) }, "address"},
		{"it refuses connections",
			func(r *rig) { r.fake.Refuse(true) },
			func(r *rig) { r.fake.Refuse(false) }, "503"},
		{"it says nothing",
			func(r *rig) { r.fake.WithholdHello(true) },
			func(r *rig) { r.fake.WithholdHello(false) }, "HELLO"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := newRig(t)
				tt.spoil(r)
				run := r.start()
				time.Sleep(time.Hour)
				run.requireRunning()
				r.mu.Lock()
				located := r.located
				r.mu.Unlock()
				// The backoff is a minute at most, and the wait for HELLO a quarter of one.
				if located < 48 || located > 130 {
					t.Errorf("located %d times in an hour", located)
				}
				logged := r.log.String()
				n := strings.Count(logged, "level=WARN")
				if n < 30 || n > 60 || n != strings.Count(logged, "\n") || strings.Count(logged, tt.cause) < n || strings.Count(logged, "DISCORD_API_URL") != 1 {
					t.Errorf("%d lines in an hour, which should be about %q:\n%s", n, tt.cause, logged)
				}
				tt.mend(r)
				time.Sleep(2 * time.Minute)
				r.message(run, "hello")
				r.requireCounts(1, 0)
			})
		})
	}
}

func TestHonoursRetryAfterOfTheHandshake(t *testing.T) {
	t.Parallel()
	for header, least := range map[string]time.Duration{
		"3":     3 * time.Second,
		"90":    90 * time.Second,
		"86400": 2 * time.Minute, // a proxy may have written that
		"-1":    0,
		"soon":  0,
		"":      0,
	} {
		t.Run(header, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := newRig(t)
				var mu sync.Mutex
				var dials []time.Time
				refusing := serve(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					mu.Lock()
					dials = append(dials, time.Now())
					enough := len(dials) > 3
					mu.Unlock()
					if enough {
						r.fake.ServeHTTP(w, req)
						return
					}
					w.Header().Set("Retry-After", header)
					w.WriteHeader(http.StatusTooManyRequests)
				}))
				o := r.options()
				o.HTTP = refusing.HTTPClient()
				run := r.startWith(o)
				time.Sleep(10 * time.Minute)
				r.message(run, "hello")
				jitter := time.Second
				if least == 0 {
					jitter = time.Minute // it is a backoff
				}
				mu.Lock()
				defer mu.Unlock()
				for i := 1; i < len(dials); i++ {
					if gap := dials[i].Sub(dials[i-1]); gap < least || gap > least+jitter {
						t.Errorf("dialled again after %v, want at least %v", gap, least)
					}
				}
			})
		})
	}
}

func TestRetriesForEverOnceItWasUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		o := r.options()
		h := &hosts{RoundTripper: o.HTTP.Transport}
		o.HTTP.Transport = h
		run := r.startWith(o)
		r.fake.Refuse(true)
		r.fake.Inject(fakegateway.Drop())
		const long = 6 * time.Hour
		time.Sleep(long)
		run.requireRunning()
		// Every minute at the latest, but rarely more than twice a minute.
		if n := len(h.visited()); n < int(long/time.Minute) || n > int(long/(30*time.Second))+10 {
			t.Errorf("tried %d times in %v", n, long)
		}
		r.fake.Refuse(false)
		time.Sleep(2 * time.Minute)
		r.message(run, "still there?")
		r.requireCounts(1, 1)
	})
}

// refusal is a permanent error of Locate.
type refusal struct{}

func (refusal) Error() string   { return "Discord refused the token" }
func (refusal) Permanent() bool { return true }

func TestEndsAtOnceAfterAPermanentErrorOfLocate(t *testing.T) {
	t.Parallel()
	t.Run("at start", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			r := newRig(t)
			r.locate = func() (gateway.Location, error) { return gateway.Location{}, refusal{} }
			if err := r.start().requireError(); err != (refusal{}) {
				t.Errorf("Run ended with %v", err)
			}
			if r.located != 1 {
				t.Errorf("located %d times, want 1", r.located)
			}
		})
	})
	t.Run("later", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			r := newRig(t)
			run := r.start()
			r.mu.Lock()
			r.locate = func() (gateway.Location, error) { return gateway.Location{}, refusal{} }
			r.mu.Unlock()
			r.fake.Inject(fakegateway.InvalidSession(false))
			if err := run.requireError(); err != (refusal{}) {
				t.Errorf("Run ended with %v", err)
			}
		})
	})
}

// TestEndsWithItsContext: a bubble does not end while goroutines are left in it, so
// these also show that none is leaked.
func TestEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		play func(r *rig) *running
	}{
		{"when connected", func(r *rig) *running { return r.start() }},
		{"while it waits for HELLO", func(r *rig) *running {
			r.fake.WithholdHello(true)
			return r.start()
		}},
		{"while it waits to reconnect", func(r *rig) *running {
			r.fake.Refuse(true)
			return r.start()
		}},
		{"while it waits for its next session", func(r *rig) *running {
			run := r.start()
			r.fake.Inject(fakegateway.InvalidSession(false))
			time.Sleep(2 * time.Second)
			return run
		}},
		{"while it waits for the limit", func(r *rig) *running {
			r.locate = func() (gateway.Location, error) {
				return gateway.Location{Limit: gateway.StartLimit{Total: 1000, ResetAfter: time.Hour}}, nil
			}
			return r.start()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := newRig(t)
				run := tt.play(r)
				begun := time.Now()
				run.stop()
				if run.err != nil {
					t.Errorf("Run returned %v", run.err)
				}
				if took := time.Since(begun); took > 0 {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

func TestClosesTheSessionUnlessItIsSaved(t *testing.T) {
	t.Parallel()
	t.Run("not saved", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			r := newRig(t)
			r.start().stop()
			synctest.Wait()
			if n := r.fake.Sessions(); n != 0 {
				t.Errorf("%d sessions are left", n)
			}
		})
	})
	t.Run("saved", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			r := newRig(t)
			o := r.options()
			o.Keeper = &shelf{}
			r.startWith(o).stop()
			synctest.Wait()
			if n := r.fake.Sessions(); n != 1 {
				t.Errorf("%d sessions are left, want 1", n)
			}
		})
	})
	t.Run("not to be saved", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			r := newRig(t)
			o := r.options()
			o.Keeper = &shelf{full: true}
			r.startWith(o).stop()
			synctest.Wait()
			if n := r.fake.Sessions(); n != 0 {
				t.Errorf("%d sessions are left, which would replay handled events", n)
			}
		})
	})
}

// TestBecomesInvisibleBeforeItLeavesASession: a session that is left open keeps the bot's presence, so people would take
// it for online.
func TestBecomesInvisibleBeforeItLeavesASession(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		keeper gateway.Keeper
		heard  []string
	}{
		{"saved", &shelf{}, []string{"identify", "presence invisible", "close 4000"}},
		{"not saved", nil, []string{"identify", "close 1000"}},
		{"not to be saved", &shelf{full: true}, []string{"identify", "close 1000"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				s := newScript(t, func(a *actor) {
					a.say(hello)
					a.listen()
					a.say(ready)
					for range tt.heard[1:] {
						a.listen()
					}
				})
				run := s.start(gateway.Options{Keeper: tt.keeper, Presence: &gateway.Presence{Status: "idle"}})
				run.stop()
				synctest.Wait()
				s.requireHeard(tt.heard...)
				if got := run.client.Presence().Status; got != "idle" {
					t.Errorf("the presence that was set is %q", got)
				}
			})
		})
	}
}

func TestLeavesWithoutAPresenceIfItIsNotUp(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newScript(t, func(a *actor) {
			a.say(hello)
			a.listen()
			a.listen()
		})
		run := s.start(gateway.Options{Keeper: &shelf{}, Session: gateway.Session{ID: "abc", Sequence: 7}})
		begun := time.Now()
		run.stop()
		if took := time.Since(begun); took > 0 {
			t.Errorf("it took %v", took)
		}
		synctest.Wait()
		s.requireHeard("resume abc after 7", "close 4000")
	})
}

// TestLeavesInTimeIfNothingCanBeWritten: the process has to end within seconds.
func TestLeavesInTimeIfNothingCanBeWritten(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newScript(t, func(a *actor) {
			a.say(hello)
			a.listen()
			a.say(ready)
			a.freeze()
		})
		run := s.start(gateway.Options{Keeper: &shelf{}})
		begun := time.Now()
		run.stop()
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// A shelf is a Keeper in memory.
type shelf struct {
	full bool

	mu      sync.Mutex
	saved   []gateway.Session
	settled []gateway.Session
}

func (s *shelf) Moved(_ context.Context, session gateway.Session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.saved = append(s.saved, session)
}

func (s *shelf) Settle(ctx context.Context, session gateway.Session) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settled = append(s.settled, session)
	if s.full {
		return errors.New("no room")
	}
	return ctx.Err() // it must be saved after the context of Run has ended
}

func (s *shelf) last() gateway.Session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.saved) == 0 {
		return gateway.Session{}
	}
	return s.saved[len(s.saved)-1]
}

func TestResumesTheSessionOfAnEarlierClient(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		var kept shelf
		o := r.options()
		o.Keeper = &kept
		first := r.startWith(o)
		r.message(first, "to the first")
		first.stop()
		if s := kept.last(); s.ID == "" || s.ResumeURL != "ws://resume.test" || s.Sequence != 2 {
			t.Fatalf("the first client left %+v", s)
		}

		r.fake.Dispatch(1<<9, fakegateway.Event{Name: "MESSAGE_CREATE", Data: map[string]any{"content": "to nobody"}})
		time.Sleep(time.Minute)

		o.Session = kept.last()
		second := r.startWith(o)
		r.message(second, "to the second")
		if got := second.messages(); !slices.Equal(got, []string{"to nobody", "to the second"}) {
			t.Errorf("the second client handled %q", got)
		}
		if s := kept.last(); s.Sequence != 5 { // READY, three messages, RESUMED
			t.Errorf("the second client left %+v", s)
		}
		r.requireCounts(1, 1)
	})
}

// A notary is a Keeper that records its calls.
type notary func(what string, sequence int64)

func (n notary) Moved(_ context.Context, s gateway.Session) { n("saved", s.Sequence) }

func (n notary) Settle(_ context.Context, s gateway.Session) error {
	n("settled", s.Sequence)
	return nil
}

func TestSavesASequenceAfterItsEventIsHandled(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		var mu sync.Mutex
		var done []string
		note := func(what string, sequence int64) {
			mu.Lock()
			defer mu.Unlock()
			done = append(done, fmt.Sprint(what, " ", sequence))
		}
		o := r.options()
		o.Keeper = notary(note)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- gateway.New(o).Run(ctx, func(e gateway.Event) { note("handled", e.Sequence) }) }()
		synctest.Wait()
		r.fake.Dispatch(0, fakegateway.Event{Name: "GUILD_CREATE"})
		synctest.Wait()
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"handled 1", "saved 1", "handled 2", "saved 2", "settled 2"}, slices.Compact(done)); diff != "" {
			t.Errorf("order (-want +got):\n%s", diff)
		}
	})
}

func TestIdentifiesWhenASavedSessionIsGone(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		var kept shelf
		o := r.options()
		o.Keeper = &kept
		o.Session = gateway.Session{ID: "long ago", ResumeURL: "ws://resume.test", Sequence: 99}
		run := r.startWith(o)
		time.Sleep(settled)
		r.message(run, "hello")
		r.requireCounts(1, 1)
		if kept.saved[0] != (gateway.Session{}) {
			t.Errorf("first saved %+v, want that the old session is gone", kept.saved[0])
		}
		if s := kept.last(); s.ID == "" || s.ID == "long ago" || s.Sequence != 2 {
			t.Errorf("last saved %+v", s)
		}
	})
}

func TestSettlesWithoutAConnection(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		var kept shelf
		o := r.options()
		o.Keeper = &kept
		run := r.startWith(o)
		r.fake.Refuse(true)
		r.fake.Inject(fakegateway.Drop())
		time.Sleep(time.Minute)
		run.stop()
		if len(kept.settled) == 0 || kept.settled[0] != kept.last() || kept.last().ID == "" {
			t.Errorf("settled %+v, last %+v", kept.settled, kept.last())
		}
	})
}
