package app

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/test/chaos"
)

// beTheWorld is the variable that makes the test binary serve a fake Discord, so that its
// allocations are not counted as the bot's.
const beTheWorld = "DISCOCLAW_BENCHMARK_WORLD"

func TestMain(m *testing.M) {
	if channels, err := strconv.Atoi(os.Getenv(beTheWorld)); err == nil {
		serveWorld(channels)
		return
	}
	if chaos.Full() {
		countSQLiteMemory()
	}
	os.Exit(m.Run())
}

// busyServer returns the layout of a server with so many channels, each with 60 overwrites, and with 200 threads. Its owner
// does not write: nothing denies an owner anything.
func busyServer(channels int) string {
	var b strings.Builder
	b.WriteString("guild disco: #general\nmember eve: owner\nmember ada: Team of people 07, Team of people 23, Team of people 42\n")
	for i := range 60 {
		fmt.Fprintf(&b, "role Team of people %02d: Manage Messages\n", i)
	}
	room := func(i int) string { return fmt.Sprintf("#department-%02d-room-%02d", i/20, i%20) }
	for i := range channels - 1 {
		fmt.Fprintf(&b, "category Department %02d: %s\n", i/20, room(i))
		for j := range 60 {
			fmt.Fprintf(&b, "%s %s Team of people %02d: View Channel, Send Messages\n", []string{"allow", "deny"}[j%2], room(i), j)
		}
	}
	for i := range 200 {
		fmt.Fprintf(&b, "thread \"Talk about project %03d\" in %s\n", i, room(i%(channels-1)))
	}
	return b.String()
}

// serveWorld serves a fake Discord with so many channels until standard input ends; with none, it is a small one. It prints its
// URL, the token and ada's ID. For every number n on standard input, ada writes n messages, each a while after the one
// before is answered; then it prints how many microseconds an answer took, which is the median.
func serveWorld(channels int) {
	layout := apptest.World
	if channels > 0 {
		layout = busyServer(channels)
	}
	w, err := fakediscord.New(layout)
	if err != nil {
		panic(err)
	}
	server := httptest.NewServer(w.Handler())
	w.SetURL(server.URL)
	ada, _ := w.Member("ada")
	answered := make(chan struct{}, 1)
	w.Watch(func(e fakediscord.Event) {
		if e.Name == "MESSAGE_UPDATE" && bytes.Contains(e.Data, []byte(`"components":[]`)) {
			answered <- struct{}{}
		}
	})
	fmt.Println(server.URL, w.Token(), ada.ID)
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			panic(err)
		}
		var took []time.Duration
		for range n {
			began := time.Now()
			if _, err := w.Say("ada", "general", "hello"); err != nil {
				panic(err)
			}
			<-answered
			took = append(took, time.Since(began))
			time.Sleep(time.Second / 15) // less would have turns wait for Discord's rate limits
		}
		slices.Sort(took)
		fmt.Println(took[n/2].Microseconds())
	}
}

// A foreignWorld is a fake Discord in a process of its own.
type foreignWorld struct {
	url, token, ada string
	in              io.Writer
	out             *bufio.Reader
}

func newForeignWorld(b *testing.B, channels int) *foreignWorld {
	b.Helper()
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", beTheWorld, channels))
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	w := &foreignWorld{in: in, out: bufio.NewReader(out)}
	if _, err := fmt.Fscanln(w.out, &w.url, &w.token, &w.ada); err != nil {
		b.Fatal(err)
	}
	return w
}

// talk lets ada have some turns, waits for them, and returns how long one took from message to answer.
func (w *foreignWorld) talk(b *testing.B, turns int) (took time.Duration) {
	b.Helper()
	if _, err := fmt.Fprintln(w.in, turns); err != nil {
		b.Fatal(err)
	}
	var microseconds int64
	if _, err := fmt.Fscanln(w.out, &microseconds); err != nil {
		b.Fatal(err)
	}
	return time.Duration(microseconds) * time.Microsecond
}

// inWorld runs a bot in a world, and f when the bot has answered a few messages. The bot's prompts go to asked.
func inWorld(b *testing.B, w *foreignWorld, asked func(llm.Request), f func(*Bot)) {
	b.Helper()
	online := make(chan struct{}, 1)
	bot, err := NewBot(config.NewEnv([]string{
		"DISCORD_TOKEN=" + w.token,
		"DISCORD_API_URL=" + w.url + "/api/v10",
		"DISCORD_ALLOW_USER_IDS=" + w.ada,
		"DISCOCLAW_USER_TURNS=0",
		"DISCOCLAW_DATA_DIR=" + b.TempDir(),
	}), Externals{
		HTTP: &http.Client{},
		Runtime: script.Func(func(ctx context.Context, r llm.Request) iter.Seq2[llm.Event, error] {
			asked(r)
			return script.Say("Hello, ada.").Stream(ctx)
		}),
		Online: func(chat.User) { online <- struct{}{} },
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- bot.Run(ctx) }()
	<-online
	w.talk(b, 10) // warm up
	f(bot)
	cancel()
	if err := <-ended; err != nil {
		b.Error(err)
	}
}

// BenchmarkTurn measures the bot's allocations for a plain turn, from the event to the finished
// answer with all requests, and its commits, which wait for the disk.
func BenchmarkTurn(b *testing.B) {
	w := newForeignWorld(b, 0)
	inWorld(b, w, func(llm.Request) {}, func(bot *Bot) {
		const turns = 50
		var before, after runtime.MemStats
		for b.Loop() {
			runtime.ReadMemStats(&before)
			committed := bot.core.db.Commits()
			w.talk(b, turns)
			b.ReportMetric(float64(bot.core.db.Commits()-committed)/turns, "commits/turn")
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(after.Mallocs-before.Mallocs)/turns, "allocs/turn")
			b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/turns/1000, "KB/turn")
		}
		b.ReportMetric(0, "ns/op")
	})
}

// BenchmarkTurnOnServers measures what a plain turn takes on servers of several sizes, and how large the first prompt is, which
// has no history, and the largest. A turn must not cost what the server has.
func BenchmarkTurnOnServers(b *testing.B) {
	for _, channels := range []int{10, 150, 500} {
		b.Run(strconv.Itoa(channels), func(b *testing.B) {
			w := newForeignWorld(b, channels)
			var first, largest atomic.Int64 // prompts
			asked := func(r llm.Request) {
				first.CompareAndSwap(0, int64(r.Size()))
				largest.Store(max(largest.Load(), int64(r.Size())))
			}
			inWorld(b, w, asked, func(*Bot) {
				const turns = 100
				var before, after runtime.MemStats
				for b.Loop() {
					runtime.ReadMemStats(&before)
					used := processorTime()
					b.ReportMetric(float64(w.talk(b, turns).Microseconds())/1000, "ms/turn")
					b.ReportMetric(float64((processorTime()-used).Microseconds())/1000/turns, "CPU-ms/turn")
					runtime.ReadMemStats(&after)
					b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/turns/1000, "KB/turn")
				}
				b.ReportMetric(float64(first.Load()), "prompt-bytes")
				b.ReportMetric(float64(largest.Load()), "with-history")
				b.ReportMetric(0, "ns/op")
			})
		})
	}
}

// processorTime returns the CPU time that this process has used.
func processorTime() time.Duration {
	var used syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
