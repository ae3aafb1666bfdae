package stream_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"discoclaw/internal/turn/stream"
)

// TestEditsOfRandomStreamsKeepTheRules tries arrivals and slow edits of all kinds.
// Times of arrivals are odd, so that none falls on the moment of an edit.
func TestEditsOfRandomStreamsKeepTheRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		pauses := rapid.SliceOfN(rapid.IntRange(1, 9000), 0, 40).Draw(rt, "pauses")
		events := rapid.SliceOfN(rapid.Bool(), len(pauses), len(pauses)).Draw(rt, "events")
		slow := rapid.SliceOfN(rapid.SampledFrom([]time.Duration{0, 0, ms, 700 * ms, 3 * time.Second, never}), 1, 5).Draw(rt, "slow")

		var script []arrival
		var ends []time.Duration // of the edits, at the latest
		var m *message
		synctest.Test(t, func(t *testing.T) {
			m = newMessage()
			m.took = func(n int) time.Duration {
				d := slow[n%len(slow)]
				ends = append(ends, time.Since(m.posted)+min(d, 4*time.Second))
				return d
			}
			at := time.Duration(0)
			for i, pause := range pauses {
				at += time.Duration(pause)*ms + time.Microsecond
				a := arrival{at: at}
				if !events[i] {
					a.text = strings.Repeat("x", i+1)
				}
				script = append(script, a)
			}
			follow(stream.Start(t.Context(), m.show, stream.Options{StallAfter: 20 * time.Second}), m, at+time.Minute, script...)
		})
		if m.overlap {
			rt.Fatalf("two edits at the same time")
		}
		requireRules(rt, script, m.edits, ends)
	})
}

func requireRules(t *rapid.T, script []arrival, edits []edit, ends []time.Duration) {
	free := time.Duration(0) // when the message was posted, or the last edit was over
	last := edit{}
	for i, e := range edits {
		if e.At-free < 1250*ms {
			t.Fatalf("edit at %v is too close to the one before, over at %v", e.At, free)
		}
		if e.At > max(last.At+5*time.Second, free+1250*ms)+ms {
			t.Fatalf("nothing between %v and %v", last.At, e.At)
		}
		text, heard := "**Thinking...**", time.Duration(0)
		for _, a := range script {
			if a.at <= e.At {
				heard = a.at
				if a.text != "" {
					text = a.text
				}
			}
		}
		shown, status, _ := strings.Cut(e.Text, "\n-# ")
		if shown != text {
			t.Fatalf("edit at %v shows %q, want the latest, %q", e.At, shown, text)
		}
		if stalled := e.At-heard >= 20*time.Second; strings.Contains(status, "nothing") != stalled {
			t.Fatalf("status at %v is %q, after nothing came since %v", e.At, status, heard)
		}
		if e.Text == last.Text {
			t.Fatalf("edit at %v shows %q once more", e.At, e.Text)
		}
		last, free = e, ends[i]
	}
}
