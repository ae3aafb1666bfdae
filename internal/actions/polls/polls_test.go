package polls_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/actions/actionstest/server"
	"discoclaw/internal/actions/messaging"
	"discoclaw/internal/actions/polls"
	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

const layout = `
guild disco: #general #ops ideas:forum talk:voice
bot DiscoClaw
member ada: owner
member bob
member gus
thread "A plan" in #ops
`

func onServer(t *testing.T, test func(t *testing.T, w *server.Server)) {
	t.Helper()
	server.In(t, layout, func(t *testing.T, w *server.Server) {
		w.Offer(polls.New(w.Bot, forBob(w)), messaging.New(w.Bot, messaging.Options{}))
		test(t, w)
	})
}

func TestPoll(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *server.Server) {
		got := w.Run("bob", `{"type":"poll","channel":"ops","question":" When do\nwe meet? @everyone","answers":["Tuesday","Thursday"]}`)[0]
		m := w.Messages("#ops")[0]
		if want := w.WithIDs("Done: posted [a poll](https://discord.com/channels/{server}/{ops}/" + string(m.ID) + ") in <#{ops}>"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if m.Poll == nil || m.Poll.Question != "When do we meet? @everyone" || m.Poll.Multiple || m.Poll.Ends.Sub(m.Sent) != 24*time.Hour || len(m.Pings) != 0 {
			t.Errorf("poll %+v, rings for %v", m.Poll, m.Pings)
		}
		if diff := cmp.Diff([]string{"Tuesday", "Thursday"}, m.Poll.Answers); diff != "" {
			t.Error(diff)
		}
		if got := w.Run("bob", `{"type":"readMessages","channel":"ops"}`)[0]; !strings.Contains(got, "[DiscoClaw] [Poll “When do we meet? @everyone”: Tuesday / Thursday; no votes yet; open until 2026-03-03 12:00 UTC] (") {
			t.Errorf("read again: %s", got)
		}
		w.Run("bob", `{"type":"poll","channelId":"A plan","question":"?","options":["`+strings.Repeat("x", 55)+`"],"allowMultiselect":true,"durationHours":768}`)
		inThread := w.Messages("A plan")
		if last := inThread[len(inThread)-1]; last.Poll == nil || !last.Poll.Multiple || last.Poll.Ends.Sub(last.Sent) != 768*time.Hour {
			t.Errorf("poll %+v", last)
		}
	})
}

// TestAPollCanBePinnedInTheSameReply: it is the last message of the reply.
func TestAPollCanBePinnedInTheSameReply(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *server.Server) {
		got := w.Run("ada", `{"type":"poll","channel":"ops","question":"?","answers":["a"]}`, `{"type":"pinMessage","channelId":"ops","messageId":"last"}`)
		if pins := w.Pins("#ops"); !strings.HasPrefix(got[1], "Done: pinned ") || len(pins) != 1 || pins[0].Poll == nil {
			t.Errorf("%q, pins %+v", got, pins)
		}
	})
}

func TestPollRefuses(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *server.Server) {
		eleven := strings.Repeat(`"x",`, 10) + `"x"`
		for in, want := range map[string]string{
			``: "question: missing; answers: missing",
			`,"channel":"ops","question":"?","answers":[]`:                                   "answers: ",
			`,"channel":"ops","question":"?","answers":""`:                                   "answers: empty",
			`,"channel":"ops","question":" ","answers":["a"]`:                                "question: empty",
			`,"channel":"ops","question":"?","answers":["a"," "]`:                            "answers[1]: empty",
			`,"channel":"ops","question":"?","answers":["a","a"]`:                            `answers: "a" stands there twice`,
			`,"channel":"ops","question":"?","answers":[` + eleven + `]`:                     "answers: has 11 items, must have 1 to 10",
			`,"channel":"ops","question":"` + strings.Repeat("x", 301) + `","answers":["a"]`: "question: has 301 characters, must have at most 300",
			`,"channel":"ops","question":"?","answers":["` + strings.Repeat("🔥", 28) + `"]`:  "has 56 characters, must have at most 55",
			`,"channel":"ops","question":"?","answers":["a"],"durationHours":0`:              "durationHours: 0 is not 1 to 768",
			`,"channel":"ops","question":"?","answers":["a"],"durationHours":769`:            "durationHours: 769 is not 1 to 768",
			`,"channel":"ops","question":"?","answers":["a"],"durationHours":1.5`:            "durationHours: must be a whole number, not 1.5",
			`,"channel":"basement","question":"?","answers":["a"]`:                           `I can't see a channel #basement`,
			`,"channel":"ideas","question":"?","answers":["a"]`:                              "is a forum channel, where no poll can be posted; choose a text channel or a thread",
			`,"channel":"talk","question":"?","answers":["a"]`:                               "is a voice channel, where no poll can be posted",
		} {
			if got := w.Run("ada", `{"type":"poll"`+in+`}`)[0]; !strings.HasPrefix(got, "Failed: poll: ") || !strings.Contains(got, want) {
				t.Errorf("%s\n got %s\nwant %s", in, got, want)
			}
		}
		if n := len(w.Messages("#ops")); n > 0 {
			t.Errorf("%d messages were posted", n)
		}
	})
}

func TestAPollNeedsTheRightsOfBoth(t *testing.T) {
	t.Parallel()
	const poll = `{"type":"poll","channel":"ops","question":"?","answers":["a"]}`
	for _, right := range []chat.Permission{chat.ViewChannel, chat.SendMessages, chat.CreatePolls} {
		onServer(t, func(t *testing.T, w *server.Server) {
			if err := w.Deny("#ops", "bob", right); err != nil {
				t.Fatal(err)
			}
			want := "Failed: poll: you need *" + string(right) + "*"
			if right == chat.ViewChannel { // a hidden channel is not found
				want = `Failed: poll: I can't see a channel #ops`
			}
			if got := w.Run("bob", poll)[0]; !strings.HasPrefix(got, want) {
				t.Errorf("bob without %s: %s", right, got)
			}
			if got := w.Run("", poll)[0]; !strings.Contains(got, "nobody is known to have asked") {
				t.Errorf("without a requester: %s", got)
			}
			if right == chat.ViewChannel {
				return // a channel that the bot does not see is not found
			}
			if err := w.Deny("#ops", "bot", right); err != nil {
				t.Fatal(err)
			}
			want = w.WithIDs("Failed: poll: I need *" + string(right) + "* in <#{ops}> for that; an admin can allow it for my role there, under Edit Channel → Permissions")
			if got := w.Run("ada", poll)[0]; got != want {
				t.Errorf("the bot without %s: %s, want %s", right, got, want)
			}
			if n := len(w.Messages("#ops")); n > 0 {
				t.Errorf("%d messages were posted", n)
			}
		})
	}
}

// forBob: all polls are bob's.
func forBob(w *server.Server) func(context.Context, chat.Place) (chat.UserID, error) {
	return func(context.Context, chat.Place) (chat.UserID, error) { return w.UserID("bob"), nil }
}

// TestTheVotesOfAPollAreRead while it is open and when it is over, also in the archive of a channel.
func TestTheVotesOfAPollAreRead(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *server.Server) {
		w.Run("bob", `{"type":"poll","channel":"ops","question":"Lunch?","answers":["Tacos","Pizza"],"durationHours":2}`)
		id := w.Messages("#ops")[0].ID
		reads := []string{`{"type":"fetchMessage","channelId":"ops","messageId":"` + string(id) + `"}`, `{"type":"readMessages","channel":"ops"}`}
		w.Must(w.Vote("ada", id, 1))
		w.Must(w.Vote("bob", id, 1))
		for _, read := range reads {
			w.RequirePart("bob", read, "[Poll “Lunch?”: Tacos (2 votes) / Pizza (0 votes); open until 2026-03-02 14:00 UTC]")
		}
		w.Must(w.Unvote("ada", id, 1))
		time.Sleep(3 * time.Hour)
		for _, read := range reads {
			w.RequirePart("bob", read, "[Poll “Lunch?”: Tacos (1 vote) / Pizza (0 votes); ended 2026-03-02 14:00 UTC]")
		}
	})
}

func TestPollEnd(t *testing.T) {
	t.Parallel()
	onServer(t, func(t *testing.T, w *server.Server) {
		ask := `{"type":"poll","channel":"ops","question":"When?","answers":["Tuesday","*Thursday*","Friday"]}`
		w.Run("bob", ask)
		first := w.Messages("#ops")[0]
		for who, answer := range map[string]int{"ada": 2, "bob": 2, "DiscoClaw": 1} {
			w.Must(w.Vote(who, first.ID, answer))
		}
		const counts = `Tuesday 1 vote, \*Thursday\* 2 votes, Friday 0 votes`
		end := `{"type":"pollEnd","messageId":"` + string(first.ID) + `","channel":"ops"}`
		w.RequirePart("gus", end, "Failed: pollEnd: you need *Manage Messages* in <#{ops}> for that")
		w.Require("bob", end, `Done: ended the poll "When?": `+counts)
		if m := w.Messages("#ops")[0]; m.Poll.Ends.Sub(m.Sent) >= 24*time.Hour {
			t.Errorf("the poll goes on until %s", m.Poll.Ends)
		}
		w.RequireShort("bob", end, "read the votes of [a poll](https://discord.com/channels/{server}/{ops}/"+string(first.ID)+") in <#{ops}>", "{ops}")
		w.Run("bob", strings.Replace(ask, "ops", "general", 1))
		here := w.Messages("#general")[0]
		w.Require("bob", `{"type":"pollEnd","messageId":"last"}`, "Done: ended [a poll](https://discord.com/channels/{server}/{general}/"+string(here.ID)+") in <#{general}>: nobody has voted")
		theirs := w.MustSay("ada", "general", "", fakediscord.WithPoll("?", "a"))
		for in, want := range map[string]string{
			`{"type":"pollEnd","messageId":"` + string(theirs.ID) + `"}`:                                                        "Failed: pollEnd: I can only end my own polls",
			`{"type":"pollEnd","messageId":"` + string(w.MustSay("ada", "general", "hi").ID) + `"}`:                             "is not a poll",
			`{"type":"pollEnd","channel":"ops","messageId":"https://discord.com/channels/1/{general}/` + string(here.ID) + `"}`: "Failed: pollEnd: that message is in <#{general}>, not in <#{ops}>; nothing was done",
		} {
			w.RequirePart("bob", w.WithIDs(in), want)
		}
		w.Must(w.Deny("#ops", "bob", chat.CreatePolls))
		w.RequirePart("bob", end, "Failed: pollEnd: you need *Create Polls* in <#{ops}> for that")
	})
}
