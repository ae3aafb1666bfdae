package reactionprompt_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/messaging"
	"discoclaw/internal/actions/reactionprompt"
	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
	"discoclaw/internal/store"
)

// A town is a small Discord with the bot on it, which can ask questions there.
type town struct {
	*discordtest.World
	t         testing.TB
	bot       *discord.Client
	db        *store.DB
	questions *choices.Store
	gate      actions.Gate
	origin    actions.Origin
}

// inTown runs a test in which ada has asked for something in #general.
func inTown(t *testing.T, test func(t *testing.T, w *town)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &town{World: discordtest.New(t, "guild disco: #general #ops\nmember ada\nmember bob\n"), t: t}
		w.bot = discord.New(discord.Options{Token: w.Token(), APIURL: w.APIURL(), HTTP: w.HTTP()})
		w.connect(t)
		var err error
		if w.db, err = store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName)); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = w.db.Close() })
		w.questions = choices.NewStore(w.db)
		reg := actionstest.Registry(t, messaging.New(w.bot, messaging.Options{}), reactionprompt.New(w.bot, w.questions))
		w.gate = reg.Gate(actionstest.Open(reg))
		m := w.MustSay("ada", "#general", "please")
		w.origin = actions.Origin{
			Flow:      actions.FlowMessage,
			Place:     chat.Place{Guild: w.GuildID(), Channel: m.Channel, Message: m.ID},
			Requester: m.Author,
		}
		test(t, w)
	})
}

// connect lets the bot learn about the server until the test ends.
func (w *town) connect(t *testing.T) {
	t.Helper()
	ctx, leave := context.WithCancel(context.Background())
	ready, left := make(ear), make(chan error, 1)
	go func() { left <- w.bot.Run(ctx, ready) }()
	t.Cleanup(func() {
		leave()
		if err := <-left; err != nil {
			t.Errorf("the bot left: %v", err)
		}
	})
	<-ready
}

// An ear is closed when the bot knows the server, and hears nothing else.
type ear chan struct{}

func (e ear) Ready(chat.User)                     { close(e) }
func (ear) Message(context.Context, chat.Message) {}
func (ear) Edited(context.Context, chat.Message)  {}
func (ear) Deleted(context.Context, chat.Place)   {}
func (ear) Pressed(context.Context, chat.Press)   {}
func (ear) Reacted(context.Context, chat.Reacted) {}

// run executes what a model asks for in one reply, with the rights of ada.
func (w *town) run(payloads ...string) []string {
	w.t.Helper()
	var reqs []actions.Request
	for _, p := range payloads {
		var head struct {
			Type string `json:"type"`
		}
		if err := json.Unmarshal([]byte(p), &head); err != nil {
			w.t.Fatalf("%s: %v", p, err)
		}
		reqs = append(reqs, actions.Request{Type: head.Type, Args: json.RawMessage(p)})
	}
	guard := access.Guard(access.Policy{}, w.bot)
	return actions.AllLines(actions.NewDispatcher(guard).Execute(w.t.Context(), w.origin, w.gate, reqs))
}

// require runs a request and looks for parts of its line.
func (w *town) require(payload string, parts ...string) {
	w.t.Helper()
	got := w.run(payload)[0]
	for _, part := range parts {
		if !strings.Contains(got, part) {
			w.t.Errorf("%s\n got %s\nwant it to contain %s", payload, got, part)
		}
	}
}

// last is the newest message in #general.
func (w *town) last() fakediscord.Message {
	w.t.Helper()
	all := w.Messages("#general")
	return all[len(all)-1]
}

// waiting is how many questions are known.
func (w *town) waiting() (n int) {
	w.t.Helper()
	if err := w.db.QueryRowContext(w.t.Context(), "SELECT COUNT(*) FROM choices").Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

const shipIt = `{"type":"reactionPrompt","question":"Ship it, @everyone?","choices":["✅",":x:","❤️"],"timeoutSeconds":60}`

func TestItAsksAndOffersTheChoices(t *testing.T) {
	t.Parallel()
	inTown(t, func(t *testing.T, w *town) {
		line := w.run(shipIt)[0]
		asked := w.last()
		if want := "Done: Asked (id " + string(asked.ID) + "); the answer arrives later, as a reaction"; line != want {
			t.Errorf("got  %s\nwant %s", line, want)
		}
		if asked.Author != w.UserID("bot") || asked.Content != "Ship it, @everyone?" || len(asked.Mentions) > 0 || asked.MentionEveryone {
			t.Errorf("the question is %+v", asked)
		}
		var offered []chat.Emoji
		for _, r := range asked.Reactions {
			offered = append(offered, r.Emoji)
		}
		if !slices.EqualFunc(offered, []chat.Emoji{"✅", "❌", "❤️"}, chat.Emoji.Same) {
			t.Errorf("the choices are %v", offered)
		}
		q, ok, err := w.questions.Match(t.Context(), asked.ID, "❤")
		if err != nil || !ok || q.Text != asked.Content || q.Channel != asked.Channel || q.Guild != w.GuildID() || q.Requester != w.UserID("ada") || len(q.Choices) != 3 {
			t.Errorf("the question that waits is %+v, %v, %v", q, ok, err)
		}
	})
}

func TestTheQuestionIsTheLastMessage(t *testing.T) {
	t.Parallel()
	inTown(t, func(t *testing.T, w *town) {
		lines := w.run(shipIt, `{"type":"react","channelId":"general","messageId":"last","emoji":"🤔"}`)
		if lines[1] != "Done: Reacted with 🤔" || len(w.last().Reactions) != 4 {
			t.Errorf("%v; the reactions are %v", lines, w.last().Reactions)
		}
	})
}

func TestItRefuses(t *testing.T) {
	t.Parallel()
	inTown(t, func(t *testing.T, w *town) {
		before := len(w.Messages("#general"))
		long := strings.Repeat("x", 2001)
		for _, tt := range []struct{ name, args, want string }{
			{"nothing", `{}`, "question: missing; choices: missing"},
			{"blanks", `{"question":"  ","choices":["✅"," "]}`, "question: empty; choices[1]: empty"},
			{"an empty choice", `{"question":"a","choices":["✅",""]}`, "choices[1]: empty"},
			{"one choice", `{"question":"a","choices":["✅"]}`, "choices: has 1 items, must have 2 to 9"},
			{"ten choices", `{"question":"a","choices":["1️⃣","2️⃣","3️⃣","4️⃣","5️⃣","6️⃣","7️⃣","8️⃣","9️⃣","🔟"]}`, "choices: has 10 items, must have 2 to 9"},
			{"the same twice", `{"question":"a","choices":["✅","❤","❤️"]}`, "choices: ❤️ is there twice; every choice must be another emoji"},
			{"a server's own twice", `{"question":"a","choices":["<a:party:123456789012345678>","fiesta:123456789012345678"]}`, "choices: :fiesta: is there twice; every choice must be another emoji"},
			{"words", `{"question":"a","choices":["✅","no"]}`, `choices[1]: there is no emoji "no" here; write the character itself, such as 👍`},
			{"too long a question", `{"question":"` + long + `","choices":["✅","❌"]}`, "question: has 2001 characters, must have at most 2000"},
			{"no list", `{"question":"a","choices":"often"}`, "choices: has 1 items, must have 2 to 9"},
		} {
			payload := `{"type":"reactionPrompt",` + strings.TrimPrefix(tt.args, "{")
			payload = strings.Replace(payload, ",}", "}", 1)
			if got, want := w.run(payload)[0], "Failed: reactionPrompt: "+tt.want; got != want {
				t.Errorf("%s: got %s\nwant %s", tt.name, got, want)
			}
		}
		if after := len(w.Messages("#general")); after != before || w.waiting() != 0 {
			t.Errorf("%d messages were sent, %d questions wait", after-before, w.waiting())
		}
	})
}

func TestAQuestionThatCannotBePutIsTakenBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, payload string
		before        func(w *town)
		want          []string
	}{
		{
			"an emoji of another server", `{"type":"reactionPrompt","question":"a","choices":["✅","<:party:123456789012345678>"]}`, func(*town) {},
			[]string{"Failed: reactionPrompt: add the choice “:party:”: Discord has no such emoji for the bot", "(the question was taken back)"},
		},
		{
			"the bot may not react", shipIt, func(w *town) { _ = w.Deny("#general", "bot", chat.AddReactions) },
			[]string{"Failed: reactionPrompt: add the choice “✅”: ", "Add Reactions", "(the question was taken back)"},
		},
		{
			"it cannot be remembered", shipIt, func(w *town) { _ = w.db.Close() },
			[]string{"Failed: reactionPrompt: remember the question: ", "could not be taken back"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			inTown(t, func(t *testing.T, w *town) {
				tt.before(w)
				before := len(w.Messages("#general"))
				w.require(tt.payload, tt.want...)
				if after := len(w.Messages("#general")); after != before {
					t.Errorf("%d messages stay behind", after-before)
				}
				if !strings.Contains(tt.name, "remembered") && w.waiting() != 0 {
					t.Error("the question still waits for an answer")
				}
			})
		})
	}
}

func TestAStoppedTurnLeavesNoHalfQuestion(t *testing.T) {
	t.Parallel()
	inTown(t, func(t *testing.T, w *town) {
		w.Fail(fakediscord.Fault{Match: "PUT /channels/{channel}/messages/{message}/reactions/{emoji}/@me", Skip: 1, Kind: fakediscord.Hang})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan []actions.Outcome, 1)
		reqs := []actions.Request{{Type: "reactionPrompt", Args: json.RawMessage(shipIt)}}
		go func() {
			done <- actions.NewDispatcher(access.Guard(access.Policy{}, w.bot)).Execute(ctx, w.origin, w.gate, reqs)
		}()
		synctest.Wait()
		if w.last().Author != w.UserID("bot") || w.waiting() != 1 {
			t.Error("the question is not there while its choices are added")
		}
		stop()
		if outs := <-done; outs[0].Err == nil || w.last().Author == w.UserID("bot") || w.waiting() != 0 {
			t.Errorf("%v; the latest message is %q, and %d questions wait", outs[0].Err, w.last().Content, w.waiting())
		}
	})
}

func TestWhoMayNotSendMayNotAsk(t *testing.T) {
	t.Parallel()
	inTown(t, func(t *testing.T, w *town) {
		if err := w.Deny("#general", "ada", chat.SendMessages); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // until the bot has heard of it
		w.require(shipIt, "Failed: reactionPrompt: permission denied: who asked lacks “Send Messages”")
		w.origin.Requester = ""
		w.require(shipIt, "nobody is known to have asked")
		w.origin.Requester, w.origin.Place.Guild = w.UserID("ada"), ""
		w.require(shipIt, "on a server only")
		if w.last().Author == w.UserID("bot") {
			t.Error("it was asked all the same")
		}
	})
}

func TestItGoesWithMessaging(t *testing.T) {
	t.Parallel()
	reg := actionstest.Registry(t, messaging.New(nil, messaging.Options{}), reactionprompt.New(nil, nil))
	if v := reg.Gate(actionstest.Open(reg)).Verdict("reactionPrompt"); v.Decision != actions.Allowed {
		t.Errorf("with messaging on it is %v: %s", v.Decision, v.Reason())
	}
	off := actions.FlagsOf(reg.Categories(), func(string) bool { return false })
	if v := reg.Gate(off).Verdict("reactionPrompt"); v.Decision != actions.Stripped {
		t.Errorf("with messaging off it is %v", v.Decision)
	}
}
