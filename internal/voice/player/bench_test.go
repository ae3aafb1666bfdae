//go:build unix

package player_test

import (
	"syscall"
	"testing"
	"time"

	"discoclaw/internal/voice/player"
)

// immediate is a call in which time does not matter.
type immediate struct{}

func (immediate) Send([]byte) error { return nil }
func (immediate) Speaking(bool)     {}

// BenchmarkSecond is the work of a second of speech.
func BenchmarkSecond(b *testing.B) {
	b.ReportAllocs()
	p := player.New(immediate{})
	defer p.Close()
	began := cpu(b)
	for b.Loop() {
		if _, err := p.Play(b.Context(), &tone{frames: 50}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((cpu(b)-began).Microseconds())/1000/float64(b.N), "cpu-ms/s")
}

// cpu is what the process has used.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
