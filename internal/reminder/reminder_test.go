package reminder_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/reminder"
	"discoclaw/internal/store"
	"discoclaw/internal/test/disk/fulldisk"
)

// A desk is an engine on the fake Discord, whose process can be killed and restarted.
type desk struct {
	*server.Server
	*reminder.Engine
	t    *testing.T
	path string
	db   *store.DB

	check func(reminder.Reminder) error // set before the engine runs; nil agrees
	kill  atomic.Bool                   // ends the process when Discord has taken a message, whose answer is then lost
}

const world = "guild disco: #general #ops\nmember ada: owner\nmember bob\nbot DiscoClaw: Administrator"

// atDesk runs a test in its own time, with an engine that does not run yet.
func atDesk(t *testing.T, path string, test func(t *testing.T, d *desk)) {
	t.Helper()
	server.In(t, world, func(t *testing.T, w *server.Server) {
		d := &desk{Server: w, t: t, path: filepath.Join(path, store.FileName)}
		d.open()
		test(t, d)
		if err := d.db.Close(); err != nil {
			t.Error(err)
		}
	})
}

// open makes an engine for another process.
func (d *desk) open() {
	d.t.Helper()
	db, err := store.Open(d.t.Context(), d.path)
	if err != nil {
		d.t.Fatal(err)
	}
	log := slog.New(slog.NewTextHandler(d.t.Output(), nil))
	d.db = db
	d.Engine = reminder.New(db, reminder.Options{Outbox: outbox.New(db, d, log), Server: d.Bot, Log: log})
}

func (d *desk) may(_ context.Context, r reminder.Reminder) error {
	if d.check == nil {
		return nil
	}
	return d.check(r)
}

var errDead = errors.New("the process is dead")

// Send sends a message, after which the process may be killed.
func (d *desk) Send(ctx context.Context, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
	id, err := d.Bot.Send(ctx, ch, m)
	if d.kill.Load() {
		_ = d.db.Close()
		return "", errDead
	}
	return id, err
}

func (d *desk) FindOwn(ctx context.Context, ch chat.ChannelID, after time.Time, m chat.Outgoing) ([]chat.MessageID, error) {
	return d.Bot.FindOwn(ctx, ch, after, m)
}

func (d *desk) Delete(ctx context.Context, ch chat.ChannelID, m chat.MessageID) error {
	return d.Bot.Delete(ctx, ch, m)
}

func (d *desk) Now() time.Time { return d.Bot.Now() }

// run lets the engine run until it is told to stop.
func (d *desk) run() (stop func()) {
	ctx, cancel := context.WithCancel(d.t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		d.Engine.Run(ctx, reminder.Live{Check: d.may, Report: func(context.Context, string) {}})
	}()
	synctest.Wait()
	return func() {
		cancel()
		<-over
	}
}

// remind asks for a reminder of ada's in #general.
func (d *desk) remind(after time.Duration, text string) reminder.Reminder {
	d.t.Helper()
	r, err := d.Schedule(d.t.Context(), d.some(after, text))
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

func (d *desk) some(after time.Duration, text string) reminder.Reminder {
	ada, general := d.UserID("ada"), d.ChannelID("#general")
	return reminder.Reminder{Guild: d.GuildID(), Channel: general, AskedIn: general, Recipient: ada, Requester: ada, Text: text, Due: time.Now().Add(after)}
}

// pass lets time go by.
func (d *desk) pass(after time.Duration) {
	time.Sleep(after)
	synctest.Wait()
}

// require compares what was posted in #general, with ada for her mention and T for a time.
func (d *desk) require(want ...string) {
	d.t.Helper()
	var got []string
	for _, m := range d.Messages("#general") {
		got = append(got, strings.ReplaceAll(m.Content, "<@"+string(d.UserID("ada"))+">", "ada"))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		d.t.Errorf("posted (-want +got):\n%s", diff)
	}
}

// waiting returns how many reminders of ada's wait.
func (d *desk) waiting() int {
	d.t.Helper()
	list, err := d.Waiting(d.t.Context(), d.UserID("ada"))
	if err != nil {
		d.t.Fatal(err)
	}
	return len(list)
}

func late(r reminder.Reminder, text string) string {
	return fmt.Sprintf("-# Late: this was due <t:%d:R>.\nada reminder: %s", r.Due.Unix(), text)
}

func TestAReminderIsPostedOnceWhenItIsDue(t *testing.T) {
	t.Parallel()
	atDesk(t, t.TempDir(), func(t *testing.T, d *desk) {
		defer d.run()()
		d.remind(30*time.Hour, "renew the passport")
		d.remind(20*time.Minute, "buy milk")
		d.pass(20*time.Minute - time.Microsecond)
		d.require()
		d.pass(time.Microsecond)
		d.require("ada reminder: buy milk")
		d.pass(30 * time.Hour)
		d.require("ada reminder: buy milk", "ada reminder: renew the passport")
		if d.waiting() != 0 {
			t.Error("posted reminders still wait")
		}
	})
}

func TestOnlyItsRecipientIsNotified(t *testing.T) {
	t.Parallel()
	atDesk(t, t.TempDir(), func(t *testing.T, d *desk) {
		defer d.run()()
		r := d.some(time.Minute, "@everyone look at <@"+string(d.UserID("ada"))+"> <@&"+string(d.GuildID())+">")
		r.Recipient = d.UserID("bob")
		if _, err := d.Schedule(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		d.pass(time.Minute)
		m := d.Messages("#general")[0]
		if !cmp.Equal(m.Pings, []chat.UserID{d.UserID("bob")}) || m.MentionEveryone || !strings.HasPrefix(m.Content, d.WithIDs("<@{bob}> reminder from <@{ada}>: @everyone")) {
			t.Errorf("%q notified %v", m.Content, m.Pings)
		}
	})
}

func TestWhatCannotBeKeptIsRefused(t *testing.T) {
	t.Parallel()
	atDesk(t, t.TempDir(), func(t *testing.T, d *desk) {
		refused := func(after time.Duration, text, why string) {
			t.Helper()
			if _, err := d.Schedule(t.Context(), d.some(after, text)); err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("after %v: %v; want %q", after, err, why)
			}
		}
		refused(0, "x", "has already passed")
		refused(-time.Hour, "x", "has already passed")
		refused(366*24*time.Hour+time.Second, "x", "at most a year ahead")
		refused(time.Hour, " \n", "what the reminder is about")
		refused(time.Hour, strings.Repeat("😀", 751), "has 1502 characters, and a reminder may have at most 1500")
		for range reminder.MaxWaiting {
			d.remind(time.Hour, "x")
		}
		refused(time.Hour, "x", "50 reminders are waiting already")
		bobs := d.some(time.Hour, "x")
		bobs.Requester = d.UserID("bob")
		if _, err := d.Schedule(t.Context(), bobs); err != nil {
			t.Errorf("ada's reminders keep bob from his: %v", err)
		}
		if _, err := d.Cancel(t.Context(), 7, d.UserID("ada"), ""); err != nil {
			t.Fatal(err)
		}
		d.remind(time.Hour, strings.Repeat("x", reminder.MaxText))
	})
}

func TestPeopleCancelTheirOwn(t *testing.T) {
	t.Parallel()
	atDesk(t, t.TempDir(), func(t *testing.T, d *desk) {
		defer d.run()()
		r := d.remind(time.Minute, "buy milk")
		if _, err := d.Cancel(t.Context(), r.ID, d.UserID("bob"), ""); !errors.Is(err, reminder.ErrNotWaiting) {
			t.Errorf("bob cancels ada's: %v", err)
		}
		if _, err := d.Cancel(t.Context(), r.ID, d.UserID("ada"), "123456789012345678"); !errors.Is(err, reminder.ErrNotWaiting) {
			t.Errorf("ada cancels on another server: %v", err)
		}
		if got, err := d.Cancel(t.Context(), r.ID, d.UserID("ada"), d.GuildID()); err != nil || !cmp.Equal(got, r, cmp.AllowUnexported(r)) {
			t.Errorf("cancelled %+v, %v", got, err)
		}
		d.pass(time.Hour)
		d.require()
		if again := d.remind(time.Minute, "buy milk"); again.ID == r.ID {
			t.Error("an ID is used again")
		}
	})
}

// TestLateRemindersSaySo: none is too late to be posted.
func TestLateRemindersSaySo(t *testing.T) {
	t.Parallel()
	for _, away := range []time.Duration{time.Minute, time.Minute + time.Second, 25 * time.Hour} {
		atDesk(t, t.TempDir(), func(t *testing.T, d *desk) {
			r := d.remind(time.Minute, "```buy milk")
			d.pass(time.Minute + away)
			defer d.run()()
			if away > time.Minute {
				d.require(late(r, "```buy milk"))
			} else {
				d.require("ada reminder: ```buy milk")
			}
		})
	}
}

// TestAKilledProcessDoublesNothing: it was killed when Discord had taken the message, and
// nobody heard of that.
func TestAKilledProcessDoublesNothing(t *testing.T) {
	t.Parallel()
	for _, pause := range []time.Duration{0, time.Hour, 30 * time.Hour} { // Discord has forgotten the nonce by then, and the outbox its row
		t.Run(pause.String(), func(t *testing.T) {
			t.Parallel()
			atDesk(t, t.TempDir(), func(t *testing.T, d *desk) {
				d.remind(time.Minute, "buy milk")
				d.kill.Store(true)
				stop := d.run()
				d.pass(time.Minute)
				stop()
				d.kill.Store(false)
				d.pass(pause)
				d.open()
				if err := d.db.Prune(t.Context()); err != nil {
					t.Fatal(err)
				}
				defer d.run()()
				d.pass(time.Hour)
				d.require("ada reminder: buy milk")
				if d.waiting() != 0 {
					t.Error("it still waits")
				}
			})
		})
	}
}

// TestAnOutageLosesNothing: neither one of Discord nor a full disk.
func TestAnOutageLosesNothing(t *testing.T) {
	t.Parallel()
	atDesk(t, t.TempDir(), func(t *testing.T, d *desk) {
		defer d.run()()
		r := d.remind(time.Minute, "buy milk")
		d.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Status: 503})
		d.pass(3 * time.Hour)
		d.require()
		d.Recover()
		d.pass(2 * time.Minute)
		d.require(late(r, "buy milk"))
	})
}

func TestAFullDiskDoublesAndLosesNothing(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	disk := fulldisk.New(t, folder)
	atDesk(t, folder, func(t *testing.T, d *desk) {
		defer d.run()()
		r := d.remind(time.Minute, "buy milk")
		disk.Become(fulldisk.Spent, 0)
		if _, err := d.Schedule(t.Context(), d.some(time.Hour, strings.Repeat("x", 1500))); err == nil || !strings.Contains(err.Error(), "disk is full") {
			t.Errorf("on a full disk: %v", err)
		}
		d.pass(time.Hour)
		d.require()
		disk.Become(fulldisk.Roomy, 0)
		d.pass(2 * time.Minute)
		d.require(late(r, "buy milk"))
	})
}

// TestOneChannelDoesNotHoldUpAnother, nor one reminder that is refused the next.
func TestOneChannelDoesNotHoldUpAnother(t *testing.T) {
	t.Parallel()
	atDesk(t, t.TempDir(), func(t *testing.T, d *desk) {
		defer d.run()()
		elsewhere := d.some(time.Minute, "hangs")
		elsewhere.Channel = d.ChannelID("#ops")
		if _, err := d.Schedule(t.Context(), elsewhere); err != nil {
			t.Fatal(err)
		}
		d.remind(time.Minute, "first")
		d.remind(time.Minute, "second")
		d.Fail(fakediscord.Fault{Match: "POST /channels/" + string(d.ChannelID("#ops")) + "/messages", Kind: fakediscord.Hang})
		d.pass(time.Minute)
		d.require("ada reminder: first", "ada reminder: second")
		d.Recover()
	})
}

// TestARefusalEndsAReminder: its requester reads so where they asked, if they are served there.
func TestARefusalEndsAReminder(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		where string
		want  []string
	}{
		{"asked in the same channel", "#ops", nil},
		{"asked elsewhere", "#general", []string{"ada I could not post your reminder in <#{ops}>, which was due <t:{T}:R>: it is over. It said: buy milk"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			atDesk(t, t.TempDir(), func(t *testing.T, d *desk) {
				d.check = func(r reminder.Reminder) error {
					if r.Channel == d.ChannelID("#ops") {
						return &reminder.Refusal{Why: "it is over"}
					}
					return nil
				}
				defer d.run()()
				r := d.some(time.Minute, "buy milk")
				r.Channel, r.AskedIn = d.ChannelID("#ops"), d.ChannelID(tt.where)
				if _, err := d.Schedule(t.Context(), r); err != nil {
					t.Fatal(err)
				}
				d.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Status: 500}) // an outage, after which it is told
				d.pass(time.Hour)
				d.Recover()
				d.pass(time.Hour)
				var want []string
				for _, line := range tt.want {
					want = append(want, strings.NewReplacer("{ops}", string(d.ChannelID("#ops")), "{T}", fmt.Sprint(r.Due.Unix())).Replace(line))
				}
				d.require(want...)
				if d.waiting() != 0 || len(d.Messages("#ops")) != 0 {
					t.Error("it was posted, or still waits")
				}
			})
		})
	}
}

// TestDiscordsRefusalIsTriedForAnHour: rights may come back.
func TestDiscordsRefusalIsTriedForAnHour(t *testing.T) {
	t.Parallel()
	for _, back := range []time.Duration{30 * time.Minute, 2 * time.Hour} {
		t.Run(back.String(), func(t *testing.T) {
			t.Parallel()
			atDesk(t, t.TempDir(), func(t *testing.T, d *desk) {
				defer d.run()()
				r := d.remind(time.Minute, "buy milk")
				d.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Status: 403})
				d.pass(back)
				d.Recover()
				d.pass(2 * time.Minute)
				if back < time.Hour {
					d.require(late(r, "buy milk"))
				} else {
					d.require()
				}
				if d.waiting() != 0 {
					t.Error("it still waits")
				}
			})
		})
	}
}

// TestARestoredCopyPostsNothingTwice: what is overdue in it is looked for first. What was not posted is not lost.
func TestARestoredCopyPostsNothingTwice(t *testing.T) {
	t.Parallel()
	for _, posted := range []bool{true, false} {
		t.Run(fmt.Sprint(posted), func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			atDesk(t, folder, func(t *testing.T, d *desk) {
				r := d.remind(time.Minute, "buy milk")
				copied := filepath.Join(folder, "copy.db")
				if _, err := d.db.ExecContext(t.Context(), "VACUUM INTO '"+copied+"'"); err != nil {
					t.Fatal(err)
				}
				if posted {
					stop := d.run()
					d.pass(time.Minute)
					stop()
				}
				d.pass(2 * time.Hour)
				_ = d.db.Close()
				d.path = copied
				d.open()
				if err := d.db.Adopt(t.Context()); err != nil {
					t.Fatal(err)
				}
				defer d.run()()
				if posted {
					d.require("ada reminder: buy milk")
				} else {
					d.require(late(r, "buy milk"))
				}
				if d.waiting() != 0 {
					t.Error("it still waits")
				}
			})
		})
	}
}

func TestDelaysAndTimesAreReadAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"90s": 90 * time.Second, "20m": 20 * time.Minute, "3d": 72 * time.Hour, "1h30m": 90 * time.Minute, "1h 30 min": 90 * time.Minute, "2 Weeks": 14 * 24 * time.Hour,
		"1 day, 2 hours": 26 * time.Hour, "999999999w": 17472 * time.Hour,
		"": 0, "0s": 0, "soon": 0, "20": 0, "-5m": 0, "5 mon": 0, "1.5h": 0, "m": 0,
	} {
		if got, err := reminder.ParseDelay(text); got != want || (err == nil) != (want > 0) {
			t.Errorf("%q is %v, %v; want %v", text, got, err, want)
		}
	}
}
