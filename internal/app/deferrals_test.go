package app

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/deferral"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
)

const deferredWorld = `
guild disco: #general #ops
member ada: owner
member bob
`

// TestOperatorsAreToldOfDeferredRunsThatDoNotRun: an earlier process has left a run of
// bob's behind, and nobody else would tell.
func TestOperatorsAreToldOfDeferredRunsThatDoNotRun(t *testing.T) {
	for _, tt := range []struct {
		name    string
		claimed bool // it was running when that process ended
		away    time.Duration
		change  func(w *discordtest.World) error
		env     string
		spoil   func(b *Bot)
		report  string // after "The deferred run 1 of <@bob> in <#ops> "
		told    string // in #ops; empty means nothing
	}{
		{name: "a right that was lost", change: func(w *discordtest.World) error { return w.Deny("#ops", "bob", chat.SendMessages) },
			report: "was not run: who asked for it lacks “Send Messages” there by now."},
		{name: "a member who has left", change: func(w *discordtest.World) error { return w.RemoveMember("bob") },
			report: "was not run: look up the rights of who asked for it: user {bob} is not a member of this server."},
		{name: "a channel that is gone", change: func(w *discordtest.World) error { return w.DeleteChannel("ops") },
			report: "was not run: find its channel, #ops: there is no such channel; it may have been deleted."},
		{name: "somebody who is not served any more", env: "DISCORD_ALLOW_USER_IDS=",
			report: "was not run: who asked for it, or the channel, is not served any more (not on the list of users)."},
		{name: "a channel that is not listed", env: "DISCORD_CHANNEL_IDS=none",
			report: "was not run: who asked for it, or the channel, is not served any more (not in the list of channels)."},
		{name: "a switch that is off", env: "DISCOCLAW_DISCORD_ACTIONS_DEFER=0",
			report: "was not run: the defer actions are off; set DISCOCLAW_DISCORD_ACTIONS_DEFER=1."},
		{name: "a switch that is off, and a channel that is gone", env: "DISCOCLAW_DISCORD_ACTIONS_DEFER=0", change: func(w *discordtest.World) error { return w.DeleteChannel("ops") },
			report: "was not run: the defer actions are off; "},
		{name: "a channel that is gone, and was not listed", env: "DISCORD_CHANNEL_IDS=none", change: func(w *discordtest.World) error { return w.DeleteChannel("ops") },
			report: "was not run: find its channel, #ops: "},
		{name: "a channel that is not listed, and a right that was lost", env: "DISCORD_CHANNEL_IDS=none", change: func(w *discordtest.World) error { return w.Deny("#ops", "bob", chat.SendMessages) },
			report: "was not run: who asked for it, or the channel, is not served any more "},
		{name: "a fault in the bot", spoil: func(b *Bot) { b.flows.Model = func() string { panic("broken") } },
			report: "ended with a fault inside the bot; its log has the details."},
		{name: "a time that is long over", away: 2 * time.Hour,
			report: "was missed: it was due on ", told: "⌛ <@{bob}> had asked for a follow-up here at "},
		{name: "a time that is long over, where the bot does not answer", away: 2 * time.Hour, env: "DISCORD_CHANNEL_IDS=none",
			report: "was missed: it was due on "},
		{name: "a run that was cut off", claimed: true,
			report: "was interrupted by the end of the bot, and is not run again.", told: "⚠️ The bot was restarted in the middle of the follow-up that <@{bob}> had asked for (id 1)."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, deferredWorld)
				env := inWorld(t, w, "DISCORD_ALLOW_USER_IDS="+string(w.UserID("bob")))
				name, value, _ := strings.Cut(tt.env, "=")
				if name != "" {
					env[name] = value
				}
				ids := strings.NewReplacer("{bob}", string(w.UserID("bob")))
				head := "The deferred run 1 of <@" + string(w.UserID("bob")) + "> in <#" + string(w.ChannelID("ops")) + "> "
				leaveBehind(t, env["DISCOCLAW_DATA_DIR"], deferral.Job{Guild: w.GuildID(), Channel: w.ChannelID("ops"), Name: "ops", Prompt: "x", Requester: w.UserID("bob")}, tt.claimed)
				time.Sleep(tt.away)
				if tt.change != nil {
					if err := tt.change(w); err != nil {
						t.Fatal(err)
					}
				}
				var reports notes
				for range 2 { // the second time there is nothing left to report
					bot, err := NewBot(env, Outside{HTTP: w.HTTP(), Runtime: script.New(), Log: t.Output()})
					if err != nil {
						t.Fatal(err)
					}
					if tt.spoil != nil {
						tt.spoil(bot)
					}
					bot.flows.Report = reports.add
					ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
					if err := bot.Run(ctx); err != nil {
						t.Error(err)
					}
					stop()
				}
				if got := reports.all(); len(got) != 1 || !strings.HasPrefix(got[0], head+ids.Replace(tt.report)) {
					t.Errorf("reported %q\nwant %q", got, head+ids.Replace(tt.report))
				}
				var told []string
				for _, m := range w.Messages("ops") {
					told = append(told, m.Content)
				}
				if all := strings.Join(told, "\n"); (all == "") != (tt.told == "") || !strings.HasPrefix(all, ids.Replace(tt.told)) || len(told) > 1 {
					t.Errorf("told %q\nwant %q", told, tt.told)
				}
			})
		})
	}
}

// TestAMissedRunIsToldWhenDiscordIsBack: Discord was out of order for so long that the
// run was missed, and the one who waits for it still has to hear of that.
func TestAMissedRunIsToldWhenDiscordIsBack(t *testing.T) {
	t.Parallel()
	for claimed, outage := range map[bool]time.Duration{false: 75 * time.Minute, true: 45 * time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			w := discordtest.New(t, deferredWorld)
			env := inWorld(t, w, "DISCORD_ALLOW_USER_IDS="+string(w.UserID("bob")))
			leaveBehind(t, env["DISCOCLAW_DATA_DIR"], deferral.Job{Guild: w.GuildID(), Channel: w.ChannelID("ops"), Name: "ops", Prompt: "x", Requester: w.UserID("bob")}, claimed)
			w.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages"})
			w.Fail(fakediscord.Fault{Match: "GET /guilds/{guild}/members/{user}"})
			_, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: script.New()})
			time.Sleep(outage)
			w.Recover()
			time.Sleep(5 * time.Minute)
			_, _ = stop()
			if told := w.Messages("ops"); len(told) != 1 || !strings.Contains(told[0].Content, "(id 1)") {
				t.Errorf("with claimed %v:\n%s", claimed, w.Transcript())
			}
		})
	}
}

// TestADeferredRunGoesWithoutWhatCannotBeRead: somebody waits for it, and it can do
// without.
func TestADeferredRunGoesWithoutWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, deferredWorld)
		env := inWorld(t, w)
		leaveBehind(t, env["DISCOCLAW_DATA_DIR"], deferral.Job{Guild: w.GuildID(), Channel: w.ChannelID("ops"), Prompt: "x", Requester: w.UserID("ada")}, false)
		bot, err := NewBot(env, Outside{HTTP: w.HTTP(), Runtime: script.New(script.Say("Hi.")), Log: t.Output()})
		if err != nil {
			t.Fatal(err)
		}
		bot.flows.Workspace = burnt{}
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
		defer stop()
		if err := bot.Run(ctx); err != nil {
			t.Error(err)
		}
		w.RequireTranscript(t, "#ops bot: Hi.")
	})
}

// A burnt workspace cannot be read.
type burnt struct{}

func (burnt) Persona(context.Context) ([]chat.Document, error) {
	return nil, errors.New("it has burnt down")
}

func (burnt) Context(context.Context, chat.Place, string) ([]chat.Document, error) {
	return nil, errors.New("it has burnt down")
}

// leaveBehind schedules a job for a minute from now, as an earlier process would have.
func leaveBehind(t *testing.T, dir string, j deferral.Job, claimed bool) {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(dir, store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	e := deferral.New(db, deferral.Options{})
	if j, err = e.Schedule(t.Context(), j, time.Minute); err != nil {
		t.Fatal(err)
	}
	if claimed {
		if _, err := e.Claim(t.Context(), j.ID); err != nil {
			t.Fatal(err)
		}
	}
}

// notes are what somebody was told.
type notes struct {
	mu   sync.Mutex
	list []string
}

func (n *notes) add(_ context.Context, what string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, what)
}

func (n *notes) all() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.list
}
