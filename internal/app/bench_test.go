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
	"strconv"
	"strings"
	"testing"

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
	if os.Getenv(beTheWorld) != "" {
		serveWorld()
		return
	}
	if chaos.Full() {
		countSQLiteMemory()
	}
	os.Exit(m.Run())
}

// serveWorld serves a fake Discord until standard input ends. It prints its URL, the token and
// ada's ID. For every number n on standard input, ada writes n messages, each when the one before
// is answered.
func serveWorld() {
	w, err := fakediscord.New(apptest.World)
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
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); fmt.Println("done") {
		n, err := strconv.Atoi(lines.Text())
		if err != nil {
			panic(err)
		}
		for range n {
			if _, err := w.Say("ada", "general", "hello"); err != nil {
				panic(err)
			}
			<-answered
		}
	}
}

// A foreignWorld is a fake Discord in a process of its own.
type foreignWorld struct {
	url, token, ada string
	in              io.Writer
	out             *bufio.Reader
}

func newForeignWorld(b *testing.B) *foreignWorld {
	b.Helper()
	exe, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), beTheWorld+"=1")
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

// talk lets ada have some turns, and waits for them.
func (w *foreignWorld) talk(b *testing.B, turns int) {
	b.Helper()
	if _, err := fmt.Fprintln(w.in, turns); err != nil {
		b.Fatal(err)
	}
	if line, err := w.out.ReadString('\n'); err != nil || strings.TrimSpace(line) != "done" {
		b.Fatalf("the world said %q, %v", line, err)
	}
}

// BenchmarkTurn measures the bot's allocations for a plain turn, from the event to the finished
// answer with all requests, and its commits, which wait for the disk.
func BenchmarkTurn(b *testing.B) {
	w := newForeignWorld(b)
	online := make(chan struct{}, 1)
	bot, err := NewBot(config.NewEnv([]string{
		"DISCORD_TOKEN=" + w.token,
		"DISCORD_API_URL=" + w.url + "/api/v10",
		"DISCORD_ALLOW_USER_IDS=" + w.ada,
		"DISCOCLAW_USER_TURNS=0",
		"DISCOCLAW_DATA_DIR=" + b.TempDir(),
	}), Externals{
		HTTP: &http.Client{},
		Runtime: script.Func(func(ctx context.Context, _ llm.Request) iter.Seq2[llm.Event, error] {
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
	cancel()
	if err := <-ended; err != nil {
		b.Error(err)
	}
}
