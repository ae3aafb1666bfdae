// Package hostile makes texts that are hard on parsers, above all those for which a careless
// one takes quadratic time. It is for tests only.
package hostile

import (
	"strings"
	"testing"
	"time"
)

// A Text can have any length: it has n pieces.
type Text func(n int) string

// Repeat has the piece n times.
func Repeat(piece string) Text {
	return func(n int) string { return strings.Repeat(piece, n) }
}

// After has a text stand after a head.
func After(head string, tail Text) Text {
	return func(n int) string { return head + tail(n) }
}

// Before has a text stand before a tail.
func Before(tail string, head Text) Text {
	return func(n int) string { return head(n) + tail }
}

// Growing has runs of one to k characters, about n characters in all.
func Growing(char, between string) Text {
	return func(n int) string {
		var b strings.Builder
		for k := 1; b.Len() < n; k++ {
			b.WriteString(strings.Repeat(char, k) + between)
		}
		return b.String()
	}
}

// Growth takes a text with 1,000 pieces and with 100,000, and reports how much more a
// byte costs in the long one. Linear work stays near 1, quadratic work would show 100.
func Growth(b *testing.B, text Text, work func(string)) {
	short, long := text(1_000), text(100_000)
	repeats := max(1, len(long)/len(short))
	var shortTime, longTime time.Duration
	for b.Loop() {
		start := time.Now()
		for range repeats {
			work(short)
		}
		middle := time.Now()
		work(long)
		shortTime += middle.Sub(start)
		longTime += time.Since(middle)
	}
	ratio := float64(longTime) / float64(shortTime) * float64(repeats*len(short)) / float64(len(long))
	b.ReportMetric(ratio, "x-per-byte")
	b.ReportMetric(float64(longTime.Nanoseconds())/float64(b.N)/float64(len(long)), "ns/B")
	b.ReportMetric(0, "ns/op") // says nothing here
}
