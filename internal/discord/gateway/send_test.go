package gateway_test

import (
	"context"
	"fmt"
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

func show(p fakegateway.Presence) string {
	text := p.Status
	for _, a := range p.Activities {
		text += fmt.Sprintf(" %d:%s", a.Type, a.Name)
	}
	return text
}

func where(v fakegateway.VoiceState) string {
	if v.Channel == nil {
		return "none"
	}
	return v.Channel.String()
}

func (r *rig) wish(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wishes = append(r.wishes, what)
}

func (r *rig) wished() []string {
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.wishes)
}

func (r *rig) requireWishes(want ...string) {
	r.t.Helper()
	if diff := cmp.Diff(want, r.wished()); diff != "" {
		r.t.Errorf("wishes (-want +got):\n%s\nlog:\n%s", diff, &r.log)
	}
}

func (run *running) status(status string) error {
	return run.client.SetPresence(run.t.Context(), func(p *gateway.Presence) { p.Status = status })
}

func (run *running) join(channel string) error {
	return run.client.SetVoiceState(run.t.Context(), gateway.VoiceState{Guild: "7", Channel: &channel})
}

func requireNoError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

func TestSendsPresenceAndVoiceState(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		run := r.start()
		requireNoError(t, run.status("idle"))
		requireNoError(t, run.client.SetPresence(t.Context(), func(p *gateway.Presence) {
			p.Activities = []gateway.Activity{{Name: "chess", Type: 3}}
		}))
		requireNoError(t, run.join("8"))
		requireNoError(t, run.client.SetVoiceState(t.Context(), gateway.VoiceState{Guild: "7"}))
		r.requireWishes("presence idle", "presence idle 3:chess", "voice 8", "voice none")
		r.requireCounts(1, 0)
	})
}

func TestSendsThePresenceInEveryNewSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		run := r.start()
		requireNoError(t, run.status("dnd"))
		r.fake.Inject(fakegateway.InvalidSession(false))
		time.Sleep(settled)
		r.requireWishes("presence dnd", "identify as dnd")
		r.requireCounts(2, 0)
	})
}

func TestSendsAPresenceThatWasSetWhileDisconnected(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		run := r.start()
		r.fake.Refuse(true)
		r.fake.Inject(fakegateway.Drop())
		synctest.Wait() // until it is noticed
		err := run.status("idle")
		if err == nil || !strings.Contains(err.Error(), "once I am connected again") {
			t.Errorf("error %v", err)
		}
		r.fake.Refuse(false)
		time.Sleep(2 * time.Minute)
		r.requireWishes("presence idle")
		r.requireCounts(1, 1)
	})
}

func TestACommandWaitsForTheConnection(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		run := r.start()
		r.fake.Inject(fakegateway.Drop())
		synctest.Wait()
		requireNoError(t, run.join("8"))
		r.requireWishes("voice 8")
		r.requireCounts(1, 1)
	})
}

func TestACommandTimesOut(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		run := r.start()
		r.fake.Refuse(true)
		r.fake.Inject(fakegateway.Drop())
		synctest.Wait() // until it is noticed
		begun := time.Now()
		err := run.join("8")
		if took := time.Since(begun); took != 15*time.Second {
			t.Errorf("it took %v", took)
		}
		if err == nil || !strings.Contains(err.Error(), "try again in a minute") {
			t.Errorf("error %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err = run.client.SetVoiceState(ctx, gateway.VoiceState{Guild: "7"})
		if err == nil || !strings.Contains(err.Error(), "stopped before") {
			t.Errorf("error %v", err)
		}
		// A command that timed out must not be sent later.
		r.fake.Refuse(false)
		time.Sleep(2 * time.Minute)
		r.requireWishes()
	})
}

func TestSendsNothingBeforeItIsReady(t *testing.T) {
	bubble(t, func(t *testing.T) {
		goOn := make(chan struct{})
		s := newScript(t, func(a *actor) {
			a.say(hello)
			a.listen()
			<-goOn
			a.say(ready)
			a.listen()
			a.idle()
		})
		run := s.start(gateway.Options{})
		sent := make(chan error, 1)
		go func() { sent <- run.join("8") }()
		synctest.Wait()
		if len(sent) > 0 {
			t.Errorf("it was sent before READY (%v)", <-sent)
		}
		close(goOn)
		requireNoError(t, <-sent)
		synctest.Wait()
		s.requireHeard("identify", "op 4")
	})
}

// TestKeepsToTheLimitOfCommands: the fake closes a connection that sends more than
// Discord allows, heartbeats included.
func TestKeepsToTheLimitOfCommands(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const total = 250
		r := newRig(t)
		run := r.start()
		var senders sync.WaitGroup
		for i := range total {
			senders.Go(func() {
				for run.join(fmt.Sprint(i)) != nil { // the allowance can have room only after the timeout
				}
			})
		}
		for range 3 {
			r.fake.Inject(fakegateway.RequestHeartbeat())
			time.Sleep(10 * time.Second)
		}
		senders.Wait()
		got := r.wished()
		slices.Sort(got)
		if got = slices.Compact(got); len(got) != total {
			t.Errorf("%d of %d were sent", len(got), total)
		}
		if n := r.fake.Counts().Commands; n != total {
			t.Errorf("%d commands, want each of the %d once", n, total)
		}
		r.message(run, "still there?")
		r.requireCounts(1, 0)
	})
}

func TestTheLastOfManyPresencesIsSent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		run := r.start()
		var senders sync.WaitGroup
		for i := range 50 {
			senders.Go(func() {
				requireNoError(t, run.client.SetPresence(t.Context(), func(p *gateway.Presence) {
					p.Activities = append(slices.Clone(p.Activities), gateway.Activity{Name: fmt.Sprint(i)})
				}))
			})
		}
		senders.Wait()
		got := r.wished()
		if n := strings.Count(got[len(got)-1], " "); n != 51 {
			t.Errorf("shown at last: %s", got[len(got)-1])
		}
	})
}

func TestAFrozenServerDoesNotHoldUpSenders(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := newScript(t, func(a *actor) {
			welcome(a)
			a.freeze()
		})
		run := s.start(gateway.Options{})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begun := time.Now()
		err := run.client.SetVoiceState(ctx, gateway.VoiceState{Guild: "7"})
		if took := time.Since(begun); err == nil || took != time.Second {
			t.Errorf("error %v after %v", err, took)
		}
	})
}
