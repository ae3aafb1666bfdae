package stream_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/turn/stream"
)

const ms = time.Millisecond

// never is longer than any test.
const never = 1000 * time.Hour

// An edit is the text that was shown, and how long after the start.
type edit struct {
	At   time.Duration
	Text string
}

// A message records its edits. Each takes as long as took says, or until its context
// ends.
type message struct {
	took func(n int) time.Duration // of the nth edit, from 1; nil means no time
	err  error

	mu      sync.Mutex
	posted  time.Time
	edits   []edit
	current int // edits in flight
	overlap bool
}

func newMessage() *message { return &message{posted: time.Now()} }

func (m *message) show(ctx context.Context, text string) error {
	m.mu.Lock()
	m.edits = append(m.edits, edit{time.Since(m.posted), text})
	n := len(m.edits)
	m.current++
	m.overlap = m.overlap || m.current > 1
	m.mu.Unlock()
	defer func() {
		m.mu.Lock()
		m.current--
		m.mu.Unlock()
	}()
	if m.took == nil {
		return m.err
	}
	select {
	case <-time.After(m.took(n)):
		return m.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (m *message) seen() []edit {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.edits
}

// requireEdits compares hundredths of seconds: an edit waits a moment for what comes together.
func (m *message) requireEdits(t *testing.T, want ...edit) {
	t.Helper()
	var got []edit
	for _, e := range m.seen() {
		got = append(got, edit{e.At.Truncate(10 * ms), e.Text})
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("edits (-want +got):\n%s", diff)
	}
	if m.overlap {
		t.Error("two edits at the same time")
	}
}

// An arrival is an event of the stream, and its time.
type arrival struct {
	at   time.Duration
	text string // empty for an event
	tell func(*stream.Editor)
}

// follow tells e what arrives, and stops it at the end.
func follow(e *stream.Editor, m *message, end time.Duration, script ...arrival) {
	for _, a := range script {
		if a.at >= end {
			break
		}
		time.Sleep(a.at - time.Since(m.posted))
		switch {
		case a.tell != nil:
			a.tell(e)
		case a.text == "":
			e.Event()
		default:
			e.Text(a.text)
		}
	}
	time.Sleep(end - time.Since(m.posted))
	synctest.Wait()
	e.Stop()
}

// flood is a text that grows by a letter at every step.
func flood(step time.Duration, steps int) []arrival {
	var script []arrival
	for n := 1; n <= steps; n++ {
		script = append(script, arrival{at: time.Duration(n) * step, text: strings.Repeat("x", n)})
	}
	return script
}

func TestEdits(t *testing.T) {
	t.Parallel()
	quiet := stream.Options{KeepAlive: never} // only events cause edits
	for _, tt := range []struct {
		name    string
		options stream.Options
		script  []arrival
		end     time.Duration
		want    []edit
	}{
		{"nothing arrives", stream.Options{}, nil, 16 * time.Second, []edit{
			{5 * time.Second, "**Thinking...**\n-# 5 s"},
			{10 * time.Second, "**Thinking...**\n-# 10 s"},
			{15 * time.Second, "**Thinking...**\n-# 15 s"},
		}},
		{"nothing arrives after another beginning", stream.Options{Waiting: "**(following up...)**"}, nil, 6 * time.Second, []edit{
			{5 * time.Second, "**(following up...)**\n-# 5 s"},
		}},
		{"white space arrives", stream.Options{}, []arrival{{at: 100 * ms, text: " \n"}}, 6 * time.Second, []edit{
			{5 * time.Second, "**Thinking...**\n-# 5 s"},
		}},
		{"the first text comes early", quiet, []arrival{{at: 100 * ms, text: "a"}}, time.Minute, []edit{
			{1250 * ms, "a\n-# 1 s"},
		}},
		{"the first text comes late", quiet, []arrival{{at: 3330 * ms, text: "a"}}, time.Minute, []edit{
			{3330 * ms, "a\n-# 3 s"},
		}},
		{"the latest text wins", quiet, []arrival{{at: 100 * ms, text: "a"}, {at: 1249 * ms, text: "ab"}, {at: 1300 * ms, text: "abc"}, {at: 2499 * ms, text: "abcd"}}, time.Minute, []edit{
			{1250 * ms, "ab\n-# 1 s"},
			{2500 * ms, "abcd\n-# 2 s"},
		}},
		{"the same text comes again", quiet, []arrival{{at: 2 * time.Second, text: "a"}, {at: 4 * time.Second, text: "a"}}, 50 * time.Second, []edit{
			{2 * time.Second, "a\n-# 2 s"},
		}},
		{"a frame would be the same", stream.Options{Gap: 100 * ms, KeepAlive: never}, []arrival{{at: 2 * time.Second, text: "a"}, {at: 2200 * ms, text: "a\n"}, {at: 2400 * ms, text: "a\n\nb"}}, 50 * time.Second, []edit{
			{2 * time.Second, "a\n-# 2 s"},
			{2400 * ms, "a\n\nb\n-# 2 s"},
		}},
		{"the text is taken back", quiet, []arrival{{at: 2 * time.Second, text: "a"}, {at: 4 * time.Second, text: " "}}, 50 * time.Second, []edit{
			{2 * time.Second, "a\n-# 2 s"},
			{4 * time.Second, "**Thinking...**\n-# 4 s"},
		}},
		{"time passes after a text", stream.Options{}, []arrival{{at: 2 * time.Second, text: "a"}, {at: 11 * time.Second, text: "ab"}}, 20 * time.Second, []edit{
			{2 * time.Second, "a\n-# 2 s"},
			{7 * time.Second, "a\n-# 7 s"},
			{11 * time.Second, "ab\n-# 11 s"},
			{16 * time.Second, "ab\n-# 16 s"},
		}},
		{"code is still open", quiet, []arrival{{at: 2 * time.Second, text: "```go\nx := 1\n"}}, 50 * time.Second, []edit{
			{2 * time.Second, "```go\nx := 1\n```\n-# 2 s"},
		}},

		{"a stall", quiet, []arrival{{at: 2 * time.Second, text: "a"}}, 130 * time.Second, []edit{
			{2 * time.Second, "a\n-# 2 s"},
			{62 * time.Second, "a\n-# 1 min 2 s · nothing from the model for 1 min"},
			{92 * time.Second, "a\n-# 1 min 32 s · nothing from the model for 1 min 30 s"},
			{122 * time.Second, "a\n-# 2 min 2 s · nothing from the model for 2 min"},
		}},
		{"a stall from the beginning", quiet, nil, 70 * time.Second, []edit{
			{60 * time.Second, "**Thinking...**\n-# 1 min · nothing from the model for 1 min"},
		}},
		{"a stall between two signs of life", stream.Options{KeepAlive: 20 * time.Second}, nil, 100 * time.Second, []edit{
			{20 * time.Second, "**Thinking...**\n-# 20 s"},
			{40 * time.Second, "**Thinking...**\n-# 40 s"},
			{60 * time.Second, "**Thinking...**\n-# 1 min · nothing from the model for 1 min"},
			{80 * time.Second, "**Thinking...**\n-# 1 min 20 s · nothing from the model for 1 min"},
			{90 * time.Second, "**Thinking...**\n-# 1 min 30 s · nothing from the model for 1 min 30 s"},
		}},
		{"a stall keeps its distance", stream.Options{KeepAlive: 59 * time.Second}, nil, 65 * time.Second, []edit{
			{59 * time.Second, "**Thinking...**\n-# 59 s"},
			{60250 * ms, "**Thinking...**\n-# 1 min · nothing from the model for 1 min"},
		}},
		{"an event puts the stall off", quiet, []arrival{{at: 59 * time.Second, text: ""}}, 2 * time.Minute, []edit{
			{119 * time.Second, "**Thinking...**\n-# 1 min 59 s · nothing from the model for 1 min"},
		}},
		{"an event ends the stall", quiet, []arrival{{at: 70 * time.Second, text: ""}}, 2 * time.Minute, []edit{
			{60 * time.Second, "**Thinking...**\n-# 1 min · nothing from the model for 1 min"},
			{70 * time.Second, "**Thinking...**\n-# 1 min 10 s"},
		}},
		{"a text ends the stall", quiet, []arrival{{at: 60500 * ms, text: "a"}}, 121 * time.Second, []edit{
			{60 * time.Second, "**Thinking...**\n-# 1 min · nothing from the model for 1 min"},
			{61250 * ms, "a\n-# 1 min 1 s"},
			{120500 * ms, "a\n-# 2 min · nothing from the model for 1 min"},
		}},
		{"stalls are not told", stream.Options{KeepAlive: 2 * time.Hour, StallAfter: -1}, nil, 3 * time.Hour, []edit{
			{2 * time.Hour, "**Thinking...**\n-# 2 h 0 min"},
		}},
		{"other times", stream.Options{Gap: time.Second, KeepAlive: 3 * time.Second, StallAfter: 4 * time.Second, StallEvery: 2 * time.Second}, []arrival{{at: 100 * ms, text: "a"}}, 8 * time.Second, []edit{
			{1000 * ms, "a\n-# 1 s"},
			{4000 * ms, "a\n-# 4 s"},
			{5000 * ms, "a\n-# 5 s · nothing from the model for 4 s"},
			{6100 * ms, "a\n-# 6 s · nothing from the model for 6 s"},
		}},
		{"a senseless time between stall lines means the default", stream.Options{KeepAlive: never, StallEvery: -1}, nil, 110 * time.Second, []edit{
			{60 * time.Second, "**Thinking...**\n-# 1 min · nothing from the model for 1 min"},
			{90 * time.Second, "**Thinking...**\n-# 1 min 30 s · nothing from the model for 1 min 30 s"},
		}},
		{"senseless times mean the defaults", stream.Options{Gap: -1, KeepAlive: -1, EditLimit: -1, Rest: -1, StallEvery: -1}, []arrival{{at: 100 * ms, text: "a"}}, 7 * time.Second, []edit{
			{1250 * ms, "a\n-# 1 s"},
			{6250 * ms, "a\n-# 6 s"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := newMessage()
				follow(stream.Start(t.Context(), m.show, tt.options), m, tt.end, tt.script...)
				m.requireEdits(t, tt.want...)
			})
		})
	}
}

// TestEditsOfAFloodAreRateLimited also shows that nothing piles up: every edit has
// the text of its moment.
func TestEditsOfAFloodAreRateLimited(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMessage()
		e := stream.Start(t.Context(), m.show, stream.Options{})
		follow(e, m, 9*time.Second, flood(9999*time.Microsecond, 1000)...) // no text comes at the moment of an edit
		var want []edit
		for _, status := range []string{"1 s", "2 s", "3 s", "5 s", "6 s", "7 s", "8 s"} {
			at := time.Duration(len(want)+1) * 1250 * ms
			want = append(want, edit{at, strings.Repeat("x", int(at/(10*ms))) + "\n-# " + status})
		}
		m.requireEdits(t, want...)
	})
}

// TestTheLastTextIsNotShownBeforeTheAnswer: they often come together.
func TestTheLastTextIsNotShownBeforeTheAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMessage()
		e := stream.Start(t.Context(), m.show, stream.Options{})
		time.Sleep(2 * time.Second)
		e.Text("a")
		synctest.Wait()
		e.Stop()
		m.requireEdits(t)
	})
}

func TestErrorsOfEditsAreIgnored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMessage()
		m.err = errors.New("thread is archived")
		follow(stream.Start(t.Context(), m.show, stream.Options{}), m, 8*time.Second, arrival{at: 2 * time.Second, text: "a"})
		m.requireEdits(t, edit{2 * time.Second, "a\n-# 2 s"}, edit{7 * time.Second, "a\n-# 7 s"})
	})
}

func TestThePauseBeginsAtTheEndOfAnEdit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMessage()
		m.took = func(int) time.Duration { return 3 * time.Second }
		e := stream.Start(t.Context(), m.show, stream.Options{KeepAlive: never})
		follow(e, m, 20*time.Second,
			arrival{at: 1 * time.Second, text: "a"},
			arrival{at: 2 * time.Second, text: "ab"}, arrival{at: 4 * time.Second, text: "abc"}, arrival{at: 5 * time.Second, text: "abcd"},
			arrival{at: 12 * time.Second, text: "abcde"})
		m.requireEdits(t,
			edit{1250 * ms, "a\n-# 1 s"},
			edit{5500 * ms, "abcd\n-# 5 s"},
			edit{12 * time.Second, "abcde\n-# 12 s"})
	})
}

// TestTextIsPausedWhenEditsTimeOut: each edit times out after 4 s. After the third,
// new text is paused, and only an edit every 5 s probes whether Discord is back.
func TestTextIsPausedWhenEditsTimeOut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		hangs int // edits, from the first on
		want  []time.Duration
	}{
		{"two", 2, []time.Duration{1250 * ms, 6500 * ms, 11750 * ms, 13000 * ms, 14250 * ms, 15500 * ms, 16750 * ms, 18000 * ms, 19250 * ms}},
		// The third times out at 15.75 s, so text is paused until 25.75 s.
		{"three", 3, []time.Duration{1250 * ms, 6500 * ms, 11750 * ms, 17000 * ms, 22000 * ms, 25750 * ms, 27000 * ms, 28250 * ms}},
		// The fifth times out at 26.25 s, so text is paused until 36.25 s.
		{"five", 5, []time.Duration{1250 * ms, 6500 * ms, 11750 * ms, 17000 * ms, 22250 * ms, 27500 * ms, 32500 * ms, 36250 * ms, 37500 * ms}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := newMessage()
				m.took = func(n int) time.Duration {
					if n <= tt.hangs {
						return never
					}
					return 0
				}
				e := stream.Start(t.Context(), m.show, stream.Options{})
				follow(e, m, tt.want[len(tt.want)-1], flood(100*ms, 400)...)
				var got []time.Duration
				for _, edit := range m.seen() {
					got = append(got, edit.At)
				}
				if diff := cmp.Diff(tt.want, got); diff != "" {
					t.Errorf("times of edits (-want +got):\n%s", diff)
				}
			})
		})
	}
}

func TestASuccessfulEditResetsTheTimeouts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMessage()
		m.took = func(n int) time.Duration {
			if n%3 != 0 {
				return never
			}
			return 0
		}
		e := stream.Start(t.Context(), m.show, stream.Options{KeepAlive: never, Gap: time.Second, EditLimit: time.Second})
		follow(e, m, 20*time.Second, flood(99*ms, 200)...)
		if n := len(m.seen()); n != 12 { // two of 2 s and one of 1 s, over and over
			t.Errorf("%d edits in 20 s, want 12: %v", n, m.seen())
		}
	})
}

func TestTextDoesNotWaitForAnEdit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMessage()
		m.took = func(int) time.Duration { return never }
		e := stream.Start(t.Context(), m.show, stream.Options{})
		defer e.Stop()
		e.Text("a")
		time.Sleep(2 * time.Second)
		before := time.Now()
		for range 1000 {
			e.Text("b")
			e.Event()
		}
		if d := time.Since(before); d != 0 {
			t.Errorf("waited for %v", d)
		}
	})
}

func TestStop(t *testing.T) {
	t.Parallel()

	t.Run("before anything", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			m := newMessage()
			e := stream.Start(t.Context(), m.show, stream.Options{})
			e.Text("a")
			e.Stop()
			e.Text("b")
			e.Event()
			time.Sleep(time.Hour)
			e.Stop()
			m.requireEdits(t)
		})
	})

	t.Run("waits for the edit under way", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			m := newMessage()
			m.took = func(int) time.Duration { return 2 * time.Second }
			e := stream.Start(t.Context(), m.show, stream.Options{})
			e.Text("a")
			time.Sleep(1500 * ms)
			e.Text("b")
			e.Stop()
			if d := time.Since(m.posted); d != 3250*ms {
				t.Errorf("stopped at %v, want at the end of the edit", d)
			}
			time.Sleep(time.Hour)
			m.requireEdits(t, edit{1250 * ms, "a\n-# 1 s"})
		})
	})

	t.Run("waits no longer than an edit may take", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			m := newMessage()
			m.took = func(int) time.Duration { return never }
			e := stream.Start(t.Context(), m.show, stream.Options{})
			e.Text("a")
			time.Sleep(1500 * ms)
			e.Stop()
			if d := time.Since(m.posted); d != 5250*ms {
				t.Errorf("stopped at %v, want at the edit's timeout", d)
			}
		})
	})

	t.Run("from several goroutines", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			e := stream.Start(t.Context(), newMessage().show, stream.Options{})
			var all sync.WaitGroup
			for range 3 {
				all.Go(e.Stop)
			}
			all.Wait()
		})
	})
}

func TestNothingIsShownAfterTheContextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := newMessage()
		m.took = func(int) time.Duration { return 3 * time.Second }
		ctx, cancel := context.WithCancel(t.Context())
		e := stream.Start(ctx, m.show, stream.Options{})
		e.Text("a")
		time.Sleep(2 * time.Second)
		e.Text("b")
		cancel()
		synctest.Wait()
		before := time.Now()
		e.Stop() // the edit was cancelled with the context
		if d := time.Since(before); d != 0 {
			t.Errorf("Stop waited for %v", d)
		}
		time.Sleep(time.Hour)
		m.requireEdits(t, edit{1250 * ms, "a\n-# 1 s"})
	})
}

// TestTheContextEndsTheEditorWithoutStop: the bubble fails if its goroutine leaks.
func TestTheContextEndsTheEditorWithoutStop(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		stream.Start(ctx, newMessage().show, stream.Options{})
		cancel()
	})
}

func TestInvisibleTextCausesNoEdit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMessage()
		asked := 0
		e := stream.Start(t.Context(), m.show, stream.Options{Visible: func(text string) string {
			asked++
			shown, _, _ := strings.Cut(text, "<")
			return shown
		}})
		text := "Hello"
		for range 4000 { // four seconds of markup, a piece every millisecond
			e.Text(text)
			text += "<x>"
			time.Sleep(ms)
		}
		time.Sleep(2 * time.Second)
		e.Stop()
		if diff := cmp.Diff([]edit{{1250 * ms, "Hello\n-# 1 s"}}, m.seen()); diff != "" {
			t.Errorf("edits (-want +got):\n%s", diff)
		}
		if asked > 6 {
			t.Errorf("Visible was called %d times", asked)
		}
	})
}
