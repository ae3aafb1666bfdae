package userapi_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMembersVote(t *testing.T) {
	bubble(t, "guild d: #a #b\nmember ada: owner\nmember bob", func(r *rig) {
		m := r.botSays("#a", map[string]any{"poll": map[string]any{"question": map[string]any{"text": "Lunch?"}, "answers": []any{
			map[string]any{"poll_media": map[string]any{"text": "pizza"}}, map[string]any{"poll_media": map[string]any{"text": "pasta"}},
		}}})
		plain := r.botSays("#a", map[string]any{"content": "hello"})
		page := r.listen("ada")
		r.send("PUT", at(m, "/votes/1", "ada"), "").want(204)
		r.send("PUT", at(m, "/votes/1", "bob"), "").want(204)
		r.send("PUT", at(m, "/votes/2", "bob"), "").want(204)
		events := page.heard()
		got := events[len(events)-1].decode(t)["poll"]
		want := map[string]any{"question": "Lunch?", "multiple": false, "closed": false, "answers": []any{
			map[string]any{"text": "pizza", "votes": 1.0, "mine": true, "who": []any{"ada"}},
			map[string]any{"text": "pasta", "votes": 1.0, "mine": false, "who": []any{"bob"}},
		}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the poll (-want +got):\n%s", diff)
		}
		r.send("DELETE", at(m, "/votes/2", "bob"), "").want(204)
		r.send("PUT", at(m, "/votes/3", "bob"), "").refused(403, "cannot choose 3")
		r.send("PUT", at(m, "/votes/x", "bob"), "").refused(400, "no such answer")
		r.send("PUT", at(plain, "/votes/1", "bob"), "").refused(400, "no such answer")
		r.bot("POST", "/channels/"+string(m.Channel)+"/polls/"+string(m.ID)+"/expire", nil)
		r.send("PUT", at(m, "/votes/2", "bob"), "").refused(400, "Poll expired")
	})
}
