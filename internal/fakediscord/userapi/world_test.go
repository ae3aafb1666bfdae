package userapi_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"discoclaw/internal/fakediscord"
	"discoclaw/internal/fakediscord/userapi"
)

func TestTheWorldIsShownAsAMemberSeesIt(t *testing.T) {
	const layout = `
guild town: #general news:announcement ideas:forum talk:voice hall:stage Work:category #secret
role mods: Manage Messages
member ada: owner
member bob: mods
bot Clawd
tag bug in ideas: 🐛
post "Dark mode" in ideas [bug]: please
thread "chat" in #general
thread "hush" in #general: private
thread "old" in #general: archived, locked
deny #secret bob: View Channel
deny news bob: Send Messages
about ada: may do everything
`
	bubbleWith(t, layout, userapi.Options{}, func(r *rig) {
		r.must(r.SetNick("bob", "Bobby"))
		said := r.MustSay("ada", "#general", "hello")
		got := r.send("GET", "/api/world?as=BOB", "").want(200)
		if diff := cmp.Diff(map[string]any{"id": string(r.GuildID()), "name": "town"}, got["guild"]); diff != "" {
			t.Error(diff)
		}
		bob := map[string]any{"id": string(r.UserID("bob")), "name": "Bobby", "bot": false, "owner": false, "note": "mods"}
		if diff := cmp.Diff(bob, got["me"]); diff != "" {
			t.Error(diff)
		}
		people := []any{
			map[string]any{"id": string(r.UserID("ada")), "name": "ada", "bot": false, "owner": true, "note": "may do everything"},
			bob,
			map[string]any{"id": string(r.UserID("bot")), "name": "Clawd", "bot": true, "owner": false, "note": ""},
		}
		if diff := cmp.Diff(people, got["people"]); diff != "" {
			t.Error(diff)
		}
		var roles []string
		for _, role := range got["roles"].([]any) {
			roles = append(roles, role.(map[string]any)["name"].(string))
		}
		if !slices.Contains(roles, "mods") || got["roles"].([]any)[0].(map[string]any)["id"] != string(r.GuildID()) {
			t.Errorf("roles = %v", got["roles"])
		}
		var brief []string
		for _, c := range got["channels"].([]any) {
			c := c.(map[string]any)
			words := c["kind"].(string) + " " + c["name"].(string)
			if c["canSend"] != true {
				words += " mute"
			}
			if c["archived"] == true {
				words += " archived"
			}
			brief = append(brief, words)
		}
		want := "text general; announcement news mute; forum ideas; voice talk; stage hall; category Work mute; thread chat; thread old mute archived; thread Dark mode; dm Clawd"
		if got := strings.Join(brief, "; "); !equalSets(got, want) {
			t.Errorf("channels:\n%s\nwant\n%s", got, want)
		}
		general := channelOf(got, "general")
		if general["messages"] != 1.0 || general["last"] != string(said.ID) || general["parent"] != "" {
			t.Errorf("general = %v", general)
		}
		forum, post := channelOf(got, "ideas"), channelOf(got, "Dark mode")
		bug := forum["tags"].([]any)[0].(map[string]any)
		if bug["name"] != "bug" || bug["emoji"] != "🐛" {
			t.Errorf("tags = %v", forum["tags"])
		}
		if diff := cmp.Diff([]any{bug["id"]}, post["appliedTags"]); diff != "" || post["parent"] != forum["id"] || post["messages"] != 1.0 {
			t.Errorf("post = %v", post)
		}
		for _, key := range []string{"tags", "appliedTags"} {
			if _, isList := general[key].([]any); !isList {
				t.Errorf("%s of a channel is %v", key, general[key])
			}
		}
		// The display name and the ID work too.
		for _, as := range []string{"Bobby", string(r.UserID("bob"))} {
			if again := r.send("GET", "/api/world?as="+as, "").want(200); !cmp.Equal(again, got) {
				t.Errorf("as %s the world is different", as)
			}
		}
	})
}

func equalSets(a, b string) bool {
	set := func(s string) map[string]bool {
		all := map[string]bool{}
		for item := range strings.SplitSeq(s, "; ") {
			all[item] = true
		}
		return all
	}
	return cmp.Equal(set(a), set(b))
}

func channelOf(world map[string]any, name string) map[string]any {
	for _, c := range world["channels"].([]any) {
		if c := c.(map[string]any); c["name"] == name {
			return c
		}
	}
	return nil
}

// TestAHiddenChannelIsNotThere: not in a list, not in a response, not in an error of any
// request.
func TestAHiddenChannelIsNotThere(t *testing.T) {
	const layout = "guild d: #general #covert\nmember bob\nmember eve\nbot DiscoClaw: Administrator\ndeny #covert bob: View Channel\nthread \"plot\" in #covert"
	bubble(t, layout, func(r *rig) {
		page := r.listen("bob")
		m := r.MustSay("eve", "#covert", "psst")
		answer := r.MustSay("eve", "#covert", "yes?", fakediscord.Answering(m.ID))
		r.must(r.React("eve", m.ID, "🔥"))
		r.must(r.EditAs("eve", m.ID, "psst!"))
		r.MustSay("eve", "plot", "deep")
		r.must(r.PinAs("ada", m.ID))
		r.must(r.RenameChannel("plot", "plotting"))
		r.bot("POST", "/channels/"+string(m.Channel)+"/typing", nil)
		card := r.botSays("covert", buttons)
		r.must(r.DeleteAs("eve", answer.ID))

		answers := []reply{}
		for _, path := range []string{at(m, "", "bob"), at(card, "", "bob")} {
			answers = append(answers, r.send("PATCH", path, `{"content":"x"}`), r.send("DELETE", path, ""))
		}
		answers = append(answers,
			r.send("GET", r.in("covert", "/messages", "bob"), ""),
			r.send("POST", r.in("covert", "/messages", "bob"), `{"content":"x"}`),
			r.send("PUT", at(m, "/reactions/🔥", "bob"), ""),
			r.send("DELETE", at(m, "/reactions/🔥", "bob"), ""),
			r.send("POST", at(card, "/press", "bob"), `{"button":"yes"}`),
			r.send("POST", at(m, "/commands", "bob"), `{"command":"Ask about this"}`),
			r.send("POST", r.in("covert", "/forms", "bob"), `{"form":"ask"}`),
			r.send("POST", r.in("covert", "/threads", "bob"), `{"name":"x"}`),
			r.send("POST", r.in("general", "/threads", "bob"), `{"name":"x","message":"`+string(m.ID)+`"}`),
			r.send("POST", r.in("general", "/messages", "bob"), `{"content":"x","replyTo":"`+string(m.ID)+`"}`),
			r.send("GET", "/api/channels/"+string(r.ChannelID("general"))+"/messages/"+string(m.ID)+"?as=bob", ""),
		)
		for _, a := range answers {
			if a.status != 404 && a.status != 405 {
				t.Errorf("%s: status %d: %s", a.what, a.status, a.body)
			}
		}
		everything := r.send("GET", "/api/world?as=bob", "").body
		for _, a := range answers {
			everything += a.body
		}
		for _, e := range page.heard() {
			everything += e.name + e.data
		}
		for _, word := range []string{"covert", "psst", "plot", "deep", string(m.Channel)} {
			if strings.Contains(strings.ReplaceAll(everything, "there is no channel "+string(m.Channel), ""), word) {
				t.Errorf("bob learns of %q in %s", word, everything)
			}
		}
		if got, _ := r.Message(m.ID); got.Content != "psst!" || len(got.Reactions) != 1 {
			t.Errorf("bob changed the message: %+v", got)
		}
	})
}

// buttons are those of a card of the bot.
var buttons = map[string]any{"components": []map[string]any{{"type": 1, "components": []map[string]any{
	{"type": 2, "style": 3, "label": "Yes", "custom_id": "yes"},
	{"type": 2, "style": 4, "label": "No", "custom_id": "no", "disabled": true, "emoji": map[string]any{"name": "❌"}},
	{"type": 2, "style": 5, "label": "Help", "url": "https://example.com/"},
}}}}
