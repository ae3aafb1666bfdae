package userapi_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEntriesInTheMenusOfMessagesAreListed(t *testing.T) {
	bubble(t, village, func(r *rig) {
		dm, err := r.OpenDM("bob")
		if err != nil {
			t.Fatal(err)
		}
		offered := func(path string) any { return r.send("GET", path, "").want(200)["onMessages"] }
		if diff := cmp.Diff([]any{}, offered(r.in("a", "/commands", "bob"))); diff != "" {
			t.Errorf("before the bot said so (-want +got):\n%s", diff)
		}
		r.offersAsking()
		if diff := cmp.Diff([]any{"Ask about this"}, offered(r.in("a", "/commands", "bob"))); diff != "" {
			t.Errorf("entries (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]any{}, offered("/api/channels/"+string(dm.ID)+"/commands?as=bob")); diff != "" {
			t.Errorf("in a conversation with the bot, where they are of no use (-want +got):\n%s", diff)
		}
	})
}

// offersAsking registers an entry in the menus of messages on the server, as the bot.
func (r *rig) offersAsking() {
	r.t.Helper()
	r.bot("POST", "/applications/"+string(r.UserID("bot"))+"/commands", map[string]any{"type": 3, "name": "Ask about this", "contexts": []int{0}})
}

func TestPeopleFillInForms(t *testing.T) {
	bubble(t, village, func(r *rig) {
		m := r.MustSay("ada", "#a", "hello")
		pick := func(entry string) reply {
			return r.send("POST", at(m, "/commands", "bob"), `{"command":"`+entry+`"}`)
		}
		submit := func(as, text string) reply {
			return r.send("POST", r.in("a", "/forms", as), `{"form":"ask","values":{"question":"`+text+`"}}`)
		}
		pick("Ask about this").refused(400, "there is no command Ask about this")
		r.offersAsking()
		pick("Ask about this").refused(504, "did not answer")
		submit("bob", "Why?").refused(400, `no form "ask"`)

		answers := []map[string]any{asking}
		r.onInteraction(func() []map[string]any { return answers })
		var want any
		if err := json.Unmarshal([]byte(`{"id": "ask", "title": "Ask", "fields": [{"id": "question", "label": "What?", "required": true, "longest": 10}]}`), &want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, pick("Ask about this").want(200)["form"]); diff != "" {
			t.Errorf("form (-want +got):\n%s", diff)
		}
		answers[0] = map[string]any{"type": 4, "data": map[string]any{"content": "Because.", "flags": 64, "allowed_mentions": map[string]any{"parse": []string{}}}}
		submit("ada", "Why?").refused(400, `no form "ask"`) // it was shown to bob
		submit("bob", "").refused(400, "has to be filled in")
		submit("bob", strings.Repeat("x", 11)).refused(400, "takes 10 characters at most")
		if got := submit("bob", "Why?").want(200); got["text"] != "Because." {
			t.Errorf("bob is told %q", got["text"])
		}
		if got := pick("Ask about this").want(200); got["form"] != nil {
			t.Errorf("without a form, bob gets %v", got)
		}
		answers = nil
		submit("bob", "Why?").refused(504, "did not answer the form Ask ")
	})
}

// asking shows a form.
var asking = map[string]any{"type": 9, "data": map[string]any{"custom_id": "ask", "title": "Ask", "components": []any{
	map[string]any{"type": 18, "label": "What?", "component": map[string]any{"type": 4, "custom_id": "question", "style": 2, "max_length": 10}},
}}}
