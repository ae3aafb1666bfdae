//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm/llmtest"
)

// tellsAStory has the bot begin an answer that does not end.
func (p *process) tellsAStory(t testing.TB) {
	t.Helper()
	p.model.Queue(llmtest.Stall("Once upon a time"))
	p.world.MustSay("ada", "ops", "tell me a story")
	p.until(p.says("ops", "Once upon a time"))
}

func (p *process) signal(t testing.TB, s os.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// TestAKilledAnswerIsResumedAtTheNextStart, in the message that was begun, and once.
func TestAKilledAnswerIsResumedAtTheNextStart(t *testing.T) {
	t.Parallel()
	p := start(t, self(t))
	p.online(t)
	p.tellsAStory(t)
	begun := p.world.Messages("ops")[1].ID
	p.model.Queue(llmtest.Text("There was a bot."))
	p.kill(t)
	p.until(p.concludes("ops", "There was a bot."))
	p.kill(t) // nothing is left to resume
	p.model.Queue(llmtest.Text("Still here."))
	p.world.MustSay("ada", "general", "and now?")
	p.until(p.concludes("general", "Still here."))
	all := p.world.Messages("ops")
	if len(all) != 2 || all[1].ID != begun || all[1].Unfinished() {
		t.Errorf("%s", p.world.Transcript())
	}
	if n := len(p.model.Requests()); n != 3 {
		t.Errorf("the model was asked %d times", n)
	}
}

func TestASecondSignalEndsTheProcessAtOnce(t *testing.T) {
	t.Parallel()
	p := start(t, self(t))
	p.online(t)
	p.tellsAStory(t)
	p.world.Fail(fakediscord.Fault{Kind: fakediscord.Hang}) // so that the shutdown hangs
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = p.cmd.Wait() // its exit code is looked at below
	}()
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	for over := false; !over; {
		_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended meanwhile; two at once count as one
		select {
		case <-ended:
			over = true
		case <-again.C:
		}
	}
	if code := p.cmd.ProcessState.ExitCode(); code != exitFault || !strings.Contains(p.errs.String(), "discoclaw: ended at once") {
		t.Errorf("exit %d\n%s", code, &p.errs)
	}
}

func TestRestartReplacesTheProgramInTheSameProcess(t *testing.T) {
	t.Parallel()
	p := start(t, self(t), "DISCOCLAW_STATUS_CHANNEL=general")
	p.online(t)
	pid := p.cmd.Process.Pid
	// Settings that were written since the start take effect.
	if err := os.WriteFile(filepath.Join(p.dir, ".env"), []byte("DISCOCLAW_BOT_ACTIVITY=chess\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	first := 0
	for n := 1; n <= 5; n++ { // the last time shows that no file is leaked
		p.world.MustSay("ada", "ops", "!restart")
		p.online(t)
		p.until(p.says("ops", "Restarted in "))
		p.until(p.says("general", "after a restart that ada asked for"))
		if n == 1 {
			first = open(t, pid)
		}
	}
	const more = 3 // a leaked file would count four times
	late := time.After(long)
	for now := open(t, pid); now > first+more; now = open(t, pid) {
		select {
		case <-time.After(20 * time.Millisecond): // connections come and go
		case <-late:
			t.Fatalf("%d files are open, and %d after the first time", now, first)
		}
	}
	for shown := p.world.BotPresence(); len(shown.Activities) != 1 || shown.Activities[0].Name != "chess"; shown = p.world.BotPresence() {
		select {
		case <-time.After(20 * time.Millisecond): // the presence comes after RESUME
		case <-late:
			t.Fatalf("it shows %+v", shown)
		}
	}
	p.signal(t, syscall.SIGTERM)
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &p.errs)
	}
}

// open is how many files a process has open, where the system tells.
func open(t *testing.T, pid int) int {
	t.Helper()
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		return 0
	}
	return len(list)
}

func TestTheLockOfAKilledProcessIsTakenOver(t *testing.T) {
	t.Parallel()
	p := start(t, self(t))
	p.online(t)
	p.kill(t)
	lock, err := os.ReadFile(filepath.Join(data(t, p), "discoclaw.lock"))
	if err != nil || !strings.Contains(string(lock), fmt.Sprintf(`"pid":%d`, p.cmd.Process.Pid)) {
		t.Errorf("the lock says %s, %v", lock, err)
	}
}

// data is the process's data directory.
func data(t *testing.T, p *process) string {
	t.Helper()
	for _, pair := range p.env {
		if dir, ok := strings.CutPrefix(pair, "DISCOCLAW_DATA_DIR="); ok {
			return dir
		}
	}
	t.Fatal("there is none")
	return ""
}
