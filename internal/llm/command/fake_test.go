//go:build unix

package command

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"discoclaw/internal/llm"
	"discoclaw/internal/llm/llmtest"
)

// The program of these tests is the test binary, run again by a script that says where its socket is. It tells there
// what it was called with, and does what it is told.

const (
	socketVar = "COMMAND_TEST_SOCKET"
	youngVar  = "COMMAND_TEST_GRANDCHILD"
	botVar    = "COMMAND_TEST_BOT" // has the path of the program that it runs
)

func TestMain(m *testing.M) {
	if socket := os.Getenv(socketVar); socket != "" {
		beProgram(socket)
		return
	}
	if path := os.Getenv(botVar); path != "" {
		beBot(path)
		return
	}
	go func() {
		for f := range outside {
			go f()
		}
	}()
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent(), goleak.IgnoreTopFunction("discoclaw/internal/llm/command.TestMain.func1"))
}

// outside runs functions outside of the bubble of the test that sends them: a goroutine that reads from a socket would
// hold a bubble's clock, and synctest.Wait.
var outside = make(chan func())

// A hello is what a program says about itself.
type hello struct {
	Pid        int
	Args, Env  []string
	Dir        string
	Stdin      string
	Files      map[string][]byte // that arguments and variables name
	Grandchild bool
}

// An order is what it is to do.
type order struct {
	Out, Err   string
	Repeat     int // of both
	Fork       bool
	Setsid     bool // what it forks leaves its group
	IgnoreTerm bool
	CloseOut   bool
	Exit       *int
}

func beProgram(socket string) {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
	h := hello{Pid: os.Getpid(), Args: os.Args[1:], Env: os.Environ(), Files: map[string][]byte{}, Grandchild: os.Getenv(youngVar) != ""}
	h.Dir, _ = os.Getwd()
	if !h.Grandchild {
		stdin, _ := io.ReadAll(os.Stdin)
		h.Stdin = string(stdin)
	}
	for _, text := range append(h.Args, h.Env...) {
		_, file, _ := strings.Cut(text, "=")
		if info, err := os.Stat(file); filepath.IsAbs(file) && err == nil && info.Mode().IsRegular() && info.Size() < 1<<20 {
			content, _ := os.ReadFile(file)
			h.Files[text] = content
		}
	}
	_ = json.NewEncoder(conn).Encode(h)
	orders := json.NewDecoder(conn)
	for {
		var o order
		if orders.Decode(&o) != nil {
			os.Exit(98) // the test is over
		}
		o.obey()
		_, _ = conn.Write([]byte("ok\n"))
	}
}

func (o order) obey() {
	if o.IgnoreTerm {
		signal.Ignore(syscall.SIGTERM)
	}
	for range max(o.Repeat, 1) {
		_, _ = os.Stdout.WriteString(o.Out)
		_, _ = os.Stderr.WriteString(o.Err)
	}
	if o.Fork {
		young := exec.Command(os.Args[0])
		young.Env = append(os.Environ(), youngVar+"=1")
		young.Stdout, young.Stderr = os.Stdout, os.Stderr
		young.SysProcAttr = &syscall.SysProcAttr{Setsid: o.Setsid}
		_ = young.Start()
	}
	if o.CloseOut {
		_ = os.Stdout.Close()
	}
	if o.Exit != nil {
		os.Exit(*o.Exit)
	}
}

// A program is the fake of one. As a vendor it runs the scripts of the contract, in the voice of the real one.
type program struct {
	path  string // of the script that runs it
	voice voice

	listener net.Listener
	mu       sync.Mutex
	scripts  []llmtest.Script
	always   llmtest.Script
	hellos   []hello
	runs     []*run
	young    chan struct{} // has one for every grandchild that is there
}

// A voice is how a program puts what the contract's scripts say.
type voice interface {
	kind() Kind
	asked(h hello) llm.Request
	say(text string) []string     // lines, for a piece of the answer
	message(text string) []string // lines, for all pieces so far
	think(text string) []string
	done(u llm.Usage) []string
	fail(e llm.Error, key string) []string
	torn(text string) string // the beginning of a line that says it
}

// A run is one process.
type run struct {
	program *program
	hello   hello
	conn    net.Conn
	in      *bufio.Reader
	held    string // said since the last flush
	gone    chan struct{}
	stuck   bool // it did not end
}

// patience bounds every wait for a process.
const patience = 20 * time.Second

// newProgram must be closed.
func newProgram(t *testing.T, v voice) *program {
	t.Helper()
	folder, err := os.MkdirTemp("", "fake-") // t.TempDir is too long a path for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	p := &program{voice: v, young: make(chan struct{}, 9), path: filepath.Join(folder, "program")}
	socket := filepath.Join(folder, "socket")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	script := fmt.Sprintf("#!/bin/sh\n%s='%s' exec '%s' \"$@\"\n", socketVar, socket, self)
	if err := os.WriteFile(p.path, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	if p.listener, err = net.Listen("unix", socket); err != nil {
		t.Fatal(err)
	}
	outside <- func() { p.serve() }
	return p
}

func (p *program) serve() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.attend(conn)
	}
}

// attend runs a script for a process, and is over when the process is.
func (p *program) attend(conn net.Conn) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(patience))
	x := &run{program: p, conn: conn, in: bufio.NewReader(conn), gone: make(chan struct{})}
	defer close(x.gone)
	line, err := x.in.ReadBytes('\n')
	if err != nil || json.Unmarshal(line, &x.hello) != nil {
		return
	}
	script := p.begin(x)
	defer func() {
		if v := recover(); v != nil && v != errGone {
			panic(v)
		}
		x.Hang()
	}()
	script(x)
	x.exit(0)
}

func (p *program) begin(x *run) llmtest.Script {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.runs = append(p.runs, x)
	if x.hello.Grandchild {
		p.young <- struct{}{}
		return func(x llmtest.Response) { x.Hang() }
	}
	p.hellos = append(p.hellos, x.hello)
	script := p.always
	if len(p.scripts) > 0 {
		script, p.scripts = p.scripts[0], p.scripts[1:]
	}
	return script
}

func (p *program) Next(s llmtest.Script) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.scripts = append(p.scripts, s)
}

func (p *program) Always(s llmtest.Script) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.always = s
}

// begun is a process by the order in which they began.
func (p *program) begun(i int) *run {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.runs[i]
}

func (p *program) called() []hello {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]hello(nil), p.hellos...)
}

func (p *program) Asked() []llmtest.Asked {
	var all []llmtest.Asked
	for _, h := range p.called() {
		all = append(all, llmtest.Asked{Key: h.key(), Request: p.voice.asked(h)})
	}
	return all
}

func (h hello) key() string {
	for _, v := range h.Env {
		if name, value, _ := strings.Cut(v, "="); strings.HasSuffix(name, "_API_KEY") {
			return value
		}
	}
	return ""
}

// Active waits for the end of all processes, and returns how many have none.
func (p *program) Active() int {
	p.mu.Lock()
	runs := append([]*run(nil), p.runs...)
	p.mu.Unlock()
	n := 0
	for _, x := range runs {
		if <-x.gone; x.stuck {
			n++
		}
	}
	return n
}

func (p *program) Close() {
	_ = p.listener.Close()
	p.Active()
}

// errGone ends a script whose process has ended.
var errGone = fmt.Errorf("the process has ended")

func (x *run) order(o order) {
	if json.NewEncoder(x.conn).Encode(o) != nil {
		panic(errGone)
	}
	if _, err := x.in.ReadByte(); err != nil {
		panic(errGone)
	}
	_, _ = x.in.ReadString('\n')
}

func (x *run) exit(code int) {
	x.flush()
	x.order(order{Exit: &code})
}

func (x *run) print(lines []string) {
	if len(lines) > 0 {
		x.order(order{Out: strings.Join(lines, "\n") + "\n"})
	}
}

// flush says what was said in pieces as a whole, for a program that does so.
func (x *run) flush() {
	text := x.held
	x.held = ""
	if text != "" {
		x.print(x.program.voice.message(text))
	}
}

func (x *run) Asked() llmtest.Asked {
	return llmtest.Asked{Key: x.hello.key(), Request: x.program.voice.asked(x.hello)}
}

func (x *run) Say(text string) {
	x.held += text
	x.print(x.program.voice.say(text))
}

func (x *run) Think(text string)  { x.print(x.program.voice.think(text)) }
func (x *run) Call(llm.ToolCall)  { panic("programs have tools of their own") }
func (x *run) Garble()            { x.print([]string{"{{{ not JSON"}) }
func (x *run) Wait(time.Duration) {} // the test's clock does not reach a process
func (x *run) Die()               { x.flush(); x.exit(1) }
func (x *run) Done(u llm.Usage)   { x.flush(); x.print(x.program.voice.done(u)) }
func (x *run) Tear(text string)   { x.flush(); x.order(order{Out: x.program.voice.torn(text)}); x.Die() }
func (x *run) Fail(e llm.Error) {
	x.flush()
	x.print(x.program.voice.fail(e, x.hello.key()))
	x.exit(1)
}
func (x *run) Write(_ int, _, text string) { x.order(order{Out: text}); x.exit(0) }

// Hang waits for the end of the process.
func (x *run) Hang() {
	x.flushQuietly()
	_, err := io.Copy(io.Discard, x.in)
	x.stuck = x.stuck || err != nil && os.IsTimeout(err)
}

// flushQuietly is for the end of a script, when the process may be gone.
func (x *run) flushQuietly() {
	defer func() { _ = recover() }()
	x.flush()
}
