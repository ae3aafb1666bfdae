package play

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"discoclaw/internal/fakediscord"
)

// BenchmarkKeep measures what it costs to save a message in a world that has ten thousand.
func BenchmarkKeep(b *testing.B) {
	world, err := fakediscord.New(harbour)
	if err != nil {
		b.Fatal(err)
	}
	defer world.Close()
	if _, err := world.StartThread("ada", "general", "a thread"); err != nil {
		b.Fatal(err)
	}
	n := 0
	say := func(where string) {
		n++
		if _, err := world.Say("ada", where, fmt.Sprintf("message %d is about as long as what people write to each other", n)); err != nil {
			b.Fatal(err)
		}
	}
	for range 10_000 {
		say("general")
	}
	f, err := keepWorld(world, filepath.Join(b.TempDir(), "world.json"), nil)
	if err != nil {
		b.Fatal(err)
	}
	for _, where := range []string{"general", "a thread"} { // which counts its messages
		b.Run("in="+where, func(b *testing.B) {
			before, first := written(b), n
			for b.Loop() {
				say(where)
			}
			b.ReportMetric(float64(written(b)-before)/float64(n-first), "bytes-written/op")
		})
	}
	if err := f.close(); err != nil {
		b.Fatal(err)
	}
}

// written is how many bytes this process has written to files.
func written(b *testing.B) (bytes int64) {
	b.Helper()
	counts, err := os.ReadFile("/proc/self/io")
	if err != nil {
		b.Skip("no /proc io on this system")
	}
	var read int64
	if _, err := fmt.Sscanf(string(counts), "rchar: %d\nwchar: %d\n", &read, &bytes); err != nil {
		b.Fatal(err)
	}
	return bytes
}
