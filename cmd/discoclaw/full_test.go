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

// diskSize is enough, in megabytes, for all that the bot writes and sets aside.
const diskSize = 16

// newBrimful is a scaffold on a disk of its own, where the disk becomes full instead of a
// process being killed. It is still to be started.
func newBrimful(t *testing.T, d *disk, settings ...string) *scaffold {
	t.Helper()
	s := &scaffold{orders: orders(t.TempDir()), asked: map[string]int{}}
	fills := func(p *process, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if s.strikesAt(p, r) != nil {
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
func (s *scaffold) begin(t *testing.T) {
	t.Helper()
	began := time.Now()
	s.launch(t)
	s.online(t)
	s.watch()
	if s.disk.hasRoom() {
		s.disk.awaitCopy(t, began)
	}
}

// end kills the process.
func (s *scaffold) end() {
	_ = s.cmd.Process.Kill() // it runs
	<-s.ended
}

// hears has ada say something, and waits for the answer.
func (s *scaffold) hears(n int) chat.MessageID {
	m := s.world.MustSay("ada", "general", fmt.Sprint("run ", n)).ID
	s.awaits(func() bool { return s.finished(m) > 0 })
	return m
}

// A flood is a disk that becomes full before a step of the work on a message.
type flood struct {
	step   killPoint
	killed bool // the process is while the disk is full, and the next one starts on it
}

func floods() []flood {
	var list []flood
	for _, b := range killPoints() {
		if b.when == "before" {
			list = append(list, flood{b, false}, flood{b, true})
		}
	}
	return list
}

func (f flood) then() string {
	if f.killed {
		return "killed, started again"
	}
	return "goes on"
}

// TestADiskThatIsFullLosesAndDoublesNothing fills the disk before each step of the work on
// a message. The bot goes on with what it has set aside, and what it wrote there is known
// to the next process.
func TestADiskThatIsFullLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	skipMoments(t)
	newDisk(t, diskSize) // or there is nothing to do here
	list := floods()
	tolls := make([]toll, len(list))
	t.Run("floods", func(t *testing.T) {
		for i, f := range list {
			t.Run(fmt.Sprintf("before %s, %s", f.step.step, f.then()), func(t *testing.T) {
				t.Parallel()
				tolls[i] = f.rise(t)
			})
		}
	})
	publishFloods(t, list, tolls)
}

// rise has the disk become full in each run, and counts the toll. One message is said
// before, one is being answered in that moment, one is said while the disk is full, one to
// the next process if there is one, and one when there is room again.
func (f flood) rise(t *testing.T) toll {
	d := newDisk(t, diskSize)
	s := newBrimful(t, d)
	s.begin(t)
	var said []chat.MessageID
	hears := func() { said = append(said, s.hears(len(said))) }
	for range chaos.Runs(1, 10) {
		hears()
		s.dam(t, f.step)
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

// dam has the disk become full when the work on the next message comes to a step.
func (s *scaffold) dam(t *testing.T, b killPoint) {
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

func publishFloods(t *testing.T, list []flood, tolls []toll) {
	t.Helper()
	table := chaos.Table{Head: append([]string{"full before", "then", "messages"}, tollHead...)}
	var sum toll
	for i, f := range list {
		sum.add(tolls[i])
		table.Rows = append(table.Rows, append([]string{f.step.step, f.then()}, tolls[i].cells()...))
	}
	table.Summary = sum.summary("messages")
	chaos.Publish(t, chaos.Floods, table)
}

// reports is how often operators were told something.
func (s *scaffold) reports(what string) int {
	n := 0
	for _, m := range s.world.Messages("ops") {
		n += strings.Count(m.Content, what)
	}
	return n
}

func TestOperatorsHearOnceThatTheDiskIsFull(t *testing.T) {
	t.Parallel()
	d := newDisk(t, diskSize)
	s := newBrimful(t, d, "DISCOCLAW_STATUS_CHANNEL=ops")
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

// TestAFullDiskAtTheStartIsAMistake: the process would have to make the log of its
// database first. It says what to do, and leaves everything as it was.
func TestAFullDiskAtTheStartIsAMistake(t *testing.T) {
	t.Parallel()
	d := newDisk(t, diskSize)
	s := newBrimful(t, d)
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

// refuses starts the process, which ends at once and says why.
func (s *scaffold) refuses(t *testing.T) {
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
			s := newBrimful(t, d)
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
// and the files of a channel in which nobody has spoken before.
func TestFilesStayAsTheyWereWhenTheDiskIsFull(t *testing.T) {
	t.Parallel()
	d := newDisk(t, diskSize)
	s := newBrimful(t, d)
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

// reply is what the bot answers a message; empty until it does.
func (s *scaffold) reply(channel string, to chat.MessageID) string {
	for _, m := range s.world.Messages(channel) {
		if m.ReplyTo == to && m.Author == s.world.UserID("bot") {
			return m.Content
		}
	}
	return ""
}
