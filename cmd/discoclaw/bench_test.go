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

// build compiles the program as a release is.
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
// sockets, and what it holds in memory when nobody speaks.
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

// resident is how much memory of a process is in use, in megabytes.
func resident(b *testing.B, pid int) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		b.Skip("this system does not tell how much memory a process uses")
	}
	_, rest, _ := bytes.Cut(status, []byte("VmRSS:"))
	kilobytes, err := strconv.Atoi(string(bytes.Fields(rest)[0]))
	if err != nil {
		b.Fatal(err)
	}
	return float64(kilobytes) / 1000
}

// BenchmarkTurns has eight channels talk to the process at once, with a model that
// answers at once, and looks at what that costs.
func BenchmarkTurns(b *testing.B) {
	const channels, turns = 8, 25 // so many turns in each channel
	program := build(b)
	for b.Loop() {
		p := start(b, program, "DISCOCLAW_MESSAGE_HISTORY_BUDGET=0")
		p.online(b)
		p.model.Always(llmtest.Text("Hello", ", ", "ada."))
		before := len(p.world.Requests())
		began := time.Now()
		p.talk(b, channels, turns)
		b.ReportMetric(float64(channels*turns)/time.Since(began).Seconds(), "turns/s")
		b.ReportMetric(resident(b, p.cmd.Process.Pid), "MB-resident")
		p.stop(b)
		calls := p.world.Requests()[before:]
		b.ReportMetric(float64(len(calls))/(channels*turns), "calls/turn")
		b.ReportMetric(float64(busiestSecond(calls)), "calls/s-at-most")
		b.ReportMetric(float64(p.promptBytes()), "prompt-bytes")
	}
	b.ReportMetric(0, "ns/op")
}

// talk has somebody speak in several channels at once and wait for every answer.
func (p *process) talk(b *testing.B, channels, turns int) {
	b.Helper()
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
	for _, id := range ids {
		all.Go(func() {
			for range turns {
				if _, err := p.world.Say("ada", id, "hello"); err != nil {
					b.Error(err)
					return
				}
				<-answered[chat.ChannelID(id)]
			}
		})
	}
	all.Wait()
}

// busiestSecond is how many calls there were at most in any second.
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

// stop ends the process, which must agree.
func (p *process) stop(t testing.TB) {
	t.Helper()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, strings.TrimSpace(p.errs.String()))
	}
}
