package fakediscord_test

import (
	"strings"
	"testing"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

func TestThreadsAreStarted(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a news:announcement ideas:forum")
	m := r.say("ada", "#a", "let us talk")
	from := r.send("POST", r.at(m, "/threads"), `{"name":"talk","auto_archive_duration":60}`).want(201, 0)
	if from["id"] != string(m.ID) || from["type"] != float64(fakediscord.PublicThread) {
		t.Errorf("thread = %v, want a public one with the message's ID", from)
	}
	r.send("POST", r.at(m, "/threads"), `{"name":"again"}`).want(400, 160004)
	starter := r.Messages("talk")[0]
	if starter.Type != fakediscord.ThreadStarter || starter.ReplyTo != m.ID {
		t.Errorf("the thread begins with %+v", starter)
	}
	if got := r.send("GET", r.at(m, ""), "").want(200, 0)["thread"]; got == nil {
		t.Error("the message does not tell about its thread")
	}
	r.send("POST", r.in("talk", "/messages"), `{"content":"hi",`+quiet+`}`).want(200, 0)

	for _, tt := range []struct {
		channel, body string
		kind          fakediscord.ChannelType
	}{
		{"#a", `{"name":"one","type":11}`, fakediscord.PublicThread},
		{"#a", `{"name":"two","type":12}`, fakediscord.PrivateThread},
		{"#a", `{"name":"three"}`, fakediscord.PrivateThread},
		{"news", `{"name":"four","type":10}`, fakediscord.AnnouncementThread},
		{"ideas", `{"name":"five","message":{"content":"what about this?",` + quiet + `}}`, fakediscord.PublicThread},
	} {
		got := r.send("POST", r.in(tt.channel, "/threads"), tt.body).want(201, 0)
		if got["type"] != float64(tt.kind) {
			t.Errorf("%s in %s = %v, want type %d", tt.body, tt.channel, got, tt.kind)
		}
	}
	if post := r.Messages("five")[0]; string(post.ID) != string(post.Channel) || post.Content != "what about this?" {
		t.Errorf("the post begins with %+v", post)
	}
	active := r.send("GET", "/guilds/"+string(r.GuildID())+"/threads/active", "").want(200, 0)
	if got := active["threads"].([]any); len(got) != 6 {
		t.Errorf("%d active threads, want 6", len(got))
	}
}

func TestThreadsAreRefusedWithDiscordsCode(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a news:announcement ideas:forum talk:voice\nthread \"t\" in #a: archived\nrole @everyone: View Channel, Send Messages, Read Message History, Connect\nbot B: View Channel, Read Message History")
	m := r.say("ada", "#a", "x")
	r.send("POST", r.at(m, "/threads"), `{"name":"x"}`).want(403, 50013)
	r.send("POST", r.in("#a", "/threads"), `{"name":"x","type":11}`).want(403, 50013)
	r.send("POST", r.in("#a", "/threads"), `{"name":"x","type":12}`).want(403, 50013)
	for _, right := range []chat.Permission{chat.CreateThreads, "Create Private Threads"} {
		r.must(r.SetPermission("bot", right, true))
	}
	r.sendAnyway("POST", r.at(m, "/threads"), `{"name":""}`).want(400, 50035)
	r.sendAnyway("POST", r.at(m, "/threads"), `{"name":"`+strings.Repeat("x", 101)+`"}`).want(400, 50035)
	r.sendAnyway("POST", r.at(m, "/threads"), `{"name":"x","auto_archive_duration":61}`).want(400, 50035)
	r.send("POST", r.in("news", "/threads"), `{"name":"x","type":12}`).want(400, 50024)
	r.send("POST", r.in("#a", "/threads"), `{"name":"x","type":10}`).want(400, 50024)
	r.send("POST", r.in("talk", "/threads"), `{"name":"x","type":11}`).want(400, 50024)
	r.send("POST", r.at(r.say("ada", "talk", "x"), "/threads"), `{"name":"x"}`).want(400, 50024)
	r.send("POST", r.in("ideas", "/threads"), `{"name":"x"}`).want(400, 50035)
	r.sendAnyway("POST", r.in("ideas", "/threads"), `{"name":"x","message":{}}`).want(400, 50006)

	r.send("PUT", r.in("t", "/thread-members/@me"), "").want(400, 50083)
	r.send("PUT", r.in("#a", "/thread-members/@me"), "").want(400, 50024)
}

func TestTheBotJoinsThreads(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nmember bob\nthread \"t\" in #a")
	mine := r.in("t", "/thread-members/"+string(r.user("bot")))
	r.send("GET", mine, "").want(404, 10007)
	r.send("PUT", r.in("t", "/thread-members/@me"), "").want(204, 0)
	r.send("GET", mine, "").want(200, 0)
	if got := r.send("GET", r.in("t", ""), "").want(200, 0); got["member"] == nil {
		t.Error("the thread does not tell that the bot is in it")
	}
}

func TestOnlyVisibleChannelsAreListed(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a #hidden news:announcement ideas:forum talk:voice Cat:category\nmember bob\ndeny #hidden bot: View Channel\nthread \"t\" in #a")
	guild := "/guilds/" + string(r.GuildID())
	if got := strings.Join(r.send("GET", guild+"/channels", "").list("name"), " "); got != "a news ideas talk Cat" {
		t.Errorf("channels = %s, want neither the hidden one nor the thread", got)
	}
	for _, c := range r.Channels() {
		status, code := 200, 0
		if c.Name == "hidden" {
			status, code = 403, 50001
		}
		r.send("GET", "/channels/"+string(c.ID), "").want(status, code)
	}
	r.send("GET", "/channels/123456789012345678", "").want(404, 10003)
	if got := r.send("GET", guild+"?with_counts=true", "").want(200, 0); got["approximate_member_count"] != float64(3) {
		t.Errorf("guild = %v", got)
	}
	if got := strings.Join(r.send("GET", guild+"/roles", "").list("name"), " "); got != "@everyone DiscoClaw" {
		t.Errorf("roles = %s", got)
	}
	r.must(r.SetNick("bob", "Bobby"))
	if got := r.send("GET", guild+"/members/"+string(r.user("bob")), "").want(200, 0); got["nick"] != "Bobby" {
		t.Errorf("bob = %v", got)
	}
	r.must(r.RemoveMember("bob"))
	r.send("GET", guild+"/members/"+string(r.user("bob")), "").want(404, 10007)
	r.send("GET", "/guilds/123456789012345678", "").want(404, 10004)
}

func TestTheBotKnowsItself(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a #mute\nmember bob\ndeny #mute bot: Send Messages")
	if got := r.send("GET", "/users/@me", "").want(200, 0); got["id"] != string(r.user("bot")) {
		t.Errorf("me = %v", got)
	}
	app := r.send("GET", "/applications/@me", "").want(200, 0)
	if flags := int(app["flags"].(float64)); flags&(1<<19) == 0 {
		t.Errorf("flags = %b, want the intent for message content on", flags)
	}
	r.WithoutMessageContent()
	app = r.send("GET", "/oauth2/applications/@me", "").want(200, 0)
	if flags := int(app["flags"].(float64)); flags&(1<<19) != 0 {
		t.Errorf("flags = %b, want the intent for message content off", flags)
	}
	m := r.say("ada", "#a", "can you read this?")
	if got := r.send("GET", r.at(m, ""), "").want(200, 0); got["content"] != "" {
		t.Errorf("the bot reads %q without the intent for it", got["content"])
	}
	bot := r.send("GET", "/gateway/bot", "").want(200, 0)
	if bot["url"] != "ws://fake.discord/gateway" || r.send("GET", "/gateway", "").want(200, 0)["url"] != bot["url"] {
		t.Errorf("the gateway is at %v", bot["url"])
	}
	r.send("POST", r.in("#a", "/typing"), "").want(204, 0)
	r.send("POST", r.in("#mute", "/typing"), "").want(403, 50013)
}

func TestDirectMessages(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a\nmember bob")
	open := r.send("POST", "/users/@me/channels", encode(map[string]any{"recipient_id": r.user("bob")})).want(200, 0)
	again := r.send("POST", "/users/@me/channels", encode(map[string]any{"recipient_id": r.user("bob")})).want(200, 0)
	if open["id"] != again["id"] {
		t.Error("there are two conversations with one person")
	}
	r.post("@bob", "hello")
	r.say("bob", "@bot", "hello yourself")
	if _, err := r.Say("ada", "@bob", "what are you two doing?"); err == nil {
		t.Error("ada wrote in a conversation that is not hers")
	}
	if got := r.Transcript(); got != "@bob bot: hello\n@bob bob: hello yourself\n" {
		t.Errorf("transcript:\n%s", got)
	}
	r.must(r.RefuseDMs("bob"))
	r.send("POST", r.in("@bob", "/messages"), `{"content":"still there?",`+quiet+`}`).want(403, 50007)
	r.send("POST", "/users/@me/channels", `{"recipient_id":"123456789012345678"}`).want(404, 10013)
	r.send("POST", "/users/@me/channels", encode(map[string]any{"recipient_id": r.user("bot")})).want(403, 50007)
}

// TestAThreadHasASlowmodeAndMayTakeNoInvites, from its start or by an edit.
func TestAThreadHasASlowmodeAndMayTakeNoInvites(t *testing.T) {
	t.Parallel()
	r := newRig(t, "guild d: #a ideas:forum")
	check := func(what string, got map[string]any, slowmode float64, invitable any) {
		t.Helper()
		if meta := got["thread_metadata"].(map[string]any); got["rate_limit_per_user"] != slowmode || meta["invitable"] != invitable {
			t.Errorf("%s: %v", what, got)
		}
	}
	public := r.send("POST", r.in("#a", "/threads"), `{"name":"t","type":11,"rate_limit_per_user":30,"invitable":false}`).want(201, 0)
	check("a public one", public, 30, nil)
	private := r.send("POST", r.in("#a", "/threads"), `{"name":"s","type":12,"invitable":false}`).want(201, 0)
	check("a private one", private, 0, false)
	path := "/channels/" + private["id"].(string)
	check("an edit", r.send("PATCH", path, `{"rate_limit_per_user":5,"invitable":true}`).want(200, 0), 5, true)
	post := r.send("POST", r.in("ideas", "/threads"), `{"name":"p","rate_limit_per_user":7,"message":{"content":"x","allowed_mentions":{"parse":[]}}}`).want(201, 0)
	check("a post", post, 7, nil)
	r.sendAnyway("POST", r.in("#a", "/threads"), `{"name":"t","type":11,"rate_limit_per_user":21601}`).want(400, 50035)
	r.sendAnyway("POST", r.in("#a", "/threads"), `{"name":"t","type":11,"auto_archive":60}`).want(501, 0)
}
