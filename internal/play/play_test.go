package play_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/config"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/play"
)

// plays types the lines into a playground and returns its output after the welcome.
func plays(t *testing.T, env config.Env, lines ...string) string {
	t.Helper()
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(26 * 365 * 24 * time.Hour) // from the start of a bubble to after Discord's epoch
		err := play.Talk(t.Context(), play.Options{Layout: small, Env: env, In: strings.NewReader(strings.Join(lines, "\n")), Out: &out, Log: t.Output(), Watch: discordtest.Check(t)})
		if err != nil {
			t.Error(err)
		}
	})
	_, rest, _ := strings.Cut(out.String(), "you in #general> ")
	return rest
}

func TestTheDemonstrationActs(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  []string
		not   string
	}{
		{"greets", []string{"hello"}, []string{"A script speaks for me here"}, "Failed"},
		{"admits that it does not understand", []string{"sing"}, []string{"I'm scripted here and didn't get that, or can't do it. Try: "}, ""},
		{"pins what it wrote", []string{"Please pin a welcome message in #ops."}, []string{"#ops DiscoClaw: Welcome!", "#ops DiscoClaw pinned a message", "Done: pinned a message in #ops"}, "Failed"},
		{"tells what is pinned", []string{"what is pinned in #ops?", "pin a welcome message in #ops", "what is pinned in #ops?"}, []string{"Nothing is pinned in #ops.", "1 pinned message in #ops. The latest, by DiscoClaw: “Welcome!"}, "Failed"},
		{"reads", []string{"say good morning in #ops", "what was said in #ops?"}, []string{"#ops DiscoClaw: good morning", "DiscoClaw: “good morning”"}, "Failed"},
		{"uses the ID it was told", []string{"say good morning in #ops", "react to the last message in #ops with 🎉"}, []string{"#ops DiscoClaw reacted with 🎉 to “good morning”", "Done: reacted with 🎉 to a message in #ops"}, "Failed"},
		{"starts a thread", []string{"start a thread about lunch"}, []string{`a thread was started: #lunch`}, "Failed"},
		{"posts a poll", []string{"start a poll: Lunch? pizza, pasta or soup"}, []string{"Lunch?"}, "Failed"},
		{"keeps tasks", []string{"make a task: fix the login, urgent", "what's still open?", "close task 1", "what's still open?"}, []string{"Done: opened “Fix the login”, urgent", "- Fix the login (ws-001, urgent)", "Done: closed “Fix the login”", "Nothing is open."}, "Failed"},
		{"looks somebody up", []string{"give sam the role helpers", "what roles are there?"}, []string{"Done: created the role @helpers", "Done: gave @sam", "-# Done: listed 2 roles", "The roles are: DiscoClaw, helpers."}, "Failed"},
		{"has no moderation", []string{"ban sam"}, []string{"DISCOCLAW_DISCORD_ACTIONS_MODERATION"}, "banned"},
		{"calculates", []string{"what is 342 * 15?"}, []string{"Done: `342 * 15` = 5130"}, "Failed"},
		{"asks before it does what cannot be undone", []string{"say hi in #ops", "delete the last message in #ops"}, []string{"⚠️ @you: delete DiscoClaw's message “hi” in #ops?", "without buttons: `!confirm ", "buttons: Approve, Reject"}, "Done: deleted"},
		{"does not call done what waits", []string{"delete #random and show me the rest"}, []string{"Nothing is done yet"}, "Done: deleted"},
		{"lets people press buttons", []string{"delete #random", "/press approve", "/press approve"}, []string{"✅ Approved by @you.", "Done: deleted **#random**", `no button "approve" in #general`}, "Nothing came of it"},
		{"tells who may not answer, and nobody else", []string{"delete #random", "/as sam", "/press Approve", "/as zed", "/press Approve"},
			[]string{"#general DiscoClaw (only for you): You can't answer this one:", "you need *Manage Channels* in #random for that", "Nothing came of it that zed could see"}, "deleted **"},
		{"lets people say no", []string{"delete #random", "/press Reject"}, []string{"❌ Rejected by @you. Nothing was done."}, "deleted **"},
		{"stays in a channel that is renamed", []string{"rename #general to hall", "!undo", "/press Approve", "!undo"}, []string{"you in #hall>", "Done: renamed **#hall** to **#general**", "nothing in this channel that you can undo"}, "Failed"},
		{"takes back what it did", []string{"rename #random to odds", "!undo", "!trace"}, []string{"↩️ @you: to undo that, give #odds back the name **random**?", "What I did last in this channel, newest first.", "a message by @you\n      - Done: renamed **#random** to **#odds**"}, "Failed"},
		{"has no more rights than who asks", []string{"/as sam", "say hi in #ops", "which models do you use?"}, []string{"Failed: you need *Send Messages* in #ops for that", "Failed: only the people who run me may do that"}, "#ops DiscoClaw"},
		{"shows the date of another day", []string{"!remind 3d stretch", "!remind 20s rest"}, []string{" Dec 2025 at ", "remind you at "}, "<t:"},
		{"puts off what is for later", []string{"remind me in 2 minutes to stretch"}, []string{"Done: I'll remind you at "}, "Failed"},
		{"attaches what is long", []string{"make a times table"}, []string{"📎 `code-1.csv` (55 lines)"}, "Failed"},
		{"ignores strangers", []string{"/as zed", "hello"}, []string{"does not know zed"}, "DiscoClaw:"},
		{"does what you ask for beside strangers", []string{"/as zed", "the pump is broken", "/as you", "make a channel called ropes"}, []string{"Done: created #ropes"}, "⚠️"},
		{"goes to another channel", []string{"/in #ops", "hello"}, []string{"#ops DiscoClaw: Hello!"}, "Failed"},
		{"uses slash commands", []string{"hello", "/discoclaw trace", "/discoclaw dance", "/as zed", "/discoclaw status"}, []string{"DiscoClaw (only for you): What I did last", `no subcommand "dance"`, "does not answer zed"}, "Connected"},
		{"warns of nothing that is not so", []string{"!status", "!doctor"}, []string{"**Status**", "**Check-up**"}, "⚠️"},
		{"explains mistakes", []string{"/as nobody", "/in nowhere", "/dance", "", "/quit", "hello"}, []string{`nobody called "nobody"`, `no channel "nowhere"`, "no command /dance"}, "Hello"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := plays(t, config.Env{}, tt.lines...)
			for _, part := range tt.want {
				if !strings.Contains(got, part) {
					t.Errorf("%q is missing in\n%s", part, got)
				}
			}
			if tt.not != "" && strings.Contains(got, tt.not) {
				t.Errorf("%q should not be in\n%s", tt.not, got)
			}
		})
	}
}

func TestTheDemonstrationDoesItsJobs(t *testing.T) {
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(26 * 365 * 24 * time.Hour)
		in := io.MultiReader(strings.NewReader("every minute, tell us to breathe\n"), slow(3*time.Minute))
		if err := play.Talk(t.Context(), play.Options{In: in, Out: &out, Log: t.Output(), Watch: discordtest.Check(t)}); err != nil {
			t.Error(err)
		}
	})
	if n := strings.Count(out.String(), "Time to breathe."); n < 2 {
		t.Errorf("the job ran %d times in\n%s", n, out.String())
	}
}

func TestTheDemonstrationRemindsPeople(t *testing.T) {
	var out bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(26 * 365 * 24 * time.Hour)
		in := io.MultiReader(strings.NewReader("remind me in 20 seconds to stretch\n"), slow(time.Minute))
		if err := play.Talk(t.Context(), play.Options{In: in, Out: &out, Log: t.Output(), Watch: discordtest.Check(t)}); err != nil {
			t.Error(err)
		}
	})
	if !strings.Contains(out.String(), "reminder: stretch") {
		t.Errorf("no reminder in\n%s", out.String())
	}
}

// slow is an input that ends after a while.
type slow time.Duration

func (s slow) Read([]byte) (int, error) {
	time.Sleep(time.Duration(s))
	return 0, io.EOF
}

// TestTheDemonstrationNamesNoModel: it would be one that is never asked.
func TestTheDemonstrationNamesNoModel(t *testing.T) {
	for _, env := range []config.Env{{}, {"RUNTIME_MODEL": "claude-opus-5-5", "DISCOCLAW_TIER_OPENAI_FAST": "gpt-6-luna"}} {
		got := plays(t, env, "hello", "!status", "!health verbose", "!doctor", "!models", "!trace", "!cost", "which models do you use?", "/discoclaw status", "what do you know about me?")
		for _, name := range []string{"gpt", "claude", "gemini", "openai", "anthropic", "openrouter"} {
			if at := strings.Index(strings.ToLower(got), name); at >= 0 {
				t.Errorf("it names %s: …%s", name, got[max(0, at-60):min(len(got), at+60)])
			}
		}
		if !strings.Contains(got, "Model: script") {
			t.Errorf("it does not say what speaks:\n%s", got)
		}
	}
}

func TestSettingsOfARealServerAreReplaced(t *testing.T) {
	env := config.Env{"DISCORD_TOKEN": "real", "DISCORD_CHANNEL_IDS": "123456789012345678", "DISCORD_ALLOW_USER_IDS": "123456789012345678", "DISCORD_API_URL": "https://discord.com/api/v10"}
	if got := plays(t, env, "hello"); !strings.Contains(got, "DiscoClaw: Hello!") {
		t.Errorf("no answer in\n%s", got)
	}
}

func TestSwitchesHoldInThePlaygroundToo(t *testing.T) {
	got := plays(t, config.Env{"DISCOCLAW_DISCORD_ACTIONS_MESSAGING": "0"}, "say hi in #ops")
	if !strings.Contains(got, "set DISCOCLAW_DISCORD_ACTIONS_MESSAGING=1") {
		t.Errorf("no notice in\n%s", got)
	}
}

func TestTalkEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(26 * 365 * 24 * time.Hour)
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		in := &idle{ctx}
		if err := play.Talk(ctx, play.Options{In: in, Out: &bytes.Buffer{}, Watch: discordtest.Check(t)}); err != nil {
			t.Error(err)
		}
	})
}

// idle is an input that never ends.
type idle struct{ ctx context.Context }

func (i *idle) Read([]byte) (int, error) {
	<-i.ctx.Done()
	return 0, io.EOF
}
