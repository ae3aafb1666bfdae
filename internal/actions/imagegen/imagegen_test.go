package imagegen_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/actions/channels"
	imageact "discoclaw/internal/actions/imagegen"
	"discoclaw/internal/chat"
	"discoclaw/internal/delivery/ledger"
	"discoclaw/internal/delivery/outbox"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/imagegen"
	"discoclaw/internal/imagegen/imagetest"
	"discoclaw/internal/llm/models"
	"discoclaw/internal/spend"
	"discoclaw/internal/store"
	"discoclaw/internal/turn"
)

const layout = `
guild disco: #general #ops #slow ideas:forum Projects:category
thread "A plan" in #ops
bot DiscoClaw
member ada: owner
member bob
member gus
`

// A gallery is a server whose bot has the category, and the server that makes its pictures.
type gallery struct {
	*server.Server
	t      *testing.T
	paint  *imagetest.Server
	db     *store.DB
	outbox *outbox.Outbox
	book   *spend.Meter
	folder string
	hourly int
}

// inGallery runs a test that asks in #general.
func inGallery(t *testing.T, o spend.Options, test func(t *testing.T, g *gallery)) {
	t.Helper()
	path := filepath.Join(t.TempDir(), store.FileName)
	server.In(t, layout, func(t *testing.T, w *server.Server) {
		db, err := store.Open(t.Context(), path)
		w.Must(err)
		t.Cleanup(func() { _ = db.Close() })
		g := &gallery{Server: w, t: t, paint: imagetest.New(t), db: db, folder: t.TempDir(), hourly: 10}
		g.outbox, g.book = outbox.New(db, w.Bot, slog.New(slog.DiscardHandler)), spend.New(db, o)
		w.AskIn("#general")
		g.start()
		test(t, g)
	})
}

// start is the start of a process.
func (g *gallery) start() {
	o := imagegen.Options{OpenAIKey: imagetest.Key, OpenAIBase: imagetest.OpenAI, Model: "gpt-image-2", HTTP: g.paint.HTTP}
	g.Offer(channels.New(g.Bot), imageact.New(g.Bot, imageact.Options{
		Studio: imagegen.New(o), Quota: imagegen.NewQuota(g.db, g.hourly, time.Now), Meter: g.book, Folder: g.folder,
		Once: func(ctx context.Context, turn chat.TurnID, part string, ch chat.ChannelID, m chat.Outgoing) (chat.MessageID, error) {
			return g.outbox.Of(turn, nil).Post(ctx, part, ch, m)
		},
		Posted: func(ctx context.Context, turn chat.TurnID, part string) (chat.MessageID, error) {
			id, _, err := g.outbox.Of(turn, nil).Posted(ctx, part)
			return id, err
		},
	}))
}

// kept returns the names of the pictures in the folder.
func (g *gallery) kept() []string {
	g.t.Helper()
	entries, err := os.ReadDir(g.folder)
	g.Must(err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// posted returns the only message of a channel.
func (g *gallery) posted(channel string) fakediscord.Message {
	g.t.Helper()
	all := g.Messages(channel)
	if len(all) != 1 || len(all[0].Attachments) != 1 {
		g.t.Fatalf("%s has %+v", channel, all)
	}
	return all[0]
}

const fox = `{"type":"generateImage","prompt":"a fox"}`

func TestThePictureIsPosted(t *testing.T) {
	t.Parallel()
	inGallery(t, spend.Options{}, func(t *testing.T, g *gallery) {
		long := strings.Repeat("a fox ", 300)
		g.paint.Next(imagetest.Send(imagetest.OpenAIBody(imagetest.JPEG(9, 9))))
		got := g.Run("bob", `{"type":"generateImage","prompt":"`+long+`","channel":"#ops","caption":"look @everyone <@{ada}>","size":"16:9"}`)[0]
		m := g.posted("#ops")
		if want := g.WithIDs("Done: posted [the picture](https://discord.com/channels/{server}/{ops}/" + string(m.ID) + ") to <#{ops}> (gpt-image-2 does not make 16:9, so it is 1360x768)"); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
		file := m.Attachments[0]
		if m.Content != g.WithIDs("look @everyone <@{ada}>") || len(m.Pings) > 0 || file.Name != "image-1.jpg" || !bytes.Equal(file.Data, imagetest.JPEG(9, 9)) {
			t.Errorf("%q rings for %v, with %s", m.Content, m.Pings, file.Name)
		}
		if n := chat.Length(file.Description); !strings.HasPrefix(file.Description, "a fox a fox") || n < 900 || n > 1001 {
			t.Errorf("the alt text has %d characters: %s", n, file.Description)
		}
		if kept := g.kept(); len(kept) > 0 {
			t.Errorf("%v is still there", kept)
		}
	})
}

func TestThePlaceOfThePicture(t *testing.T) {
	t.Parallel()
	inGallery(t, spend.Options{}, func(t *testing.T, g *gallery) {
		g.RequirePart("bob", fox, "Done: posted ", "to <#{general}>")
		g.RequirePart("bob", `{"type":"generateImage","prompt":"x","channelId":"{ops}"}`, "Done: posted ", "to <#{ops}>")
		g.RequirePart("bob", `{"type":"generateImage","prompt":"x","channel":"A plan"}`, "Done: posted ")
		for in, want := range map[string]string{
			`"prompt":"x","channel":"ideas"`:                                    "is a forum channel, where no picture can be posted; choose a text channel or a thread",
			`"prompt":"x","channel":"Projects"`:                                 "is a category channel, where no picture can be posted",
			`"prompt":"x","channel":"basement"`:                                 "I can't see a channel #basement",
			`"prompt":" "`:                                                      "prompt: empty",
			`"prompt":"` + strings.Repeat("x", 4001) + `"`:                      "prompt: has 4001 characters, must have at most 4000",
			`"prompt":"x","caption":"` + strings.Repeat("x", 2001) + `"`:        "caption: has 2001 characters, must have at most 2000",
			`"prompt":"x","model":"a/../b"`:                                     "model: not the name of a model",
			`"prompt":"x","size":"big"`:                                         "size: not a size of gpt-image-2; use auto, or width x height in pixels such as 1536x1024",
			`"prompt":"x","quality":"ultra"`:                                    "quality: not a quality; use low, medium, high, auto",
			`"prompt":"x","provider":"acme"`:                                    "provider: ",
			`"prompt":"x","provider":"gemini"`:                                  "I have no key for generativelanguage.googleapis.com, so I can't ask for gemini-3.1-flash-image",
			`"prompt":"x","model":"a/b","size":"big","quality":"x"`:             "model: not the name of a model",
			`"prompt":"x","provider":"gemini","channel":"basement","size":"1x"`: "size: not a size",
		} {
			if got := g.Run("ada", `{"type":"generateImage",`+in+`}`)[0]; !strings.HasPrefix(got, "Failed: generateImage: ") || !strings.Contains(got, want) {
				t.Errorf("%.80s\n got %s\nwant %s", in, got, want)
			}
		}
		if n := len(g.paint.Asked()); n != 3 {
			t.Errorf("%d pictures were paid for", n)
		}
	})
}

// TestRightsAreCheckedBeforeItIsPaid: those of the requester and of the bot.
func TestRightsAreCheckedBeforeItIsPaid(t *testing.T) {
	t.Parallel()
	const inOps = `{"type":"generateImage","prompt":"x","channel":"ops"}`
	for _, right := range []chat.Permission{chat.ViewChannel, chat.SendMessages, chat.AttachFiles} {
		inGallery(t, spend.Options{}, func(t *testing.T, g *gallery) {
			g.Must(g.Deny("#ops", "bob", right))
			want := "Failed: generateImage: you need *" + string(right) + "*"
			if right == chat.ViewChannel { // a hidden channel is not found
				want = "Failed: generateImage: I can't see a channel #ops"
			}
			g.RequirePart("bob", inOps, want)
			g.RequirePart("", inOps, "nobody is known to have asked")
			if right != chat.ViewChannel {
				g.Must(g.Deny("#ops", "bot", right))
				g.RequirePart("ada", inOps, "Failed: generateImage: I need *", "*"+string(right)+"*", " in <#{ops}> for that; an admin can allow ")
			}
			if n := len(g.paint.Asked()); n > 0 {
				t.Errorf("%d pictures were paid for", n)
			}
		})
	}
}

func TestLimitsOfNumber(t *testing.T) {
	t.Parallel()
	inGallery(t, spend.Options{}, func(t *testing.T, g *gallery) {
		var first time.Time
		for i := range 10 {
			g.RequirePart("bob", fox, "Done: ")
			if i == 0 {
				first = time.Now()
				time.Sleep(30 * time.Minute)
			}
		}
		g.start() // counts outlive the process
		g.RequirePart("bob", fox, "Failed: generateImage: you can have 10 pictures in an hour; the next one "+chat.FromNow(first.Add(time.Hour)))
		for range 10 { // what fails at no cost does not count
			g.paint.Next(imagetest.Fail(401, `{}`))
			g.RequirePart("gus", fox, "Failed: generateImage: pictures.test did not accept my key")
		}
		g.RequirePart("gus", fox, "Done: ")
		time.Sleep(30 * time.Minute)
		g.RequirePart("bob", fox, "Done: ")
		g.RequirePart("bob", fox, "Failed: generateImage: you can have 10 pictures in an hour")

	})
}

// TestADeclinedWishCounts, though it costs nothing.
func TestADeclinedWishCounts(t *testing.T) {
	t.Parallel()
	inGallery(t, spend.Options{}, func(t *testing.T, g *gallery) {
		g.hourly = 1
		g.start()
		g.paint.Next(imagetest.Fail(400, `{"error":{"message":"no","code":"moderation_blocked"}}`))
		g.RequirePart("bob", fox, "Failed: generateImage: pictures.test declined to make this picture (moderation_blocked)")
		g.RequirePart("bob", fox, "you can have 1 picture in an hour")
		if sum, err := g.book.Of(t.Context(), string(g.UserID("bob")), 1); err != nil || sum.Calls != 0 {
			t.Errorf("it cost %v, %v", sum, err)
		}
	})
}

func TestBudgets(t *testing.T) {
	t.Parallel()
	own := 0.5
	o := spend.Options{Ceilings: spend.Ceilings{UserDay: 0.6}, Prices: models.Prices{"paint": {Image: &own}}}
	inGallery(t, o, func(t *testing.T, g *gallery) {
		bob := string(g.UserID("bob"))
		g.RequirePart("bob", fox, "Done: ") // for 1000 tokens
		sum, err := g.book.Of(t.Context(), bob, 1)
		if err != nil || sum.Calls != 1 || sum.USD < 0.030 || sum.USD > 0.031 {
			t.Errorf("it cost %+v, %v", sum, err)
		}
		g.RequirePart("bob", `{"type":"generateImage","prompt":"x","model":"unheard-of"}`, "Failed: generateImage: I don't know what a picture by unheard-of costs, so I can't keep to my budget")
		g.RequirePart("bob", `{"type":"generateImage","prompt":"x","model":"paint"}`, "Done: ") // by the file
		g.RequirePart("bob", fox, "Failed: generateImage: this picture would cost more than what is left of my budget")
		g.RequirePart("gus", fox, "Done: ")
		if n := len(g.paint.Asked()); n != 3 {
			t.Errorf("%d pictures were paid for", n)
		}
		g.paint.Next(imagetest.Die)
		g.RequirePart("gus", fox, "may have been paid for")
		if sum, err := g.book.Of(t.Context(), string(g.UserID("gus")), 1); err != nil || sum.Calls != 2 || sum.USD < 0.28 {
			t.Errorf("it cost %+v, %v", sum, err)
		}
	})
}

// TestAPaidPictureIsNotLost if it cannot be posted.
func TestAPaidPictureIsNotLost(t *testing.T) {
	t.Parallel()
	const route = "POST /channels/{channel}/messages"
	inGallery(t, spend.Options{}, func(t *testing.T, g *gallery) {
		g.paint.Next(imagetest.Send(imagetest.OpenAIBody(append(imagetest.PNG(8, 8), make([]byte, 10<<20)...))))
		got := g.Run("bob", fox)[0]
		if kept := g.kept(); len(kept) != 1 || !strings.Contains(got, "Failed: generateImage: the picture was made and is kept as `"+kept[0]+"` in my outbox, from which I can send it: the picture has 10 MB, and this server takes files of at most 10") {
			t.Errorf("%s, and there is %v", got, kept)
		}
		g.Fail(fakediscord.Fault{Match: route, Status: 403, Times: 1})
		got = g.Run("bob", fox)[0]
		if kept := g.kept(); len(kept) != 2 || !strings.Contains(got, "the picture was made and is kept as `image-") {
			t.Errorf("%s, and there is %v", got, kept)
		}
		if n := len(g.Messages("#general")); n > 0 || len(g.paint.Asked()) != 2 {
			t.Errorf("%d messages, and %d pictures", n, len(g.paint.Asked()))
		}
	})
}

// TestThePostIsTriedAgain once after all attempts of the client, and posts the picture once even if an attempt that failed had
// arrived.
func TestThePostIsTriedAgain(t *testing.T) {
	t.Parallel()
	for _, accepted := range []bool{false, true} {
		inGallery(t, spend.Options{}, func(t *testing.T, g *gallery) {
			g.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Times: 5, Accepted: accepted})
			g.RequirePart("bob", fox, "Done: posted ")
			g.posted("#general")
			if kept := g.kept(); len(kept) > 0 || len(g.paint.Asked()) != 1 {
				t.Errorf("%v is still there, and %d pictures were paid for", kept, len(g.paint.Asked()))
			}
		})
	}
}

// TestAResumedTurnDoesNotPayAgain: it posts the picture of the process before, or says that there is none.
func TestAResumedTurnDoesNotPayAgain(t *testing.T) {
	t.Parallel()
	inGallery(t, spend.Options{}, func(t *testing.T, g *gallery) {
		resume := func(id chat.TurnID) string {
			t.Helper()
			l, err := ledger.New(g.db, slog.New(slog.DiscardHandler)).Open(t.Context(), id)
			g.Must(err)
			if _, begun := l.Answer(0); !begun {
				l.Answered(t.Context(), 0, turn.Answer{Text: fox})
			}
			o := g.Origin("bob")
			o.Turn = id
			d, gate := g.Dispatcher()
			return actions.AllLines(d.Resume(t.Context(), o, gate, []actions.Request{{Type: "generateImage", Args: []byte(fox)}}, forgetful{l.Actions(0)}, 0))[0]
		}
		// The process is killed between the picture and its post.
		g.Fail(fakediscord.Fault{Match: "POST /channels/{channel}/messages", Status: 403, Times: 1})
		if got := resume("a"); !strings.Contains(got, "is kept as") || len(g.kept()) != 1 {
			t.Errorf("first %s, with %v", got, g.kept())
		}
		g.start()
		if got := resume("a"); !strings.HasPrefix(got, "Done: posted ") || len(g.kept()) != 0 {
			t.Errorf("resumed %s, with %v", got, g.kept())
		}
		g.posted("#general")
		// It is killed after the post, before it has written that down.
		if got := resume("a"); !strings.HasPrefix(got, "Done: posted ") {
			t.Errorf("resumed once more: %s", got)
		}
		// It is killed while the vendor is at work.
		g.paint.Next(imagetest.Die)
		if got := resume("b"); !strings.Contains(got, "may have been paid for") {
			t.Errorf("first %s", got)
		}
		g.start()
		if got := resume("b"); !strings.Contains(got, "Failed: generateImage: I was restarted while this picture was being made; it may have been paid for, so I did not ask for it again") {
			t.Errorf("resumed %s", got)
		}
		if n := len(g.paint.Asked()); n != 2 {
			t.Errorf("%d pictures were paid for", n)
		}
		g.posted("#general")
	})
}

// forgetful loses outcomes, as a process does that is killed before it writes them down.
type forgetful struct{ actions.Progress }

func (forgetful) Settle(context.Context, map[string]actions.Record) {}

func TestSlowModeIsCheckedBeforeItIsPaid(t *testing.T) {
	t.Parallel()
	inGallery(t, spend.Options{}, func(t *testing.T, g *gallery) {
		g.RequirePart("ada", `{"type":"channelEdit","channelId":"slow","slowmode":3600}`, "Done: ")
		const inSlow = `{"type":"generateImage","prompt":"x","channel":"slow"}`
		g.RequirePart("bob", inSlow, "Done: ")
		g.RequirePart("bob", inSlow, "slow mode in <#{slow}> lets you write again")
		if n := len(g.paint.Asked()); n != 1 {
			t.Errorf("%d pictures were paid for", n)
		}
	})
}
