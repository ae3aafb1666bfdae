package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/startup"
)

// begins builds a bot and starts it; see apptest.Start.
func begins(t testing.TB, env config.Env, out Externals) (bot *Bot, stop func() (time.Duration, error)) {
	t.Helper()
	bot, err := NewBot(env, out)
	if err != nil {
		t.Fatal(err)
	}
	return bot, apptest.Start(bot)
}

// TestTheStartIsRecordedBeforeTheFirstPost: otherwise a process that is killed right after its
// first post would look as if it had never run, and the next would repeat the post.
func TestTheStartIsRecordedBeforeTheFirstPost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		var bot *Bot
		var seen startup.Start
		online := func(chat.User) { seen, _ = bot.process.Store.Last(t.Context()) }
		bot, err := NewBot(apptest.Env(t, w), Externals{HTTP: w.HTTP(), Runtime: script.New(), Online: online})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := bot.Run(ctx); err != nil {
			t.Error(err)
		}
		if seen.Kind != startup.Crashed {
			t.Errorf("if it were killed now, the next process would know of a %s", seen.Kind)
		}
	})
}

// TestAStopIsNotCalledARestart, even if a restart was asked for just before.
func TestAStopIsNotCalledARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		_, stop := begins(t, apptest.Env(t, w, "DISCOCLAW_STATUS_CHANNEL=general"), Externals{HTTP: w.HTTP(), Runtime: script.New()})
		w.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Kind: fakediscord.Hang, Times: 1}) // the notice
		w.MustSay("ada", "general", "!restart")
		synctest.Wait()
		if _, err := stop(); err != nil {
			t.Error(err)
		}
		if last := apptest.Last(w, "general"); last != "**Going offline.**" {
			t.Errorf("it says %q", last)
		}
	})
}

// TestShutdownDoesNotWaitForADeadDiscord: the bot ends though it can post nothing. What it could
// not answer is answered after the next start.
func TestShutdownDoesNotWaitForADeadDiscord(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		env := apptest.Env(t, w, "DISCOCLAW_STATUS_CHANNEL=general")
		_, stop := begins(t, env, Externals{HTTP: w.HTTP(), Runtime: apptest.Endless()})
		w.MustSay("ada", "general", "tell me a story")
		time.Sleep(3 * time.Second)
		w.Fail(fakediscord.Fault{Kind: fakediscord.Hang})
		if took, err := stop(); err != nil || took > 15*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		w.Recover()
		_, stop = begins(t, env, Externals{HTTP: w.HTTP(), Runtime: script.New(script.Answer{script.Text("Long ago.")})})
		time.Sleep(time.Second) // its turn among the requests
		all := w.Transcript()
		if strings.Count(all, "Long ago.") != 1 || strings.Contains(all, "Once upon") || strings.Contains(all, "Stop") || strings.Contains(all, "Interrupted") {
			t.Error(all)
		}
		if !strings.Contains(all, "after it had been stopped") {
			t.Error(all)
		}
		if _, err := stop(); err != nil || apptest.Last(w, "general") != "**Going offline.**" {
			t.Errorf("%v\n%s", err, w.Transcript())
		}
	})
}

// TestALateEditDoesNotUndoTheInterruptedMark: an edit that was on its way when the bot was stopped
// must not arrive after the one that marks the reply as interrupted.
func TestALateEditDoesNotUndoTheInterruptedMark(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		slow := &slowly{RoundTripper: w.HTTP().Transport}
		_, stop := begins(t, apptest.Env(t, w), Externals{HTTP: &http.Client{Transport: slow}, Runtime: apptest.Endless()})
		w.MustSay("ada", "general", "tell me a story")
		time.Sleep(1500 * time.Millisecond) // the first edit is on its way
		if took, err := stop(); err != nil || took > 3*time.Second {
			t.Errorf("%v after %v", err, took)
		}
		slow.late.Wait()
		if !strings.Contains(apptest.Last(w, "general"), "Interrupted") {
			t.Error(w.Transcript())
		}
	})
}

// slowly delays the first edit of a message. It reaches Discord even if the caller no longer waits.
type slowly struct {
	http.RoundTripper
	once sync.Once
	late sync.WaitGroup
}

func (s *slowly) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	waits := false
	if r.Method == http.MethodPatch {
		s.once.Do(func() { waits = true })
	}
	if !waits {
		return s.RoundTripper.RoundTrip(r)
	}
	done := make(chan struct{})
	s.late.Go(func() {
		defer close(done)
		time.Sleep(700 * time.Millisecond)
		resp, err = s.RoundTripper.RoundTrip(r.WithContext(context.WithoutCancel(r.Context())))
	})
	select {
	case <-done:
		return resp, err
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

func TestAMessageDuringLoginIsAnswered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		out := Externals{HTTP: w.HTTP(), Runtime: script.New(script.Answer{script.Text("Hello, ada.")})}
		out.Online = func(chat.User) { w.MustSay("ada", "general", "hello") } // before the bot does anything else
		_, stop := begins(t, apptest.Env(t, w), out)
		time.Sleep(time.Second)
		if apptest.Last(w, "general") != "Hello, ada." {
			t.Error(w.Transcript())
		}
		_, _ = stop()
	})
}

func TestTheStatusChannelIsFoundByNameOrID(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, channel string
		log           string // a line of the log, if the channel cannot be used
	}{
		{"by its name", "#ops", ""},
		{"by its ID", "{#ops}", ""},
		{"one that is missing", "opps", `DISCOCLAW_STATUS_CHANNEL: there is no channel`},
		{"one that takes no messages", "ideas", "is a forum channel, which takes no messages; name a text channel"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := discordtest.New(t, "guild disco: #general #ops ideas:forum\nmember ada: owner")
				channel := strings.ReplaceAll(tt.channel, "{#ops}", string(w.ChannelID("ops")))
				var log strings.Builder
				_, stop := begins(t, apptest.Env(t, w, "DISCOCLAW_STATUS_CHANNEL="+channel), Externals{HTTP: w.HTTP(), Runtime: script.New(), Log: &log})
				_, _ = stop()
				if posted := len(w.Messages("ops")) == 2; posted != (tt.log == "") {
					t.Error(w.Transcript())
				}
				if tt.log != "" && strings.Count(log.String(), "cannot find the status channel") != 1 || !strings.Contains(log.String(), tt.log) {
					t.Errorf("the log has\n%s", &log)
				}
			})
		})
	}
}

func TestAFailedTurnIsReportedOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general #ops\nmember ada: owner")
		fails := func() script.Answer { return script.Answer{script.Fail(errors.New("secret words of ada"))} }
		_, stop := begins(t, apptest.Env(t, w, "DISCOCLAW_STATUS_CHANNEL=ops"), Externals{HTTP: w.HTTP(), Runtime: script.New(fails(), fails(), fails())})
		for range 3 {
			w.MustSay("ada", "general", "hello")
			time.Sleep(10 * time.Second)
		}
		_, _ = stop()
		want := fmt.Sprintf("⚠️ A reply failed in <#%s>: something went wrong inside the bot; its log has the details.", w.ChannelID("general"))
		var got []string
		for _, m := range w.Messages("ops") {
			got = append(got, m.Content)
		}
		if len(got) != 4 || got[1] != want || got[2] != "**Going offline.**" || got[3] != want+" (2 more in 30s)" {
			t.Errorf("%q", got)
		}
	})
}

// TestShutdownTimeoutsDoNotAddUp: replies, commands, joins of threads and reports all hang at once.
func TestShutdownTimeoutsDoNotAddUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		_, stop := begins(t, apptest.Env(t, w, "DISCOCLAW_STATUS_CHANNEL=general"), Externals{HTTP: w.HTTP(), Runtime: apptest.Endless()})
		time.Sleep(10 * time.Second)
		w.MustSay("ada", "general", "tell me a story")
		time.Sleep(2 * time.Second)
		w.Fail(fakediscord.Fault{Kind: fakediscord.Hang})
		if _, err := w.StartThread("ada", "general", "a thread"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1500 * time.Millisecond) // the bot tries to join it
		w.MustSay("ada", "general", "!help")
		time.Sleep(100 * time.Millisecond)
		// Buttons and voice channels are not included; they may take four seconds more.
		if took, err := stop(); err != nil || took > 10*time.Second {
			t.Errorf("%v after %v", err, took)
		}
	})
}

// TestAStopTakesPrecedenceOverARestart: a service manager that stops the bot during a restart must
// not find it running again.
func TestAStopTakesPrecedenceOverARestart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		_, stop := begins(t, apptest.Env(t, w), Externals{HTTP: w.HTTP(), Runtime: apptest.Endless()})
		w.MustSay("ada", "general", "tell me a story")
		time.Sleep(3 * time.Second)
		w.Fail(fakediscord.Fault{Kind: fakediscord.Hang, Match: "PATCH /channels/{channel}/messages/{message}"})
		w.MustSay("ada", "general", "!restart")
		time.Sleep(time.Second) // it is shutting down, and waits for the reply
		if took, err := stop(); err != nil || took == 0 {
			t.Errorf("%v after %v", err, took)
		}
	})
}
