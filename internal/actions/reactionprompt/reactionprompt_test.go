package reactionprompt_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/actions/messaging"
	"discoclaw/internal/actions/reactionprompt"
	"discoclaw/internal/chat"
	"discoclaw/internal/choices"
	"discoclaw/internal/fakediscord"
	"discoclaw/internal/store"
)

// A world is a server whose bot has the category, with a store for questions.
type world struct {
	*server.Server
	t         testing.TB
	db        *store.DB
	questions *choices.Store
}

// onServer runs a test whose turn is ada's, in #general.
func onServer(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	server.In(t, "guild disco: #general #ops\nmember ada\nmember bob\n", func(t *testing.T, w *server.Server) {
		db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), store.FileName))
		w.Must(err)
		t.Cleanup(func() { _ = db.Close() })
		questions := choices.NewStore(db)
		w.Offer(messaging.New(w.Bot, messaging.Options{}), reactionprompt.New(w.Bot, questions))
		w.Asked.Place.Message = w.MustSay("ada", "#general", "please").ID
		test(t, &world{Server: w, t: t, db: db, questions: questions})
	})
}

// last is the newest message in #general.
func (w *world) last() fakediscord.Message {
	w.t.Helper()
	all := w.Messages("#general")
	return all[len(all)-1]
}

// waiting is the number of open questions.
func (w *world) waiting() (n int) {
	w.t.Helper()
	if err := w.db.QueryRowContext(w.t.Context(), "SELECT COUNT(*) FROM choices").Scan(&n); err != nil {
		w.t.Fatal(err)
	}
	return n
}

const shipIt = `{"type":"reactionPrompt","question":"Ship it, @everyone?","choices":["✅",":x:","❤️"],"timeoutSeconds":60}`

func TestAQuestionIsSentWithItsChoices(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
		line := w.Run("ada", shipIt)[0]
		asked := w.last()
		if want := w.WithIDs("Done: posted [a question](https://discord.com/channels/{server}/{general}/" + string(asked.ID) + "); react to answer it"); line != want {
			t.Errorf("got  %s\nwant %s", line, want)
		}
		if asked.Author != w.UserID("bot") || asked.Content != "Ship it, @everyone?" || len(asked.Mentions) > 0 || asked.MentionEveryone {
			t.Errorf("the question is %+v", asked)
		}
		var offered []chat.Emoji
		for _, r := range asked.Reactions {
			offered = append(offered, chat.Emoji(r.Emoji))
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
	onServer(t, func(t *testing.T, w *world) {
		lines := w.Run("ada", shipIt, `{"type":"react","channelId":"general","messageId":"last","emoji":"🤔"}`)
		if !strings.HasPrefix(lines[1], "Done: reacted with 🤔 ") || len(w.last().Reactions) != 4 {
			t.Errorf("%v; the reactions are %v", lines, w.last().Reactions)
		}
	})
}

func TestReactionPromptRefuses(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
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
			if got, want := w.Run("ada", payload)[0], "Failed: reactionPrompt: "+tt.want; got != want {
				t.Errorf("%s: got %s\nwant %s", tt.name, got, want)
			}
		}
		if after := len(w.Messages("#general")); after != before || w.waiting() != 0 {
			t.Errorf("%d messages were sent, %d questions wait", after-before, w.waiting())
		}
	})
}

func TestAQuestionWithMissingChoicesIsDeleted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, payload string
		before        func(w *world)
		want          []string
	}{
		{
			"an emoji of another server", `{"type":"reactionPrompt","question":"a","choices":["✅","<:party:123456789012345678>"]}`, func(*world) {},
			[]string{"Failed: reactionPrompt: the choice :party: does not work: Discord has no such emoji for me", "(the question was taken back)"},
		},
		{
			"the bot may not react", shipIt, func(w *world) { _ = w.Deny("#general", "bot", chat.AddReactions) },
			[]string{"Failed: reactionPrompt: the choice ✅ does not work: ", "Add Reactions", "(the question was taken back)"},
		},
		{
			"it cannot be remembered", shipIt, func(w *world) { _ = w.db.Close() },
			[]string{"Failed: reactionPrompt: I could not keep the question: ", "could not be taken back"},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			onServer(t, func(t *testing.T, w *world) {
				tt.before(w)
				before := len(w.Messages("#general"))
				w.RequirePart("ada", tt.payload, tt.want...)
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

func TestACancelledTurnLeavesNoIncompleteQuestion(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
		w.Fail(fakediscord.Fault{Match: "PUT /channels/{channel}/messages/{message}/reactions/{emoji}/@me", Skip: 1, Kind: fakediscord.Hang})
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan []actions.Outcome, 1)
		reqs := []actions.Request{{Type: "reactionPrompt", Args: json.RawMessage(shipIt)}}
		dispatcher, gate := w.Dispatcher()
		go func() { done <- dispatcher.Execute(ctx, w.Origin("ada"), gate, reqs) }()
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

func TestAQuestionNeedsTheRightToSend(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *world) {
		if err := w.Deny("#general", "ada", chat.SendMessages); err != nil {
			t.Fatal(err)
		}
		w.RequirePart("ada", shipIt, "Failed: reactionPrompt: you need *Send Messages*")
		w.RequirePart("", shipIt, "nobody is known to have asked")
		w.Asked.Place.Guild = ""
		w.RequirePart("ada", shipIt, "on a server only")
		if w.last().Author == w.UserID("bot") {
			t.Error("it was asked all the same")
		}
	})
}

func TestTheSwitchIsThatOfMessaging(t *testing.T) {
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
