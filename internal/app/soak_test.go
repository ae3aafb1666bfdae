package app

import (
	"context"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/fakegateway"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/test/chaos"
	"discoclaw/internal/test/skip"
)

const (
	day        = 24 * time.Hour
	reconnects = 40
)

// A soak is a bot that serves several channels for a day.
type soak struct {
	world    *discordtest.World
	channels []string
	said     int
	asked    []chat.MessageID // messages that want an answer
	quoted   atomic.Int32     // prompts that quote an earlier answer
}

// A footprint is the size of the bot after some time.
type footprint struct {
	after                              time.Duration
	goroutines, heap, sqlite, database int
}

// measure returns the footprint of a bot with this data directory.
func measure(t *testing.T, began time.Time, dir string) footprint {
	t.Helper()
	f := footprint{after: time.Since(began), goroutines: runtime.NumGoroutine(), heap: ownBytes(), sqlite: sqliteBytes()}
	for _, name := range []string{"discoclaw.db", "discoclaw.db-wal"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		f.database += int(info.Size())
	}
	return f
}

// speak lets somebody say something. Every fifth message is ada's; the others are bob's, whom the
// bot does not serve, though it gets the events.
func (s *soak) speak(every time.Duration) {
	channel, text := s.channels[s.said%len(s.channels)], fmt.Sprint("message ", s.said)
	if s.said%5 == 0 {
		s.asked = append(s.asked, s.world.MustSay("ada", channel, text).ID)
	} else {
		s.world.MustSay("bob", channel, text)
	}
	s.said++
	time.Sleep(every)
}

// model returns a model that counts the prompts that quote an earlier answer.
func (s *soak) model() llm.Runtime {
	return script.Func(func(_ context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		if strings.Contains(req.Messages[0].Text, "Indeed.") {
			s.quoted.Add(1)
		}
		return func(yield func(llm.Event, error) bool) { yield(llm.TextDelta{Text: "Indeed."}, nil) }
	})
}

// count returns how many messages have no answer, and how many answers there are too many.
func (s *soak) count() (missing, doubled int) {
	found := map[chat.MessageID]int{}
	for _, channel := range s.channels {
		for _, m := range s.world.Messages(channel) {
			if m.Author == s.world.UserID("bot") && m.Content == "Indeed." && !m.Unfinished() {
				found[m.ReplyTo]++
			}
		}
	}
	for _, id := range s.asked {
		missing += max(1-found[id], 0)
		doubled += max(found[id]-1, 0)
	}
	return missing, doubled
}

// strikes returns the ways to lose the connection.
func strikes() []fakegateway.Fault {
	return []fakegateway.Fault{
		fakegateway.Drop(), fakegateway.Reconnect(), fakegateway.InvalidSession(true), fakegateway.InvalidSession(false),
		fakegateway.CloseCode(1000), fakegateway.CloseCode(1001), fakegateway.CloseCode(4000), fakegateway.CloseCode(4009),
	}
}

// TestADayOfTalkLeavesNothingBehind: after thousands of messages and forty lost connections of
// different kinds, nothing is missing or doubled, and the bot has not grown.
func TestADayOfTalkLeavesNothingBehind(t *testing.T) {
	skip.UnderRace(t, "it is the bot of the scenes, many times")
	if !chaos.Full() {
		t.Parallel() // but not the long version, which would count the memory of other tests
	}
	messages := 2_000
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	if chaos.Full() {
		messages, runtime.MemProfileRate = 40_000, 8<<10
	}
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #a #b #c #d\nmember ada: owner\nmember bob\n")
		s := &soak{world: w, channels: []string{"a", "b", "c", "d"}}
		env := apptest.Env(t, w)
		_, stop := begins(t, env, Externals{HTTP: w.HTTP(), Runtime: s.model()})
		part := messages / reconnects
		// The bot copies its database every six hours. That takes other connections, and SQLite gives
		// their memory back afterwards, so no measurement is at the same time.
		every := (day/reconnects - 3*time.Minute) / time.Duration(part)
		began := time.Now()
		var early, late footprint
		for n := range reconnects {
			for i := range part {
				if i == part/2 {
					w.Gateway().Inject(strikes()[n%len(strikes())])
				}
				s.speak(every)
			}
			time.Sleep(2 * time.Minute) // long enough to reconnect and to catch up
			synctest.Wait()
			if n == reconnects/10 { // warmed up by now
				early = measure(t, began, env["DISCOCLAW_DATA_DIR"])
			}
		}
		late = measure(t, began, env["DISCOCLAW_DATA_DIR"])
		if _, err := stop(); err != nil {
			t.Error(err)
		}
		s.report(t, early, late)
	})
}

// report checks the results, and publishes them.
func (s *soak) report(t *testing.T, early, late footprint) {
	t.Helper()
	missing, doubled := s.count()
	if missing+doubled > 0 {
		t.Errorf("of %d messages, %d have no answer, and there are %d answers too many", len(s.asked), missing, doubled)
	}
	if most := len(s.asked) - len(s.channels); int(s.quoted.Load()) < most {
		t.Errorf("of %d prompts, %d quote an earlier answer, want at least %d", len(s.asked), s.quoted.Load(), most)
	}
	if chaos.Full() && late.exceeds(early, len(s.asked)) {
		t.Errorf("at first %+v, at last %+v", early, late)
	}
	megabytes := func(n int) string { return fmt.Sprintf("%.2f MB", float64(n)/1e6) }
	line := func(f footprint) []string {
		return []string{fmt.Sprintf("%.1f h", f.after.Hours()), strconv.Itoa(f.goroutines), megabytes(f.heap), megabytes(f.sqlite), megabytes(f.database)}
	}
	chaos.Publish(t, chaos.Soak, chaos.Table{
		Head: []string{"after", "goroutines", "memory of the bot's own code", "memory of SQLite", "database"},
		Rows: [][]string{line(early), line(late)},
		Summary: fmt.Sprintf("%d messages, %d of them for the bot, and %d lost connections: %d without an answer, %d answers too many.",
			s.said, len(s.asked), reconnects, missing, doubled),
	})
}

// exceeds reports whether the bot has grown beyond the usual variation: an idle connection to
// Discord has three goroutines, and a leak would have one for each lost connection. SQLite may keep
// some pages for each connection, and the database has some rows for each answered message, which
// are retained for days.
func (f footprint) exceeds(early footprint, answered int) bool {
	return f.goroutines > early.goroutines+10 || f.heap-early.heap > 2_000_000 || f.sqlite > 16_000_000 || f.database > 4_000_000+4_000*answered
}

// countSQLiteMemory makes SQLite count the memory that it uses. This build does not by default, and
// it cannot be switched on once a database is open.
func countSQLiteMemory() {
	tls := libc.NewTLS()
	defer tls.Close()
	on := libc.NewVaList(int32(1))
	defer libc.Xfree(tls, on)
	if code := lib.Xsqlite3_config(tls, lib.SQLITE_CONFIG_MEMSTATUS, on); code != lib.SQLITE_OK {
		panic(fmt.Sprint("SQLite does not count its memory: ", code))
	}
}

// sqliteBytes returns how much memory SQLite uses, which Go does not count.
func sqliteBytes() int {
	tls := libc.NewTLS()
	defer tls.Close()
	return int(lib.Xsqlite3_memory_used(tls))
}

// ownBytes estimates from samples how much memory is in use, without that of the fake Discord and
// its HTTP server, since the fake keeps everything.
func ownBytes() int {
	runtime.GC()
	runtime.GC() // the profile is that of the cycle before the last
	records := make([]runtime.MemProfileRecord, 50_000)
	n, _ := runtime.MemProfile(records, false)
	sum := 0.0
	for _, r := range records[:min(n, len(records))] {
		if r.InUseObjects() == 0 || isOfTheWorld(r.Stack()) {
			continue
		}
		// Small objects are sampled less often, so each sample counts for more of them.
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
