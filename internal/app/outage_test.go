package app

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/fakegateway"
	"discoclaw/internal/test/chaos"
	"discoclaw/internal/test/skip"
)

// outages are ways in which the connection to Discord can fail. How each close code is handled, and
// how often a new session is started, is tested in the gateway package.
var outages = []struct {
	name   string
	clock  time.Duration // how far this machine's clock is ahead of Discord's
	off    bool          // the process is stopped, and another one started afterwards
	strike func(w *discordtest.World)
	lasts  time.Duration
	heal   func(w *discordtest.World) // nil if it ends by itself
}{
	{name: "the connection is reset (TCP RST)", strike: inject(fakegateway.Reset())},
	{name: "the connection ends without a word (TCP FIN)", strike: inject(fakegateway.Drop())},
	{name: "closed with 1000", strike: inject(fakegateway.CloseCode(1000))},
	{name: "closed with 1001", strike: inject(fakegateway.CloseCode(1001))},
	{name: "closed with 4000", strike: inject(fakegateway.CloseCode(4000))},
	{name: "closed with 4007", strike: inject(fakegateway.CloseCode(4007))},
	{name: "closed with 4009", strike: inject(fakegateway.CloseCode(4009))},
	{name: "asked to reconnect", strike: inject(fakegateway.Reconnect())},
	{name: "session paused", strike: inject(fakegateway.InvalidSession(true))},
	{name: "session invalid", strike: inject(fakegateway.InvalidSession(false))},
	{name: "asked to reconnect before READY", strike: func(w *discordtest.World) {
		w.Gateway().AnswerNext(fakegateway.Reconnect())
		w.Gateway().Inject(fakegateway.InvalidSession(false))
	}},
	{name: "session invalid before READY", strike: func(w *discordtest.World) {
		w.Gateway().AnswerNext(fakegateway.InvalidSession(false))
		w.Gateway().Inject(fakegateway.InvalidSession(false))
	}},
	{name: "asked to reconnect before RESUMED", strike: func(w *discordtest.World) {
		w.Gateway().AnswerNext(fakegateway.Reconnect())
		w.Gateway().Inject(fakegateway.Drop())
	}},
	{name: "session invalid before RESUMED", strike: func(w *discordtest.World) {
		w.Gateway().AnswerNext(fakegateway.InvalidSession(false))
		w.Gateway().Inject(fakegateway.Drop())
	}},
	{name: "heartbeats are not acknowledged", lasts: 3 * time.Minute,
		strike: func(w *discordtest.World) { w.Gateway().StopACKs(true) },
		heal:   func(w *discordtest.World) { w.Gateway().StopACKs(false) }},
	{name: "HELLO does not come", lasts: 2 * time.Minute,
		strike: func(w *discordtest.World) {
			w.Gateway().WithholdHello(true)
			w.Gateway().Inject(fakegateway.Drop())
		},
		heal: func(w *discordtest.World) { w.Gateway().WithholdHello(false) }},
	{name: "RESUME is answered by a close for 90 seconds", lasts: 90 * time.Second, strike: func(w *discordtest.World) {
		for range 6 { // the backoff doubles
			w.Gateway().AnswerNext(fakegateway.CloseCode(4000))
		}
		w.Gateway().Inject(fakegateway.Drop())
	}},
	{name: "Discord is gone for 90 seconds", strike: vanish, lasts: 90 * time.Second, heal: reappear},
	{name: "Discord is gone for 5 minutes", strike: vanish, lasts: 5 * time.Minute, heal: forgetful},
	{name: "the machine sleeps for 50 minutes", strike: vanish, lasts: 50 * time.Minute, heal: forgetful},
	{name: "no request is answered for 5 minutes", lasts: 5 * time.Minute,
		strike: func(w *discordtest.World) { w.Fail(fakediscord.Fault{Status: http.StatusServiceUnavailable}) },
		heal:   func(w *discordtest.World) { w.Recover() }},
	{name: "a proxy answers every request with 400 for 12 minutes", lasts: 12 * time.Minute, strike: interpose(http.StatusBadRequest), heal: (*discordtest.World).Recover},
	{name: "a proxy answers every request with 403 for 12 minutes", lasts: 12 * time.Minute, strike: interpose(http.StatusForbidden), heal: (*discordtest.World).Recover},
	{name: "a proxy answers every request with 404 for 12 minutes", lasts: 12 * time.Minute, strike: interpose(http.StatusNotFound), heal: (*discordtest.World).Recover},
	{name: "a proxy answers every request with 408 for 12 minutes", lasts: 12 * time.Minute, strike: interpose(http.StatusRequestTimeout), heal: (*discordtest.World).Recover},
	{name: "a proxy answers every request with 404 for 12 minutes after a new session", lasts: 12 * time.Minute,
		strike: func(w *discordtest.World) {
			w.Gateway().Inject(fakegateway.InvalidSession(false))
			interpose(http.StatusNotFound)(w)
		},
		heal: (*discordtest.World).Recover},
	{name: "the server is out of order for 5 minutes", lasts: 5 * time.Minute,
		strike: func(w *discordtest.World) { w.Outage(true) },
		heal:   func(w *discordtest.World) { w.Outage(false) }},
	{name: "the server is out of order when the session begins, for 5 minutes", lasts: 5 * time.Minute,
		strike: func(w *discordtest.World) {
			w.Outage(true)
			w.Gateway().Inject(fakegateway.InvalidSession(false))
		},
		heal: func(w *discordtest.World) {
			w.MustSay("ada", "@bot", "are you there?") // so that there is a session, though without the server
			synctest.Wait()
			w.Outage(false)
		}},
	{name: "session invalid, this machine's clock an hour ahead", clock: time.Hour, strike: inject(fakegateway.InvalidSession(false))},
	{name: "session invalid, this machine's clock an hour behind", clock: -time.Hour, strike: inject(fakegateway.InvalidSession(false))},
	{name: "off for 5 minutes, and the clock jumps an hour ahead", off: true, lasts: 5 * time.Minute, strike: jumps(0, time.Hour), heal: forgetful},
	{name: "off for 5 minutes, and the clock jumps an hour back", off: true, lasts: 5 * time.Minute, strike: jumps(0, -time.Hour), heal: forgetful},
	{name: "off for 5 minutes, and the clock is put right that was an hour ahead", clock: time.Hour, off: true, lasts: 5 * time.Minute, strike: jumps(time.Hour, 0), heal: forgetful},
	{name: "off for 5 minutes, and the clock is put right that was an hour behind", clock: -time.Hour, off: true, lasts: 5 * time.Minute, strike: jumps(-time.Hour, 0), heal: forgetful},
}

// jumps makes this machine's clock jump, from one offset ahead of Discord's to another.
func jumps(from, to time.Duration) func(*discordtest.World) {
	return func(w *discordtest.World) { apptest.SetClock(w, from, to) }
}

func inject(f fakegateway.Fault) func(*discordtest.World) {
	return func(w *discordtest.World) { w.Gateway().Inject(f) }
}

// interpose has a proxy answer every request in Discord's place, with a page.
func interpose(status int) func(*discordtest.World) {
	return func(w *discordtest.World) { w.Fail(fakediscord.Fault{Kind: fakediscord.Page, Status: status}) }
}

// vanish makes all of Discord unreachable.
func vanish(w *discordtest.World) {
	w.Fail(fakediscord.Fault{Status: http.StatusBadGateway})
	w.Gateway().Refuse(true)
	w.Gateway().Inject(fakegateway.Drop())
}

func reappear(w *discordtest.World) {
	w.Recover()
	w.Gateway().Refuse(false)
}

// forgetful makes Discord reachable again, without the bot's session.
func forgetful(w *discordtest.World) {
	w.Gateway().ForgetSessions()
	reappear(w)
}

// TestOutages: whatever happens to the connection, every message is answered once. Messages without
// an event are read from the channel.
func TestOutages(t *testing.T) {
	skip.UnderRace(t, "it is the bot of the scenes, many times")
	t.Parallel()
	figures := make([][]int, len(outages)) // answers before, during and after, other replies, sessions
	t.Run("each", func(t *testing.T) {
		for i, tt := range outages {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := discordtest.New(t, apptest.World)
					apptest.SetClock(w, 0, tt.clock)
					env, out := apptest.Env(t, w), Externals{HTTP: w.HTTP(), Runtime: apptest.Talkative(), Log: t.Output()}
					_, stop := begins(t, env, out)
					say := func(text string) chat.MessageID { return w.MustSay("ada", "general", text).ID }
					before := say("before")
					time.Sleep(time.Minute)
					if tt.off {
						if _, err := stop(); err != nil {
							t.Error(err)
						}
					}
					tt.strike(w)
					during := say("during")
					time.Sleep(tt.lasts)
					if tt.heal != nil {
						tt.heal(w)
					}
					if tt.off {
						_, stop = begins(t, env, out)
					}
					time.Sleep(5 * time.Minute)
					after := say("after")
					time.Sleep(time.Minute)
					synctest.Wait()
					var counts []int
					stray := 0
					for _, id := range []chat.MessageID{before, during, after} {
						n, others := apptest.SortReplies(w, "general", id, "Indeed.")
						counts, stray = append(counts, n), stray+others
					}
					if !slices.Equal(counts, []int{1, 1, 1}) || stray > 0 {
						t.Errorf("answers before, during and after: %v, want one each; other replies: %d\n%s", counts, stray, w.Transcript())
					}
					begun := w.Gateway().Counts().Identifies
					if begun > 3 {
						t.Errorf("%d IDENTIFYs", begun)
					}
					figures[i] = append(counts, stray, begun)
					if _, err := stop(); err != nil {
						t.Error(err)
					}
				})
			})
		}
	})
	once, stray, sessions := 0, 0, 0
	for _, f := range figures {
		for _, n := range f[:3] {
			if n == 1 {
				once++
			}
		}
		stray, sessions = stray+f[3], max(sessions, f[4])
	}
	chaos.Publish(t, chaos.Outages, chaos.Table{Summary: fmt.Sprintf("%d kinds of outages, one message before, during and after each. %d messages, %d answered exactly once. Replies that are not answers: %d. "+
		"Sessions begun: at most %d. A reply is an answer if it has the model's words and no longer has a *Stop* button.", len(outages), 3*len(outages), once, stray, sessions)})
}

// row returns a row of a table.
func row(name string, figures ...int) []string {
	cells := []string{name}
	for _, n := range figures {
		cells = append(cells, strconv.Itoa(n))
	}
	return cells
}

// TestARefusedTokenSilencesTheBot until its next start, which answers what was said meanwhile, once.
func TestARefusedTokenSilencesTheBot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		var log strings.Builder
		env, out := apptest.Env(t, w), Externals{HTTP: w.HTTP(), Runtime: apptest.Talkative(), Log: &log}
		_, stop := begins(t, env, out)
		w.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Status: http.StatusUnauthorized, Times: 1})
		first := w.MustSay("ada", "general", "hello?").ID
		synctest.Wait()
		sent := len(w.Requests())
		second := w.MustSay("ada", "general", "anybody?").ID
		time.Sleep(3 * time.Hour)
		if n := len(w.Requests()); n != sent {
			t.Errorf("%d requests after the token was refused", n-sent)
		}
		if _, err := stop(); err != nil {
			t.Error(err)
		}
		if n := strings.Count(log.String(), "nothing more is sent until the bot is restarted"); n != 1 {
			t.Errorf("it is logged %d times:\n%s", n, &log)
		}
		_, stop = begins(t, env, out)
		time.Sleep(5 * time.Minute)
		for _, id := range []chat.MessageID{first, second} {
			if n, others := apptest.SortReplies(w, "general", id, "Indeed."); n != 1 || others != 0 {
				t.Errorf("%d answers and %d other replies\n%s", n, others, w.Transcript())
			}
		}
		if _, err := stop(); err != nil {
			t.Error(err)
		}
	})
}
