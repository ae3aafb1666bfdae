package app

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm"
	"discoclaw/internal/llm/script"
)

// A notebook knows what some people like, and writes down what it was asked.
type notebook struct {
	likes map[chat.UserID]string

	mu    sync.Mutex
	asked []string
}

func (n *notebook) Recall(_ context.Context, u chat.UserID, about string) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.asked = append(n.asked, string(u)+": "+about)
	if n.likes[u] == "nothing" {
		return "", errors.New("a page is missing")
	}
	return n.likes[u], nil
}

// TestTheBotRecallsWhatItKeepsInMindAboutWhoAsks: about nobody else, and an answer does
// not depend on it.
func TestTheBotRecallsWhatItKeepsInMindAboutWhoAsks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, "guild disco: #general\nmember ada: owner\nmember bob\nmember eve\nstranger Friend: bot")
		ada, bob, eve := w.UserID("ada"), w.UserID("bob"), w.UserID("eve")
		var systems []string
		model := script.Func(func(ctx context.Context, req llm.Request) iter.Seq2[llm.Event, error] {
			systems = append(systems, req.System)
			return script.Answer{script.Text("Hello.")}.Stream(ctx)
		})
		bot, err := NewBot(inWorld(t, w, "DISCOCLAW_RESPOND=all", "DISCORD_ALLOW_BOT_IDS="+string(w.UserID("Friend")),
			"DISCORD_ALLOW_USER_IDS="+strings.Join([]string{string(ada), string(bob), string(eve)}, ",")), Outside{HTTP: w.HTTP(), Runtime: model})
		if err != nil {
			t.Fatal(err)
		}
		book := &notebook{likes: map[chat.UserID]string{ada: "She likes tea.", bob: "He likes coffee.", eve: "nothing"}}
		bot.flows.Memory = book
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- bot.Run(ctx) }()
		synctest.Wait()

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
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}

		want := []string{string(ada) + ": what shall I drink?", string(bob) + ": what shall I drink?", string(eve) + ": and I?"}
		if !slices.Equal(book.asked, want) {
			t.Errorf("it was asked %q, want %q", book.asked, want)
		}
		if len(systems) != 4 {
			t.Fatalf("%d turns, want 4", len(systems))
		}
	})
}
