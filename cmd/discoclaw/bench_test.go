package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm/llmtest"
)

// build compiles the program as for a release.
func build(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "discoclaw")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	return program
}

// BenchmarkStart measures from the start of the process to its login, over real
// sockets, and its memory when idle.
func BenchmarkStart(b *testing.B) {
	program := build(b)
	var waits []time.Duration
	var memory []float64
	for b.Loop() {
		p := start(b, program)
		p.online(b)
		waits = append(waits, time.Since(p.began))
		time.Sleep(500 * time.Millisecond) // let it come to rest
		memory = append(memory, resident(b, p.cmd.Process.Pid))
		p.stop(b)
	}
	slices.Sort(waits)
	b.ReportMetric(float64(waits[len(waits)/2].Microseconds())/1000, "ms-to-online")
	b.ReportMetric(float64(waits[len(waits)-1].Microseconds())/1000, "worst-ms")
	b.ReportMetric(slices.Max(memory), "MB-resident")
	b.ReportMetric(0, "ns/op")
}

// resident is the memory of a process, in megabytes.
func resident(b *testing.B, pid int) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("no /proc status on this system")
	}
	_, rest, _ := bytes.Cut(status, []byte("VmRSS:"))
	kilobytes, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
	if err != nil {
		b.Fatal(err)
	}
	return float64(kilobytes) / 1000
}

// written is how much a process has written to the disk, in kilobytes.
func written(b *testing.B, pid int) float64 {
	b.Helper()
	io, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		b.Skip("no /proc io on this system")
	}
	_, rest, _ := bytes.Cut(io, []byte("\nwrite_bytes:"))
	n, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
	if err != nil {
		b.Fatal(err)
	}
	return float64(n) / 1000
}

// BenchmarkTurns has members in eight channels write as fast as the process answers, with
// a model that answers at once, and measures the cost. The speed is bounded by Discord's
// rate limits.
func BenchmarkTurns(b *testing.B) {
	const channels, turns = 8, 25 // so many turns in each channel
	program := build(b)
	for b.Loop() {
		p := start(b, program)
		p.online(b)
		p.model.Always(llmtest.Text("Hello", ", ", "ada."))
		time.Sleep(500 * time.Millisecond) // requests after the login are no part of a turn
		before, writtenBefore := len(p.world.Requests()), written(b, p.cmd.Process.Pid)
		began := time.Now()
		p.talk(b, channels, turns, 0)
		b.ReportMetric(float64(channels*turns)/time.Since(began).Seconds(), "turns/s")
		b.ReportMetric(resident(b, p.cmd.Process.Pid), "MB-resident")
		b.ReportMetric((written(b, p.cmd.Process.Pid)-writtenBefore)/(channels*turns), "KB-written/turn")
		p.stop(b)
		calls := p.world.Requests()[before:]
		b.ReportMetric(float64(len(calls))/(channels*turns), "calls/turn")
		b.ReportMetric(float64(busiestSecond(calls)), "calls/s-at-most")
		b.ReportMetric(float64(p.promptBytes()), "prompt-bytes")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkOverhead measures what the bot adds to a turn: from the member's message to
// the placeholder, and to the finished answer, as they reach Discord. The model
// answers at once. In any number of channels, members write fifteen messages a second
// altogether, which is below Discord's rate limits, so that no request waits for these.
func BenchmarkOverhead(b *testing.B) {
	const turns, pause = 240, time.Second / 15
	program := build(b)
	for _, channels := range []int{8, 64} {
		b.Run(fmt.Sprintf("channels=%d", channels), func(b *testing.B) {
			for b.Loop() {
				p := start(b, program)
				p.online(b)
				p.model.Always(llmtest.Text("Hello", ", ", "ada."))
				before := len(p.world.Requests())
				said := p.talk(b, channels, turns/channels, time.Duration(channels)*pause)
				p.stop(b)
				reportOverhead(b, said, p.world.Requests()[before:])
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// reportOverhead reports the time from each message to the first and to the last call
// of its turn.
func reportOverhead(b *testing.B, said map[chat.ChannelID][]time.Time, calls []fakediscord.Exchange) {
	b.Helper()
	var first, last []time.Duration
	for channel, times := range said {
		for i, at := range times {
			var came []time.Time
			for _, call := range calls {
				within := i+1 == len(times) || call.At.Before(times[i+1])
				if call.At.After(at) && within && strings.HasPrefix(call.Path, "/channels/"+string(channel)+"/") {
					came = append(came, call.At)
				}
			}
			if len(came) == 0 {
				b.Fatalf("no calls for a message in %s", channel)
			}
			first = append(first, slices.MinFunc(came, time.Time.Compare).Sub(at))
			last = append(last, slices.MaxFunc(came, time.Time.Compare).Sub(at))
		}
	}
	for name, waits := range map[string][]time.Duration{"first-call": first, "last-call": last} {
		slices.Sort(waits)
		for _, percent := range []int{50, 99} {
			wait := waits[(len(waits)-1)*percent/100]
			b.ReportMetric(float64(wait.Microseconds())/1000, fmt.Sprintf("ms-to-%s-p%d", name, percent))
		}
	}
}

// talk has a member write in several channels at once, wait for every answer, and pause
// before the next message. It returns the times of the messages.
func (p *process) talk(b *testing.B, channels, turns int, pause time.Duration) map[chat.ChannelID][]time.Time {
	b.Helper()
	var mu sync.Mutex
	said := make(map[chat.ChannelID][]time.Time)
	answered := make(map[chat.ChannelID]chan struct{})
	var ids []string
	for i := range channels {
		ch, err := p.world.AddChannel(fmt.Sprintf("#room-%d", i))
		if err != nil {
			b.Fatal(err)
		}
		answered[ch.ID] = make(chan struct{}, turns)
		ids = append(ids, string(ch.ID))
	}
	p.world.Watch(func(e fakediscord.Event) {
		if e.Name == "MESSAGE_UPDATE" && bytes.Contains(e.Data, []byte("Hello, ada.")) && bytes.Contains(e.Data, []byte(`"components":[]`)) {
			answered[e.Channel] <- struct{}{}
		}
	})
	var all sync.WaitGroup
	for i, id := range ids {
		all.Go(func() {
			next := time.Now().Add(pause * time.Duration(i) / time.Duration(channels)) // channels start at different times
			for range turns {
				time.Sleep(time.Until(next))
				next = next.Add(pause)
				mu.Lock()
				said[chat.ChannelID(id)] = append(said[chat.ChannelID(id)], time.Now())
				mu.Unlock()
				if _, err := p.world.Say("ada", id, "hello"); err != nil {
					b.Error(err)
					return
				}
				<-answered[chat.ChannelID(id)]
			}
		})
	}
	all.Wait()
	return said
}

// busiestSecond is the highest number of calls in any second.
func busiestSecond(calls []fakediscord.Exchange) int {
	slices.SortFunc(calls, func(a, b fakediscord.Exchange) int { return a.At.Compare(b.At) })
	most, from := 0, 0
	for i := range calls {
		for calls[i].At.Sub(calls[from].At) >= time.Second {
			from++
		}
		most = max(most, i-from+1)
	}
	return most
}

func (p *process) promptBytes() int {
	n := 0
	for _, m := range p.model.Requests()[0].Messages {
		n += len(m.Content)
	}
	return n
}

// stop interrupts the process, which must exit cleanly.
func (p *process) stop(t testing.TB) {
	t.Helper()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, strings.TrimSpace(p.errs.String()))
	}
}
