package scenario

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/llm/script"
)

const slashWorld = "guild disco: #general #ops\nmember ada: owner\nmember bob\nstranger zed\n"

// registered are the requests so far about the application's commands.
func (st *stage) registered() []string {
	var list []string
	for _, x := range st.Requests() {
		if strings.Contains(x.Route, "/commands") {
			list = append(list, fmt.Sprintf("%s %d", x.Method, x.Status))
		}
	}
	return list
}

func (st *stage) restartWith(name, value string) {
	st.stop()
	st.settings[name] = value
	st.start()
}

func TestTheMenuIsKeptUpToDate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, slashWorld, "")
		for _, value := range []string{"1", "0", "0", "1"} {
			st.restartWith("DISCOCLAW_SLASH_COMMANDS", value)
		}
		set, unset := "POST 201", "DELETE 204" // for the command, and each of the three entries in the menu of messages
		want := []string{"GET 200", set, set, set, set, "GET 200", "GET 200", unset, unset, unset, unset, "GET 200", "GET 200", set, set, set, set}
		if diff := cmp.Diff(want, st.registered()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		menu := st.Commands()
		if len(menu) != 1 || menu[0].Name != "discoclaw" || !cmp.Equal(menu[0].Contexts, []int{0, 1}) {
			t.Errorf("%+v", menu)
		}
	})
}

// TestAMenuThatDiscordRefusesStopsNothing: the next login retries, and written commands work
// meanwhile.
func TestAMenuThatDiscordRefusesStopsNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, slashWorld, "DISCOCLAW_SLASH_COMMANDS=0")
		st.Fail(fakediscord.Fault{Match: "POST /applications/{application}/commands", Times: 1, Status: 403})
		st.restartWith("DISCOCLAW_SLASH_COMMANDS", "1")
		if len(st.Commands()) > 0 || !strings.Contains(st.log.String(), "discoclaw invite") {
			t.Error("the log does not say what to do")
		}
		if err := st.say("ada", "general", "!trace"); err != nil {
			t.Fatal(err)
		}
		st.settle()
		if said := st.Messages("general"); len(said) != 2 {
			t.Errorf("%s", st.Transcript())
		}
	})
}

func TestSuggestionsForOptions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, slashWorld, "")
		st.answers = []answer{{answer: script.Answer{script.Text(`Sure.<discord-action>{"type":"channelDelete","channelId":"ops"}</discord-action>`)}}}
		if err := st.say("ada", "general", "delete ops"); err != nil {
			t.Fatal(err)
		}
		st.settle()
		link := fmt.Sprintf("https://discord.com/channels/%s/%s/%s", st.GuildID(), st.ChannelID("general"), st.last["ada"].ID)
		for _, tt := range []struct {
			who, where, line string
			want             []string
			silent           bool
		}{
			{"ada", "general", "/discoclaw confirm ", []string{"token-1"}, false},
			{"bob", "general", "/discoclaw confirm TOK", []string{"token-1"}, false},
			{"bob", "general", "/discoclaw confirm other", nil, false},
			{"ada", "ops", "/discoclaw confirm ", nil, false},
			{"ada", "general", "/discoclaw why ", []string{link}, false},
			{"ada", "ops", "/discoclaw why ", nil, false},
			{"zed", "general", "/discoclaw confirm ", nil, true},
		} {
			got, err := st.Type(tt.who, tt.where, tt.line)
			if !cmp.Equal(got, tt.want) || (err != nil) != tt.silent {
				t.Errorf("%s types %s: %q, %v", tt.who, tt.line, got, err)
			}
		}
	})
}

// TestADeferredRunIsSuggestedByItsAnswer: it has no message of its own.
func TestADeferredRunIsSuggestedByItsAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, slashWorld, "")
		for _, says := range []string{`<discord-action>{"type":"defer","channel":"ops","prompt":"Say hello.","delaySeconds":60}</discord-action>`, "Hello."} {
			st.answers = append(st.answers, answer{answer: script.Answer{script.Text(says)}})
		}
		if err := st.say("ada", "general", "say hello in a minute"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute)
		st.settle()
		said := st.Messages("ops")
		if len(said) != 1 {
			t.Fatal(st.Transcript())
		}
		got, err := st.Type("ada", "ops", "/discoclaw why ")
		if want := fmt.Sprintf("https://discord.com/channels/%s/%s/%s", st.GuildID(), st.ChannelID("ops"), said[0].ID); err != nil || !slices.Equal(got, []string{want}) {
			t.Errorf("%q, %v, want %s", got, err, want)
		}
	})
}

// TestALongAnswerIsSplit, by the menu and in the channel alike.
func TestALongAnswerIsSplit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, slashWorld, "")
		st.answers = []answer{{answer: script.Answer{script.Text(strings.Repeat(`<discord-action>{"type":"channelEdit","channelId":"ops","topic":"x"}</discord-action>`, 20))}}}
		if err := st.say("ada", "general", "write a topic"); err != nil {
			t.Fatal(err)
		}
		st.settle()
		why := fmt.Sprintf("why https://discord.com/channels/%s/%s/%s", st.GuildID(), st.ChannelID("general"), st.last["ada"].ID)
		before := len(st.Messages("general"))
		if err := st.say("ada", "general", "!"+why); err != nil {
			t.Fatal(err)
		}
		st.settle()
		written := st.Messages("general")[before+1:]
		if err := st.run("ada", "general", "/discoclaw "+why); err != nil {
			t.Fatal(err)
		}
		st.settle()
		chosen := st.Messages("general")[before+1+len(written):]
		if len(written) < 2 || len(chosen) != len(written) {
			t.Fatalf("%d messages were written, and %d chosen", len(written), len(chosen))
		}
		for i, m := range chosen {
			if m.OnlyFor != st.UserID("ada") || m.Content != written[i].Content || written[i].OnlyFor != "" {
				t.Errorf("message %d: %+v", i, m)
			}
		}
		st.RequireNoMentions(t)
	})
}

// TestACommandThatCannotBeAcknowledgedIsNotRun: Discord shows that it failed, and it can be
// used again.
func TestACommandThatCannotBeAcknowledgedIsNotRun(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		st := newStage(t, slashWorld, "")
		st.answers = []answer{{answer: script.Answer{script.Text(`Sure.<discord-action>{"type":"channelDelete","channelId":"ops"}</discord-action>`)}}}
		if err := st.say("ada", "general", "delete ops"); err != nil {
			t.Fatal(err)
		}
		st.settle()
		st.Fail(fakediscord.Fault{Match: "POST /interactions/{interaction}/{token}/callback", Times: 1, Status: 404})
		for _, there := range []bool{true, false} {
			if err := st.run("ada", "general", "/discoclaw confirm token-1"); err != nil {
				t.Fatal(err)
			}
			st.settle()
			if _, found := st.Channel("ops"); found != there {
				t.Errorf("#ops is there: %v, want %v", found, there)
			}
		}
	})
}

// TestAnAnswerToTheMenuComesAfterAnOutage, once: it replaces the one that may have been
// delivered.
func TestAnAnswerToTheMenuComesAfterAnOutage(t *testing.T) {
	t.Parallel()
	for _, accepted := range []bool{false, true} {
		t.Run(fmt.Sprintf("accepted: %v", accepted), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				st := newStage(t, slashWorld, "")
				st.Fail(fakediscord.Fault{Match: "PATCH /webhooks/{webhook}/{token}/messages/@original", Status: 502, Accepted: accepted})
				st.must(t, st.run("ada", "general", "/discoclaw help"))
				st.settle()
				st.Recover()
				time.Sleep(2 * time.Minute)
				if got := st.Messages("general"); len(got) != 1 || !strings.Contains(got[0].Content, "**Commands**") {
					t.Errorf("%s", st.Transcript())
				}
			})
		})
	}
}
