package link_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/voice/link"
)

func TestResumesWithoutLosingAWord(t *testing.T) {
	for name, end := range map[string]func(*hall){
		"cut":                 func(h *hall) { h.Cut(bot, true) },
		"the server crashed":  func(h *hall) { h.CloseCode(bot, 4015) },
		"no acknowledgements": func(h *hall) { h.StopACKs(true); time.Sleep(30 * time.Second); h.StopACKs(false) },
	} {
		t.Run(name, func(t *testing.T) {
			inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
				b, a := h.join(bot), h.join(ada)
				h.requireTalk(a, b)
				own := a.ssrcOf(bot)
				end(h)
				synctest.Wait()
				if now, _ := b.State(); name == "cut" && (!now.Ready || !now.Reconnecting) {
					t.Errorf("the state is %+v", now)
				}
				h.requireTalk(a, b)
				time.Sleep(10 * time.Second)
				h.requireTalk(a, b)
				if now, _ := b.State(); now.Reconnecting || a.ssrcOf(bot) != own || !strings.Contains(h.log.String(), "op 7 ") {
					t.Errorf("the bot has connected anew, or not resumed: %+v", now)
				}
			})
		})
	}
}

func TestHearsAfterAResumeWhatHappenedMeanwhile(t *testing.T) {
	inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		b, a := h.join(bot), h.join(ada)
		h.Cut(bot, true)
		c := h.join(cleo)
		time.Sleep(5 * time.Second)
		h.requireTalk(a, b, c)
		h.Cut(bot, true)
		a.leave()
		time.Sleep(5 * time.Second)
		h.requireTalk(b, c)
		if now, _ := b.State(); len(now.People) != 1 || now.People[0] != cleo {
			t.Errorf("there are %v", now.People)
		}
	})
}

func TestConnectsAnewWhenItCannotResume(t *testing.T) {
	for name, end := range map[string]func(*hall){
		"cut":               func(h *hall) { h.Cut(bot, false) },
		"session invalid":   func(h *hall) { h.CloseCode(bot, 4006) },
		"session timed out": func(h *hall) { h.CloseCode(bot, 4009) },
	} {
		t.Run(name, func(t *testing.T) {
			inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
				b, a := h.join(bot), h.join(ada)
				h.requireTalk(a, b)
				end(h)
				time.Sleep(5 * time.Second)
				h.requireTalk(a, b)
			})
		})
	}
}

func TestSaysWhyItIsOver(t *testing.T) {
	for _, tt := range []struct {
		code int
		want error
	}{
		{4004, link.ErrSessionEnded},
		{4011, link.ErrNoServer},
		{4012, link.ErrNeedsUpdate},
		{4014, link.ErrRemoved},
		{4016, link.ErrNeedsUpdate},
		{4017, link.ErrNeedsUpdate},
		{4020, link.ErrNeedsUpdate},
		{4021, link.ErrRateLimited},
		{4022, link.ErrCallEnded},
	} {
		t.Run(fmt.Sprint(tt.code), func(t *testing.T) {
			inHall(t, fakevoice.Options{Plain: true}, func(t *testing.T, h *hall) {
				b := h.join(bot)
				h.CloseCode(bot, tt.code)
				time.Sleep(5 * time.Second) // in which the bot could be moved
				b.requireOver(tt.want)
				<-b.done
				if there := h.Call(channel).People; len(there) > 0 {
					t.Errorf("%v are still there", there)
				}
			})
		})
	}
}

func TestASessionThatIsNotKnownIsOver(t *testing.T) {
	inHall(t, fakevoice.Options{Plain: true}, func(t *testing.T, h *hall) {
		b := h.join(bot)
		h.Expel(guild, bot)
		h.Cut(bot, false)
		time.Sleep(10 * time.Second)
		b.requireOver(link.ErrRemoved)
		if _, err := link.Dial(t.Context(), link.Server{Endpoint: "voice.test", Session: "old", Self: bot}, h.options()); !errors.Is(err, link.ErrSessionEnded) {
			t.Errorf("error %v", err)
		}
		h.Complaints() // that it is not known
	})
}

func TestFollowsToAnotherServer(t *testing.T) {
	for name, leave := range map[string]func(old *hall, b *guest){
		"told before it is disconnected": func(*hall, *guest) {},
		"disconnected first":             func(old *hall, _ *guest) { old.CloseCode(bot, 4014); time.Sleep(4 * time.Second) },
		"while there is none":            func(_ *hall, b *guest) { b.Move(link.Server{Channel: channel}); time.Sleep(19 * time.Second) },
		"in the middle of a retry":       func(old *hall, _ *guest) { old.Refuse(true); old.Cut(bot, true); time.Sleep(10 * time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			inHall(t, fakevoice.Options{}, func(t *testing.T, old *hall) {
				other := newHall(t, fakevoice.Options{Modes: []string{fakevoice.XChaCha}})
				both := old.options()
				roads(&both, map[string]*hall{"voice.test": old, "other.test": other})
				call, err := link.Dial(t.Context(), old.at(bot), both)
				if err != nil {
					t.Fatal(err)
				}
				b := old.listen(bot, call)
				old.requireTalk(old.join(ada), b)

				leave(old, b)
				to := other.at(bot)
				to.Endpoint, to.Channel = "other.test", channel
				b.Move(to)
				time.Sleep(2 * time.Second)
				other.requireTalk(other.join(cleo), b)
				time.Sleep(time.Minute) // in which a lost connection could have been resumed
				if there := old.Call(channel).People; len(there) != 1 {
					t.Errorf("%v are on the old server", there)
				}
			})
		})
	}
}

func TestAServerThatDoesNotComeIsMissed(t *testing.T) {
	inHall(t, fakevoice.Options{Plain: true}, func(t *testing.T, h *hall) {
		b := h.join(bot)
		b.Move(link.Server{})
		time.Sleep(20 * time.Second)
		b.requireOver(link.ErrNoServer)
	})
}

func TestGivesUpAServerThatCannotBeReached(t *testing.T) {
	inHall(t, fakevoice.Options{Plain: true}, func(t *testing.T, h *hall) {
		b, a := h.join(bot), h.join(ada)
		h.Refuse(true)
		h.Cut(bot, true)
		time.Sleep(14 * time.Second)
		h.Refuse(false)
		time.Sleep(2 * time.Second)
		h.requireTalk(a, b)
		time.Sleep(time.Minute)
		h.Refuse(true)
		h.Cut(bot, true)
		time.Sleep(30*time.Second + 999*time.Millisecond) // 1 + 2 + 4 + 8 + 16 s
		if now, _ := b.State(); now.Err != nil {
			t.Errorf("over too early: %v", now.Err)
		}
		time.Sleep(time.Millisecond)
		b.requireOver(link.ErrUnreachable)
	})
}

func TestSaysThatUDPIsBlocked(t *testing.T) {
	inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		h.SetLine(bot, fakevoice.Up, fakevoice.Line{Loss: 1})
		began := time.Now()
		if _, err := h.dial(bot); !errors.Is(err, link.ErrUDPBlocked) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(began); took > 6*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestFindsItsAddressAtTheFifthTry(t *testing.T) {
	inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		h.Silence(bot, 4*time.Second-time.Millisecond)
		h.join(bot)
	})
}

// A worn conn is one whose way through a firewall can close.
type worn struct {
	net.Conn
	closed *atomic.Bool
}

func (w worn) Write(p []byte) (int, error) {
	if w.closed.Load() {
		return len(p), nil
	}
	return w.Conn.Write(p)
}

func (w worn) Read(p []byte) (n int, err error) {
	for first := true; first || err == nil && w.closed.Load(); first = false {
		n, err = w.Conn.Read(p)
	}
	return n, err
}

func TestFindsAnotherWayWhenOneCloses(t *testing.T) {
	inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
		var closed []*atomic.Bool
		o := h.options()
		o.DialUDP = func(ctx context.Context, addr string) (net.Conn, error) {
			conn, err := h.DialUDP(ctx, addr)
			closed = append(closed, new(atomic.Bool))
			return worn{conn, closed[len(closed)-1]}, err
		}
		call, err := link.Dial(t.Context(), h.at(bot), o)
		if err != nil {
			t.Fatal(err)
		}
		b, a := h.listen(bot, call), h.join(ada)
		h.requireTalk(a, b)
		closed[0].Store(true)
		time.Sleep(30 * time.Second)
		h.requireTalk(a, b)
	})
}

func TestSurvivesATimeWithoutUDP(t *testing.T) {
	for _, d := range []time.Duration{10 * time.Second, 25 * time.Second} {
		t.Run(d.String(), func(t *testing.T) {
			inHall(t, fakevoice.Options{}, func(t *testing.T, h *hall) {
				b, a := h.join(bot), h.join(ada)
				h.requireTalk(a, b)
				time.Sleep(10 * time.Second)
				before := b.ssrcOf(ada)
				h.Silence(bot, d)
				a.say(count("lost", int(d/frameTime))...)
				time.Sleep(10 * time.Second)
				a.say("the end of what was lost")
				b.takeHeard(ada)
				h.requireTalk(a, b)
				if same := b.ssrcOf(ada) == before; !same {
					t.Error("the other one has connected anew")
				}
				if now, _ := b.State(); now.Counts.Lost == 0 && d < 15*time.Second {
					t.Errorf("the loss was not noticed: %+v", now.Counts)
				}
			})
		})
	}
}
