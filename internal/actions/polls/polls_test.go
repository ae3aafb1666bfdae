package polls_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/access"
	"discoclaw/internal/actions"
	"discoclaw/internal/actions/actionstest"
	"discoclaw/internal/actions/messaging"
	"discoclaw/internal/actions/polls"
	"discoclaw/internal/chat"
	"discoclaw/internal/discord"
	"discoclaw/internal/fakediscord/discordtest"
)

// A booth is a small Discord with the bot on it, and the category in the bot's hands.
type booth struct {
	*discordtest.World
	t   testing.TB
	bot *discord.Client
}

const layout = `
guild disco: #general #ops ideas:forum talk:voice
bot DiscoClaw
member ada: owner
member bob
thread "A plan" in #ops
`

func inBooth(t *testing.T, test func(t *testing.T, w *booth)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := &booth{World: discordtest.New(t, layout), t: t}
		w.bot = discord.New(discord.Options{Token: w.Token(), APIURL: w.APIURL(), HTTP: w.HTTP()})
		ctx, leave := context.WithCancel(context.Background())
		ready, left := make(ear), make(chan error, 1)
		go func() { left <- w.bot.Run(ctx, ready) }()
		t.Cleanup(func() {
			leave()
			if err := <-left; err != nil {
				t.Errorf("the bot left: %v", err)
			}
		})
		select {
		case <-ready:
		case err := <-left:
			left <- nil
			t.Fatalf("the bot did not connect: %v", err)
		}
		test(t, w)
	})
}

// An ear hears that the bot is ready, and nothing else.
type ear chan struct{}

func (e ear) Ready(chat.User)                     { close(e) }
func (ear) Message(context.Context, chat.Message) {}
func (ear) Edited(context.Context, chat.Message)  {}
func (ear) Deleted(context.Context, chat.Place)   {}
func (ear) Pressed(context.Context, chat.Press)   {}
func (ear) Reacted(context.Context, chat.Reacted) {}

// run executes what a model asks for in one reply to somebody; an empty name is for
// nobody.
func (w *booth) run(who string, payloads ...string) []string {
	w.t.Helper()
	synctest.Wait() // for what has happened on the server to reach the bot
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
	o := actions.Origin{Flow: actions.FlowMessage, Place: chat.Place{Guild: w.GuildID(), Channel: w.ChannelID("#general"), Message: "111111111111111111"}}
	if who != "" {
		o.Requester = w.UserID(who)
	}
	reg := actionstest.Registry(w.t, polls.New(w.bot), messaging.New(w.bot, messaging.Options{}))
	d := actions.NewDispatcher(access.Guard(access.Policy{}, w.bot))
	return actions.AllLines(d.Execute(w.t.Context(), o, reg.Gate(actionstest.Open(reg)), reqs))
}

func TestPoll(t *testing.T) {
	t.Parallel()
	inBooth(t, func(t *testing.T, w *booth) {
		got := w.run("bob", `{"type":"poll","channel":"ops","question":" When do\nwe meet? @everyone","answers":["Tuesday","Thursday"]}`)[0]
		m := w.Messages("#ops")[0]
		if want := `Done: Created poll "When do we meet? @everyone" in #ops with 2 options (id ` + string(m.ID) + `)`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if m.Poll == nil || m.Poll.Question != "When do we meet? @everyone" || m.Poll.Multiple || m.Poll.Ends.Sub(m.Sent) != 24*time.Hour || len(m.Pings) != 0 {
			t.Errorf("poll %+v, rings for %v", m.Poll, m.Pings)
		}
		if diff := cmp.Diff([]string{"Tuesday", "Thursday"}, m.Poll.Answers); diff != "" {
			t.Error(diff)
		}
		if got := w.run("bob", `{"type":"readMessages","channel":"ops"}`)[0]; !strings.Contains(got, "[DiscoClaw] [Poll: When do we meet? @everyone (Tuesday / Thursday)] (") {
			t.Errorf("read again: %s", got)
		}
		w.run("bob", `{"type":"poll","channelId":"A plan","question":"?","options":["`+strings.Repeat("x", 55)+`"],"allowMultiselect":true,"durationHours":768}`)
		inThread := w.Messages("A plan")
		if last := inThread[len(inThread)-1]; last.Poll == nil || !last.Poll.Multiple || last.Poll.Ends.Sub(last.Sent) != 768*time.Hour {
			t.Errorf("poll %+v", last)
		}
	})
}

// TestAPollCanBePinnedInTheSameReply: it is the last message that the reply has sent.
func TestAPollCanBePinnedInTheSameReply(t *testing.T) {
	t.Parallel()
	inBooth(t, func(t *testing.T, w *booth) {
		got := w.run("ada", `{"type":"poll","channel":"ops","question":"?","answers":["a"]}`, `{"type":"pinMessage","channelId":"ops","messageId":"last"}`)
		if pins := w.Pins("#ops"); got[1] != "Done: Pinned message in #ops" || len(pins) != 1 || pins[0].Poll == nil {
			t.Errorf("%q, pins %+v", got, pins)
		}
	})
}

func TestPollRefuses(t *testing.T) {
	t.Parallel()
	inBooth(t, func(t *testing.T, w *booth) {
		eleven := strings.Repeat(`"x",`, 10) + `"x"`
		for in, want := range map[string]string{
			``: "channel: missing; question: missing; answers: missing",
			`,"channel":"ops","question":"?","answers":[]`:                                   "answers: ",
			`,"channel":"ops","question":" ","answers":["a"]`:                                "question: empty",
			`,"channel":"ops","question":"?","answers":["a"," "]`:                            "answers[1]: empty",
			`,"channel":"ops","question":"?","answers":["a","a"]`:                            `answers: "a" stands there twice`,
			`,"channel":"ops","question":"?","answers":[` + eleven + `]`:                     "answers: has 11 items, must have 1 to 10",
			`,"channel":"ops","question":"` + strings.Repeat("x", 301) + `","answers":["a"]`: "question: has 301 characters, must have at most 300",
			`,"channel":"ops","question":"?","answers":["` + strings.Repeat("🔥", 28) + `"]`:  "has 56 characters, must have at most 55",
			`,"channel":"ops","question":"?","answers":["a"],"durationHours":0`:              "durationHours: 0 is not 1 to 768",
			`,"channel":"ops","question":"?","answers":["a"],"durationHours":769`:            "durationHours: 769 is not 1 to 768",
			`,"channel":"ops","question":"?","answers":["a"],"durationHours":1.5`:            "durationHours: must be a whole number, not 1.5",
			`,"channel":"basement","question":"?","answers":["a"]`:                           `there is no channel "basement"`,
			`,"channel":"ideas","question":"?","answers":["a"]`:                              "is a forum channel, where no poll can be posted; choose a text channel or a thread",
			`,"channel":"talk","question":"?","answers":["a"]`:                               "is a voice channel, where no poll can be posted",
		} {
			if got := w.run("ada", `{"type":"poll"`+in+`}`)[0]; !strings.HasPrefix(got, "Failed: poll: ") || !strings.Contains(got, want) {
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
		inBooth(t, func(t *testing.T, w *booth) {
			if err := w.Deny("#ops", "bob", right); err != nil {
				t.Fatal(err)
			}
			want := "Failed: poll: permission denied: who asked lacks “" + string(right) + "”"
			if right == chat.ViewChannel { // what they may not see is not there for them
				want = `Failed: poll: there is no channel "ops" on this server`
			}
			if got := w.run("bob", poll)[0]; !strings.HasPrefix(got, want) {
				t.Errorf("bob without %s: %s", right, got)
			}
			if got := w.run("", poll)[0]; !strings.Contains(got, "nobody is known to have asked") {
				t.Errorf("nobody: %s", got)
			}
			if right == chat.ViewChannel {
				return // what the bot does not see is not there for it
			}
			if err := w.Deny("#ops", "bot", right); err != nil {
				t.Fatal(err)
			}
			want = "Failed: poll: post a poll in #ops: the bot lacks “" + string(right) + "” in #ops; allow it for the bot's role there, under Edit Channel → Permissions"
			if got := w.run("ada", poll)[0]; got != want {
				t.Errorf("the bot without %s: %s, want %s", right, got, want)
			}
			if n := len(w.Messages("#ops")); n > 0 {
				t.Errorf("%d messages were posted", n)
			}
		})
	}
}

func TestPollsAreExplainedWhenTheTalkIsAboutThem(t *testing.T) {
	t.Parallel()
	c := polls.New(nil)
	for text, want := range map[string]bool{"make a Poll about lunch": true, "let us vote": true, "polls": true, "what is a polite reply": false} {
		if c.Matches(actions.Hint{Text: text}) != want {
			t.Errorf("%q: explained %v, want %v", text, !want, want)
		}
	}
	if f := c.Flag(); f.Env != "DISCOCLAW_DISCORD_ACTIONS_POLLS" || !f.Default || c.Name() != "polls" {
		t.Errorf("%s has the switch %+v", c.Name(), f)
	}
	a := c.Actions()[0]
	if a.Grave || a.Quiet || a.Effect != actions.Mutates || len(c.Actions()) != 1 {
		t.Errorf("poll: grave %v, quiet %v", a.Grave, a.Quiet)
	}
}
