package app

import (
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"discoclaw/internal/app/apptest"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/reply"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/llm/script"
	"discoclaw/internal/test/chaos"
	"discoclaw/internal/test/skip"
	"discoclaw/internal/turn"
)

// refusals are ways in which Discord can fail a request.
var refusals = []struct {
	name  string
	fault fakediscord.Fault
}{
	{"429 as JSON", fakediscord.Fault{Kind: fakediscord.RateLimited, RetryAfter: 2 * time.Second}},
	{"429 as JSON, on all routes", fakediscord.Fault{Kind: fakediscord.RateLimited, RetryAfter: 2 * time.Second, Global: true}},
	{"429 as HTML, without Retry-After", fakediscord.Fault{Kind: fakediscord.Cloudflare}},
	{"400 as HTML", fakediscord.Fault{Kind: fakediscord.Page, Status: 400}},
	{"403 as HTML", fakediscord.Fault{Kind: fakediscord.Page, Status: 403}},
	{"404 as HTML", fakediscord.Fault{Kind: fakediscord.Page, Status: 404}},
	{"408", fakediscord.Fault{Status: 408}},
	{"408 after acceptance", fakediscord.Fault{Status: 408, Accepted: true}},
	{"500", fakediscord.Fault{Status: 500}},
	{"502", fakediscord.Fault{Status: 502}},
	{"500 after acceptance", fakediscord.Fault{Status: 500, Accepted: true}},
	{"502 after acceptance", fakediscord.Fault{Status: 502, Accepted: true}},
	{"connection cut after acceptance", fakediscord.Fault{Kind: fakediscord.Reset, Accepted: true}},
	{"timeout", fakediscord.Fault{Kind: fakediscord.Hang}},
	{"timeout after acceptance", fakediscord.Fault{Kind: fakediscord.Hang, Accepted: true}},
}

// refuse makes every second request that shows a part of the answer fail, beginning with the first,
// so that each fails once.
func refuse(w *discordtest.World, f fakediscord.Fault, most int) {
	f.Times = 1
	for _, f.Match = range []string{"POST /channels/{channel}/messages", "PATCH /channels/{channel}/messages/{message}"} {
		for f.Skip = range most { // a fault with a larger Skip lets the retries through
			w.Fail(f)
		}
	}
}

// chapters returns n texts that need a message each.
func chapters(n int) []string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("Chapter %d. %s", i+1, strings.Repeat("word ", 380)))
	}
	return list
}

// arrived compares the bot's messages with the chapters. It returns how many are in their place,
// and how many other messages there are.
func arrived(w *discordtest.World, want []string) (inPlace, besides int) {
	var got []string
	for _, m := range w.Messages("general") {
		if m.Author == w.UserID("bot") {
			got = append(got, m.Content)
		}
	}
	for i, text := range want {
		if i < len(got) && strings.TrimSpace(got[i]) == strings.TrimSpace(text) {
			inPlace++
		}
	}
	return inPlace, len(got) - inPlace
}

// TestEveryChunkArrivesOnceAndInOrder: the answer of the model fits into five messages, which is
// the limit for text. An answer with many pictures becomes ten messages.
func TestEveryChunkArrivesOnceAndInOrder(t *testing.T) {
	skip.UnderRace(t, "it is the bot of the scenes, many times")
	t.Parallel()
	var inPlace, besides atomic.Int64
	t.Run("after", func(t *testing.T) {
		for _, tt := range refusals {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				five, more := wholeTurn(t, tt.fault)
				ten, evenMore := longReply(t, tt.fault)
				if five != 5 || ten != 10 || more+evenMore > 0 {
					t.Errorf("%d of 5 and %d besides, %d of 10 and %d besides", five, more, ten, evenMore)
				}
				inPlace.Add(int64(five + ten))
				besides.Add(int64(more + evenMore))
			})
		}
	})
	chaos.Publish(t, chaos.Refusals, chaos.Table{Summary: fmt.Sprintf("%d kinds of refusals. Every request that shows a part of the answer is refused once, then repeated. "+
		"Messages in place: %d of %d, too many: %d.", len(refusals), inPlace.Load(), 15*len(refusals), besides.Load())})
}

// wholeTurn lets the model answer a message with five chapters.
func wholeTurn(t *testing.T, f fakediscord.Fault) (inPlace, besides int) {
	t.Helper()
	want := chapters(5)
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		_, stop := begins(t, apptest.Env(t, w), Externals{HTTP: w.HTTP(), Runtime: script.New(script.Say(strings.Join(want, "\n\n")))})
		refuse(w, f, 20)
		w.MustSay("ada", "general", "tell me a story")
		time.Sleep(20 * time.Minute)
		w.Recover()
		if _, err := stop(); err != nil {
			t.Error(err)
		}
		inPlace, besides = arrived(w, want)
		if inPlace != len(want) || besides > 0 {
			t.Log(w.Transcript())
		}
	})
	return inPlace, besides
}

// longReply finishes a reply with five chapters and sixty pictures, which become ten messages: the
// last chapter has ten of the pictures.
func longReply(t *testing.T, f fakediscord.Fault) (inPlace, besides int) {
	t.Helper()
	body := turn.Body{Text: strings.Join(chapters(5), "\n\n")}
	for i := range 60 {
		open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("png")), nil }
		body.Pictures = append(body.Pictures, chat.File{Name: fmt.Sprintf("image-%d.png", i+1), Open: open})
	}
	want := append(chapters(5), make([]string, 5)...)
	synctest.Test(t, func(t *testing.T) {
		w := discordtest.New(t, apptest.World)
		bot, stop := begins(t, apptest.Env(t, w), Externals{HTTP: w.HTTP(), Runtime: script.New()})
		refuse(w, f, 30)
		place := chat.Place{Guild: w.GuildID(), Channel: w.ChannelID("general")}
		r, err := bot.replies.Venue(reply.Options{Place: place, Turn: "turn-1", Stop: "stop:1"}).Open(t.Context(), turn.First, "Thinking")
		if err == nil {
			_, err = r.Finish(t.Context(), body)
		}
		if err != nil {
			t.Error(err)
		}
		w.Recover()
		if _, err := stop(); err != nil {
			t.Error(err)
		}
		inPlace, besides = arrived(w, want)
	})
	return inPlace, besides
}
