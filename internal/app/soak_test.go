package app

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chaos"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/fakegateway"
)

const (
	day        = 24 * time.Hour
	reconnects = 40
)

// A soak is a bot that is spoken to for a day, in several channels.
type soak struct {
	world    *discordtest.World
	channels []string
	waiting  []chat.MessageID // messages that nobody has looked after yet
	said     int
	asked    int // of them, those that want an answer
	missing  int // of those, the ones without an answer
	doubled  int // answers too many
}

// speak has somebody say something. Every fifth message is ada's; the others are bob's, whom
// the bot does not serve, but hears.
func (s *soak) speak(every time.Duration) {
	channel, text := s.channels[s.said%len(s.channels)], fmt.Sprint("message ", s.said)
	if s.said%5 == 0 {
		s.waiting = append(s.waiting, s.world.MustSay("ada", channel, text).ID)
		s.asked++
	} else {
		s.world.MustSay("bob", channel, text)
	}
	s.said++
	time.Sleep(every)
}

// settle looks after what was said so far, and takes it away, so that the world stays
// as small as it was.
func (s *soak) settle(t *testing.T) {
	t.Helper()
	time.Sleep(2 * time.Minute) // long enough to come back, and to catch up
	synctest.Wait()
	found := map[chat.MessageID]int{}
	for _, channel := range s.channels {
		for _, m := range s.world.Messages(channel) {
			if m.Author == s.world.UserID("bot") && len(m.Buttons()) == 0 {
				found[m.ReplyTo]++
			}
			if err := s.world.DeleteAs("ada", m.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, id := range s.waiting {
		s.missing += max(1-found[id], 0)
		s.doubled += max(found[id]-1, 0)
	}
	s.waiting = s.waiting[:0]
}

// TestADayOfTalkLeavesNothingBehind: thousands of messages and forty lost connections, each
// of another kind. Nothing is missing or doubled, and the bot is no larger afterwards.
func TestADayOfTalkLeavesNothingBehind(t *testing.T) {
	if !chaos.Full() {
		t.Parallel() // with the long version, somebody else's memory would be counted
	}
	messages := 2_000
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	if chaos.Full() {
		messages, runtime.MemProfileRate = 100_000, 8<<10
	}
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #a #b #c #d\nmember ada: owner\nmember bob\n")
		s := &soak{world: w, channels: []string{"a", "b", "c", "d"}}
		_, stop := begins(t, inWorld(t, w, "DISCOCLAW_MESSAGE_HISTORY_BUDGET=0"), Outside{HTTP: w.HTTP(), Runtime: talkative()})
		strikes := []fakegateway.Fault{
			fakegateway.Drop(), fakegateway.Reconnect(), fakegateway.InvalidSession(true), fakegateway.InvalidSession(false),
			fakegateway.CloseCode(1000), fakegateway.CloseCode(1001), fakegateway.CloseCode(4000), fakegateway.CloseCode(4009),
		}
		part := messages / reconnects
		every := (day/reconnects - 2*time.Minute) / time.Duration(part)
		var goroutines, bytes [2]int
		for n := range reconnects {
			for i := range part {
				if i == part/2 {
					w.Gateway().Inject(strikes[n%len(strikes)])
				}
				s.speak(every)
			}
			s.settle(t)
			if n == reconnects/10 { // everything has been used by now
				goroutines[0], bytes[0] = runtime.NumGoroutine(), ownBytes()
			}
		}
		goroutines[1], bytes[1] = runtime.NumGoroutine(), ownBytes()
		if _, err := stop(); err != nil {
			t.Error(err)
		}
		s.report(t, goroutines, bytes)
	})
}

// report checks what was found, and hands it on.
func (s *soak) report(t *testing.T, goroutines, bytes [2]int) {
	t.Helper()
	if s.missing+s.doubled > 0 {
		t.Errorf("of %d messages, %d have no answer, and there are %d answers too many", s.asked, s.missing, s.doubled)
	}
	const most = 2_000_000
	grown := bytes[1] - bytes[0]
	if chaos.Full() && (goroutines[1] > goroutines[0] || grown > most) {
		t.Errorf("goroutines %v, bytes %v", goroutines, bytes)
	}
	chaos.Publish(t, chaos.Soak, chaos.Table{
		Head: []string{"messages", "for the bot", "reconnects", "without an answer", "answers too many", "goroutines after 2.4 h", "goroutines after 24 h", "memory grown by"},
		Rows: [][]string{append(row(fmt.Sprint(s.said), s.asked, reconnects, s.missing, s.doubled, goroutines[0], goroutines[1]), fmt.Sprintf("%.2f MB", float64(grown)/1e6))},
		Summary: "24 hours of fake time, four channels; every fifth message is from somebody whom the bot serves, the others it only hears. Memory is what the bot's own code still holds after a garbage collection, " +
			"without what the fake Discord remembers in the same process; it is compared with that after a tenth of the day.",
	})
}

// ownBytes is how much memory is in use that was not allocated by the fake Discord or by the
// server that it is reached through, since it remembers all that it was told. It is found
// from samples.
func ownBytes() int {
	runtime.GC()
	runtime.GC() // what is in the profile is of the one before the last
	records := make([]runtime.MemProfileRecord, 50_000)
	n, _ := runtime.MemProfile(records, false)
	sum := 0.0
	for _, r := range records[:min(n, len(records))] {
		if r.InUseObjects() == 0 || isOfTheWorld(r.Stack()) {
			continue
		}
		// A sample stands for as many as are as seldom sampled.
		size := float64(r.InUseBytes()) / float64(r.InUseObjects())
		sum += float64(r.InUseBytes()) / (1 - math.Exp(-size/float64(runtime.MemProfileRate)))
	}
	return int(sum)
}

func isOfTheWorld(stack []uintptr) bool {
	frames := runtime.CallersFrames(stack)
	for {
		f, more := frames.Next()
		if strings.Contains(f.Function, "internal/fakediscord") || strings.HasPrefix(f.Function, "net/http.(*conn).") || strings.Contains(f.Function, "app.(*soak)") {
			return true
		}
		if !more {
			return false
		}
	}
}
