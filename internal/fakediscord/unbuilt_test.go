package fakediscord_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestWhatIsNotBuiltIsSaidAndListed, so that a client that Discord would serve is not told that it made a mistake.
func TestWhatIsNotBuiltIsSaidAndListed(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a #b\nbot B: Administrator")
	m := r.say("ada", "#a", "hi")
	hook, err := r.AddWebhook("ada", "#a", "news")
	r.must(err)
	a, _ := r.Channel("#a")
	for _, tt := range []struct{ name, method, path, body string }{
		{"a forward", "POST", r.in("#b", "/messages"), fmt.Sprintf(`{"message_reference":{"type":1,"message_id":%q,"channel_id":%q}}`, m.ID, a.ID)},
		{"executing a webhook", "POST", "/webhooks/" + hook.ID + "/" + hook.Token, `{"content":"hi"}`},
		{"a message of a webhook", "GET", "/webhooks/" + hook.ID + "/" + hook.Token + "/messages/" + string(m.ID), ""},
		{"a media channel", "POST", "/guilds/" + string(r.GuildID()) + "/channels", `{"name":"art","type":16}`},
		{"stickers", "POST", r.in("#a", "/messages"), `{"sticker_ids":["123456789012345678"]}`},
		{"text to speech", "POST", r.in("#a", "/messages"), `{"content":"hi","tts":true}`},
		{"components of the second version", "POST", r.in("#a", "/messages"), `{"flags":32768,"components":[{"type":10,"content":"hi"}]}`},
		{"a route", "GET", "/guilds/" + string(r.GuildID()) + "/integrations", ""},
	} {
		before := len(r.Unbuilt())
		got := r.sendAnyway(tt.method, tt.path, tt.body)
		if got.status != 501 || !strings.Contains(string(got.body), "THE FAKE DISCORD CANNOT DO THIS") || len(r.Unbuilt()) != before+1 {
			t.Errorf("%s: %d %s, listed %q", tt.name, got.status, got.body, r.Unbuilt()[before:])
		}
	}
	r.sendAnyway("POST", "/webhooks/"+hook.ID+"/wrong", `{"content":"hi"}`).want(401, 50027)
	r.sendAnyway("POST", "/webhooks/123456789012345678/wrong", `{"content":"hi"}`).want(404, 10015)
	r.sendAnyway("POST", "/guilds/"+string(r.GuildID())+"/channels", `{"name":"art","type":99}`).want(400, 50035)
}
