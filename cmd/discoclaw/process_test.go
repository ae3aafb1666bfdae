package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/llmtest"
)

// A process is the bot in a process of its own, with the fake Discord and the model of the
// test, over real sockets.
type process struct {
	testing.TB
	world *discordtest.World
	model *llmtest.Server
	cmd   *exec.Cmd
	began time.Time

	program, dir string // the executable and its working directory
	env          []string
	disk         *disk // nil for this machine's
	servers      []string
	files        []*os.File           // that the process inherits
	attributes   *syscall.SysProcAttr // of the process; nil for the usual ones

	out  *bufio.Reader
	errs record

	mu      sync.Mutex
	told    chan struct{} // closed and replaced at every event of the world, and every line of the log
	running *os.Process   // cmd.Process, for killNow
	refused int           // processes whose connections are refused
}

// A record collects the stderr of a process.
type record struct {
	wrote func() // called after each write

	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	defer r.wrote()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.String()
}

func (r *record) Reset() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text.Reset()
}

// long is the timeout of every wait. It only passes when something is wrong.
const long = 2 * time.Minute

const processLayout = `
guild disco: #general #ops
member ada: owner
`

// start runs the program with the settings on top of those every process needs.
func start(t testing.TB, program string, settings ...string) *process {
	t.Helper()
	return startBehind(t, program, func(_ *process, h http.Handler) http.Handler { return h }, settings...)
}

// startBehind is start with guard wrapped around the handlers of Discord and of the model.
func startBehind(t testing.TB, program string, guard func(*process, http.Handler) http.Handler, settings ...string) *process {
	t.Helper()
	p := prepare(t, program, guard, settings...)
	p.launch(t)
	return p
}

// hearHangUps has processes take SIGHUP, also if these tests run under nohup. Only a signal that is ignored stays so in a child.
var hearHangUps = sync.OnceFunc(func() { signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) })

// prepare is startBehind without starting the process.
func prepare(t testing.TB, program string, guard func(*process, http.Handler) http.Handler, settings ...string) *process {
	t.Helper()
	p := &process{TB: t, world: discordtest.New(t, processLayout), model: &llmtest.Server{}, told: make(chan struct{})}
	discord := p.serve(guard(p, p.world.Handler()))
	p.world.SetURL(discord.URL)
	model := p.serve(guard(p, p.model))
	p.errs.wrote = func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		close(p.told)
		p.told = make(chan struct{})
	}
	p.world.Watch(func(fakediscord.Event) { p.errs.wrote() })
	p.program, p.dir, p.servers = program, t.TempDir(), []string{discord.URL, model.URL}
	p.env = append([]string{
		"DISCORD_TOKEN=" + p.world.Token(),
		"DISCORD_API_URL=" + discord.URL + "/api/v10",
		"DISCORD_ALLOW_USER_IDS=" + string(p.world.UserID("ada")), "DISCOCLAW_SUMMARY_ENABLED=0", "DISCOCLAW_SHORTTERM_MEMORY_ENABLED=0",
		"DISCOCLAW_USER_TURNS=0",
		"OPENAI_BASE_URL=" + model.URL + "/v1",
		"DISCOCLAW_DATA_DIR=" + filepath.Join(t.TempDir(), "data"),
	}, settings...)
	t.Cleanup(func() {
		if p.cmd != nil {
			_ = p.cmd.Process.Kill() // has ended already if all went well
			_ = p.cmd.Wait()
		}
		if said := p.errs.String(); strings.Contains(said, "WARNING: DATA RACE") {
			t.Errorf("%s", said)
		}
		p.world.Close()
		discord.Close()
		model.Close()
	})
	return p
}

// serve starts a server that refuses connections of ended processes: a request may arrive long
// after the end of its process, and would be taken for one of the next.
func (p *process) serve(next http.Handler) *httptest.Server {
	refused := func() int {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.refused
	}
	type accepted struct{}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == barrier:
		case r.Context().Value(accepted{}) == refused():
			next.ServeHTTP(w, r)
		default:
			panic(http.ErrAbortHandler)
		}
	}))
	s.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, accepted{}, refused())
	}
	s.Start()
	return s
}

// barrier is a path without any effect.
const barrier = "/barrier"

// cutOff refuses what is still in flight from the process that has ended.
func (p *process) cutOff(t testing.TB) {
	t.Helper()
	// Connections are accepted in order, so the process has none after these.
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, server := range p.servers {
		answer, err := client.Get(server + barrier)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close() // it is empty
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refused++
}

// launch runs the program.
func (p *process) launch(t testing.TB) {
	t.Helper()
	hearHangUps()
	p.cmd = exec.Command(p.program, "run")
	p.cmd.Args[0] = "discoclaw" // the test binary dispatches on it
	if p.disk != nil {
		p.cmd = p.disk.command(p.program, "run")
	}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stderr, p.cmd.ExtraFiles = p.dir, p.env, &p.errs, p.files
	p.cmd.WaitDelay = long // a program that the bot has started may keep its stderr open
	if p.attributes != nil {
		p.cmd.SysProcAttr = p.attributes
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	p.began = time.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.running = p.cmd.Process
}

// killNow kills the process from within a request handler.
func (p *process) killNow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.running.Kill() // it runs, since it has just sent a request
}

// kill kills the process, and starts it again.
func (p *process) kill(t testing.TB) {
	t.Helper()
	if err := p.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait() // says that it was killed
	p.launch(t)
	p.online(t)
}

// self is the test binary, which can also be the program.
func self(t testing.TB) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

// online waits for the line that the bot is online.
func (p *process) online(t testing.TB) {
	t.Helper()
	line, err := p.out.ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "Online as DiscoClaw") {
		_ = p.cmd.Process.Kill() // it may go on, having said something else
		_ = p.cmd.Wait()         // so that all of stderr is there
		t.Fatalf("the process said %q, %v\n%s", line, err, &p.errs)
	}
}

// until waits for a condition of the world or the log.
func (p *process) until(is func() bool) {
	p.Helper()
	if !p.awaits(is) {
		p.Fatalf("it did not come to that\n%s\n%s", p.world.Transcript(), &p.errs)
	}
}

// awaits waits for a condition of the world or the log, up to the timeout, and reports whether it is met.
func (p *process) awaits(is func() bool) bool {
	late := time.After(long)
	for {
		p.mu.Lock()
		told := p.told
		p.mu.Unlock()
		if is() {
			return true
		}
		select {
		case <-told:
		case <-late:
			return false
		}
	}
}

// says is the condition that the last message in a channel is the bot's and contains text.
func (p *process) says(channel, text string) func() bool {
	return func() bool {
		all := p.world.Messages(channel)
		return len(all) > 0 && all[len(all)-1].Author == p.world.UserID("bot") && strings.Contains(all[len(all)-1].Content, text)
	}
}

// concludes is the condition that the last message in a channel is the bot's, contains text,
// and is final. Before that, a kill may cost the text.
func (p *process) concludes(channel, text string) func() bool {
	return func() bool {
		all := p.world.Messages(channel)
		return p.says(channel, text)() && !all[len(all)-1].Unfinished()
	}
}

func TestTheProcessAnswersAndExitsOnASignal(t *testing.T) {
	t.Parallel()
	p := start(t, self(t))
	p.online(t)
	p.model.Queue(llmtest.Text("Hello, ", "ada."), llmtest.Stall("Once upon a time"))
	p.world.MustSay("ada", "general", "hello")
	p.until(p.concludes("general", "Hello, ada."))

	p.world.MustSay("ada", "ops", "tell me a story")
	p.until(p.says("ops", "")) // it has begun
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v\n%s", err, &p.errs)
	}
	if !p.says("ops", "the bot is going offline")() {
		t.Errorf("the reply was left as %v", p.world.Transcript())
	}
	for _, secret := range []string{p.world.Token(), "tell me a story", "Once upon"} {
		if strings.Contains(p.errs.String(), secret) {
			t.Errorf("the log has %q in it:\n%s", secret, &p.errs)
		}
	}
}

func TestTwoProcessesCannotShareADataDirectory(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := start(t, self(t), "DISCOCLAW_DATA_DIR="+dir)
	first.online(t)
	second := start(t, self(t), "DISCOCLAW_DATA_DIR="+dir)
	err := second.cmd.Wait()
	who := fmt.Sprintf("discoclaw: the bot is running already: process %d ", first.cmd.Process.Pid)
	said := second.errs.String()
	if second.cmd.ProcessState.ExitCode() != exitMistake || !strings.Contains(said, who) || !strings.Contains(said, "uses the data directory "+dir) {
		t.Errorf("%v, %s", err, said)
	}
}

func TestAWrongTokenIsAMistake(t *testing.T) {
	t.Parallel()
	p := start(t, self(t), "DISCORD_TOKEN=wrong")
	_ = p.cmd.Wait() // its exit code is looked at below
	said := p.errs.String()
	if p.cmd.ProcessState.ExitCode() != exitMistake || strings.Count(said, "\n") != 2 || !strings.Contains(said, "\ndiscoclaw: Discord refused the token; ") || strings.Contains(said, "wrong") {
		t.Errorf("exit %d, %q", p.cmd.ProcessState.ExitCode(), said)
	}
	if n := len(p.world.Requests()); n != 1 {
		t.Errorf("it tried %d times", n)
	}
}

func TestThePlaygroundEndsWithCtrlC(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(self(t), "play", "--listen", "127.0.0.1:0")
	cmd.Args[0] = "discoclaw"
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"TMPDIR=" + t.TempDir(), "OPENAI_API_KEY="}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // has ended already if all went well
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "DiscoClaw's playground is at http://127.0.0.1:") {
		t.Fatalf("%q, %v", line, err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	left, err := os.ReadDir(strings.TrimPrefix(cmd.Env[0], "TMPDIR="))
	if err != nil || len(left) > 0 {
		t.Errorf("it left %v behind, %v", left, err)
	}
}
