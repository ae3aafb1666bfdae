package fakediscord_test

import (
	"fmt"
	"net/url"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

// TestTheServersOwnEmojiCanBeUsed in reactions and on buttons. They go by their ID, whatever name stands before it.
func TestTheServersOwnEmojiCanBeUsed(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nmember bob")
	party, err := r.AddEmoji(fakediscord.GuildEmoji{Name: "party", Animated: true})
	r.must(err)
	lost, err := r.AddEmoji(fakediscord.GuildEmoji{Name: "lost", Unavailable: true})
	r.must(err)
	m := r.say("ada", "#a", "hi")
	for _, written := range []string{"party:" + party.ID, "a:party:" + party.ID, "other:" + party.ID} {
		path := "/reactions/" + url.PathEscape(written)
		r.send("PUT", r.at(m, path+"/@me"), "").want(204, 0)
		if got := r.send("GET", r.at(m, path), "").list("username"); len(got) != 1 {
			t.Errorf("%s: %q reacted", written, got)
		}
		got := r.send("GET", r.at(m, ""), "").want(200, 0)
		emoji := got["reactions"].([]any)[0].(map[string]any)["emoji"]
		if want := fmt.Sprint(map[string]any{"animated": true, "id": party.ID, "name": "party"}); fmt.Sprint(emoji) != want {
			t.Errorf("%s: the reaction has %v, want %s", written, emoji, want)
		}
		r.send("DELETE", r.at(m, path+"/@me"), "").want(204, 0)
	}
	for _, wrong := range []string{"party:123456789012345678", "lost:" + lost.ID, party.ID} {
		r.send("PUT", r.at(m, "/reactions/"+url.PathEscape(wrong)+"/@me"), "").want(400, 10014)
	}
	button := `{"content":"press","allowed_mentions":{"parse":[]},"components":[{"type":1,"components":[{"type":2,"style":1,"custom_id":"x","emoji":{"id":%q,"name":"party"}}]}]}`
	made := r.send("POST", r.in("#a", "/messages"), fmt.Sprintf(button, party.ID)).want(200, 0)
	if got := r.message(made).Buttons()[0].Emoji; got.ID != party.ID || got.Name != "party" {
		t.Errorf("the button has %+v", got)
	}
	r.send("POST", r.in("#a", "/messages"), fmt.Sprintf(button, "123456789012345678")).want(400, 50035)

	guild := "/guilds/" + string(r.GuildID())
	if got := r.send("GET", guild+"/emojis/"+party.ID, "").want(200, 0); got["name"] != "party" {
		t.Errorf("it is %v", got)
	}
	r.send("GET", guild+"/emojis/123456789012345678", "").want(404, 10014)
}

// TestTheEmojiOfAnotherServerNeedARight of their own.
func TestTheEmojiOfAnotherServerNeedARight(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nguild e: #b")
	party, err := r.AddEmoji(fakediscord.GuildEmoji{Name: "party"})
	r.must(err)
	m := r.say("e/ada", "#b", "hi")
	path := r.at(m, "/reactions/party:"+party.ID+"/@me")
	r.send("PUT", path, "").want(204, 0)
	r.send("DELETE", path, "").want(204, 0)
	r.must(r.Deny("#b", "bot", "Use External Emojis"))
	r.send("PUT", path, "").want(400, 10014)
	r.must(r.React("e/ada", m.ID, chat.Emoji("party:"+party.ID)))
	r.send("PUT", path, "").want(204, 0) // joining needs no right
}
