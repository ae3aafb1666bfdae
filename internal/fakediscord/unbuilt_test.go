package fakediscord_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/discordtest"
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
		{"a parameter", "GET", "/guilds/" + string(r.GuildID()) + "/bans?before=123456789012345678", ""},
		{"a parameter with a value that is not built", "GET", "/guilds/" + string(r.GuildID()) + "/messages/search?sort_by=relevance", ""},
		{"a route", "GET", "/guilds/" + string(r.GuildID()) + "/integrations", ""},
	} {
		before := len(r.Unbuilt())
		got := r.sendAnyway(tt.method, tt.path, tt.body)
		if got.status != 501 || !strings.Contains(string(got.body), "THE FAKE DISCORD CANNOT DO THIS") || len(r.Unbuilt()) != before+1 {
			t.Errorf("%s: %d %s, listed %q", tt.name, got.status, got.body, r.Unbuilt()[before:])
		}
	}
	r.sendAnyway("GET", "/guilds/"+string(r.GuildID())+"/bans?before=&colour=red", "").want(200, 0) // Discord ignores what it does not know
	r.sendAnyway("POST", "/webhooks/"+hook.ID+"/wrong", `{"content":"hi"}`).want(401, 50027)
	r.sendAnyway("POST", "/webhooks/123456789012345678/wrong", `{"content":"hi"}`).want(404, 10015)
	r.sendAnyway("POST", "/guilds/"+string(r.GuildID())+"/channels", `{"name":"art","type":99}`).want(400, 50035)
}

// TestEveryParameterIsReadOrNotBuilt: a parameter of Discord's that no route knows would be ignored silently.
func TestEveryParameterIsReadOrNotBuilt(t *testing.T) {
	t.Parallel()
	doc, why := discordtest.Document(t)
	if doc == nil {
		t.Skip(why)
	}
	for _, rt := range fakediscord.Routes() {
		want := []string{}
		if !rt.Undescribed {
			var err error
			if want, err = doc.Parameters(rt.Method, rt.Pattern); err != nil {
				t.Errorf("%s %s: %v", rt.Method, rt.Pattern, err)
			}
		}
		slices.Sort(want)
		if got := slices.Sorted(slices.Values(slices.Concat(rt.Read, rt.Unbuilt))); !slices.Equal(got, want) {
			t.Errorf("%s %s reads %q and lacks %q; Discord has %q", rt.Method, rt.Pattern, rt.Read, rt.Unbuilt, want)
		}
	}
}
