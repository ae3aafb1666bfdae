//go:build linux

package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm/llmtest"
)

// endings are the signals that end a bot with a terminal in good order, with their names in the log.
var endings = map[string]syscall.Signal{"terminated": syscall.SIGTERM, "interrupt": syscall.SIGINT, "hangup": syscall.SIGHUP}

// inTerminal gives the process that is launched next a terminal of its own, which is returned.
func (p *process) inTerminal(t *testing.T) (terminal *os.File) {
	t.Helper()
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip(err)
	}
	var unlocked, number int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlocked, syscall.TIOCGPTN: &number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, terminal.Fd(), request, uintptr(unsafe.Pointer(value))); errno != 0 {
			t.Fatal(errno)
		}
	}
	side, err := os.OpenFile("/dev/pts/"+strconv.Itoa(int(number)), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = terminal.Close() // a test may have closed it
		_ = side.Close()
	})
	p.files, p.attributes = []*os.File{side}, &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 3}
	return terminal
}

// ends waits for the process, which must end without a fault.
func (p *process) ends(t *testing.T) {
	t.Helper()
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v\n%s", err, &p.errs)
	}
	if strings.Contains(p.errs.String(), "discoclaw: ") {
		t.Errorf("it complained:\n%s", &p.errs)
	}
}

// TestPeopleSeeTheBotLeaveAndComeBack: it becomes invisible, and leaves its session to the next process.
func TestPeopleSeeTheBotLeaveAndComeBack(t *testing.T) {
	t.Parallel()
	for name, s := range endings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := prepare(t, self(t), func(_ *process, h http.Handler) http.Handler { return h })
			p.inTerminal(t)
			p.launch(t)
			p.online(t)
			p.signal(t, s)
			p.ends(t)
			if !strings.Contains(p.errs.String(), `level=INFO msg=stopping reason="signal: `+name) {
				t.Errorf("the log does not say why it ended:\n%s", &p.errs)
			}
			if got := p.world.BotPresence().Status; got != "invisible" {
				t.Errorf("after its end it is %s", got)
			}
			p.model.Queue(llmtest.Text("Here I am."))
			p.world.MustSay("ada", "general", "where are you?")
			p.launch(t)
			p.online(t)
			p.until(p.concludes("general", "Here I am."))
			if got := p.world.BotPresence().Status; got != "online" {
				t.Errorf("after its start it is %s", got)
			}
			if n := p.world.Gateway().Counts(); n.Identifies != 1 || n.Resumes != 1 {
				t.Errorf("%d IDENTIFYs and %d RESUMEs", n.Identifies, n.Resumes)
			}
		})
	}
}

// TestASignalWhileDiscordIsAwaitedIsNoFault, though the start has not succeeded.
func TestASignalWhileDiscordIsAwaitedIsNoFault(t *testing.T) {
	t.Parallel()
	for name, s := range endings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := prepare(t, self(t), func(_ *process, h http.Handler) http.Handler { return h })
			p.inTerminal(t)
			p.world.Fail(fakediscord.Fault{Status: http.StatusServiceUnavailable})
			asked := make(chan struct{}, 100)
			p.world.OnExchange(func(fakediscord.Exchange) { asked <- struct{}{} })
			p.launch(t)
			<-asked
			p.signal(t, s)
			p.ends(t)
		})
	}
}

// TestASignalWhileSettingsAreReadIsNoFault. The settings are a pipe, so that reading them takes until the test writes.
func TestASignalWhileSettingsAreReadIsNoFault(t *testing.T) {
	t.Parallel()
	for name, s := range endings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := prepare(t, self(t), func(_ *process, h http.Handler) http.Handler { return h })
			p.inTerminal(t)
			file := filepath.Join(p.dir, ".env")
			if err := syscall.Mkfifo(file, 0o600); err != nil {
				t.Fatal(err)
			}
			p.launch(t)
			settings, err := os.OpenFile(file, os.O_WRONLY, 0) // once the process reads
			if err != nil {
				t.Fatal(err)
			}
			p.signal(t, s)
			if err := settings.Close(); err != nil {
				t.Fatal(err)
			}
			p.ends(t)
		})
	}
}

// TestNohupIsHeeded: a program that is started with SIGHUP ignored outlives its terminal.
func TestNohupIsHeeded(t *testing.T) {
	t.Parallel()
	p := prepare(t, self(t), func(_ *process, h http.Handler) http.Handler { return h })
	link := filepath.Join(t.TempDir(), "discoclaw") // the test binary dispatches on its name
	if err := os.Symlink(p.program, link); err != nil {
		t.Fatal(err)
	}
	p.program = filepath.Join(t.TempDir(), "nohup")
	script := "#!/bin/sh\ntrap '' HUP\nexec '" + link + "' \"$@\"\n"
	if err := os.WriteFile(p.program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath(p.program); err != nil {
		t.Skip(err)
	}
	p.launch(t)
	p.online(t)
	p.signal(t, syscall.SIGHUP)
	p.model.Queue(llmtest.Text("Still here."))
	p.world.MustSay("ada", "general", "hello?")
	p.until(p.concludes("general", "Still here."))
	p.signal(t, syscall.SIGTERM)
	p.ends(t)
}

// TestAHangUpWithoutATerminalIsIgnored: a service manager sends SIGHUP to have settings read, and would take the end for one that was asked for.
func TestAHangUpWithoutATerminalIsIgnored(t *testing.T) {
	t.Parallel()
	p := prepare(t, self(t), func(_ *process, h http.Handler) http.Handler { return h })
	p.attributes = &syscall.SysProcAttr{Setsid: true}
	p.launch(t)
	p.online(t)
	for n := range 2 {
		p.signal(t, syscall.SIGHUP)
		p.until(func() bool { return strings.Count(p.errs.String(), `level=WARN msg="SIGHUP ignored`) == n+1 })
	}
	p.signal(t, syscall.SIGTERM)
	p.ends(t)
}

// TestATerminalMayHangUpTwice: the shell and the kernel both send SIGHUP when it is closed. That is no hurry.
func TestATerminalMayHangUpTwice(t *testing.T) {
	t.Parallel()
	p := prepare(t, self(t), func(_ *process, h http.Handler) http.Handler { return h })
	terminal := p.inTerminal(t)
	p.launch(t)
	p.online(t)
	p.tellsAStory(t)
	if err := terminal.Close(); err != nil {
		t.Error(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		p.ends(t)
	}()
	again := time.NewTicker(time.Millisecond)
	defer again.Stop()
	for over := false; !over; {
		_ = p.cmd.Process.Signal(syscall.SIGHUP) // it may have ended meanwhile
		select {
		case <-ended:
			over = true
		case <-again.C:
		}
	}
}
