package discord_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
)

// onServers is the layout of a bot on n servers. Server i has a channel #room-i.
func onServers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "guild server-%d: #room-%d\nrole mods: Manage Messages\nmember bob: mods\n\n", i, i)
	}
	return b.String()
}

// restart gives a test a world of n servers in which a process has run and stopped.
func restart(t *testing.T, n int, f func(t *testing.T, w *discordtest.World, kept *counting)) {
	t.Helper()
	inProcesses(t, onServers(n), func(t *testing.T, w *discordtest.World, kept *counting) {
		_, stop := process(t, w, kept)
		stop()
		f(t, w, kept)
	})
}

// when returns how long after a moment the handler was called with an event, and after how many requests.
func (b *bench) when(t *testing.T, since time.Time, event string) (took time.Duration, requests int) {
	t.Helper()
	b.heard.mu.Lock()
	defer b.heard.mu.Unlock()
	i := slices.Index(b.heard.events, event)
	if i < 0 {
		t.Fatalf("%q is not among %d events", event, len(b.heard.events))
	}
	return b.heard.times[i].Sub(since), b.heard.requests[i] - b.before
}

// TestAWarmRestartWaitsForNoOtherServer: RESUME comes first, and a missed message waits for the description of its
// own server alone, however many there are.
func TestAWarmRestartWaitsForNoOtherServer(t *testing.T) {
	for _, n := range []int{100, 400} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			restart(t, n, func(t *testing.T, w *discordtest.World, kept *counting) {
				w.MustSay("bob", "room-57", "hello?")
				w.OnExchange(func(x fakediscord.Exchange) {
					if w.Gateway().Counts().Resumes == 0 {
						t.Errorf("%s came before RESUME", x.Route)
					}
				})
				began := time.Now()
				b, stop := process(t, w, kept)
				defer stop()
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				requireSessions(t, w, 1, 1)
				took, requests := b.when(t, began, "bob: hello?")
				all := b.Requests()[b.before:]
				t.Logf("handled after %v and %d requests; %d requests in %v", took, requests, len(all), all[len(all)-1].At.Sub(began))
				if took > time.Second || requests > 40 {
					t.Errorf("handled after %v and %d requests", took, requests)
				}
				if want := 1 + (n/200 + 1) + 4*n; len(all) != want {
					t.Errorf("%d requests, want %d", len(all), want)
				}
				if available := strings.Count(strings.Join(b.heard.list(), "\n"), "available "); available != n {
					t.Errorf("GuildAvailable was called for %d servers, want %d", available, n)
				}
			})
		})
	}
}

// TestARefusedResumeSendsNoRequests: Discord describes the servers in a new session.
func TestARefusedResumeSendsNoRequests(t *testing.T) {
	restart(t, 100, func(t *testing.T, w *discordtest.World, kept *counting) {
		w.Gateway().ForgetSessions()
		b, stop := process(t, w, kept)
		defer stop()
		time.Sleep(time.Minute)
		if got, want := b.requests(), []string{"GET /gateway/bot 200"}; !slices.Equal(got, want) {
			t.Errorf("%d requests: %q", len(got), got)
		}
		if got := b.heard.list(); !slices.Equal(got, []string{"ready DiscoClaw"}) {
			t.Errorf("handled %q", got)
		}
		requireSessions(t, w, 2, 1)
	})
}

// TestMissedEventsWaitForTheirServerInOrder: an event that arrives before its server is described is handled after
// that, and no other overtakes it.
func TestMissedEventsWaitForTheirServerInOrder(t *testing.T) {
	restart(t, 20, func(t *testing.T, w *discordtest.World, kept *counting) {
		var want []string
		for i := range 20 { // the last server first, which is fetched last in the background
			text := fmt.Sprintf("hello from %d", 19-i)
			w.MustSay("bob", fmt.Sprintf("room-%d", 19-i), text)
			want = append(want, "bob: "+text)
		}
		w.Fail(fakediscord.Fault{Match: "GET /guilds/{guild}/channels", Times: 3, Status: 500})
		b, stop := process(t, w, kept)
		defer stop()
		w.MustSay("bob", "room-3", "and again")
		want = append(want, "bob: and again")
		time.Sleep(time.Minute)
		var got []string
		available := map[string]bool{}
		for _, event := range b.heard.list() {
			if g, ok := strings.CutPrefix(event, "available "); ok {
				if available[g] {
					t.Errorf("GuildAvailable was called twice for %s", g)
				}
				available[g] = true
			} else if event != "ready DiscoClaw" {
				got = append(got, event)
				if m := b.heard.messages[len(got)-1]; !available[string(m.Place.Guild)] {
					t.Errorf("%q came before its server was known", event)
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		requireSessions(t, w, 1, 1)
	})
}

// TestAChangeWhileServersAreFetchedIsKept: a description from before a change does not undo it.
func TestAChangeWhileServersAreFetchedIsKept(t *testing.T) {
	restart(t, 60, func(t *testing.T, w *discordtest.World, kept *counting) {
		rename := func(i int) {
			if err := w.RenameChannel(fmt.Sprintf("room-%d", i), fmt.Sprintf("hall-%d", i)); err != nil {
				t.Fatal(err)
			}
		}
		for i := range 30 {
			rename(i)
		}
		b, stop := process(t, w, kept)
		defer stop()
		for i := range 30 {
			time.Sleep(50 * time.Millisecond) // the servers are being described
			rename(59 - i)
		}
		time.Sleep(time.Minute)
		for i := range 60 {
			name := fmt.Sprintf("hall-%d", i)
			if ch, err := b.client.ChannelAnywhere(t.Context(), "", chat.ChannelRef(name)); err != nil || ch.ID != w.ChannelID(name) {
				t.Errorf("%s is %q: %v", name, ch.ID, err)
			}
		}
	})
}

// TestACallAboutAServerWaitsForItsDescription, whether an event came from there or not.
func TestACallAboutAServerWaitsForItsDescription(t *testing.T) {
	restart(t, 100, func(t *testing.T, w *discordtest.World, kept *counting) {
		b, stop := process(t, w, kept)
		defer stop()
		room, began := w.ChannelID("room-99"), time.Now()
		ch, _ := w.Channel("room-99")
		if b.client.GuildPending(ch.Guild) {
			t.Error("the server counts as pending")
		}
		bob := w.UserID("bob")
		if missing, err := b.client.MissingPermissions(t.Context(), ch.Guild, bob, room, []chat.Permission{chat.ManageMessages}); err != nil || len(missing) > 0 {
			t.Errorf("bob lacks %q: %v", missing, err)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("it took %v", took)
		}
		if _, err := b.client.ChannelAnywhere(t.Context(), "", "room-42"); err != nil {
			t.Error(err)
		}
		if took := time.Since(began); took < 5*time.Second {
			t.Errorf("after %v, not all servers can be known", took)
		}
	})
}

// TestAStopWhileServersAreFetchedLosesNoEvent: the next process resumes the session, and handles the events that still
// waited for their server.
func TestAStopWhileServersAreFetchedLosesNoEvent(t *testing.T) {
	restart(t, 100, func(t *testing.T, w *discordtest.World, kept *counting) {
		w.MustSay("bob", "room-57", "hello?")
		w.Fail(fakediscord.Fault{Match: "GET /guilds/{guild}", Times: 3, Kind: fakediscord.RateLimited, RetryAfter: 5 * time.Second})
		b, stop := process(t, w, kept)
		time.Sleep(time.Second)
		stop()
		if got := b.heard.list(); !slices.Equal(got, []string{"ready DiscoClaw"}) {
			t.Errorf("handled %q", got)
		}
		b, stop = process(t, w, kept)
		time.Sleep(time.Second)
		stop()
		b.when(t, time.Now(), "bob: hello?")
		requireSessions(t, w, 1, 2)
	})
}

// TestAServerThatDiscordDescribesIsNotFetched: the bot was removed and invited again while no process ran.
func TestAServerThatDiscordDescribesIsNotFetched(t *testing.T) {
	restart(t, 30, func(t *testing.T, w *discordtest.World, kept *counting) {
		room, _ := w.Channel("room-29")
		if err := errors.Join(w.ExpelBot("server-29"), w.InviteBot("server-29"), w.ExpelBot("server-28")); err != nil {
			t.Fatal(err)
		}
		b, stop := process(t, w, kept)
		defer stop()
		time.Sleep(time.Minute)
		told := 0
		for _, event := range b.heard.list() {
			if event == "available "+string(room.Guild) {
				told++
			}
		}
		if fetched := b.count("GET /guilds/{guild}"); told != 1 || fetched != 28 {
			t.Errorf("GuildAvailable was called %d times for it, and %d servers were fetched", told, fetched)
		}
		if ch, err := b.client.ChannelAnywhere(t.Context(), "", "room-29"); err != nil || ch.ID != room.ID {
			t.Errorf("%v: %v", ch.ID, err)
		}
		if _, err := b.client.ChannelAnywhere(t.Context(), "", "room-28"); !errors.Is(err, discord.ErrNotFound) {
			t.Error(err)
		}
	})
}
