package app

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chaos"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/fakegateway"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/sleep"
)

// A badDay is one on which much goes wrong, one thing in the middle of another. Chance
// decides what, and the same seed decides the same.
type badDay struct {
	t     *testing.T
	r     *rand.Rand
	world *discordtest.World
	env   map[string]string
	model *attentive

	bot      atomic.Pointer[Bot]
	stop     func()
	hands    *executioner
	channels []string
	said     []saying
	out      bool // the server is out of order
	blind    bool // channels cannot be read
	mishaps  int
	diary    strings.Builder
}

// A saying is something that somebody said to the bot.
type saying struct {
	id      chat.MessageID
	channel string
}

// An attentive model notes what it is asked about together.
type attentive struct {
	mu    sync.Mutex
	heard []map[string]bool // numbers of sayings
}

var numberOf = regexp.MustCompile(`saying (\d+)\b`)

// runtime answers everything, after some seconds.
func (m *attentive) runtime() llm.Runtime {
	return script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
		together := map[string]bool{}
		for _, found := range numberOf.FindAllStringSubmatch(fmt.Sprint(req.Messages), -1) {
			together[found[1]] = true
		}
		m.mu.Lock()
		m.heard = append(m.heard, together)
		m.mu.Unlock()
		return script.Answer{script.Pause(3 * time.Second), script.Text(indeed)}.Stream(ctx)
	})
}

func newBadDay(t *testing.T, seed uint64) *badDay {
	w := discordtest.New(t, "guild disco: #general #other\nmember ada: owner\nmember bob\n")
	env := inWorld(t, w, "DISCOCLAW_MESSAGE_HISTORY_BUDGET=0") // a prompt has what is to be answered, and nothing else
	env["DISCORD_ALLOW_USER_IDS"] = string(w.UserID("ada")) + "," + string(w.UserID("bob"))
	return &badDay{t: t, r: rand.New(rand.NewPCG(seed, 1)), world: w, env: env, model: new(attentive), channels: []string{"general", "other"}}
}

func (d *badDay) note(format string, args ...any) {
	fmt.Fprintf(&d.diary, "%s %s\n", time.Now().Format("04:05"), fmt.Sprintf(format, args...))
}

// start starts the process, and again if it gives up, as service managers do.
func (d *badDay) start() {
	hands := &executioner{next: d.world.HTTP().Transport}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for again := true; again; again = sleep.For(ctx, 5*time.Second) {
			bot, err := NewBot(d.env, Outside{HTTP: &http.Client{Transport: hands}, Runtime: d.model.runtime(), Log: d.t.Output()})
			if err != nil {
				d.t.Error(err)
				return
			}
			d.bot.Store(bot)
			_ = bot.Run(ctx) // who is killed, or reaches nobody, has reasons to complain
		}
	}()
	synctest.Wait()
	d.hands, d.stop = hands, func() { cancel(); <-ended }
}

// end stops the process, or kills it: from then on it reaches nobody and writes nothing.
func (d *badDay) end(killed bool) {
	d.note("the process ends; killed: %v", killed)
	if killed {
		db := d.bot.Load().core.db
		d.hands.arm(1, func() { _ = db.Close() })
		d.hands.step("somewhere")
	}
	d.stop()
}

// say has somebody say something somewhere.
func (d *badDay) say() {
	who, where := []string{"ada", "bob"}[d.r.IntN(2)], d.channels[d.r.IntN(len(d.channels))]
	d.note("%s says %d in %s", who, len(d.said), where)
	m := d.world.MustSay(who, where, fmt.Sprintf("<@%s> saying %d", d.world.UserID("bot"), len(d.said)))
	d.said = append(d.said, saying{m.ID, where})
}

// restart ends the process in one way or another. Something may be said before the next
// one is there.
func (d *badDay) restart() {
	d.end(d.r.IntN(2) == 0)
	if d.r.IntN(2) == 0 {
		d.note("Discord forgets the session")
		d.world.Gateway().ForgetSessions()
	}
	for range d.r.IntN(3) {
		d.say()
		d.pass(5 * time.Second)
	}
	d.start()
}

// pass lets some time pass, or none.
func (d *badDay) pass(most time.Duration) {
	time.Sleep(time.Duration(d.r.Int64N(int64(most))).Truncate(time.Millisecond))
}

// toggle makes something fail that worked, or work that failed.
func (d *badDay) toggle(what *bool, name string) {
	*what = !*what
	d.note("%s: %v", name, *what)
	d.world.Recover()
	switch {
	case d.out:
		d.world.Fail(fakediscord.Fault{Status: http.StatusServiceUnavailable})
	case d.blind:
		d.world.Fail(fakediscord.Fault{Match: "GET /channels/{channel}/messages", Status: http.StatusBadGateway})
	}
	d.world.Outage(d.out)
}

// happen has something happen.
func (d *badDay) happen() {
	d.mishaps++
	switch k := d.r.IntN(14); {
	case k < 6:
		d.mishaps--
		d.say()
	case k == 6:
		d.toggle(&d.out, "the server is out of order")
	case k == 7:
		d.toggle(&d.blind, "channels cannot be read")
	case k == 8:
		d.note("the session is invalid")
		d.world.Gateway().Inject(fakegateway.InvalidSession(false))
	case k == 9:
		d.note("the connection is lost")
		d.world.Gateway().Inject(fakegateway.Drop())
	case k < 13:
		d.restart()
	case len(d.channels) < 5:
		name := fmt.Sprint("new", len(d.channels))
		d.note("#%s is made", name)
		if _, err := d.world.AddChannel("#" + name); err != nil {
			d.t.Fatal(err)
		}
		d.channels = append(d.channels, name)
	}
}

// live has the day.
func (d *badDay) live() {
	d.start()
	for range 3 {
		d.say()
		d.pass(time.Minute)
	}
	for range 40 {
		d.happen()
		d.pass(12 * time.Second)
	}
	for _, trouble := range []*bool{&d.out, &d.blind} {
		if *trouble {
			d.toggle(trouble, "trouble")
		}
	}
	time.Sleep(time.Minute)
	d.world.Gateway().Inject(fakegateway.InvalidSession(false)) // so that what could not be read is tried again
	time.Sleep(3 * time.Minute)
	d.end(false)
	d.start()
	time.Sleep(time.Minute)
	d.end(false)
}

// repliesTo is how many replies with certain words there are to a saying.
func (d *badDay) repliesTo(s saying, words string) int {
	count := 0
	for _, m := range d.world.Messages(s.channel) {
		if m.ReplyTo == s.id && strings.Contains(m.Content, words) {
			count++
		}
	}
	return count
}

// isGivenUp says whether the process was killed three times in the middle of the answer, so
// that the bot has given it up and said so.
func (d *badDay) isGivenUp(s saying) bool { return d.repliesTo(s, "after three tries") == 1 }

const indeed = "Indeed."

// answersTo is how many answers a saying has. One that was said together with another is
// answered with that.
func (d *badDay) answersTo(n int) int {
	s := d.said[n]
	if count := d.repliesTo(s, indeed); count > 0 {
		return count
	}
	for _, together := range d.model.heard {
		for other, o := range d.said {
			if together[fmt.Sprint(n)] && together[fmt.Sprint(other)] && o.channel == s.channel && d.repliesTo(o, indeed) > 0 {
				return 1
			}
		}
	}
	return 0
}

// TestBadDaysLoseAndDoubleNothing: whatever happens in the middle of what, everything that
// was said is answered once in the end.
func TestBadDaysLoseAndDoubleNothing(t *testing.T) {
	t.Parallel()
	days := make([]struct{ said, mishaps, givenUp, lost, doubled int }, chaos.Runs(6, 200))
	t.Run("each", func(t *testing.T) {
		for seed := range days {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					d := newBadDay(t, uint64(seed))
					d.live()
					day := &days[seed]
					day.said, day.mishaps = len(d.said), d.mishaps
					for n := range d.said {
						switch count := d.answersTo(n); {
						case count == 0 && d.isGivenUp(d.said[n]):
							day.givenUp++
						case count == 0:
							day.lost++
							t.Errorf("%d was not answered", n)
						case count > 1:
							day.doubled++
							t.Errorf("%d was answered %d times", n, count)
						}
					}
					if t.Failed() {
						t.Logf("%s\n%s", &d.diary, d.world.Transcript())
					}
				})
			})
		}
	})
	sum := days[0]
	for _, day := range days[1:] {
		sum.said, sum.mishaps, sum.givenUp = sum.said+day.said, sum.mishaps+day.mishaps, sum.givenUp+day.givenUp
		sum.lost, sum.doubled = sum.lost+day.lost, sum.doubled+day.doubled
	}
	chaos.Publish(t, chaos.BadDays, chaos.Table{
		Head: []string{"runs", "messages", "mishaps", "given up after three kills, and said so", "without an answer", "answered twice"},
		Rows: [][]string{row(fmt.Sprint(len(days)), sum.said, sum.mishaps, sum.givenUp, sum.lost, sum.doubled)},
	})
}
