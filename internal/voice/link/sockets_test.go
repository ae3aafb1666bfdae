package link_test

import (
	"context"
	"fmt"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/voice/dave"
	"discoclaw/internal/voice/link"
)

// newSocketHall is a hall that is reached over the sockets of this machine, in real time.
func newSocketHall(t testing.TB) (h *hall, endpoint string) {
	t.Helper()
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h = &hall{t: t, Server: fakevoice.New(fakevoice.Options{Packets: packets})}
	web := httptest.NewServer(h.Server)
	t.Cleanup(func() {
		h.Close()
		web.Close()
		for _, c := range h.Complaints() {
			t.Errorf("the voice server complains: %s", c)
		}
	})
	return h, strings.Replace(web.URL, "http", "ws", 1)
}

// enter has a user join a channel over sockets.
func (h *hall) enter(endpoint string, in, user uint64) *link.Call {
	h.t.Helper()
	n := fmt.Sprint(in, "-", user)
	h.Admit(fakevoice.Ticket{Guild: in, Channel: in, User: user, Session: "session-" + n, Token: "token-" + n})
	id, err := dave.NewIdentity()
	if err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(h.t.Context(), joinWait)
	defer cancel()
	at := link.Server{Endpoint: endpoint, Token: "token-" + n, Session: "session-" + n, Guild: in, Channel: in, Self: user}
	call, err := link.Dial(ctx, at, link.Options{Identity: id})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(call.Close)
	return call
}

func TestTalksOverSockets(t *testing.T) {
	t.Parallel()
	h, endpoint := newSocketHall(t)
	b, a := h.enter(endpoint, channel, bot), h.enter(endpoint, channel, ada)
	a.Speaking(true)
	deadline := time.After(time.Minute)
	for {
		_ = a.Send([]byte("hello")) // it is not ready at first
		select {
		case f := <-b.Frames():
			if f.User != ada || string(f.Opus) != "hello" {
				t.Errorf("heard %+v", f)
			}
			return
		case <-time.After(frameTime):
		case <-deadline:
			t.Fatal("nothing was heard")
		}
	}
}

// BenchmarkCalls is calls in which somebody speaks to the bot all the time. The CPU is that of all: the bot, the speaker, and the server.
func BenchmarkCalls(b *testing.B) {
	for _, n := range []int{1, 10, 50} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkCalls(b, n) })
	}
}

func benchmarkCalls(b *testing.B, n int) {
	h, endpoint := newSocketHall(b)
	before := link.Heap()
	speakers := make([]*link.Call, n)
	var joining sync.WaitGroup
	for i := range n {
		joining.Go(func() {
			first := 1000 + 2*uint64(i) // no user is in two calls
			call := h.enter(endpoint, first, first)
			go func() {
				for range call.Frames() {
				}
			}()
			speakers[i] = h.enter(endpoint, first, first+1)
			speakers[i].Speaking(true)
		})
	}
	joining.Wait()
	time.Sleep(time.Second)
	size := link.Heap() - before
	opus := make([]byte, 160)
	tick := time.NewTicker(frameTime)
	defer tick.Stop()
	began, frames := cpu(), 0
	b.ResetTimer()
	for b.Loop() { // seconds
		for range 50 {
			<-tick.C
			frames++
			for _, s := range speakers {
				if err := s.Send(opus); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(size)/float64(2*n)/1000, "KB/client")
	b.ReportMetric(float64((cpu()-began).Microseconds())/1000/(float64(frames)*frameTime.Seconds()), "cpu-ms/s")
}

// cpu is how long this process has computed.
func cpu() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
