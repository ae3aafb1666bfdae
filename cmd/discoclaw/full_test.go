package main

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/test/chaos"
)

// diskSize in megabytes is enough for all files of the bot, the reserve included.
const diskSize = 16

// newFullDiskRig is a killRig on a disk of its own, which becomes full at a killPoint. The
// process is not started yet.
func newFullDiskRig(t *testing.T, d *disk, settings ...string) *killRig {
	t.Helper()
	s := &killRig{orders: orders(t.TempDir()), asked: map[string]int{}}
	fills := func(p *process, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if s.killAt(p, r) != nil {
				d.fill(t)
			}
			next.ServeHTTP(w, r)
		})
	}
	s.process = prepare(t, self(t), fills, append([]string{ordersIn + "=" + string(s.orders), "DISCOCLAW_DATA_DIR=" + d.dir,
		"DISCOCLAW_DISCORD_ACTIONS_CHANNELS=1", "DISCOCLAW_MESSAGE_HISTORY_BUDGET=0"}, settings...)...)
	s.disk = d
	s.model.Always(s.answer)
	return s
}

// begin starts the process.
func (s *killRig) begin(t *testing.T) {
	t.Helper()
	began := time.Now()
	s.launch(t)
	s.online(t)
	s.watch()
	if s.begun && s.disk.hasRoom() { // a new database is copied later
		s.disk.awaitCopy(t, began)
	}
	s.begun = true
}

// end kills the process.
func (s *killRig) end() {
	_ = s.cmd.Process.Kill() // it runs
	<-s.ended
}

// hears has ada write a message, and waits for the answer.
func (s *killRig) hears(n int) chat.MessageID {
	m := s.world.MustSay("ada", "general", fmt.Sprint("run ", n)).ID
	s.awaits(func() bool { return s.finished(m) > 0 })
	return m
}

// A fullDiskRun is a disk that becomes full before a step of the work on a message.
type fullDiskRun struct {
	step   killPoint
	killed bool // while the disk is full, and the next process starts on it
}

func fullDiskRuns() []fullDiskRun {
	var list []fullDiskRun
	for _, b := range killPoints() {
		if b.when == "before" {
			list = append(list, fullDiskRun{b, false}, fullDiskRun{b, true})
		}
	}
	return list
}

func (f fullDiskRun) then() string {
	if f.killed {
		return "killed, started again"
	}
	return "goes on"
}

// TestADiskThatIsFullLosesAndDoublesNothing fills the disk before each step of the work on
// a message. The bot goes on with its reserve, and the next process resumes from what it
// wrote there.
func TestADiskThatIsFullLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	skipMoments(t)
	newDisk(t, diskSize) // or skip
	list := fullDiskRuns()
	tallies := make([]tally, len(list))
	t.Run("full", func(t *testing.T) {
		for i, f := range list {
			t.Run(fmt.Sprintf("before %s, %s", f.step.step, f.then()), func(t *testing.T) {
				t.Parallel()
				tallies[i] = f.run(t)
			})
		}
	})
	var sum tally
	for _, n := range tallies {
		sum.add(n)
	}
	chaos.Publish(t, chaos.Floods, chaos.Table{Summary: sum.summary("messages")})
}

// run fills the disk at the step, and returns the tally. One message is sent before, one
// is being answered then, one is sent while the disk is full, one to the next process if
// there is one, and one when there is room again.
func (f fullDiskRun) run(t *testing.T) tally {
	d := newDisk(t, diskSize)
	s := newFullDiskRig(t, d)
	s.begin(t)
	var said []chat.MessageID
	hears := func() { said = append(said, s.hears(len(said))) }
	for range chaos.Runs(1, 10) {
		hears()
		s.fillAt(t, f.step)
		hears()
		hears()
		s.orders.withdraw() // only now: the last step may come after the answer
		if f.killed {
			s.end()
			s.begin(t)
			hears()
		}
		d.clear(t)
		hears()
	}
	s.leave(t)
	sum := s.count(said)
	if sum.isBad(0) || sum.asked > 1 {
		t.Errorf("%+v\n%s\n%s", sum, s.world.Transcript(), &s.errs)
	}
	return sum
}

// fillAt fills the disk when the work on the next message reaches a step.
func (s *killRig) fillAt(t *testing.T, b killPoint) {
	t.Helper()
	if b.change != "" {
		if err := s.orders.give("fill " + b.change); err != nil {
			t.Fatal(err)
		}
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = &b
}

// reports is how often operators were told what.
func (s *killRig) reports(what string) int {
	n := 0
	for _, m := range s.world.Messages("ops") {
		n += strings.Count(m.Content, what)
	}
	return n
}

func TestOperatorsHearOnceThatTheDiskIsFull(t *testing.T) {
	t.Parallel()
	d := newDisk(t, diskSize)
	s := newFullDiskRig(t, d, "DISCOCLAW_STATUS_CHANNEL=ops")
	s.begin(t)
	d.fill(t)
	for n := range 3 {
		s.hears(n)
	}
	s.awaits(func() bool { return s.reports("The disk is full") > 0 })
	d.clear(t)
	s.hears(3)
	s.awaits(func() bool { return s.reports("There is room on the disk again") > 0 })
	s.leave(t)
	if full, room := s.reports("disk is full"), s.reports("There is room"); full != 1 || room != 1 || s.reports("⚠️") != 1 {
		t.Errorf("%d and %d reports\n%s", full, room, s.world.Transcript())
	}
}

// TestAFullDiskAtTheStartIsAMistake: the process cannot create its WAL. It exits with
// instructions, and changes no file.
func TestAFullDiskAtTheStartIsAMistake(t *testing.T) {
	t.Parallel()
	d := newDisk(t, diskSize)
	s := newFullDiskRig(t, d)
	s.begin(t)
	said := []chat.MessageID{s.hears(0)}
	s.leave(t)
	before := d.files(t)
	d.fill(t)
	said = append(said, s.world.MustSay("ada", "general", "run 1").ID)
	s.refuses(t)
	d.clear(t)
	if after := d.files(t); !maps.Equal(before, after) {
		t.Errorf("there was\n%v\nand now there is\n%v", before, after)
	}
	s.begin(t)
	s.awaits(func() bool { return s.finished(said[1]) > 0 })
	s.leave(t)
	if sum := s.count(said); sum.isBad(0) {
		t.Errorf("%+v\n%s\n%s", sum, s.world.Transcript(), &s.errs)
	}
}

// refuses starts the process, which must exit at once with a reason.
func (s *killRig) refuses(t *testing.T) {
	t.Helper()
	s.errs.Reset()
	s.launch(t)
	_ = s.cmd.Wait() // its exit code is looked at below
	said := s.errs.String()
	if code := s.cmd.ProcessState.ExitCode(); code != exitMistake || strings.Count(said, "\n") != 1 || !strings.Contains(said, "make room where "+s.disk.dir) {
		t.Errorf("exit %d, %s", code, said)
	}
}

func TestAFirstStartOnAFullDiskIsAMistake(t *testing.T) {
	t.Parallel()
	for _, room := range []int64{0, 4 << 10, 16 << 10, 64 << 10, 128 << 10, 256 << 10} {
		t.Run(fmt.Sprint(room, " bytes are left"), func(t *testing.T) {
			t.Parallel()
			d := newDisk(t, diskSize)
			s := newFullDiskRig(t, d)
			d.leave(t, room)
			s.refuses(t)
			for name := range d.files(t) {
				if strings.Contains(name, ".new") {
					t.Errorf("%s is left behind", name)
				}
			}
			d.clear(t)
			s.begin(t)
			if sum := s.count([]chat.MessageID{s.hears(0)}); sum.isBad(0) {
				t.Errorf("%+v\n%s\n%s", sum, s.world.Transcript(), &s.errs)
			}
			s.leave(t)
		})
	}
}

// TestFilesStayAsTheyWereWhenTheDiskIsFull: the settings that an operator wants to change,
// and the files of a channel in which no message was sent before.
func TestFilesStayAsTheyWereWhenTheDiskIsFull(t *testing.T) {
	t.Parallel()
	d := newDisk(t, diskSize)
	s := newFullDiskRig(t, d)
	settings := filepath.Join(d.outside, ".env")
	if err := os.WriteFile(settings, []byte("OPENAI_API_KEY=sk-1\nLOG_LEVEL=info\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "DISCOCLAW_OPERATOR_USER_IDS="+string(s.world.UserID("ada")))
	dm, err := s.world.OpenDM("ada")
	if err != nil {
		t.Fatal(err)
	}
	s.begin(t)
	d.fill(t)
	before := d.files(t)
	for _, command := range []string{"!secret set OPENAI_API_KEY=sk-2", "!secret unset OPENAI_API_KEY"} {
		m := s.world.MustSay("ada", string(dm.ID), command)
		s.awaits(func() bool { return s.reply(string(dm.ID), m.ID) != "" })
		if !strings.Contains(s.reply(string(dm.ID), m.ID), "disk is full, so nothing was changed") {
			t.Errorf("%s:\n%s", command, s.world.Transcript())
		}
	}
	said := []chat.MessageID{s.hears(0)}
	if sum := s.count(said); sum.isBad(0) {
		t.Errorf("%+v\n%s\n%s", sum, s.world.Transcript(), &s.errs)
	}
	text, err := os.ReadFile(settings)
	if after := d.files(t); err != nil || string(text) != "OPENAI_API_KEY=sk-1\nLOG_LEVEL=info\n" || !maps.Equal(before, after) {
		t.Errorf("%v, %q; there was\n%v\nand now there is\n%v", err, text, before, after)
	}
	d.clear(t)
	said = append(said, s.hears(1))
	s.leave(t)
	if _, made := d.files(t)["/content/discord/channels/general.md"]; !made || s.count(said).isBad(0) {
		t.Errorf("%v\n%s", d.files(t), s.world.Transcript())
	}
}

// reply is the bot's reply to a message; empty until there is one.
func (s *killRig) reply(channel string, to chat.MessageID) string {
	for _, m := range s.world.Messages(channel) {
		if m.ReplyTo == to && m.Author == s.world.UserID("bot") {
			return m.Content
		}
	}
	return ""
}
