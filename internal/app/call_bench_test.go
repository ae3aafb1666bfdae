package app

import (
	"context"
	"iter"
	"net"
	"net/http"
	"slices"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/fakevoice"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/tones"
)

// BenchmarkCall measures how long the bot itself takes to answer aloud: from the last sound of a question to the first sound of the answer,
// without the pause by which it knows that the question is over. Model, recogniser and synthesiser take no time; the sound goes over
// real sockets of this machine.
func BenchmarkCall(b *testing.B) {
	const (
		questions = 200
		pause     = 300 * time.Millisecond // see pauseAfter of package hear
	)
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	udp := func(ctx context.Context, address string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", address)
	}
	l := newLounge(b, inLounge, fakevoice.Options{Packets: socket})
	l.serve(b, udp)
	l.MustSay("ada", "general", "!voice join Lounge")
	time.Sleep(2 * time.Second)
	l.must(l.EnterVoice("ada", "Lounge"))
	ada := l.connect("ada", udp)
	time.Sleep(5 * time.Second) // for the encryption, and the notice
	frames, err := tones.Frames("go on")
	l.must(err)
	for b.Loop() {
		var took []time.Duration
		for range questions {
			took = append(took, ada.asksFor(frames)-pause)
		}
		slices.Sort(took)
		b.ReportMetric(float64(took[questions/2].Microseconds())/1000, "ms-median")
		b.ReportMetric(float64(took[questions-1].Microseconds())/1000, "ms-worst")
	}
	b.ReportMetric(0, "ns/op")
}

// serve runs a bot in the lounge, in real time, until the benchmark ends.
func (l *lounge) serve(b *testing.B, udp func(ctx context.Context, address string) (net.Conn, error)) {
	online := make(chan struct{}, 1)
	bot, err := NewBot(l.env, Externals{
		HTTP: l.HTTP(), ModelHTTP: &http.Client{Transport: l.services.Transport}, DialUDP: udp, Online: func(chat.User) { online <- struct{}{} },
		Runtime: script.Func(func(ctx context.Context, _ llm.Request) iter.Seq2[llm.Event, error] {
			return script.Say("Yes.").Stream(ctx)
		}),
	})
	l.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- bot.Run(ctx) }()
	b.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			b.Error(err)
		}
	})
	<-online
}

// asksFor says something, and returns how long after its last sound the answer began. Then it waits until that is over.
func (c *caller) asksFor(frames [][]byte) time.Duration {
	c.call.Speaking(true)
	due := time.Now()
	var last time.Time
	for i := range len(frames) + 5 {
		due = due.Add(20 * time.Millisecond)
		time.Sleep(time.Until(due))
		if i < len(frames) {
			last = time.Now()
			c.l.must(c.call.Send(frames[i]))
		} else {
			_ = c.call.Send(link.Silence)
		}
	}
	c.call.Speaking(false)
	first := c.heardAt()
	for first.Before(last) {
		if time.Since(last) > 10*time.Second {
			c.l.t.Fatalf("there is no answer\n%s", c.l.Transcript())
		}
		time.Sleep(time.Millisecond)
		first = c.heardAt()
	}
	for time.Since(c.heardAt()) < 400*time.Millisecond {
		time.Sleep(20 * time.Millisecond)
	}
	return first.Sub(last)
}
