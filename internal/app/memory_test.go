package app

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/tasks"
)

// tellEverybody lets ada say something, bob react, and eve and another bot say something. It
// returns the system prompts of their turns.
func tellEverybody(t *testing.T) (systems []string) {
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general\nmember ada: owner\nmember bob\nmember eve\nstranger Friend: bot")
		var ids []string
		for _, name := range []string{"ada", "bob", "eve"} {
			ids = append(ids, string(w.UserID(name)))
		}
		model := script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
			systems = append(systems, req.System+req.Messages[0].Text)
			return script.Answer{script.Text("Hello.")}.Stream(ctx)
		})
		env := apptest.Env(t, w, "DISCOCLAW_RESPOND=all", "DISCORD_ALLOW_BOT_IDS="+string(w.UserID("Friend")), "DISCORD_ALLOW_USER_IDS="+strings.Join(ids, ","))
		bot, err := NewBot(env, Externals{HTTP: w.HTTP(), Runtime: model})
		if err != nil {
			t.Fatal(err)
		}
		stop := apptest.Start(bot)
		said := w.MustSay("ada", "general", "what shall I drink?")
		time.Sleep(5 * time.Second)
		if err := w.React("bob", said.ID, "👍"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Second)
		w.MustSay("eve", "general", "and I?")
		time.Sleep(5 * time.Second)
		w.MustSay("Friend", "general", "<@"+string(w.UserID("bot"))+"> and I?")
		time.Sleep(5 * time.Second)
		if _, err := stop(); err != nil {
			t.Error(err)
		}
	})
	if len(systems) != 4 {
		t.Fatalf("%d turns, want 4", len(systems))
	}
	return systems
}

// TestAnExportHasNothingFromHiddenChannels: a summary that holds a person, and a task of theirs, are the words of others as well, who
// may have gone on since the person may not read them any more.
func TestAnExportHasNothingFromHiddenChannels(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general #staff tasks:forum\nmember ada: owner\nmember bob\nbot DiscoClaw: Administrator\ndeny #staff @everyone: View Channel\ndeny tasks @everyone: View Channel")
		bot, stop := begins(t, apptest.Env(t, w), Externals{HTTP: w.HTTP(), Runtime: script.New(), Log: t.Output()})
		time.Sleep(time.Minute)
		for ch, summary := range map[string]string{"general": "open words", "staff": "hidden words"} {
			for _, into := range []string{"talks (talk, summary, capsule, people, at) VALUES (?1, ?2, ?2, ?3, 1)", "old_summaries (talk, summary, people, written, at) VALUES (?1, ?2, ?3, 1, 1)"} {
				if _, err := bot.core.db.ExecContext(t.Context(), "INSERT INTO "+into, string(w.ChannelID(ch)), summary, " "+string(w.UserID("bob"))+" "); err != nil {
					t.Fatal(err)
				}
			}
		}
		if _, err := bot.core.tasks.Create(t.Context(), tasks.Task{Guild: w.GuildID(), Title: "hidden title", Description: "hidden text", Owner: w.UserID("bob")}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		found, err := bot.core.memoryFace.Stored(t.Context(), w.UserID("bob"))
		if text := fmt.Sprint(found); err != nil || strings.Contains(text, "hidden") || strings.Count(text, "open words") != 3 || len(found["tasks"]) != 1 {
			t.Errorf("the export is %s, %v", text, err)
		}
		if _, err := stop(); err != nil {
			t.Error(err)
		}
	})
}

func TestTheModelIsWarnedOfOtherBots(t *testing.T) {
	t.Parallel()
	for i, system := range tellEverybody(t) {
		if warned := strings.Contains(system, "## Untrusted source"); warned != (i == 3) {
			t.Errorf("turn %d: the model is warned: %v", i+1, warned)
		}
	}
}
