package app

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/store"
)

// TestAnAnswerFromAServerThatIsOutOfOrderIsSeen, and nothing is asked about choices that
// nobody has made.
func TestAnAnswerFromAServerThatIsOutOfOrderIsSeen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		model := script.New(script.Say(`I ask. <discord-action>{"type":"reactionPrompt","question":"Tea?","choices":["👍","👎"]}</discord-action>`), script.Say("No tea then."))
		_, stop := begins(t, apptest.Env(t, w), Outside{HTTP: w.HTTP(), Runtime: model})
		w.MustSay("ada", "general", "ask me")
		time.Sleep(10 * time.Second)
		w.Outage(true)
		asked := w.Messages("general")[2]
		if err := w.React("ada", asked.ID, "👎"); err != nil {
			t.Fatalf("%s: %v", asked.Content, err)
		}
		time.Sleep(time.Minute)
		before := len(w.Requests())
		w.Outage(false)
		time.Sleep(time.Minute)
		_, _ = stop()
		looks := 0
		for _, r := range w.Requests()[before:] {
			if r.Route == "GET /channels/{channel}/messages/{message}/reactions/{emoji}" {
				looks++
			}
		}
		if strings.Count(w.Transcript(), "No tea then.") != 1 || looks != 1 {
			t.Errorf("%d looks, and\n%s", looks, w.Transcript())
		}
	})
}

// refuse makes the bot's database one that refuses some changes.
func (b *Bot) refuse(t *testing.T, changes ...string) {
	t.Helper()
	for _, what := range changes {
		trigger := fmt.Sprintf("CREATE TRIGGER \"%s\" BEFORE %[1]s BEGIN SELECT RAISE(FAIL, 'there is no room'); END", what)
		if _, err := b.core.db.ExecContext(t.Context(), trigger); err != nil {
			t.Fatal(err)
		}
	}
}

// takesAgain lets a database take what it refused.
func takesAgain(t *testing.T, path string, changes ...string) {
	t.Helper()
	db, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	for _, what := range changes {
		if _, err := db.ExecContext(t.Context(), fmt.Sprintf("DROP TRIGGER %q", what)); err != nil {
			t.Error(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
