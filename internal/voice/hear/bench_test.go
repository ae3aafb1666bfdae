package hear

import (
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"testing"
	"time"

	"discoclaw/internal/voice/link"
	"discoclaw/internal/voice/tones"
	"discoclaw/internal/voice/transcribe"
)

// deaf is a recogniser that understands nothing, so that only what is before it is measured.
type deaf struct{ rate int }

func (d deaf) Rate() int                                     { return d.rate }
func (deaf) Open(context.Context) (transcribe.Stream, error) { return deaf{}, nil }
func (deaf) Write([]int16)                                   {}
func (deaf) Pause()                                          {}
func (deaf) Results() <-chan transcribe.Result               { return nil }
func (deaf) Close() error                                    { return nil }
func newDeafSpeaker(rate int) *speaker {
	r := &room{Options: Options{Recogniser: deaf{rate}, Log: slog.New(slog.DiscardHandler)}}
	s := &speaker{room: r, person: &person{id: "1"}, frames: make(chan arrival, framesKept), stage: idleAfter}
	s.quiet = time.NewTimer(endAfter)
	return s
}

func second(t testing.TB) [][]byte {
	frames, err := tones.Frames("what is said in a second")
	if err != nil {
		t.Fatal(err)
	}
	return frames[:50]
}

// BenchmarkASecondOfASpeaker is what it takes to decode a second, and to filter it where the recogniser takes 16 kHz.
func BenchmarkASecondOfASpeaker(b *testing.B) {
	for _, rate := range []int{48000, 16000} {
		b.Run(fmt.Sprint(rate), func(b *testing.B) {
			s := newDeafSpeaker(rate)
			frames := second(b)
			b.ReportAllocs()
			for b.Loop() {
				for _, f := range frames {
					s.take(b.Context(), arrival{link.Frame{Sequence: s.next, Opus: f}, time.Now()})
				}
			}
		})
	}
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkSpeakers is how much memory a speaker has, without what their recogniser has. A decoder in C has its memory elsewhere.
func BenchmarkSpeakers(b *testing.B) {
	frames := second(b)
	for b.Loop() {
		const speakers = 20
		before := heap()
		all := make([]*speaker, speakers)
		for i := range all {
			all[i] = newDeafSpeaker(16000)
			for _, f := range frames {
				all[i].take(b.Context(), arrival{link.Frame{Sequence: all[i].next, Opus: f}, time.Now()})
			}
		}
		b.ReportMetric(float64(heap()-before)/speakers, "B/speaker")
		runtime.KeepAlive(all)
	}
}
