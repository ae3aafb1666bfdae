package userapi_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/chat"
	"discoclaw/internal/fakediscord"
)

const village = "guild d: #a #b ideas:forum Work:category\nmember ada: owner\nmember bob\nmember eve\ndeny #b eve: Send Messages\nthread \"t\" in #a: archived, locked"

func TestAMessageShowsEverythingAboutIt(t *testing.T) {
	bubble(t, village, func(r *rig) {
		first := r.MustSay("eve", "#a", "what\n is  this? "+strings.Repeat("x", 200))
		m := r.botSays("a", map[string]any{
			"content": "look <@" + string(r.UserID("bob")) + ">", "message_reference": map[string]any{"message_id": first.ID},
			"components": buttons["components"],
			"embeds": []map[string]any{
				{"title": "T", "description": "D", "url": "https://example.com/x", "color": 255, "footer": map[string]any{"text": "F"},
					"fields": []map[string]any{{"name": "n", "value": "v", "inline": true}}},
				{"title": "evil", "url": "javascript:alert(1)"},
			},
		})
		r.must(r.React("bob", m.ID, "🔥"))
		r.must(r.React("eve", m.ID, "🔥"))
		r.must(r.PinAs("ada", m.ID))
		got := r.send("GET", r.in("a", "/messages", "bob"), "").want(200)
		all := got["messages"].([]any)
		if got["more"] != false || len(all) != 3 {
			t.Fatalf("got %v", got)
		}
		bot := map[string]any{"id": string(r.UserID("bot")), "name": "DiscoClaw", "bot": true, "owner": false, "note": ""}
		want := map[string]any{
			"id": string(m.ID), "channel": string(m.Channel), "author": bot, "system": "", "content": "look <@" + string(r.UserID("bob")) + ">",
			"time": m.Sent.Format(time.RFC3339Nano), "edited": false, "onlyYou": false, "mentionsYou": false, "loading": false, "pinned": true,
			"thread": "", "poll": nil, "attachments": []any{},
			"replyTo": map[string]any{"id": string(first.ID), "author": "eve", "excerpt": "what is this? " + strings.Repeat("x", 106) + "…"},
			"embeds": []any{
				map[string]any{"title": "T", "description": "D", "url": "https://example.com/x", "color": 255.0, "footer": "F",
					"fields": []any{map[string]any{"name": "n", "value": "v", "inline": true}}},
				map[string]any{"title": "evil", "description": "", "url": "", "color": 0.0, "footer": "", "fields": []any{}},
			},
			"buttons": []any{[]any{
				map[string]any{"id": "yes", "label": "Yes", "style": 3.0, "disabled": false},
				map[string]any{"id": "no", "label": "❌ No", "style": 4.0, "disabled": true},
				map[string]any{"id": "", "label": "Help", "style": 5.0, "disabled": false, "url": "https://example.com/"},
			}},
			"reactions": []any{map[string]any{"emoji": "🔥", "count": 2.0, "mine": true, "who": []any{"bob", "eve"}}},
		}
		if diff := cmp.Diff(want, all[1]); diff != "" {
			t.Errorf("message (-want +got):\n%s", diff)
		}
		notice := all[2].(map[string]any)
		if notice["system"] != "pin" || notice["replyTo"].(map[string]any)["id"] != string(m.ID) {
			t.Errorf("notice = %v", notice)
		}
		seen := r.send("GET", r.in("a", "/messages", "ada"), "").want(200)["messages"].([]any)[1].(map[string]any)
		if mine := seen["reactions"].([]any)[0].(map[string]any)["mine"]; mine != false {
			t.Errorf("ada has reacted: %v", mine)
		}
		// Of a deleted message that was replied to, only the ID is left.
		r.must(r.DeleteAs("eve", first.ID))
		r.bot("PATCH", "/channels/"+string(m.Channel)+"/messages/"+string(m.ID), map[string]any{"flags": 4})
		again := r.send("GET", r.in("a", "/messages", "bob"), "").want(200)["messages"].([]any)[0].(map[string]any)
		if diff := cmp.Diff(map[string]any{"id": string(first.ID), "author": "", "excerpt": ""}, again["replyTo"]); diff != "" {
			t.Error(diff)
		}
		if len(again["embeds"].([]any)) != 0 {
			t.Errorf("hidden embeds are shown: %v", again["embeds"])
		}
	})
}

func TestMessagesComePageByPage(t *testing.T) {
	bubble(t, village, func(r *rig) {
		var ids []string
		for i := range 120 {
			ids = append(ids, string(r.MustSay("bob", "#a", fmt.Sprint(i)).ID))
		}
		pageOf := func(query string) (first, last string, n int, more bool) {
			got := r.send("GET", r.in("a", "/messages", "eve")+query, "").want(200)
			all := got["messages"].([]any)
			if len(all) == 0 {
				return "", "", 0, got["more"].(bool)
			}
			return all[0].(map[string]any)["content"].(string), all[len(all)-1].(map[string]any)["content"].(string), len(all), got["more"].(bool)
		}
		for _, tt := range []struct{ query, want string }{
			{"", "70 119 50 true"},
			{"&before=" + ids[70], "20 69 50 true"},
			{"&before=" + ids[20], "0 19 20 false"},
			{"&before=" + ids[0], "  0 false"},
			{"&before=" + ids[50] + "&limit=50", "0 49 50 false"},
			{"&limit=1", "119 119 1 true"},
			{"&limit=100", "20 119 100 true"},
		} {
			first, last, n, more := pageOf(tt.query)
			if got := fmt.Sprint(first, " ", last, " ", n, more); got != strings.Replace(tt.want, " true", " true", 1) {
				t.Errorf("%q: %s, want %s", tt.query, got, tt.want)
			}
		}
		for query, part := range map[string]string{
			"&limit=0": "1 to 100", "&limit=101": "1 to 100", "&limit=x": "1 to 100", "&limit=-1": "1 to 100",
			"&before=x": "ID of a message", "&before=1": "ID of a message",
		} {
			r.send("GET", r.in("a", "/messages", "eve")+query, "").refused(400, part)
		}
		r.must(r.Deny("#a", "eve", chat.ReadHistory))
		if _, _, n, more := pageOf(""); n != 0 || more {
			t.Errorf("without the right to read it, the history has %d messages", n)
		}
		for _, channel := range []string{"ideas", "Work"} {
			if got := r.send("GET", r.in(channel, "/messages", "eve"), "").want(200); len(got["messages"].([]any)) != 0 {
				t.Errorf("%s has messages", channel)
			}
		}
	})
}

func TestMembersWrite(t *testing.T) {
	bubble(t, village, func(r *rig) {
		got := r.send("POST", r.in("a", "/messages", "bob"), `{"content":" hello "}`).want(200)
		if got["content"] != "hello" || got["author"].(map[string]any)["name"] != "bob" || got["replyTo"] != nil {
			t.Errorf("got %v", got)
		}
		id := got["id"].(string)
		reply := r.send("POST", r.in("a", "/messages", "eve"), `{"content":"hi","replyTo":"`+id+`"}`).want(200)
		if reply["replyTo"].(map[string]any)["excerpt"] != "hello" {
			t.Errorf("got %v", reply)
		}
		dm := r.send("GET", "/api/world?as=bob", "").want(200)
		private := channelOf(dm, "DiscoClaw")["id"].(string)
		r.send("POST", "/api/channels/"+private+"/messages?as=bob", `{"content":"psst"}`).want(200)
		r.send("POST", "/api/channels/"+private+"/messages?as=eve", `{"content":"psst"}`).refused(404, "no channel")
		r.RequireTranscript(t, "#a bob: hello\n#a eve: hi\n@bob bob: psst")

		m := fakediscord.Message{ID: chat.MessageID(id), Channel: r.ChannelID("a")}
		edited := r.send("PATCH", at(m, "", "bob"), `{"content":"bye"}`).want(200)
		if edited["content"] != "bye" || edited["edited"] != true {
			t.Errorf("got %v", edited)
		}
		r.send("DELETE", at(m, "", "ada"), "").want(204)
		r.send("DELETE", at(m, "", "ada"), "").refused(404, "no message")
	})
}

func TestMembersNeedTheRights(t *testing.T) {
	bubble(t, village, func(r *rig) {
		m := r.MustSay("bob", "#a", "hello")
		there := r.MustSay("bob", "#b", "hello")
		for _, tt := range []struct {
			name, method, path, body string
			status                   int
			part                     string
		}{
			{"nothing", "POST", r.in("a", "/messages", "bob"), `{"content":"  "}`, 400, "empty message"},
			{"no body", "POST", r.in("a", "/messages", "bob"), ``, 400, "empty message"},
			{"too much", "POST", r.in("a", "/messages", "bob"), `{"content":"` + strings.Repeat("x", 2001) + `"}`, 400, "2001 characters"},
			{"far too much", "POST", r.in("a", "/messages", "bob"), `{"content":"` + strings.Repeat("x", 1<<17) + `"}`, 413, "64 KiB"},
			{"not JSON", "POST", r.in("a", "/messages", "bob"), `{"content":`, 400, "not the JSON"},
			{"other JSON", "POST", r.in("a", "/messages", "bob"), `["x"]`, 400, "not the JSON"},
			{"two values", "POST", r.in("a", "/messages", "bob"), `{"content":"x"}{}`, 400, "not the JSON"},
			{"the wrong type", "POST", r.in("a", "/messages", "bob"), `{"content":7}`, 400, "not the JSON"},
			{"where one is mute", "POST", r.in("b", "/messages", "eve"), `{"content":"x"}`, 403, "eve cannot write in #b: Missing Permissions"},
			{"in a locked thread", "POST", r.in("t", "/messages", "bob"), `{"content":"x"}`, 403, "Thread is locked"},
			{"in a category", "POST", r.in("Work", "/messages", "bob"), `{"content":"x"}`, 400, "non-text channel"},
			{"to nothing", "POST", r.in("a", "/messages", "bob"), `{"content":"x","replyTo":"123456789012345678"}`, 404, "no message 123456789012345678 here"},
			{"to elsewhere", "POST", r.in("a", "/messages", "bob"), `{"content":"x","replyTo":"` + string(there.ID) + `"}`, 404, "no message"},
			{"edit others", "PATCH", at(m, "", "eve"), `{"content":"x"}`, 403, "somebody else wrote"},
			{"edit to nothing", "PATCH", at(m, "", "bob"), `{"content":" "}`, 400, "cannot leave the message empty"},
			{"edit too long", "PATCH", at(m, "", "bob"), `{"content":"` + strings.Repeat("x", 2001) + `"}`, 400, "2001 characters"},
			{"edit in another channel", "PATCH", strings.Replace(at(m, "", "bob"), string(m.Channel), string(there.Channel), 1), `{"content":"x"}`, 404, "no message"},
			{"edit what has no ID", "PATCH", strings.Replace(at(m, "", "bob"), string(m.ID), "last", 1), `{"content":"x"}`, 400, "not the ID of a message"},
			{"delete others", "DELETE", at(m, "", "eve"), "", 403, "somebody else wrote"},
			{"react with a word", "PUT", at(m, "/reactions/thumbsup", "bob"), "", 400, "not an emoji"},
			{"react with a script", "PUT", at(m, "/reactions/%3Cscript%3E", "bob"), "", 400, "not an emoji"},
			{"react with two", "PUT", at(m, "/reactions/%F0%9F%91%8D%F0%9F%91%8D", "bob"), "", 400, "not an emoji"},
			{"react with a server's own", "PUT", at(m, "/reactions/party:123456789012345678", "bob"), "", 400, "not an emoji"},
			{"take back what is not there", "DELETE", at(m, "/reactions/%F0%9F%91%8D", "bob"), "", 400, "Unknown Emoji"},
			{"press what is not there", "POST", at(m, "/press", "bob"), `{"button":"yes"}`, 404, `no button "yes"`},
			{"press nothing", "POST", at(m, "/press", "bob"), ``, 404, `no button ""`},
		} {
			got := r.send(tt.method, tt.path, tt.body)
			got.what = tt.name
			got.refused(tt.status, tt.part)
		}
		r.RequireTranscript(t, "#a bob: hello\n#b bob: hello")
	})
}

func TestMembersReact(t *testing.T) {
	bubble(t, village, func(r *rig) {
		m := r.MustSay("ada", "#a", "hello")
		r.must(r.React("ada", m.ID, "party:123456789012345678"))
		for _, emoji := range []string{"%F0%9F%91%8D", "%E2%9D%A4%EF%B8%8F", "party:123456789012345678"} {
			r.send("PUT", at(m, "/reactions/"+emoji, "bob"), "").want(204)
			r.send("PUT", at(m, "/reactions/"+emoji, "bob"), "").want(204) // idempotent
		}
		r.RequireTranscript(t, "#a ada: hello [party:123456789012345678 ada bob, 👍 bob, ❤️ bob]")
		for _, emoji := range []string{"%F0%9F%91%8D", "party:123456789012345678", "%E2%9D%A4"} {
			r.send("DELETE", at(m, "/reactions/"+emoji, "bob"), "").want(204)
		}
		r.RequireTranscript(t, "#a ada: hello [party:123456789012345678 ada]")
		r.must(r.Deny("#a", "bob", chat.AddReactions))
		r.send("PUT", at(m, "/reactions/%F0%9F%91%8D", "bob"), "").refused(403, "bob cannot react in #a")
	})
}

// onPress answers every pressed button as the bot.
func (r *rig) onPress(answers ...map[string]any) {
	r.onInteraction(func() []map[string]any { return answers })
}

// onInteraction answers every interaction as the bot: the first answer, and changes of it. Without one, the bot is silent.
func (r *rig) onInteraction(choose func() []map[string]any) {
	r.Watch(func(e fakediscord.Event) {
		answers := choose()
		if e.Name != "INTERACTION_CREATE" || len(answers) == 0 {
			return
		}
		var p struct{ ID, Token string }
		if err := json.Unmarshal(e.Data, &p); err != nil {
			r.t.Error(err)
		}
		go func() {
			r.bot("POST", "/interactions/"+p.ID+"/"+p.Token+"/callback", answers[0])
			for _, more := range answers[1:] {
				r.bot("PATCH", "/webhooks/"+string(r.UserID("bot"))+"/"+p.Token+"/messages/@original", more)
			}
		}()
	})
}

func TestMembersPressButtons(t *testing.T) {
	quiet := map[string]any{"parse": []string{}}
	for _, tt := range []struct {
		name   string
		answer map[string]any
		want   string
	}{
		{"for one person", map[string]any{"type": 4, "data": map[string]any{"content": "only you", "flags": 64, "allowed_mentions": quiet}}, "only you"},
		{"for all", map[string]any{"type": 4, "data": map[string]any{"content": "everybody", "allowed_mentions": quiet}}, ""},
		{"later", map[string]any{"type": 6}, ""},
		{"by an edit", map[string]any{"type": 7, "data": map[string]any{"content": "changed", "allowed_mentions": quiet}}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, village, func(r *rig) {
				card := r.botSays("a", buttons)
				r.onPress(tt.answer)
				got := r.send("POST", at(card, "/press", "bob"), `{"button":"yes"}`).want(200)
				if got["text"] != tt.want {
					t.Errorf("bob is told %q, want %q", got["text"], tt.want)
				}
				r.send("POST", at(card, "/press", "bob"), `{"button":"no"}`).refused(403, "cannot be pressed")
			})
		})
	}
}

func TestAButtonWithoutAnAnswerFails(t *testing.T) {
	bubble(t, village, func(r *rig) {
		card := r.botSays("a", buttons)
		began := time.Now()
		r.send("POST", at(card, "/press", "bob"), `{"button":"yes"}`).refused(504, "did not answer")
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// TestEphemeralMessages can be read and dismissed by their member, and not changed otherwise.
func TestEphemeralMessages(t *testing.T) {
	bubble(t, village, func(r *rig) {
		card := r.botSays("a", buttons)
		r.onPress(map[string]any{"type": 4, "data": map[string]any{
			"content": "secret", "flags": 64, "allowed_mentions": map[string]any{"parse": []string{}}, "components": buttons["components"],
		}})
		r.send("POST", at(card, "/press", "bob"), `{"button":"yes"}`).want(200)
		all := r.Messages("a")
		secret := all[len(all)-1]
		count := func(as string) int {
			return len(r.send("GET", r.in("a", "/messages", as), "").want(200)["messages"].([]any))
		}
		if count("bob") != 2 || count("ada") != 1 {
			t.Errorf("bob sees %d messages, ada %d", count("bob"), count("ada"))
		}
		for _, as := range []string{"bob", "ada"} {
			status := map[string]int{"bob": 403, "ada": 404}[as]
			r.send("PUT", at(secret, "/reactions/%F0%9F%91%8D", as), "").refused(status, "")
			r.send("PATCH", at(secret, "", as), `{"content":"x"}`).refused(status, "")
			r.send("POST", at(secret, "/commands", as), `{"command":"x"}`).refused(status, "")
			r.send("POST", r.in("a", "/threads", as), `{"name":"x","message":"`+string(secret.ID)+`"}`).refused(status, "")
		}
		r.send("POST", r.in("a", "/messages", "bob"), `{"content":"x","replyTo":"`+string(secret.ID)+`"}`).refused(403, "no message")
		r.send("POST", at(secret, "/press", "ada"), `{"button":"yes"}`).refused(404, "no message")
		r.send("POST", at(secret, "/press", "bob"), `{"button":"yes"}`).want(200)

		r.send("DELETE", at(secret, "", "ada"), "").refused(404, "no message")
		page := r.listen("bob")
		r.send("DELETE", at(secret, "", "bob"), "").want(204)
		page.wants("hello; gone; channel a")
		r.send("POST", at(secret, "/press", "bob"), `{"button":"yes"}`).refused(404, "no message")
	})
}

// TestMentionsYouIsForNotifiedMembers: a name in a text alone is no mention.
func TestMentionsYouIsForNotifiedMembers(t *testing.T) {
	bubble(t, village, func(r *rig) {
		name := "<@" + string(r.UserID("bob")) + ">"
		quiet := r.botSays("a", map[string]any{"content": name, "allowed_mentions": map[string]any{"parse": []string{}}})
		loud := r.botSays("a", map[string]any{"content": name, "allowed_mentions": map[string]any{"parse": []string{"users"}}})
		mentions := map[string]any{}
		for _, as := range []string{"bob", "ada"} {
			for _, m := range r.send("GET", r.in("a", "/messages", as), "").want(200)["messages"].([]any) {
				m := m.(map[string]any)
				mentions[as+m["id"].(string)] = m["mentionsYou"]
			}
		}
		want := map[string]any{"bob" + string(quiet.ID): false, "bob" + string(loud.ID): true, "ada" + string(quiet.ID): false, "ada" + string(loud.ID): false}
		if diff := cmp.Diff(want, mentions); diff != "" {
			t.Errorf("who is mentioned (-want +got):\n%s", diff)
		}
	})
}

func TestAPollIsShown(t *testing.T) {
	bubble(t, village, func(r *rig) {
		r.botSays("a", map[string]any{"poll": map[string]any{
			"question": map[string]any{"text": "When?"}, "duration": 1,
			"answers": []map[string]any{{"poll_media": map[string]any{"text": "now"}}, {"poll_media": map[string]any{"text": "later"}}},
		}})
		shown := func(n int, field string) any {
			return r.send("GET", r.in("a", "/messages", "bob"), "").want(200)["messages"].([]any)[n].(map[string]any)[field]
		}
		want := map[string]any{"question": "When?", "multiple": false, "closed": false, "answers": []any{
			map[string]any{"text": "now", "votes": 0.0, "mine": false, "who": []any{}}, map[string]any{"text": "later", "votes": 0.0, "mine": false, "who": []any{}},
		}}
		if diff := cmp.Diff(want, shown(0, "poll")); diff != "" {
			t.Errorf("poll (-want +got):\n%s", diff)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if got := shown(0, "poll").(map[string]any); got["closed"] != true || shown(1, "system") != "poll" {
			t.Errorf("after its end: %v", got)
		}
	})
}
