package flow_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/deferral"
	"discoclaw/internal/delivery/inbox"
	"discoclaw/internal/delivery/ledger"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

const deferredWorld = `
guild disco: #general #ops #status
member ada: owner
member bob
`

// withDeferred runs a test on a host with a deferred run in #ops, which an earlier process has scheduled for
// a minute from now. Its requester is the only one who is served.
func withDeferred(t *testing.T, requester string, test func(h *host)) {
	t.Helper()
	onHost(t, deferredWorld, func(h *host) {
		h.serves(requester)
		h.deferred(requester, 0)
		test(h)
	}, "DISCOCLAW_STATUS_CHANNEL=status")
}

// reports returns the reports about a channel in #status. They may share a message with the one that says
// that the bot is online.
func (h *host) reports() (list []string) {
	for line := range strings.Lines(apptest.Contents(h.World, "status")) {
		if strings.Contains(line, "<#") {
			list = append(list, line)
		}
	}
	return list
}

// TestDeferredRunsThatDoNotRunAreReportedToOperators: an earlier process has left a run of bob's, and nothing else
// would report it.
func TestDeferredRunsThatDoNotRunAreReportedToOperators(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		tries  int // attempts that were killed in the middle
		off    time.Duration
		change func(h *host) error
		env    string
		report string // after "The follow-up that <@bob> wanted in <#ops> ", unless it is about a fault
		told   string // in #ops; empty means nothing
	}{
		{name: "a right that was lost", change: func(h *host) error { return h.Deny("#ops", "bob", chat.SendMessages) },
			report: "was not run: <@{bob}> lacks *Send Messages* there now."},
		{name: "a member who has left", change: func(h *host) error { return h.RemoveMember("bob") },
			report: "was not run: I can't tell what <@{bob}> may do there: <@{bob}> is not a member of this server."},
		{name: "a channel that is gone", change: func(h *host) error { return h.DeleteChannel("ops") },
			report: "was not run: I can't find its channel, #ops: there is no such channel; it may have been deleted."},
		{name: "a requester who is not served any more", env: "DISCORD_ALLOW_USER_IDS=",
			report: "was not run: I no longer answer <@{bob}> there (not on the list of users)."},
		{name: "a channel that is not listed", env: "DISCORD_CHANNEL_IDS=none",
			report: "was not run: I no longer answer <@{bob}> there (not in the list of channels)."},
		{name: "a switch that is off", env: "DISCOCLAW_DISCORD_ACTIONS_DEFER=0",
			report: "was not run: deferred work is switched off here; set DISCOCLAW_DISCORD_ACTIONS_DEFER=1."},
		{name: "a switch that is off, and a channel that is gone", env: "DISCOCLAW_DISCORD_ACTIONS_DEFER=0", change: func(h *host) error { return h.DeleteChannel("ops") },
			report: "was not run: deferred work is switched off here; "},
		{name: "a channel that is gone, and was not listed", env: "DISCORD_CHANNEL_IDS=none", change: func(h *host) error { return h.DeleteChannel("ops") },
			report: "was not run: I can't find its channel, #ops: "},
		{name: "a channel that is not listed, and a right that was lost", env: "DISCORD_CHANNEL_IDS=none", change: func(h *host) error { return h.Deny("#ops", "bob", chat.SendMessages) },
			report: "was not run: I no longer answer <@{bob}> there "},
		{name: "a right that was lost after it had begun", tries: 1, change: func(h *host) error { return h.Deny("#ops", "bob", chat.SendMessages) },
			report: "was begun, but does not go on: <@{bob}> lacks *Send Messages* there now."},
		{name: "a channel that is gone after it had begun", tries: 1, change: func(h *host) error { return h.DeleteChannel("ops") },
			report: "was begun, but does not go on: I can't find its channel, #ops: "},
		{name: "the third try", tries: 3,
			report: "was begun, but not finished: I was shut down in the middle of it each time.", told: "⚠️ I began what <@{bob}> wanted here at "},
		{name: "a time that is long over, after it had begun", tries: 1, off: 100 * 24 * time.Hour,
			report: "was begun, but not finished: it is too late for that now.", told: "⚠️ I began what <@{bob}> wanted here at "},
		{name: "a time that is over, after it had begun", tries: 1, off: 2 * time.Hour,
			report: "was begun, but not finished: it is too late for that now.", told: "⚠️ I began what <@{bob}> wanted here at "},
		{name: "a fault in the bot", change: func(h *host) error { h.model = faulty(); return nil },
			report: "⚠️ A reply failed in <#{ops}>: something went wrong inside the bot; its log has the details.", told: "⚠️ Something went wrong inside me, "},
		{name: "a time that is long over", off: 2 * time.Hour,
			report: "was missed, because I was offline then: it was due at ", told: "⌛ I did not come back to what <@{bob}> wanted here at "},
		{name: "a time that is long over, where the bot does not answer", off: 2 * time.Hour, env: "DISCORD_CHANNEL_IDS=none",
			report: "was missed, because I was offline then: it was due at "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			onHost(t, deferredWorld, func(h *host) {
				h.serves("bob")
				if name, value, ok := strings.Cut(tt.env, "="); ok {
					h.env[name] = value
				}
				ids := strings.NewReplacer("{bob}", string(h.UserID("bob")), "{ops}", string(h.ChannelID("ops")))
				want := tt.report
				if !strings.HasPrefix(want, "⚠️") {
					want = "The follow-up that <@{bob}> wanted in <#{ops}> " + want
				}
				h.deferred("bob", tt.tries)
				time.Sleep(tt.off)
				h.model = script.New()
				if tt.change != nil {
					h.must(tt.change(h))
				}
				for range 2 { // the second time there is nothing left to report
					h.start()
					time.Sleep(5 * time.Minute)
					h.stop()
				}
				if got := h.reports(); len(got) != 1 || !strings.HasPrefix(got[0], ids.Replace(want)) {
					t.Errorf("reported %q\nwant %q", got, ids.Replace(want))
				}
				var told []string
				for _, m := range h.Messages("ops") {
					told = append(told, m.Content)
				}
				if all := strings.Join(told, "\n"); (all == "") != (tt.told == "") || !strings.HasPrefix(all, ids.Replace(tt.told)) || len(told) > 1 {
					t.Errorf("told %q\nwant %q", told, tt.told)
				}
			}, "DISCOCLAW_STATUS_CHANNEL=status")
		})
	}
}

// TestAMissedRunIsReportedAfterAnOutage: the outage of Discord lasted so long that the run, which was retried but
// never begun, is too late.
func TestAMissedRunIsReportedAfterAnOutage(t *testing.T) {
	withDeferred(t, "bob", func(h *host) {
		h.Fail(fakediscord.Fault{Match: posting})
		h.Fail(fakediscord.Fault{Match: lookingUp})
		h.start()
		time.Sleep(75 * time.Minute)
		h.Recover()
		time.Sleep(5 * time.Minute)
		h.stop()
		h.showsOnly("ops", ": something kept it from beginning")
	})
}

// lookingUp is the API route by which the bot looks up the permissions of a member.
const lookingUp = "GET /guilds/{guild}/members/{user}"

// showsOnly requires that a channel has exactly one message, which holds a text.
func (h *host) showsOnly(channel, words string) {
	h.t.Helper()
	if all := h.Messages(channel); len(all) != 1 || !strings.Contains(all[0].Content, words) {
		h.t.Errorf("want only %q\n%s", words, h.Transcript())
	}
}

// TestARunThatNeverBeganIsNotReportedAsBegun: an outage kept it from beginning at first, and then its requester lost
// the right.
func TestARunThatNeverBeganIsNotReportedAsBegun(t *testing.T) {
	withDeferred(t, "bob", func(h *host) {
		h.Fail(fakediscord.Fault{Match: lookingUp})
		h.start()
		time.Sleep(10 * time.Minute)
		h.must(h.Deny("#ops", "bob", chat.SendMessages))
		h.Recover()
		time.Sleep(5 * time.Minute)
		h.stop()
		if got := h.reports(); len(got) != 1 || !strings.Contains(got[0], " lacks *Send Messages* there now") {
			t.Errorf("reported %q", got)
		}
	})
}

// TestAMissedRunIsReportedOnce: Discord has accepted the post, but the response was lost, and the nonce has expired
// by the time of the retry, by the same process or by the next.
func TestAMissedRunIsReportedOnce(t *testing.T) {
	t.Parallel()
	for _, restarts := range []bool{false, true} {
		t.Run(fmt.Sprintf("with a restart: %v", restarts), func(t *testing.T) {
			withDeferred(t, "ada", func(h *host) {
				time.Sleep(75 * time.Minute)
				h.Fail(fakediscord.Fault{Match: posting, Accepted: true})
				h.start()
				time.Sleep(time.Minute)
				h.Recover()
				h.Fail(fakediscord.Fault{Match: posting})
				time.Sleep(10 * time.Minute)
				if restarts {
					h.stop()
					h.start()
				}
				h.Recover()
				time.Sleep(5 * time.Minute)
				h.stop()
				h.showsOnly("ops", "I did not come back to what ")
			})
		})
	}
}

// TestTheAnswerOfADeferredRunIsDeliveredAfterAnOutage: it is in the ledger by then, so the model is not called again.
func TestTheAnswerOfADeferredRunIsDeliveredAfterAnOutage(t *testing.T) {
	withDeferred(t, "ada", func(h *host) {
		h.model = script.New(script.Say("Hi."))
		h.Fail(fakediscord.Fault{Match: posting})
		h.start()
		time.Sleep(20 * time.Minute)
		h.Recover()
		time.Sleep(5 * time.Minute)
		h.stop()
		h.showsOnly("ops", ":R>.\nHi.")
	})
}

func TestALongAnswerOfADeferredRunArrivesInParts(t *testing.T) {
	withDeferred(t, "ada", func(h *host) {
		long := "First. " + strings.Repeat("word ", 1000) + "Last."
		h.model = script.New(script.Say(long))
		h.start()
		time.Sleep(2 * time.Minute)
		h.stop()
		if got := strings.Fields(apptest.Contents(h.World, "ops")); len(h.Messages("ops")) < 3 || !slices.Equal(got, strings.Fields(long)) {
			t.Error(h.Transcript())
		}
	})
}

// TestADeferredRunProceedsWithoutAMissingContext. A message would be refused in that case, but the requester of a
// deferred run may not be there to fix it.
func TestADeferredRunProceedsWithoutAMissingContext(t *testing.T) {
	withDeferred(t, "ada", func(h *host) {
		h.env["DISCORD_AUTO_INDEX_CHANNEL_CONTEXT"] = "0"
		h.start()
		time.Sleep(2 * time.Minute)
		h.MustSay("ada", "ops", "hello")
		time.Sleep(time.Minute)
		h.stop()
		h.shows(1, "ops", apptest.Indeed)
		h.shows(1, "ops", "has no context file")
	})
}

// TestARunBegunByAnOlderVersionIsDropped: its row is as a former migration left it. It has no ledger, so it cannot be
// resumed, only reported.
func TestARunBegunByAnOlderVersionIsDropped(t *testing.T) {
	onHost(t, deferredWorld, func(h *host) {
		h.model = script.New(script.Say("Hi."))
		now := time.Now().UnixMicro()
		h.exec(
			fmt.Sprintf(`INSERT INTO inbox (id, dedupe_key, kind, state, guild, channel, message, turn, body, attempts, begun, accepted)
				VALUES ('defer-1', '', 'deferred', 'running', '%[1]s', '%[2]s', '', 'defer-1',
				json_object('ID', 1, 'Guild', '%[1]s', 'Channel', '%[2]s', 'Name', 'ops', 'Prompt', 'say "hi"', 'Requester', '%[3]s',
					'Due', '2026-03-02T12:00:00Z', 'Created', '2026-03-02T12:00:00Z'), 3, %[4]d, %[4]d)`,
				h.GuildID(), h.ChannelID("ops"), h.UserID("ada"), now),
			fmt.Sprintf(`INSERT INTO deferrals (id, guild, channel, name, prompt, requester, prompter, turn, due, created)
				VALUES (2, '%s', '%s', 'ops', 'say "hi"', '%s', '', '', %[4]d, %[4]d)`, h.GuildID(), h.ChannelID("ops"), h.UserID("ada"), now),
		)
		h.start()
		time.Sleep(5 * time.Minute)
		h.stop()
		if n := len(h.Messages("ops")); n != 2 {
			t.Errorf("%d messages\n%s", n, h.Transcript())
		}
		h.shows(1, "ops", "but did not finish")
		h.shows(1, "ops", "Hi.")
	})
}

// TestAStoppedDeferredRunStaysStopped: the process is killed right after it has posted that the run was stopped.
func TestAStoppedDeferredRunStaysStopped(t *testing.T) {
	withDeferred(t, "bob", func(h *host) {
		h.Fail(fakediscord.Fault{Match: lookingUp, Kind: fakediscord.Hang})
		at := h.atPost(0, true)
		at.path = "/channels/" + string(h.ChannelID("ops")) + "/messages"
		h.start(at)
		time.Sleep(61 * time.Second)
		h.MustSay("bob", "general", "!stop")
		time.Sleep(time.Minute)
		if !h.dead.Load() {
			t.Error("it did not say that the run was stopped")
		}
		h.kill()
		h.Recover()
		h.Gateway().ForgetSessions()
		h.run(nil)
		h.showsOnly("ops", "was stopped")
	})
}

// deferred stores a run in #ops that is due in a minute, as an earlier process would have. It may have been attempted
// before, and killed each time.
func (h *host) deferred(requester string, tries int) {
	h.t.Helper()
	ctx := h.t.Context()
	h.data(func(db *store.DB) {
		jobs, box := deferral.New(db, deferral.Options{}), inbox.New(db)
		j, err := jobs.Schedule(ctx, deferral.Job{Guild: h.GuildID(), Channel: h.ChannelID("ops"), Name: "ops", Prompt: "x", Requester: h.UserID(requester)}, time.Minute)
		h.must(err)
		if tries == 0 {
			return
		}
		text, err := json.Marshal(j)
		h.must(err)
		at := chat.Place{Guild: j.Guild, Channel: j.Channel}
		_, err = jobs.Claim(ctx, j.ID, box.Entry(inbox.Event{ID: "defer-1", Kind: inbox.Deferred, Place: at, Turn: "turn", Body: text}))
		h.must(err)
		for range tries {
			h.must(box.Tx(ctx, func(tx *store.Tx) error {
				_, err := box.Begin(ctx, tx, "turn", "defer-1")
				return err
			}))
		}
		begun, err := ledger.New(db, slog.New(slog.DiscardHandler)).Open(ctx, "turn")
		h.must(err)
		begun.Answered(ctx, 0, turn.Answer{Text: "Looking."})
	})
}
