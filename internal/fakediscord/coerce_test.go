package fakediscord_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"discoclaw/internal/fakediscord"
)

// TestNumbersAreTakenAsDiscordTakesThem: IDs may be numbers, and numbers may stand in strings or have a fraction of zero.
func TestNumbersAreTakenAsDiscordTakesThem(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a ideas:forum lounge:voice Old:category\nmember ada: owner\nmember bob\nrole mods: Kick Members\nbot B: Administrator\ntag bug in ideas")
	m := r.say("ada", "#a", "hi")
	two := r.say("ada", "#a", "again")
	id := func(name string) string {
		c, _ := r.Channel(name)
		return string(c.ID)
	}
	forum, _ := r.Channel("ideas")
	role := r.Roles()[1]
	guild := "/guilds/" + string(r.GuildID())
	thread := r.message(r.sendAnyway("POST", r.in("#a", "/messages"), `{"content":"thread"}`).want(200, 0))
	for _, tt := range []struct {
		name, method, path, body string
		status                   int
	}{
		{"a recipient", "POST", "/users/@me/channels", fmt.Sprintf(`{"recipient_id":%s}`, r.user("bob")), 200},
		{"a reply", "POST", r.in("#a", "/messages"), fmt.Sprintf(`{"content":"x","message_reference":{"message_id":%s}}`, m.ID), 200},
		{"who is mentioned", "POST", r.in("#a", "/messages"), fmt.Sprintf(`{"content":"x","allowed_mentions":{"users":[%s]}}`, r.user("bob")), 200},
		{"a category", "PATCH", r.in("#a", ""), fmt.Sprintf(`{"parent_id":%s,"rate_limit_per_user":"5"}`, id("Old")), 200},
		{"overwrites", "PATCH", r.in("#a", ""), fmt.Sprintf(`{"permission_overwrites":[{"id":%s,"type":"0","allow":1024,"deny":"0"}]}`, role.ID), 200},
		{"a limit", "PATCH", r.in("lounge", ""), `{"user_limit":5.0}`, 200},
		{"roles", "PATCH", guild + "/members/" + string(r.user("bob")), fmt.Sprintf(`{"roles":[%s]}`, role.ID), 200},
		{"a thread", "POST", r.at(thread, "/threads"), `{"name":"t","auto_archive_duration":"60"}`, 201},
		{"a post", "POST", r.in("ideas", "/threads"), fmt.Sprintf(`{"name":"p","auto_archive_duration":60.0,"applied_tags":[%s],"message":{"content":"x"}}`, forum.Tags[0].ID), 201},
		{"an invite", "POST", r.in("#a", "/invites"), `{"max_age":"60","max_uses":1.0}`, 200},
		{"a poll", "POST", r.in("#a", "/messages"), `{"poll":{"question":{"text":"q"},"answers":[{"poll_media":{"text":"a"}}],"duration":"2"}}`, 200},
		{"a ban", "PUT", guild + "/bans/" + string(r.user("bob")), `{"delete_message_seconds":"60"}`, 204},
		{"a deletion", "POST", r.in("#a", "/messages/bulk-delete"), fmt.Sprintf(`{"messages":[%s,%s]}`, m.ID, two.ID), 204},
		{"a fraction", "PATCH", r.in("lounge", ""), `{"user_limit":5.5}`, 400},
		{"words", "PATCH", r.in("lounge", ""), `{"user_limit":"many"}`, 400},
		{"a name", "PATCH", r.in("lounge", ""), `{"name":["x"]}`, 400},
	} {
		code := 0
		if tt.status == 400 {
			code = 50035
		}
		t.Run(tt.name, func(t *testing.T) {
			r := *r
			r.t = t
			r.sendAnyway(tt.method, tt.path, tt.body).want(tt.status, code)
		})
	}
	if c, _ := r.Channel("#a"); string(c.Parent) != id("Old") || c.Slowmode != 5 || c.Overwrites[0].Role != role.ID {
		t.Errorf("the channel is %+v", c)
	}
}

// TestAYesInAQueryHasSeveralForms.
func TestAYesInAQueryHasSeveralForms(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nmember ada: owner\nmember bob")
	for query, want := range map[string]any{"": nil, "?with_counts=true": 3.0, "?with_counts=1": 3.0, "?with_counts=True": 3.0, "?with_counts=0": nil, "?with_counts=false": nil} {
		got := r.sendAnyway("GET", "/guilds/"+string(r.GuildID())+query, "").want(200, 0)
		if got["approximate_member_count"] != want {
			t.Errorf("%s: %v members, want %v", query, got["approximate_member_count"], want)
		}
	}
}

// TestARoleHasColours: one is free, others need a server with boosts, as pictures do.
func TestARoleHasColours(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nbot B: Administrator")
	roles := "/guilds/" + string(r.GuildID()) + "/roles"
	made := r.send("POST", roles, `{"name":"red","colors":{"primary_color":16711680,"secondary_color":null,"tertiary_color":null},"icon":null,"unicode_emoji":null}`).want(200, 0)
	if made["color"] != 16711680.0 {
		t.Errorf("it is %v", made)
	}
	path := roles + "/" + made["id"].(string)
	if got := r.send("PATCH", path, `{"colors":{"primary_color":255}}`).want(200, 0); got["color"] != 255.0 || got["colors"].(map[string]any)["primary_color"] != 255.0 {
		t.Errorf("it is %v", got)
	}
	r.send("PATCH", path, `{"colors":{"primary_color":255,"secondary_color":5}}`).want(400, 50101)
	r.send("PATCH", path, `{"unicode_emoji":"🔥"}`).want(400, 50101)
	r.sendAnyway("PATCH", path, `{"colors":{"primary_color":16777216}}`).want(400, 50035)
}

// TestAnInviteIsLoggedWithItsFields, in the types that they have.
func TestAnInviteIsLoggedWithItsFields(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nbot B: Administrator")
	made := r.send("POST", r.in("#a", "/invites"), `{"max_age":60,"max_uses":0,"temporary":true}`).want(200, 0)
	entry := r.send("GET", "/guilds/"+string(r.GuildID())+"/audit-logs?action_type=40", "").want(200, 0)["audit_log_entries"].([]any)[0].(map[string]any)
	got := map[string]any{}
	for _, c := range entry["changes"].([]any) {
		change := c.(map[string]any)
		got[change["key"].(string)] = change["new_value"]
	}
	c, _ := r.Channel("#a")
	want := map[string]any{
		"code": made["code"], "channel_id": string(c.ID), "inviter_id": string(r.user("bot")), "max_age": 60.0, "max_uses": 0.0, "uses": 0.0, "temporary": true, "flags": 0.0,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || entry["target_id"] != nil {
		t.Errorf("logged is %v, want %v", got, want)
	}
}

// TestALimitSaysThatItIsDiscords: answers of the proxy before it have no such header.
func TestALimitSaysThatItIsDiscords(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a")
	r.Limit("GET /channels/{channel}", 0, 1)
	if got := r.send("GET", r.in("#a", ""), ""); got.status != 429 || !strings.HasPrefix(got.header.Get("Via"), "1.1 ") {
		t.Errorf("%d, %v", got.status, got.header)
	}
	r.Fail(fakediscord.Fault{Kind: fakediscord.Cloudflare, Times: 1})
	r.doc = nil // the description does not have it
	if got := r.send("GET", "/users/@me", ""); got.status != 429 || got.header.Get("Via") != "" {
		t.Errorf("%d, %v", got.status, got.header)
	}
}

// TestAReasonMayBeInTheQuery of the older version only.
func TestAReasonMayBeInTheQuery(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]string{"v9": "spam", "v10": ""} {
		r := newRig(t, "guild d: #a\nmember bob\nbot B: Administrator")
		req := httptest.NewRequestWithContext(t.Context(), "DELETE", "http://fake.discord/api/"+version+"/guilds/"+string(r.GuildID())+"/members/"+string(r.user("bob"))+"?reason=spam", nil)
		req.Header.Set("Authorization", "Bot "+r.Token())
		r.doc = nil // it describes v10 only
		r.do(req).want(204, 0)
		if log := r.AuditLog(); log[len(log)-1].Reason != want {
			t.Errorf("%s: logged is %q, want %q", version, log[len(log)-1].Reason, want)
		}
	}
}

// TestOnesServersHaveCounts if they are asked for.
func TestOnesServersHaveCounts(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nmember ada: owner\nmember bob")
	if got := string(r.send("GET", "/users/@me/guilds?with_counts=true", "").body); !strings.Contains(got, `"approximate_member_count":3`) {
		t.Error(got)
	}
	if got := string(r.send("GET", "/users/@me/guilds", "").body); strings.Contains(got, "approximate") {
		t.Error(got)
	}
}

// TestWhatDiscordDoesNotKnowIsIgnored: libraries send what their users wrote along with what Discord takes. None of its names has a capital.
func TestWhatDiscordDoesNotKnowIsIgnored(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nmember bob\nbot B: Administrator")
	r.sendAnyway("PATCH", "/guilds/"+string(r.GuildID())+"/members/"+string(r.user("bob")), `{"communicationDisabledUntil":null,"nick":"b"}`).want(200, 0)
	r.sendAnyway("PATCH", r.in("#a", ""), `{"rateLimitPerUser":5,"name":"b"}`).want(200, 0)
	r.sendAnyway("PATCH", r.in("#b", ""), `{"nsfw":false,"default_auto_archive_duration":null}`).want(200, 0) // which asks for nothing
	r.sendAnyway("PATCH", r.in("#b", ""), `{"default_auto_archive_duration":60}`).want(501, 0)
}
