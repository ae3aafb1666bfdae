package fakediscord_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/fakediscord"
)

func TestVotesAreEvents(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, multiple, want string }{
		{"one choice", "false", "ADD 1, REMOVE 1, ADD 2, REMOVE 2"},
		{"several choices", "true", "ADD 1, ADD 2, REMOVE 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, "guild d: #a\nmember bob")
			m := r.message(r.send("POST", r.in("#a", "/messages"), `{"poll":{"question":{"text":"q"},"allow_multiselect":`+tt.multiple+`,"answers":[{"poll_media":{"text":"a"}},{"poll_media":{"text":"b"}}]}}`).want(200, 0))
			var told []string
			r.Watch(func(e fakediscord.Event) {
				kind, found := strings.CutPrefix(e.Name, "MESSAGE_POLL_VOTE_")
				want := `{"answer_id":` + string(e.Data[len(`{"answer_id":`)]) + `,"channel_id":"` + string(m.Channel) + `","guild_id":"` + string(r.GuildID()) + `","message_id":"` + string(m.ID) + `","user_id":"` + string(r.user("bob")) + `"}`
				if diff := cmp.Diff(want, string(e.Data)); !found || diff != "" {
					t.Errorf("%s (-want +got):\n%s", e.Name, diff)
				}
				told = append(told, kind+" "+string(e.Data[len(`{"answer_id":`)]))
			})
			r.must(r.Vote("bob", m.ID, 1))
			r.must(r.Vote("bob", m.ID, 1)) // again
			r.must(r.Vote("bob", m.ID, 2))
			r.must(r.Unvote("bob", m.ID, 2))
			r.must(r.Unvote("bob", m.ID, 2)) // again
			if got := strings.Join(told, ", "); got != tt.want {
				t.Errorf("events are %s, want %s", got, tt.want)
			}
			if err := r.Vote("bob", m.ID, 3); err == nil {
				t.Error("there is no third answer")
			}
		})
	}
}

// TestAPollHasAResult: a message of its author, which says who has won.
func TestAPollHasAResult(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		votes map[string]int
		want  string
	}{
		{"a winner", map[string]int{"ada": 2, "bob": 2, "eve": 1}, "poll_question_text=q victor_answer_votes=2 total_votes=3 victor_answer_id=2 victor_answer_text=b"},
		{"a tie", map[string]int{"ada": 2, "bob": 1}, "poll_question_text=q victor_answer_votes=1 total_votes=2"},
		{"no votes", nil, "poll_question_text=q victor_answer_votes=0 total_votes=0"},
	} {
		for _, early := range []bool{false, true} {
			t.Run(fmt.Sprint(tt.name, " ", early), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					r := newRig(t, "guild d: #a\nmember ada\nmember bob\nmember eve")
					m := r.message(r.send("POST", r.in("#a", "/messages"), `{"poll":{"question":{"text":"q"},"duration":1,"answers":[{"poll_media":{"text":"a"}},{"poll_media":{"text":"b"}}]}}`).want(200, 0))
					for who, answer := range tt.votes {
						r.must(r.Vote(who, m.ID, answer))
					}
					var told []string
					r.Watch(func(e fakediscord.Event) { told = append(told, e.Name+" "+pollResult(e)) })
					if early {
						r.send("POST", r.in("#a", "/polls/"+string(m.ID)+"/expire"), "").want(200, 0)
					}
					time.Sleep(2 * time.Hour)
					want := []string{"MESSAGE_UPDATE ", fmt.Sprintf("MESSAGE_CREATE 46 of %s by %s: %s", m.ID, r.user("bot"), tt.want)}
					if diff := cmp.Diff(want, told); diff != "" {
						t.Errorf("events (-want +got):\n%s", diff)
					}
				})
			})
		}
	}
}

// pollResult is what the event of a result says.
func pollResult(e fakediscord.Event) string {
	var m struct {
		Type      int
		Author    struct{ ID string }
		Mentions  []struct{ ID string }
		Reference struct {
			Message string `json:"message_id"`
		} `json:"message_reference"`
		Embeds []struct {
			Type   string
			Fields []struct{ Name, Value string }
		}
	}
	isResult := json.Unmarshal(e.Data, &m) == nil && len(m.Embeds) == 1 && m.Embeds[0].Type == "poll_result"
	if !isResult || len(m.Mentions) != 1 || m.Mentions[0] != m.Author {
		return ""
	}
	var fields []string
	for _, f := range m.Embeds[0].Fields {
		fields = append(fields, f.Name+"="+f.Value)
	}
	return fmt.Sprintf("%d of %s by %s: %s", m.Type, m.Reference.Message, m.Author.ID, strings.Join(fields, " "))
}
