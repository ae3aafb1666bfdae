package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/deferral"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/delivery/ledger"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
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
		name   string
		tries  int // that ended with the bot, each in the middle
		away   time.Duration
		change func(w *discordtest.World) error
		env    string
		spoil  func(b *Bot)
		report string // after "The deferred run 1 of <@bob> in <#ops> ", unless it is about a fault
		told   string // in #ops; empty means nothing
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
		{name: "a right that was lost after it had begun", tries: 1, change: func(w *discordtest.World) error { return w.Deny("#ops", "bob", chat.SendMessages) },
			report: "was begun, but does not go on: who asked for it lacks “Send Messages” there by now."},
		{name: "a channel that is gone after it had begun", tries: 1, change: func(w *discordtest.World) error { return w.DeleteChannel("ops") },
			report: "was begun, but does not go on: find its channel, #ops: "},
		{name: "the third try", tries: 3,
			report: "was begun, but not finished: the bot ended in the middle of it.", told: "⚠️ The follow-up that <@{bob}> had asked for here at "},
		{name: "a time that is long over, after it had begun", tries: 1, away: 100 * 24 * time.Hour,
			report: "was begun, but not finished: it is too late for that now.", told: "⚠️ The follow-up that <@{bob}> had asked for here at "},
		{name: "a fault in the bot", spoil: func(b *Bot) { b.flows.Model = func() llm.Choice { panic("broken") } },
			report: "⚠️ There is a fault inside the bot, which ended a turn in <#{ops}>; its log has the details."},
		{name: "a time that is long over", away: 2 * time.Hour,
			report: "was missed, since the bot was not there: it was due on ", told: "⌛ <@{bob}> had asked for a follow-up here at "},
		{name: "a time that is long over, where the bot does not answer", away: 2 * time.Hour, env: "DISCORD_CHANNEL_IDS=none",
			report: "was missed, since the bot was not there: it was due on "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, deferredWorld)
				env := apptest.Env(t, w, "DISCORD_ALLOW_USER_IDS="+string(w.UserID("bob")))
				name, value, _ := strings.Cut(tt.env, "=")
				if name != "" {
					env[name] = value
				}
				ids := strings.NewReplacer("{bob}", string(w.UserID("bob")), "{ops}", string(w.ChannelID("ops")))
				want := tt.report
				if !strings.HasPrefix(want, "⚠️") {
					want = "The deferred run 1 of <@{bob}> in <#{ops}> " + want
				}
				leaveBehind(t, env["DISCOCLAW_DATA_DIR"], jobOf(w, "bob"), tt.tries)
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
					bot.flows.Report, bot.flows.Pipeline.Report = reports.add, reports.add
					ctx, stop := context.WithTimeout(t.Context(), 5*time.Minute)
					if err := bot.Run(ctx); err != nil {
						t.Error(err)
					}
					stop()
				}
				if got := reports.all(); len(got) != 1 || !strings.HasPrefix(got[0], ids.Replace(want)) {
					t.Errorf("reported %q\nwant %q", got, ids.Replace(want))
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
// run was missed, and the one who waits for it still has to hear of that. It was looked at
// again and again, but never begun.
func TestAMissedRunIsToldWhenDiscordIsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, deferredWorld)
		env := apptest.Env(t, w, "DISCORD_ALLOW_USER_IDS="+string(w.UserID("bob")))
		leaveBehind(t, env["DISCOCLAW_DATA_DIR"], jobOf(w, "bob"), 0)
		w.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages"})
		w.Fail(fakediscord.Fault{Match: "GET /guilds/{guild}/members/{user}"})
		_, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: script.New()})
		time.Sleep(75 * time.Minute)
		w.Recover()
		time.Sleep(5 * time.Minute)
		_, _ = stop()
		if told := w.Messages("ops"); len(told) != 1 || !strings.Contains(told[0].Content, "(id 1), but something kept it from beginning. It is too late now, so it was not run") {
			t.Error(w.Transcript())
		}
	})
}

// TestARunThatNeverBeganIsNotSaidToHaveBegun: Discord kept it from beginning at first, and
// then who had asked for it lost the right.
func TestARunThatNeverBeganIsNotSaidToHaveBegun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, deferredWorld)
		env := apptest.Env(t, w, "DISCORD_ALLOW_USER_IDS="+string(w.UserID("bob")))
		leaveBehind(t, env["DISCOCLAW_DATA_DIR"], jobOf(w, "bob"), 0)
		w.Fail(fakediscord.Fault{Match: "GET /guilds/{guild}/members/{user}"})
		bot, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: script.New()})
		var reports notes
		bot.flows.Report, bot.flows.Pipeline.Report = reports.add, reports.add
		time.Sleep(10 * time.Minute)
		if err := w.Deny("#ops", "bob", chat.SendMessages); err != nil {
			t.Fatal(err)
		}
		w.Recover()
		time.Sleep(5 * time.Minute)
		_, _ = stop()
		if got := reports.all(); len(got) != 1 || !strings.Contains(got[0], "was not run: who asked for it lacks") {
			t.Errorf("reported %q", got)
		}
	})
}

// TestAMissedRunIsToldOnce: Discord has taken that without saying so, and has forgotten it when
// it can be told once more, by the same process or by the next.
func TestAMissedRunIsToldOnce(t *testing.T) {
	t.Parallel()
	for _, restarts := range []bool{false, true} {
		t.Run(fmt.Sprintf("with a restart: %v", restarts), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, deferredWorld)
				env := apptest.Env(t, w)
				leaveBehind(t, env["DISCOCLAW_DATA_DIR"], jobOf(w, "ada"), 0)
				time.Sleep(75 * time.Minute)
				w.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Accepted: true})
				_, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: script.New()})
				time.Sleep(time.Minute)
				w.Recover()
				w.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages"})
				time.Sleep(10 * time.Minute)
				if restarts {
					_, _ = stop()
					_, stop = begins(t, env, Outside{HTTP: w.HTTP(), Runtime: script.New()})
				}
				w.Recover()
				time.Sleep(5 * time.Minute)
				_, _ = stop()
				if told := w.Messages("ops"); len(told) != 1 || !strings.Contains(told[0].Content, "(id 1)") {
					t.Error(w.Transcript())
				}
			})
		})
	}
}

// TestTheAnswerOfADeferredRunArrivesWhenDiscordIsBack: it is known by then, so the model is
// not asked again.
func TestTheAnswerOfADeferredRunArrivesWhenDiscordIsBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, deferredWorld)
		env := apptest.Env(t, w)
		leaveBehind(t, env["DISCOCLAW_DATA_DIR"], jobOf(w, "ada"), 0)
		w.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages"})
		_, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: script.New(script.Say("Hi."))})
		time.Sleep(20 * time.Minute)
		w.Recover()
		time.Sleep(5 * time.Minute)
		_, _ = stop()
		if told := w.Messages("ops"); len(told) != 1 || !strings.HasSuffix(told[0].Content, "UTC.\nHi.") {
			t.Error(w.Transcript())
		}
	})
}

// TestADeferredRunGoesWithoutWhatCannotBeRead: somebody waits for it, and it can do
// without.
func TestADeferredRunGoesWithoutWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, deferredWorld)
		env := apptest.Env(t, w)
		leaveBehind(t, env["DISCOCLAW_DATA_DIR"], jobOf(w, "ada"), 0)
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

// TestARunThatAnOlderVersionHadBegunIsGivenUp: nobody knows what it has done, so all that is
// left is to say so.
func TestARunThatAnOlderVersionHadBegunIsGivenUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, deferredWorld)
		env := apptest.Env(t, w)
		db, err := store.Open(t.Context(), filepath.Join(env["DISCOCLAW_DATA_DIR"], store.FileName))
		if err != nil {
			t.Fatal(err)
		}
		now := time.Now().UnixMicro()
		for _, s := range []string{
			"DELETE FROM goose_db_version WHERE version_id = 12",
			"ALTER TABLE posts DROP COLUMN text",
			"DROP INDEX deferrals_by_time",
			"ALTER TABLE deferrals ADD COLUMN state TEXT NOT NULL DEFAULT 'running'",
			"ALTER TABLE deferrals ADD COLUMN claimed BIGINT NOT NULL DEFAULT 0",
			"CREATE INDEX deferrals_by_time ON deferrals (state, due)",
			fmt.Sprintf(`INSERT INTO deferrals (state, guild, channel, name, prompt, requester, prompter, turn, due, created, claimed)
				VALUES ('running', '%s', '%s', 'ops', 'say "hi"', '%s', '', '', %[4]d, %[4]d, %[4]d)`, w.GuildID(), w.ChannelID("ops"), w.UserID("ada"), now),
			fmt.Sprintf(`INSERT INTO deferrals (state, guild, channel, name, prompt, requester, prompter, turn, due, created, claimed)
				VALUES ('pending', '%s', '%s', 'ops', 'say "hi"', '%s', '', '', %[4]d, %[4]d, 0)`, w.GuildID(), w.ChannelID("ops"), w.UserID("ada"), now),
		} {
			if _, err := db.ExecContext(t.Context(), s); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		_, stop := begins(t, env, Outside{HTTP: w.HTTP(), Runtime: script.New(script.Say("Hi."))})
		time.Sleep(5 * time.Minute)
		_, _ = stop()
		if told := apptest.Contents(w, "ops"); len(w.Messages("ops")) != 2 || !strings.Contains(told, "(id 1) was begun, but not finished") || !strings.Contains(told, "Hi.") {
			t.Error(told)
		}
	})
}

// TestADeferredRunGoesOnAfterARestart: the bot is told to end while Discord does not answer,
// so that the action is done and its answer is not there yet.
func TestADeferredRunGoesOnAfterARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #ops #log\nmember ada: owner")
		env := apptest.Env(t, w)
		leaveBehind(t, env["DISCOCLAW_DATA_DIR"], jobOf(w, "ada"), 0)
		model := script.New(script.Say(`Pinged.<discord-action>{"type":"sendMessage","channel":"log","content":"hello"}</discord-action>`))
		_, stop := begins(t, env, Outside{HTTP: &http.Client{Transport: mute{w.HTTP().Transport, "/channels/" + string(w.ChannelID("ops")) + "/messages"}}, Runtime: model})
		time.Sleep(65 * time.Second)
		_, _ = stop()
		_, stop = begins(t, env, Outside{HTTP: w.HTTP(), Runtime: model})
		time.Sleep(5 * time.Second)
		_, _ = stop()
		if ops, log := w.Messages("ops"), w.Messages("log"); len(ops) != 1 || len(log) != 1 || !strings.HasSuffix(ops[0].Content, "Pinged.") || len(model.Requests()) != 1 {
			t.Errorf("the model was asked %d times:\n%s", len(model.Requests()), w.Transcript())
		}
	})
}

// mute does not answer some requests.
type mute struct {
	http.RoundTripper
	path string // how theirs ends
}

func (m mute) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, m.path) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return m.RoundTripper.RoundTrip(r)
}

// jobOf is something that somebody has asked for in #ops.
func jobOf(w *discordtest.World, who string) deferral.Job {
	return deferral.Job{Guild: w.GuildID(), Channel: w.ChannelID("ops"), Name: "ops", Prompt: "x", Requester: w.UserID(who)}
}

// leaveBehind schedules a job for a minute from now, as an earlier process would have. It may
// have begun by then, and ended with the process each time.
func leaveBehind(t *testing.T, dir string, j deferral.Job, tries int) {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(dir, store.FileName))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	jobs, box := deferral.New(db, deferral.Options{}), inbox.New(db)
	if j, err = jobs.Schedule(t.Context(), j, time.Minute); err != nil {
		t.Fatal(err)
	}
	if tries == 0 {
		return
	}
	text, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	at := chat.Place{Guild: j.Guild, Channel: j.Channel}
	if _, err := jobs.Claim(t.Context(), j.ID, box.Entry(inbox.Event{ID: "defer-1", Kind: inbox.Deferred, Place: at, Turn: "turn", Body: text})); err != nil {
		t.Fatal(err)
	}
	for range tries {
		attempt(t, box, "turn", "defer-1")
	}
	begun, err := ledger.New(db, slog.New(slog.DiscardHandler)).Open(t.Context(), "turn")
	if err != nil {
		t.Fatal(err)
	}
	begun.Answered(t.Context(), 0, turn.Answer{Text: "Looking."})
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
