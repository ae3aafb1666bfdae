package fakediscord_test

import (
	"strings"
	"testing"

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
