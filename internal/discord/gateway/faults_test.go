package gateway_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/discord/gateway"
	"discoclaw/internal/fakediscord/fakegateway"
)

// moments are the states of a connection in which a fault happens. Each sets up its state and
// injects the fault once.
var moments = []struct {
	name    string
	strike  func(r *rig, f fakegateway.Fault) *running
	session bool // whether there is a session to lose
	before  int  // RESUMEs sent until the fault has happened
}{
	{"before READY", func(r *rig, f fakegateway.Fault) *running {
		r.fake.AnswerNext(f)
		return r.start()
	}, false, 0},
	{"after READY", func(r *rig, f fakegateway.Fault) *running {
		run := r.start()
		r.fake.Inject(f)
		return run
	}, true, 0},
	{"before RESUMED", func(r *rig, f fakegateway.Fault) *running {
		run := r.start()
		r.fake.AnswerNext(f)
		r.fake.Inject(fakegateway.Drop())
		return run
	}, true, 1},
	{"after RESUMED", func(r *rig, f fakegateway.Fault) *running {
		run := r.start()
		r.fake.Inject(fakegateway.Drop())
		time.Sleep(settled)
		synctest.Wait()
		r.fake.Inject(f)
		return run
	}, true, 1},
}

func TestReconnectsAfterEveryFault(t *testing.T) {
	t.Parallel()
	for _, says := range []struct {
		name  string
		fault fakegateway.Fault
		keeps bool // the session
	}{
		{"reconnect", fakegateway.Reconnect(), true},
		{"invalid session, resumable", fakegateway.InvalidSession(true), true},
		{"invalid session", fakegateway.InvalidSession(false), false},
		{"nothing, and is gone", fakegateway.Drop(), true},
		{"nothing, and the connection breaks", fakegateway.Reset(), true},
	} {
		for _, when := range moments {
			t.Run(says.name+" "+when.name, func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					r := newRig(t)
					run := when.strike(r, says.fault)
					time.Sleep(settled)
					r.message(run, "still there?")
					r.requireSpacing()
					if when.session && says.keeps {
						r.requireCounts(1, when.before+1)
					} else {
						r.requireCounts(2, when.before)
					}
				})
			})
		}
	}
}

// closeCodes are the codes of Discord's documentation, and some codes that come from
// elsewhere.
var closeCodes = []struct {
	code         int
	keeps, fatal bool
}{
	{code: 4000, keeps: true},
	{code: 4001},
	{code: 4002, keeps: true},
	{code: 4003},
	{code: 4004, fatal: true},
	{code: 4005},
	{code: 4007},
	{code: 4008, keeps: true},
	{code: 4009},
	{code: 4010, fatal: true},
	{code: 4011, fatal: true},
	{code: 4012, fatal: true},
	{code: 4013, fatal: true},
	{code: 4014, fatal: true},

	{code: 1000, keeps: true},
	{code: 1001, keeps: true},
	{code: 1011, keeps: true},
	{code: 1012, keeps: true},
	{code: 3000, keeps: true},
	{code: 4006, keeps: true},
	{code: 4999, keeps: true},
}

func TestResumesIdentifiesOrEndsByCloseCode(t *testing.T) {
	t.Parallel()
	for _, tt := range closeCodes {
		for _, when := range moments {
			t.Run(fmt.Sprintf("%d %s", tt.code, when.name), func(t *testing.T) {
				bubble(t, func(t *testing.T) {
					r := newRig(t)
					run := when.strike(r, fakegateway.CloseCode(tt.code))
					if tt.fatal {
						run.requireCloseError(tt.code)
						r.requireCounts(1, when.before)
						return
					}
					time.Sleep(settled)
					r.message(run, "still there?")
					r.requireSpacing()
					if when.session && tt.keeps {
						r.requireCounts(1, when.before+1)
					} else {
						r.requireCounts(2, when.before)
					}
				})
			})
		}
	}
}

func TestIdentifiesOnceIfTheRefusalIsPermanent(t *testing.T) {
	t.Parallel()
	for _, code := range []int{4004, 4010, 4011, 4012, 4013, 4014} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := newRig(t)
				r.refuseWith = code
				run := r.start()
				run.requireCloseError(code)
				time.Sleep(time.Hour)
				r.requireCounts(1, 0)
				if n := r.fake.Counts().Connections; n != 1 {
					t.Errorf("%d connections, want 1", n)
				}
			})
		})
	}
}

func TestWaitsOneToFiveSecondsAfterAnInvalidSession(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		r.start()
		var longest time.Duration
		for range 30 { // each wait is random
			time.Sleep(time.Hour) // so that nothing else makes it wait
			synctest.Wait()
			lost := time.Now()
			r.fake.Inject(fakegateway.InvalidSession(false))
			time.Sleep(5 * time.Second)
			synctest.Wait()
			waited := r.identifies[len(r.identifies)-1].Sub(lost)
			if waited < time.Second {
				t.Errorf("a new session after %v", waited)
			}
			longest = max(longest, waited)
		}
		if longest < 2*time.Second {
			t.Errorf("the longest wait was %v", longest)
		}
		r.requireCounts(31, 0)
	})
}

// TestDoesNotWaitForAnAnswerForEver: heartbeats are acknowledged meanwhile, so nothing else would end it.
func TestDoesNotWaitForAnAnswerForEver(t *testing.T) {
	t.Parallel()
	t.Run("to IDENTIFY", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			r := newRig(t)
			r.fake.AnswerNext(fakegateway.Silence())
			run := r.start()
			time.Sleep(59 * time.Second)
			r.requireCounts(1, 0)
			time.Sleep(8 * time.Second) // with the backoff
			r.requireCounts(2, 0)
			r.message(run, "hello")
		})
	})
	t.Run("to RESUME", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			r := newRig(t)
			run := r.start()
			time.Sleep(time.Hour)
			r.fake.AnswerNext(fakegateway.Silence())
			r.fake.Inject(fakegateway.Drop())
			time.Sleep(59 * time.Second)
			r.requireCounts(1, 1)
			time.Sleep(8 * time.Second) // with the backoff
			r.requireCounts(1, 2)
			r.message(run, "hello")
		})
	})
	t.Run("to any RESUME", func(t *testing.T) {
		bubble(t, func(t *testing.T) {
			r := newRig(t)
			run := r.start()
			time.Sleep(time.Hour)
			for range 4 {
				r.fake.AnswerNext(fakegateway.Silence())
			}
			r.fake.Inject(fakegateway.Drop())
			time.Sleep(10 * time.Minute)
			r.message(run, "hello")
			if n := r.fake.Counts(); n.Identifies != 2 || n.Resumes > 4 {
				t.Errorf("%+v", n)
			}
		})
	})
}

// TestWaitsForALongReplay, as long as events come.
func TestWaitsForALongReplay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		const event = `{"op":0,"t":"MESSAGE_CREATE","s":%d,"d":{"content":"%d"}}`
		s := newScript(t, func(a *actor) {
			a.say(hello)
			a.listen()
			a.say(ready)
		}, func(a *actor) {
			a.say(`{"op":10,"d":{"heartbeat_interval":3600000}}`)
			a.listen()
			go a.idle() // a heartbeat may come
			for i := 2; i < 12; i++ {
				time.Sleep(50 * time.Second)
				a.say(fmt.Sprintf(event, i, i))
			}
			time.Sleep(50 * time.Second)
			a.say(`{"op":0,"t":"RESUMED","s":12,"d":{}}`)
			<-a.s.over
		})
		run := s.start(gateway.Options{})
		time.Sleep(20 * time.Minute)
		if n := len(run.messages()); n != 10 {
			t.Errorf("%d messages were handled\n%s", n, &s.log)
		}
		run.requireRunning()
	})
}

func TestDropsASessionThatCannotBeResumed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		run := r.start()
		for range 5 {
			r.fake.AnswerNext(fakegateway.CloseCode(4000), fakegateway.Drop(), fakegateway.Reconnect())
		}
		r.fake.Inject(fakegateway.Drop())
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if n := r.fake.Counts(); n.Identifies != 1 || n.Resumes < 4 {
			t.Errorf("after two minutes, %d IDENTIFYs and %d RESUMEs", n.Identifies, n.Resumes)
		}
		for r.fake.Counts().Identifies == 1 && time.Since(r.identifies[0]) < time.Hour {
			time.Sleep(time.Minute)
			synctest.Wait()
		}
		time.Sleep(time.Hour)
		r.message(run, "still there?")
		r.requireSpacing()
	})
}

func TestResetsTheRefusalsWhenASessionIsResumed(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		run := r.start()
		for range 4 {
			r.fake.AnswerNext(fakegateway.Drop(), fakegateway.Drop())
			r.fake.Inject(fakegateway.Drop())
			time.Sleep(5 * time.Minute)
			synctest.Wait()
		}
		run.requireRunning()
		r.requireCounts(1, 12)
	})
}

func TestSurvivesAnHourOfFlapping(t *testing.T) {
	t.Parallel()
	faults := func(n int, f fakegateway.Fault) (list []fakegateway.Fault) {
		for range n {
			list = append(list, f)
		}
		return list
	}
	for _, tt := range []struct {
		name  string
		setUp func(r *rig)
		every func(r *rig) // three seconds
	}{
		{"the connection drops", nil, func(r *rig) { r.fake.Inject(fakegateway.Drop()) }},
		{"the session is lost", nil, func(r *rig) { r.fake.Inject(fakegateway.InvalidSession(false)) }},
		{"the session times out", nil, func(r *rig) { r.fake.Inject(fakegateway.CloseCode(4009)) }},
		{"the connection drops and sessions are forgotten", nil, func(r *rig) {
			r.fake.Inject(fakegateway.Drop())
			r.fake.ForgetSessions()
		}},
		{"every answer is a closed connection", func(r *rig) {
			r.fake.AnswerNext(faults(10_000, fakegateway.CloseCode(4000))...)
		}, nil},
		{"every answer is an invalid session", func(r *rig) {
			r.fake.AnswerNext(faults(10_000, fakegateway.InvalidSession(false))...)
		}, nil},
		{"every answer is a call to reconnect", func(r *rig) {
			r.fake.AnswerNext(faults(10_000, fakegateway.Reconnect())...)
		}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := newRig(t)
				if tt.setUp != nil {
					tt.setUp(r)
				}
				run := r.start()
				for range int(time.Hour / (3 * time.Second)) {
					time.Sleep(3 * time.Second)
					if tt.every != nil {
						tt.every(r)
					}
				}
				run.requireRunning()
				r.requireSpacing()
				got := r.fake.Counts()
				if got.Identifies > 20 {
					t.Errorf("%d IDENTIFYs in an hour", got.Identifies)
				}
				if got.Connections < 10 {
					t.Errorf("only %d connections in an hour", got.Connections)
				}
			})
		})
	}
}

func TestTheBackoffIsResetAfterAStableConnection(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t)
		run := r.start()
		for range 200 { // flap, so that pauses are long
			r.fake.Inject(fakegateway.Drop())
			time.Sleep(3 * time.Second)
		}
		time.Sleep(10 * time.Minute) // steady
		synctest.Wait()
		resumes := r.fake.Counts().Resumes
		r.fake.Inject(fakegateway.Drop())
		time.Sleep(2 * time.Second)
		run.requireRunning()
		r.requireCounts(1, resumes+1)
	})
}
