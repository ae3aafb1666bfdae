package userapi_test

import (
	"strings"
	"testing"

	"discoclaw/internal/chat"
)

func TestMembersStartThreads(t *testing.T) {
	const layout = "guild d: #a news:announcement ideas:forum\nmember ada: owner\nmember bob\ntag bug in ideas\ntag done in ideas: moderated"
	bubble(t, layout, func(r *rig) {
		plain := r.send("POST", r.in("a", "/threads", "bob"), `{"name":" lunch "}`).want(200)
		if plain["name"] != "lunch" || plain["kind"] != "thread" || plain["parent"] != string(r.ChannelID("a")) || plain["canSend"] != true {
			t.Errorf("got %v", plain)
		}
		m := r.MustSay("ada", "news", "big news")
		below := r.send("POST", r.in("news", "/threads", "bob"), `{"name":"about it","message":"`+string(m.ID)+`"}`).want(200)
		if below["id"] != string(m.ID) || below["messages"] != 1.0 {
			t.Errorf("got %v", below)
		}
		starter := r.send("GET", "/api/channels/"+string(m.ID)+"/messages?as=bob", "").want(200)["messages"].([]any)[0].(map[string]any)
		if starter["system"] != "starter" || starter["replyTo"].(map[string]any)["excerpt"] != "big news" {
			t.Errorf("it begins with %v", starter)
		}
		for channel, want := range map[string]string{"news": string(m.ID), "a": plain["id"].(string)} {
			first := r.send("GET", r.in(channel, "/messages", "bob"), "").want(200)["messages"].([]any)[0].(map[string]any)
			if first["thread"] != want {
				t.Errorf("in %s the thread of %v is %v, want %s", channel, first["content"], first["thread"], want)
			}
		}
		world := r.send("GET", "/api/world?as=bob", "").want(200)
		tags := channelOf(world, "ideas")["tags"].([]any)
		bug, done := tags[0].(map[string]any)["id"].(string), tags[1].(map[string]any)["id"].(string)
		post := r.send("POST", r.in("ideas", "/threads", "bob"), `{"name":"crash","content":"it breaks","tags":["`+bug+`"]}`).want(200)
		if post["appliedTags"].([]any)[0] != bug || post["messages"] != 1.0 {
			t.Errorf("got %v", post)
		}
		r.RequireTranscript(t, "#news ada: big news\n#crash bob: it breaks")

		for _, tt := range []struct {
			path, body string
			status     int
			part       string
		}{
			{r.in("a", "/threads", "bob"), `{}`, 400, "1 to 100"},
			{r.in("a", "/threads", "bob"), `{"name":"` + strings.Repeat("x", 101) + `"}`, 400, "101 characters"},
			{r.in("a", "/threads", "bob"), `{"name":"x","message":"1"}`, 404, "no message 1"},
			{r.in("news", "/threads", "bob"), `{"name":"x","message":"` + string(m.ID) + `"}`, 403, "has a thread already"},
			{r.in("lunch", "/threads", "bob"), `{"name":"x"}`, 403, "has no threads"},
			{r.in("ideas", "/threads", "bob"), `{"name":"x"}`, 400, "begins with a message"},
			{r.in("ideas", "/threads", "bob"), `{"name":"x","content":"` + strings.Repeat("x", 2001) + `"}`, 400, "2001"},
			{r.in("ideas", "/threads", "bob"), `{"name":"x","content":"y","tags":["` + done + `"]}`, 403, "Missing Permissions"},
			{r.in("ideas", "/threads", "bob"), `{"name":"x","content":"y","tags":["1"]}`, 404, "Unknown Tag"},
			{r.in("ideas", "/threads", "bob"), `{"name":"x","content":"y","tags":7}`, 400, "not the JSON"},
		} {
			r.send("POST", tt.path, tt.body).refused(tt.status, tt.part)
		}
		r.must(r.RequireTag("ideas"))
		r.send("POST", r.in("ideas", "/threads", "bob"), `{"name":"x","content":"y"}`).refused(400, "A tag is required")
		r.must(r.Deny("#a", "bob", chat.CreateThreads))
		r.send("POST", r.in("a", "/threads", "bob"), `{"name":"x"}`).refused(403, "bob cannot start threads in #a")
		other := r.MustSay("ada", "#a", "x")
		r.send("POST", r.in("a", "/threads", "bob"), `{"name":"x","message":"`+string(other.ID)+`"}`).refused(403, "bob cannot start threads in #a")
	})
}
