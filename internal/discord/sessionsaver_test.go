package discord_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/fakediscord/fakegateway"
	"discoclaw/internal/store"
)

// counting counts the saves of a session, and can refuse them. A killed process saves nothing.
type counting struct {
	*store.Cell[discord.SavedSession]
	saves  atomic.Int32
	full   atomic.Bool
	killed atomic.Bool
}

func (c *counting) Save(ctx context.Context, s discord.SavedSession) error {
	if c.full.Load() {
		return errors.New("the disk is full")
	}
	if c.killed.Load() {
		return nil
	}
	c.saves.Add(1)
	return c.Cell.Save(ctx, s)
}

// inProcesses gives a test a world, and a session store that outlives its processes.
func inProcesses(t *testing.T, layout string, f func(t *testing.T, w *discordtest.World, kept *counting)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, layout)
		db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		f(t, w, &counting{Cell: store.NewCell(db, "session", discord.SavedSession{})})
	})
}

// process runs a client of its own until stop is called.
func process(t *testing.T, w *discordtest.World, kept discord.Sessions, change ...func(*discord.Options)) (b *bench, stop func()) {
	t.Helper()
	o := discord.Options{Token: w.Token(), APIURL: w.APIURL(), HTTP: w.HTTP(), Sessions: kept}
	for _, f := range change {
		f(&o)
	}
	count := func() int { return len(w.Requests()) }
	b = &bench{World: w, heard: &recorder{count: count}, client: discord.New(o), before: count()}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- b.client.Run(ctx, b.heard) }()
	synctest.Wait()
	return b, func() {
		t.Helper()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run ended with: %v", err)
		}
		synctest.Wait() // until the fake has noticed it, too
		w.AwaitStart()
	}
}

func requireSessions(t *testing.T, w *discordtest.World, identifies, resumes int) {
	t.Helper()
	if n := w.Gateway().Counts(); n.Identifies != identifies || n.Resumes != resumes {
		t.Errorf("%d IDENTIFYs and %d RESUMEs, want %d and %d", n.Identifies, n.Resumes, identifies, resumes)
	}
}

func TestOnlyMissedEventsAreReplayedToTheNextProcess(t *testing.T) {
	inProcesses(t, "guild disco: #general\nmember bob", func(t *testing.T, w *discordtest.World, kept *counting) {
		_, stop := process(t, w, kept)
		w.MustSay("bob", "general", "to the first")
		synctest.Wait()
		stop()
		w.MustSay("bob", "general", "to nobody")
		time.Sleep(time.Minute)
		second, stop := process(t, w, kept)
		w.MustSay("bob", "general", "to the second")
		synctest.Wait()
		stop()
		third, stop := process(t, w, kept)
		stop()
		available := "available " + string(w.GuildID())
		if diff := cmp.Diff([]string{"ready DiscoClaw", available, "bob: to nobody", "bob: to the second"}, second.heard.list()); diff != "" {
			t.Errorf("the second handled (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"ready DiscoClaw", available}, third.heard.list()); diff != "" {
			t.Errorf("the third handled (-want +got):\n%s", diff)
		}
		requireSessions(t, w, 1, 2)
	})
}

// TestAResumedSessionHasTheServersOfANewOne, though Discord does not describe them, and some have
// changed meanwhile.
func TestAResumedSessionHasTheServersOfANewOne(t *testing.T) {
	const layout = `
guild disco: #general #old #plans #secret ideas:forum Lounge:voice Projects:category
bot DiscoClaw: View Channel, Send Messages, Send Messages in Threads, Read Message History, Create Public Threads
deny #secret DiscoClaw: View Channel
role mods: Manage Messages
tag bug in ideas
thread "open" in #general
thread "done" in #general: archived
member bob: mods
`
	inProcesses(t, layout, func(t *testing.T, w *discordtest.World, kept *counting) {
		_, stop := process(t, w, kept)
		stop()
		_, added := w.AddChannel("#new")
		if err := errors.Join(added, w.DeleteChannel("old"), w.RenameChannel("plans", "schemes"), w.RevokeRole("bob", "mods"), w.SetNick("bot", "Claw")); err != nil {
			t.Fatal(err)
		}
		w.MustSay("bob", "general", "hello")
		resumed, stop := process(t, w, kept)
		got := knows(t, resumed)
		stop()
		if n := len(resumed.requests()); n != 6 {
			t.Errorf("%d requests: %q", n, resumed.requests())
		}
		fresh, stop := process(t, w, nil)
		want := knows(t, fresh)
		stop()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-new session +resumed):\n%s", diff)
		}
	})
}

// knows returns the state of a client's cache.
func knows(t *testing.T, b *bench) map[string]any {
	t.Helper()
	channels, err := b.client.Channels(t.Context(), b.GuildID())
	if err != nil {
		t.Fatal(err)
	}
	roles, err := b.client.Roles(t.Context(), b.GuildID())
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(channels, func(x, y chat.Channel) int { return strings.Compare(string(x.ID), string(y.ID)) })
	all := map[string]any{"channels": channels, "roles": roles, "self": b.client.Self()}
	for _, ch := range channels {
		latest, known := b.client.LastMessage(ch.ID)
		all["past of "+ch.Name] = fmt.Sprint(latest, known)
	}
	return all
}

func TestASessionOfAnotherOwnerIsNotResumed(t *testing.T) {
	inProcesses(t, "guild disco: #general\nmember bob", func(t *testing.T, w *discordtest.World, kept *counting) {
		_, stop := process(t, w, kept)
		stop()
		_, stop = process(t, w, kept, func(o *discord.Options) { o.APIURL = strings.Replace(o.APIURL, "fake", "other", 1) })
		stop()
		requireSessions(t, w, 2, 0)
	})
}

func TestASessionThatIsGoneIsReplaced(t *testing.T) {
	inProcesses(t, "guild disco: #general\nmember bob", func(t *testing.T, w *discordtest.World, kept *counting) {
		_, stop := process(t, w, kept)
		stop()
		w.Gateway().ForgetSessions()
		b, stop := process(t, w, kept)
		time.Sleep(10 * time.Second)
		w.MustSay("bob", "general", "hello")
		synctest.Wait()
		if diff := cmp.Diff([]string{"ready DiscoClaw", "bob: hello"}, b.heard.list()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		stop()
		_, stop = process(t, w, kept)
		stop()
		requireSessions(t, w, 2, 2)
	})
}

// TestTheSessionIsDroppedIfServersCannotBeFetched: without them, no permission could be
// checked.
func TestTheSessionIsDroppedIfServersCannotBeFetched(t *testing.T) {
	inProcesses(t, "guild disco: #general\nmember bob", func(t *testing.T, w *discordtest.World, kept *counting) {
		_, stop := process(t, w, kept)
		stop()
		w.Fail(fakediscord.Fault{Match: "GET /guilds/{guild}/channels", Status: 500})
		b, stop := process(t, w, kept)
		time.Sleep(time.Minute)
		if got := b.heard.list(); !slices.Equal(got, []string{"ready DiscoClaw", "ready DiscoClaw"}) {
			t.Errorf("handled %q", got)
		}
		if channels, err := b.client.Channels(t.Context(), w.GuildID()); err != nil || len(channels) != 1 {
			t.Errorf("%v, %v", channels, err)
		}
		stop()
		requireSessions(t, w, 2, 1)
	})
}

func TestAFullDiskDoesNotReplayAllEvents(t *testing.T) {
	inProcesses(t, "guild disco: #general\nmember bob", func(t *testing.T, w *discordtest.World, kept *counting) {
		_, stop := process(t, w, kept)
		kept.full.Store(true)
		w.MustSay("bob", "general", "hello")
		synctest.Wait()
		stop()
		kept.full.Store(false)
		b, stop := process(t, w, kept)
		time.Sleep(10 * time.Second)
		stop()
		if got := b.heard.list(); slices.Contains(got, "bob: hello") || !slices.Contains(got, "ready DiscoClaw") {
			t.Errorf("handled %q", got)
		}
	})
}

// TestTheSequenceIsSavedAtIntervals: events that are replayed after a crash are deduped by ID.
func TestTheSequenceIsSavedAtIntervals(t *testing.T) {
	inProcesses(t, "guild disco: #general\nmember bob", func(t *testing.T, w *discordtest.World, kept *counting) {
		b, stop := process(t, w, kept)
		defer stop()
		time.Sleep(time.Minute)
		writes := func(what string, want int, f func()) {
			t.Helper()
			before := kept.saves.Load()
			f()
			synctest.Wait()
			if n := int(kept.saves.Load() - before); n != want {
				t.Errorf("%s: saved %d times, want %d", what, n, want)
			}
		}
		var said fakediscord.Message
		writes("two messages", 1, func() {
			said = w.MustSay("bob", "general", "hello")
			w.MustSay("bob", "general", "hello?")
		})
		writes("a reaction right after them", 0, func() {
			if err := w.React("bob", said.ID, "👍"); err != nil {
				t.Fatal(err)
			}
		})
		writes("the bot's own words, at once", 0, func() { b.send(t, "general", "hello, bob") })
		writes("thirty changes in three seconds", 3, func() {
			for i := range 30 {
				time.Sleep(100 * time.Millisecond)
				w.Gateway().Dispatch(0, fakegateway.Event{Name: "SOMETHING_NEW", Data: i})
			}
		})
	})
}

func TestTheNextProcessResetsThePresence(t *testing.T) {
	inProcesses(t, "guild disco: #general", func(t *testing.T, w *discordtest.World, kept *counting) {
		first, stop := process(t, w, kept)
		away := chat.Presence{Status: chat.Idle, Activity: chat.Activity{Kind: chat.Playing, Text: "chess"}}
		if err := first.client.SetPresence(t.Context(), away); err != nil {
			t.Fatal(err)
		}
		stop()
		_, stop = process(t, w, kept)
		defer stop()
		if shown := w.BotPresence(); shown.Status != "online" || len(shown.Activities) > 0 {
			t.Errorf("it shows %+v", shown)
		}
	})
}

// TestTheBotIsInvisibleBetweenTwoProcesses, so that people see it leave and come back.
func TestTheBotIsInvisibleBetweenTwoProcesses(t *testing.T) {
	for name, set := range map[string]chat.Presence{
		"without a presence":    {},
		"with a presence":       {Status: chat.Idle, Activity: chat.Activity{Kind: chat.Watching, Text: "the door"}},
		"with an invisible one": {Status: chat.Invisible},
	} {
		t.Run(name, func(t *testing.T) {
			inProcesses(t, "guild disco: #general", func(t *testing.T, w *discordtest.World, kept *counting) {
				present := func(o *discord.Options) { o.Presence = set }
				_, stop := process(t, w, kept, present)
				before := w.BotPresence()
				for range 2 {
					stop()
					if got := w.BotPresence().Status; got != "invisible" {
						t.Errorf("after its end the bot is %s", got)
					}
					time.Sleep(time.Minute)
					_, stop = process(t, w, kept, present)
					if diff := cmp.Diff(before, w.BotPresence()); diff != "" {
						t.Errorf("after RESUME (-want +got):\n%s", diff)
					}
				}
				requireSessions(t, w, 1, 2)
				stop()
			})
		})
	}
}

// TestTheNextProcessLeavesVoice, since it has no state for it.
func TestTheNextProcessLeavesVoice(t *testing.T) {
	inProcesses(t, "guild disco: #general Lounge:voice\nmember bob", func(t *testing.T, w *discordtest.World, kept *counting) {
		first, stop := process(t, w, kept)
		if err := first.client.JoinVoice(t.Context(), w.GuildID(), w.ChannelID("Lounge"), false, false); err != nil {
			t.Fatal(err)
		}
		stop()
		if _, inside := w.VoiceState("bot"); !inside {
			t.Fatal("the session was not kept")
		}
		second, stop := process(t, w, kept)
		defer stop()
		if _, inside := w.VoiceState("bot"); inside {
			t.Error("the bot is still there")
		}
		if err := second.client.JoinVoice(t.Context(), w.GuildID(), w.ChannelID("Lounge"), false, false); err != nil {
			t.Error(err)
		}
	})
}

// A slowStart is a handler whose Ready calls the client, and blocks events for a moment.
type slowStart struct {
	*recorder
	ask func()
}

func (s slowStart) Ready(self chat.User) {
	s.recorder.Ready(self)
	go s.ask()
	time.Sleep(time.Second)
}

// TestPermissionsAreUpToDateDuringAReplay, though the replayed events begin with an older state.
func TestPermissionsAreUpToDateDuringAReplay(t *testing.T) {
	inProcesses(t, "guild disco: #general\nrole mods: Manage Messages\nmember bob: mods", func(t *testing.T, w *discordtest.World, kept *counting) {
		_, stop := process(t, w, kept)
		kept.killed.Store(true) // before the sequence after the description is saved
		stop()
		kept.killed.Store(false)
		if err := w.SetPermission("mods", chat.ManageMessages, false); err != nil {
			t.Fatal(err)
		}
		b := &bench{World: w, client: discord.New(discord.Options{Token: w.Token(), APIURL: w.APIURL(), HTTP: w.HTTP(), Sessions: kept})}
		may := make(chan bool, 1)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- b.client.Run(ctx, slowStart{&recorder{}, func() { may <- b.mayManage(t, "bob") }})
		}()
		if <-may {
			t.Error("bob still may")
		}
		requireSessions(t, w, 1, 1)
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
