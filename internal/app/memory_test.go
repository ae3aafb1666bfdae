package app

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/tasks"
	"discoclaw/internal/turn/gather"
	"discoclaw/internal/turn/prompt"
)

// A notebook is a memory that knows what some people like, and records the queries.
type notebook struct {
	likes map[chat.UserID]string

	mu    sync.Mutex
	asked []string
}

func (n *notebook) tell(_ context.Context, o actions.Origin, about string) (prompt.Known, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, string(o.Requester)+": "+about)
	if n.likes[o.Requester] == "nothing" {
		return prompt.Known{}, errors.New("a page is missing")
	}
	return prompt.Known{Name: "notebook", Heading: "Notes:", Text: n.likes[o.Requester]}, nil
}

// tellEverybody lets ada say something, bob react, and eve and another bot say something. It
// returns the system prompts of their turns, and the IDs of the people.
func tellEverybody(t *testing.T, book *notebook, likes ...string) (systems []string, ids []string) {
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general\nmember ada: owner\nmember bob\nmember eve\nstranger Friend: bot")
		book.likes = map[chat.UserID]string{}
		for i, name := range []string{"ada", "bob", "eve"} {
			ids = append(ids, string(w.UserID(name)))
			if i < len(likes) {
				book.likes[w.UserID(name)] = likes[i]
			}
		}
		model := script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
			systems = append(systems, req.System+req.Messages[0].Text)
			return script.Answer{script.Text("Hello.")}.Stream(ctx)
		})
		env := apptest.Env(t, w, "DISCOCLAW_RESPOND=all", "DISCORD_ALLOW_BOT_IDS="+string(w.UserID("Friend")), "DISCORD_ALLOW_USER_IDS="+strings.Join(ids, ","))
		bot, err := NewBot(env, Outside{HTTP: w.HTTP(), Runtime: model})
		if err != nil {
			t.Fatal(err)
		}
		bot.flows.Knowledge = []gather.Informer{gather.Func(book.tell)}
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
	return systems, ids
}

// TestPromptsIncludeMemoriesOfTheRequesterOnly: a memory that fails does not keep the bot from
// answering.
func TestPromptsIncludeMemoriesOfTheRequesterOnly(t *testing.T) {
	t.Parallel()
	var book notebook
	systems, ids := tellEverybody(t, &book, "She likes tea.", "He likes coffee.", "nothing")
	if want := []string{ids[0] + ": what shall I drink?", ids[1] + ": what shall I drink?", ids[2] + ": and I?"}; !slices.Equal(book.asked, want) {
		t.Errorf("it was asked %q, want %q", book.asked, want)
	}
	for i, want := range []string{"likes tea", "likes coffee", "", ""} {
		for _, like := range []string{"likes tea", "likes coffee"} {
			if strings.Contains(systems[i], like) != (like == want) {
				t.Errorf("turn %d: the model is told %q, or is not:\n%s", i+1, like, systems[i])
			}
		}
	}
}

// TestAnExportHasNothingFromHiddenChannels: a summary that holds a person, and a task of theirs, are the words of others as well, who
// may have gone on since the person may not read them any more.
func TestAnExportHasNothingFromHiddenChannels(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general #staff tasks:forum\nmember ada: owner\nmember bob\nbot DiscoClaw: Administrator\ndeny #staff @everyone: View Channel\ndeny tasks @everyone: View Channel")
		bot, stop := begins(t, apptest.Env(t, w), Outside{HTTP: w.HTTP(), Runtime: script.New(), Log: t.Output()})
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
	systems, _ := tellEverybody(t, &notebook{})
	for i, system := range systems {
		if warned := strings.Contains(system, "## Untrusted source"); warned != (i == 3) {
			t.Errorf("turn %d: the model is warned: %v", i+1, warned)
		}
	}
}
